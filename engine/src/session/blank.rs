//! The record of a row before anything is known of it.

use super::inventory::Target;
use super::plan::Row;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proto::job::{Params, Verify, Wait};
use proto::result::{
    Accesses, Commands, Cpu, Depth, Direction, ExitsBounds, Gaps, OpenAtEnd, PerIo, Run, RunParams,
    RunStatus,
};

/// A row without figures.
pub fn blank(number: u32, row: &Row, params: &Params, target: &Target) -> Box<Run> {
    let (bs, bs_write) = match (params.rw.reads(), params.rw.writes()) {
        (true, true) if params.bs.read_bytes != params.bs.write_bytes => {
            (params.bs.read_bytes, Some(params.bs.write_bytes))
        }
        (true, _) => (params.bs.read_bytes, None),
        (false, _) => (params.bs.write_bytes, None),
    };
    let verify = row.read_back || (params.verify == Verify::Pattern && !params.rw.writes());
    let (job, rw, bs, bs_write) = if row.read_back {
        let rw = if params.rw.is_random() {
            "randread"
        } else {
            "read"
        };
        let bs = params.bs.write_bytes;
        (format!("{}-verify", params.name), rw, bs, None)
    } else {
        (params.name.clone(), params.rw.name(), bs, bs_write)
    };
    let timed = !row.read_back;
    // What was written is looked at by polling, whatever wrote it.
    let wait = if timed { params.wait } else { Wait::Poll };
    Box::new(Run {
        row: number,
        job,
        controller: target.info.controller.clone(),
        disk: target.info.id.clone(),
        params: RunParams {
            rw: rw.to_string(),
            bs,
            bs_write,
            iodepth: params.iodepth,
            iodepth_batch_submit: params.iodepth_batch_submit,
            iodepth_batch_complete_min: params.iodepth_batch_complete_min,
            numjobs: 1,
            rwmixread: mix_pct(params, row.read_back),
            wait: wait.name().to_string(),
            irq: None,
            runtime_ns: params.runtime_ns.filter(|_| timed),
            ramp_ns: if timed { params.ramp_ns } else { 0 },
            region_start: 0,
            region_bytes: 0,
            randseed: params.randseed,
            ring_pages: params.ring_pages.unwrap_or(0),
            verify: if verify { "pattern" } else { "none" }.to_string(),
        },
        status: RunStatus::Skipped,
        reason: None,
        window_ns: 0,
        open_at_end: OpenAtEnd::default(),
        commands: Commands::default(),
        read: Direction::default(),
        write: Direction::default(),
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
            asked: params.iodepth,
            effective: 0.0,
            limit: 0,
        },
        stages_ns: None,
        gaps: Gaps::default(),
        checks: Vec::new(),
    })
}

const fn mix_pct(params: &Params, read_back: bool) -> u8 {
    if read_back || !params.rw.writes() {
        100
    } else if params.rw.reads() {
        params.rwmixread_pct
    } else {
        0
    }
}
