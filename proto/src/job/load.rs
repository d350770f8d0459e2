//! The finer properties of a load: what stands behind one key each.

use alloc::string::String;
use alloc::vec::Vec;

/// A value for reads, one for writes and one for trims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByDirection<T> {
    /// Of reads.
    pub read: T,
    /// Of writes.
    pub write: T,
    /// Of trims.
    pub trim: T,
}

impl<T: Clone> ByDirection<T> {
    /// The same for all three.
    pub fn all(value: T) -> Self {
        Self {
            read: value.clone(),
            write: value.clone(),
            trim: value,
        }
    }
}

/// One size of fio's `bssplit` and its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Block size in bytes.
    pub bytes: u64,
    /// Its share of the I/Os of a direction in per cent; all shares make 100.
    pub pct: u8,
}

/// A non-negative decimal with six digits after the point, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millionths(pub u64);

impl Millionths {
    /// As a floating-point number.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// Where random I/Os go (fio `random_distribution`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// Everywhere alike.
    #[default]
    Random,
    /// Zipf's law with this exponent: the k-th favourite is met `1 / k^theta` as often.
    Zipf(Millionths),
    /// Pareto's law with this share, below 1: 0.2 gives 20 % of the blocks 80 % of the I/Os.
    Pareto(Millionths),
    /// A normal distribution about the middle, with this deviation in per cent of the region.
    Normal(Millionths),
}

/// When I/Os of a fixed rate start (fio `rate_process`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateProcess {
    /// At equal distances.
    #[default]
    Linear,
    /// At the distances of a Poisson process.
    Poisson,
}

/// fio `latency_target` and its companions: the depth is sought at which the latency
/// is still met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyTarget {
    /// Longest latency in ns; 0 asks for nothing.
    pub target_ns: u64,
    /// How long each depth is tried, in ns.
    pub window_ns: u64,
    /// Share of the I/Os that must meet it, in thousandths of a per cent.
    pub percentile_milli_pct: u32,
}

impl LatencyTarget {
    /// fio's defaults: no target, and all I/Os within it.
    pub const NONE: Self = Self {
        target_ns: 0,
        window_ns: 0,
        percentile_milli_pct: 100_000,
    };
}

/// What fio's `steadystate` looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyFigure {
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
}

/// How far a figure may move and still be steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyLimit {
    /// In the figure's own unit.
    Absolute(u64),
    /// In per cent of its mean.
    Percent(Millionths),
}

/// fio `steadystate`: the job ends when a figure, taken once a second, is steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SteadyState {
    /// Which figure.
    pub figure: SteadyFigure,
    /// Its slope per second is looked at; else its largest distance from the mean.
    pub slope: bool,
    /// The limit.
    pub limit: SteadyLimit,
}

/// What buffers of writes hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteData {
    /// fio `zero_buffers`: nothing but zeros.
    pub zero: bool,
    /// fio `refill_buffers`: new random data for each write.
    pub refill: bool,
    /// fio `buffer_compress_percentage`: this share of each unit is zero; `None` where it
    /// was not asked for.
    pub compress_pct: Option<u8>,
    /// fio `buffer_pattern`: these bytes over and over; empty without.
    pub pattern: Vec<u8>,
}

impl WriteData {
    /// The pattern that is keyed by position, nothing else.
    pub const KEYED: Self = Self {
        zero: false,
        refill: false,
        compress_pct: None,
        pattern: Vec::new(),
    };
}

/// A key and the values it takes one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The key.
    pub key: String,
    /// Its values as they would stand in a job file.
    pub values: Vec<String>,
}
