//! The rows of a run: jobs by disks, in the order of the jobs.

use super::inventory::{Inventory, selects};
use alloc::vec::Vec;
use proto::job::{Params, Verify};

/// One row to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index of the job.
    pub job: usize,
    /// Index of the disk in [`Inventory::targets`].
    pub target: usize,
    /// It reads back what the row before it wrote.
    pub read_back: bool,
}

/// All rows. A write job with `verify` and `do_verify` is followed by its read-back.
pub fn plan(jobs: &[Params], inventory: &Inventory) -> Vec<Row> {
    let mut rows = Vec::new();
    for (job, params) in jobs.iter().enumerate() {
        let targets = inventory.targets.iter().enumerate();
        for (target, _) in targets.filter(|(_, target)| selects(params, &target.info)) {
            let row = Row {
                job,
                target,
                read_back: false,
            };
            rows.push(row);
            if params.rw.writes() && params.verify == Verify::Pattern && params.do_verify {
                rows.push(Row {
                    read_back: true,
                    ..row
                });
            }
        }
    }
    rows
}

/// Ramp and window of a row where both are bounded by time.
pub fn planned_ns(params: &Params, row: &Row) -> Option<u64> {
    if row.read_back {
        return None;
    }
    params
        .runtime_ns
        .map(|runtime| runtime.saturating_add(params.ramp_ns))
}
