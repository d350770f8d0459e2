//! One of several jobs that run at the same time.

use super::{Arrival, Course, Mix};

/// Everything that decides what a job asks for next.
#[derive(Clone, Debug)]
pub struct Worker {
    /// First block of its region on the disk.
    pub start_lba: u64,
    /// Where reads, and where writes or trims go.
    pub courses: [Course; 2],
    /// Who is next.
    pub mix: Mix,
    /// I/Os to issue; `u64::MAX` where nothing but time or blocks end it.
    pub quota_ios: u64,
    /// Blocks to move; `u64::MAX` where nothing but time or I/Os end it.
    pub quota_blocks: u64,
    /// When reads and when writes are meant to start, where that is fixed.
    pub arrivals: [Option<Arrival>; 2],
}
