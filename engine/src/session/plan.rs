//! The rows of a run: jobs by disks, in the order of the jobs.

use super::inventory::Inventory;
use alloc::vec::Vec;
use proto::job::{Params, Verify};

/// Which part of a job a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It writes what the job will read.
    Prefill,
    /// It is the job itself.
    Job,
    /// It reads back what the row before it wrote.
    ReadBack,
}

/// One row to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index of the job.
    pub job: usize,
    /// Index of the disk in [`Inventory::targets`]; of all of them, in a row that runs
    /// on several at once.
    pub targets: Vec<usize>,
    /// Which part of the job.
    pub part: Part,
    /// Which of its repeats, from 0.
    pub repeat: u32,
}

impl Row {
    /// It reads back what the row before it wrote.
    pub fn is_read_back(&self) -> bool {
        self.part == Part::ReadBack
    }
}

/// All rows. Jobs that repeat take turns: all first rows, then all second ones. A
/// write job with `verify` and `do_verify` is followed by its read-back; a prefill
/// comes once, before the first of its job's rows. A job with `concurrent` has one row
/// for all its disks, and a prefill and a read-back for each of them.
pub fn plan(jobs: &[Params], inventory: &Inventory) -> Vec<Row> {
    let mut rows = Vec::new();
    let most = jobs.iter().map(|job| job.repeat).max().unwrap_or(0);
    for repeat in 0..most {
        let turn = jobs.iter().enumerate();
        for (job, params) in turn.filter(|(_, params)| repeat < params.repeat) {
            for targets in groups(params, inventory) {
                let row = |part, targets: &[usize]| Row {
                    job,
                    targets: targets.to_vec(),
                    part,
                    repeat,
                };
                if params.prefill && repeat == 0 {
                    let each = targets.chunks(1);
                    rows.extend(each.map(|target| row(Part::Prefill, target)));
                }
                rows.push(row(Part::Job, &targets));
                let verify = params.verify == Verify::Pattern && params.do_verify;
                if params.rw.writes() && verify {
                    let each = targets.chunks(1);
                    rows.extend(each.map(|target| row(Part::ReadBack, target)));
                }
            }
        }
    }
    rows
}

/// The disks of each of a job's rows.
fn groups(params: &Params, inventory: &Inventory) -> Vec<Vec<usize>> {
    let targets = inventory.targets.iter().enumerate();
    let selected = targets.filter(|(_, target)| params.selects(&target.info.names()));
    if !params.concurrent {
        return selected.map(|(index, _)| alloc::vec![index]).collect();
    }
    let most = params.adapters.map_or(usize::MAX, |most| most as usize);
    let mut group: Vec<usize> = Vec::new();
    let mut last = None;
    for (index, target) in selected {
        if last != Some(target.adapter) && group.len() < most {
            group.push(index);
        }
        last = Some(target.adapter);
    }
    match group.is_empty() {
        true => Vec::new(),
        false => alloc::vec![group],
    }
}

/// Ramp and window of a row where both are bounded by time.
pub fn planned_ns(params: &Params, row: &Row) -> Option<u64> {
    if row.part != Part::Job {
        return None;
    }
    params.runtime_ns.map(|runtime| {
        let before = params.ramp_ns.saturating_add(params.startdelay_ns);
        runtime.saturating_add(before)
    })
}
