//! The record of a row before anything is known of it.

use super::crew;
use super::inventory::Target;
use super::plan::{Part, Row};
use super::resolve::compares;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proto::job::{Params, Wait};
use proto::result::{
    Accesses, Commands, Cpu, Depth, Direction, DiskInfo, ExitsBounds, Gaps, OpenAtEnd, PerIo, Run,
    RunParams, RunStatus, Share,
};

/// A row without figures.
pub fn blank(number: u32, row: &Row, params: &Params, targets: &[&Target]) -> Box<Run> {
    let change = crew::longest_bytes(params, 1);
    let read = crew::longest_bytes(params, 0);
    let (bs, bs_write) = match (params.rw.reads(), params.rw.writes()) {
        (true, true) if read != change => (read, Some(change)),
        (true, _) => (read, None),
        (false, _) => (change, None),
    };
    let name = &params.name;
    let (job, rw, bs, bs_write) = match row.part {
        Part::Job => (name.clone(), params.rw.name(), bs, bs_write),
        Part::Prefill => (format!("{name}-prefill"), "write", bs, None),
        Part::ReadBack => {
            let rw = if params.rw.is_random() {
                "randread"
            } else {
                "read"
            };
            (format!("{name}-verify"), rw, params.bs.write_bytes, None)
        }
    };
    let timed = row.part == Part::Job;
    let verify = row.is_read_back() || timed && compares(params);
    let depth = params.iodepth.saturating_mul(params.numjobs);
    // What was written is looked at by polling, whatever wrote it.
    let wait = if timed { params.wait } else { Wait::Poll };
    Box::new(Run {
        row: number,
        job,
        controller: joined(targets, |info| &info.controller),
        disk: joined(targets, |info| &info.id),
        shares: match timed && params.concurrent {
            true => targets.iter().map(|target| share(&target.info)).collect(),
            false => Vec::new(),
        },
        repeat: row.repeat,
        params: RunParams {
            rw: rw.to_string(),
            bs,
            bs_write,
            iodepth: params.iodepth,
            iodepth_batch_submit: params.iodepth_batch_submit,
            iodepth_batch_complete_min: params.iodepth_batch_complete_min,
            numjobs: params.numjobs,
            rwmixread: mix_pct(params, row.part),
            wait: wait.name().to_string(),
            irq: None,
            runtime_ns: params.runtime_ns.filter(|_| timed),
            ramp_ns: if timed { params.ramp_ns } else { 0 },
            region_start: 0,
            region_bytes: 0,
            randseed: params.randseed,
            ring_pages: params.ring_pages.unwrap_or(0),
            queues: params.queues,
            doorbell_batch: if timed { params.doorbell_batch } else { 0 },
            verify: if verify { "pattern" } else { "none" }.to_string(),
            trace: if timed { params.trace } else { 0 },
            keys: params.keys(),
        },
        status: RunStatus::Skipped,
        reason: None,
        started_at: None,
        start_skew_ns: None,
        window_ns: 0,
        open_at_end: OpenAtEnd::default(),
        commands: Commands::default(),
        read: Direction::default(),
        write: Direction::default(),
        trim: None,
        flush: None,
        errors: 0,
        errors_by_kind: BTreeMap::new(),
        retries: 0,
        verified_blocks: 0,
        mismatched_bytes: 0,
        mismatches: Vec::new(),
        all_zero: None,
        digest: String::from("0000000000000000"),
        cpu: Cpu::default(),
        accesses: Accesses::default(),
        doorbells: BTreeMap::new(),
        per_io: PerIo::default(),
        interrupts: None,
        exits_bounds: ExitsBounds::default(),
        depth: Depth {
            asked: depth,
            effective: 0.0,
            limit: 0,
        },
        stages_ns: None,
        late: None,
        latency_target: None,
        steady: None,
        trace_kept: 0,
        gaps: Gaps::default(),
        checks: Vec::new(),
    })
}

fn joined(targets: &[&Target], name: fn(&DiskInfo) -> &String) -> String {
    let names: Vec<&str> = targets.iter().map(|one| name(&one.info).as_str()).collect();
    names.join("+")
}

fn share(disk: &DiskInfo) -> Share {
    Share {
        controller: disk.controller.clone(),
        disk: disk.id.clone(),
        ios: 0,
        commands: 0,
    }
}

fn mix_pct(params: &Params, part: Part) -> u8 {
    match part {
        Part::ReadBack => 100,
        Part::Prefill => 0,
        Part::Job if !params.rw.writes() => 100,
        Part::Job if params.rw.reads() => params.rwmixread_pct,
        Part::Job => 0,
    }
}
