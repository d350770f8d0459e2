//! Times in nanoseconds.

use super::error::{UnitError, UnitFault};
use super::number;
use alloc::string::String;

/// One accepted suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSuffix {
    /// In lower case; upper and mixed case are the same.
    pub spelling: &'static str,
    /// Nanoseconds that one of this unit has.
    pub ns: u64,
}

const fn suffix(spelling: &'static str, ns: u64) -> TimeSuffix {
    TimeSuffix { spelling, ns }
}

const SECOND_NS: u64 = 1_000_000_000;

/// Every suffix that a time may have: fio's, and `ns`, which fio lacks. A bare number
/// is seconds, as with fio's `runtime`; `m` is minutes.
pub const TIME_SUFFIXES: [TimeSuffix; 12] = [
    suffix("", SECOND_NS),
    suffix("ns", 1),
    suffix("nsec", 1),
    suffix("us", 1_000),
    suffix("usec", 1_000),
    suffix("ms", 1_000_000),
    suffix("msec", 1_000_000),
    suffix("s", SECOND_NS),
    suffix("sec", SECOND_NS),
    suffix("m", 60 * SECOND_NS),
    suffix("h", 3_600 * SECOND_NS),
    suffix("d", 86_400 * SECOND_NS),
];

const ACCEPTED: &str = "ns, us, ms, s, m (minutes), h, d; a bare number is seconds";

/// Reads a time such as `2`, `500ms` or `1m`, in nanoseconds.
///
/// # Errors
/// [`UnitError`] quotes the text: no number, a sign, a fraction, a space, an unknown
/// suffix, or more than 64 bits of nanoseconds (584 years).
pub fn time_ns(text: &str) -> Result<u64, UnitError> {
    let refuse = |fault| UnitError::new("time", text, fault);
    let (number, spelling) = number::split(text).map_err(refuse)?;
    let suffix = TIME_SUFFIXES
        .iter()
        .find(|suffix| suffix.spelling.eq_ignore_ascii_case(spelling))
        .ok_or_else(|| refuse(UnitFault::UnknownSuffix { accepted: ACCEPTED }))?;
    number
        .checked_mul(suffix.ns)
        .ok_or_else(|| refuse(UnitFault::TooLarge))
}

/// The shortest exact spelling in `s`, `ms`, `us` or `ns`. [`time_ns`] reads it back.
#[must_use]
pub fn time_text(ns: u64) -> String {
    let (unit_ns, spelling) = [(SECOND_NS, "s"), (1_000_000, "ms"), (1_000, "us")]
        .into_iter()
        .find(|(unit_ns, _)| ns.is_multiple_of(*unit_ns))
        .unwrap_or((1, "ns"));
    alloc::format!("{}{spelling}", ns / unit_ns)
}
