//! What a row does, resolved to blocks and ticks.

use super::crew::CrewSpec;
use super::data::Data;
use super::search::SearchSpec;
use super::steady::SteadySpec;
use super::wait::WaitFor;
use crate::workload::{Mix, Stream};
use drivers::block::{DiskId, Op};

/// Which directions a row issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads only.
    Read,
    /// Writes only.
    Write,
    /// Both, by [`Spec::mix`].
    Mix,
}

/// One direction of a row.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Positions in units of `bs_bytes`.
    pub stream: Stream,
    /// Length of each I/O in bytes, a multiple of the logical block size.
    pub bs_bytes: u64,
    /// Longest single command in bytes, a multiple of the logical block size;
    /// longer I/Os are split into commands of this length and a rest.
    pub command_bytes: u64,
}

impl Lane {
    /// Commands of one I/O.
    #[must_use]
    pub const fn pieces(&self) -> u64 {
        self.bs_bytes.div_ceil(self.command_bytes)
    }
}

/// One row.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Which disk of the controller.
    pub disk: DiskId,
    /// Logical block size in bytes, a power of two.
    pub block_size_bytes: u32,
    /// First byte of the region on the disk.
    pub region_start_bytes: u64,
    /// Directions issued.
    pub kind: Kind,
    /// Reads.
    pub read: Lane,
    /// Writes.
    pub write: Lane,
    /// Who is next; where only one direction is issued, it gives no other.
    pub mix: Mix,
    /// I/Os to keep in flight, as asked.
    pub depth: u32,
    /// fio `iodepth_batch_submit`: above 1, exactly this many requests share a doorbell.
    pub batch_submit: u32,
    /// fio `iodepth_batch_complete_min`: refill after this many completions.
    pub batch_complete_min: u32,
    /// Ticks before the window opens.
    pub ramp_ticks: u64,
    /// Length of the window; `u64::MAX` where only `quota_ios` ends it.
    pub runtime_ticks: u64,
    /// I/Os to issue once the window is open; `u64::MAX` where only time ends it.
    pub quota_ios: u64,
    /// A command that takes longer is given up, and the row with it.
    pub timeout_ticks: u64,
    /// How completions are awaited.
    pub wait: WaitFor,
    /// Ticks after a look that found nothing; `None` is the engine's choice.
    pub poll_interval_ticks: Option<u64>,
    /// Take the split of each latency.
    pub stages: bool,
    /// Compare what is read with the LBA-keyed pattern.
    pub verify: bool,
    /// What most rows do not do.
    pub extras: Extras,
}

/// What few rows do.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Several jobs at once, or one whose I/Os are chosen with more care than
    /// [`Spec::read`], [`Spec::write`] and [`Spec::mix`] can say; it replaces these
    /// and the quota.
    pub crew: Option<CrewSpec>,
    /// Each write is durable when it completes (FUA).
    pub durable: bool,
    /// What writes of a crew carry.
    pub data: Data,
    /// Ticks before anything is done.
    pub start_delay_ticks: u64,
    /// The stamp before which nothing is done.
    pub start_at_ticks: u64,
    /// So many I/Os are kept one by one.
    pub trace_ios: u32,
    /// The row ends once a figure is steady.
    pub steady: Option<SteadySpec>,
    /// The depth is sought that meets a latency.
    pub search: Option<SearchSpec>,
    /// Which queues are used, and when they are rung.
    pub rings: RingSpec,
}

/// The request queues of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingSpec {
    /// Queues used, from the first on. I/Os in flight are spread over them evenly.
    pub queues: u16,
    /// Most commands per doorbell; 0 for all of a fill.
    pub doorbell_batch: u32,
}

impl Default for RingSpec {
    fn default() -> Self {
        Self {
            queues: 1,
            doorbell_batch: 0,
        }
    }
}

impl RingSpec {
    /// Whether it is the first queue alone, rung once a fill.
    #[must_use]
    pub const fn is_plain(self) -> bool {
        self.queues <= 1 && self.doorbell_batch == 0
    }
}

impl Spec {
    /// Whether an I/O can take more than one command.
    #[must_use]
    pub const fn splits(&self) -> bool {
        self.pieces() > 1
    }

    /// Whether it trims, and so moves no data.
    #[must_use]
    pub fn trims(&self) -> bool {
        let op = self.extras.crew.as_ref().map(|crew| crew.changing_op);
        op == Some(Op::Trim)
    }

    /// Most commands of one I/O.
    #[must_use]
    pub const fn pieces(&self) -> u64 {
        let (read, write) = (self.read.pieces(), self.write.pieces());
        match self.kind {
            Kind::Read => read,
            Kind::Write => write,
            Kind::Mix => {
                if read > write {
                    read
                } else {
                    write
                }
            }
        }
    }
}
