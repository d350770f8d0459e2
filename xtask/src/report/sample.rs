//! A made-up result, where every figure is known.

use crate::result::{Document, HostInfo, HostRun, Row};
use crate::serial::{Followed, Stop, Transcript};
use proto::result::{
    Accesses, Check, CheckStatus, Commands, Cpu, Depth, Direction, Gaps, LatencyNs, OpenAtEnd,
    PerIo, Run, RunParams, RunStatus,
};
use serde_json::json;
use std::collections::BTreeMap;
use time::macros::datetime;

pub(crate) fn direction(ios: u64) -> Direction {
    Direction {
        ios,
        bytes: ios * 4096,
        iops: 143_201.5,
        bw_bytes: 586_553_344.0,
        lat_ns: LatencyNs {
            min: Some(1_000),
            mean: Some(223_400.0),
            stddev: Some(10.5),
            max: Some(9_876_543),
            p50: Some(220_000),
            p99: Some(400_000),
            ..LatencyNs::default()
        },
        ..Direction::default()
    }
}

/// A row of random reads, all well.
pub(crate) fn row(number: u32) -> Row {
    let run = Run {
        row: number,
        job: "quick-b".into(),
        controller: "pvscsi@00:03.0".into(),
        disk: "pvscsi@00:03.0:0:0".into(),
        shares: Vec::new(),
        repeat: 0,
        params: RunParams {
            rw: "randread".into(),
            bs: 4096,
            bs_write: None,
            iodepth: 32,
            iodepth_batch_submit: 1,
            iodepth_batch_complete_min: 1,
            numjobs: 1,
            rwmixread: 50,
            wait: "poll".into(),
            irq: None,
            runtime_ns: Some(2_000_000_000),
            ramp_ns: 0,
            region_start: 0,
            region_bytes: 1 << 30,
            randseed: 1,
            ring_pages: 32,
            queues: 1,
            doorbell_batch: 0,
            verify: "none".into(),
            trace: 0,
            keys: Default::default(),
        },
        status: RunStatus::Ok,
        reason: None,
        started_at: None,
        start_skew_ns: None,
        window_ns: 2_000_000_000,
        open_at_end: OpenAtEnd::default(),
        commands: Commands::default(),
        read: direction(286_403),
        write: Direction::default(),
        errors: 0,
        errors_by_kind: BTreeMap::new(),
        retries: 0,
        verified_blocks: 0,
        mismatched_bytes: 0,
        mismatches: Vec::new(),
        all_zero: Some(true),
        digest: String::new(),
        cpu: Cpu {
            busy_pct: 100.0,
            iops_per_cpu_pct: 1_432.0,
            work_cycles_per_io: 8123.4,
            empty_polls_per_io: 2.5,
            ..Cpu::default()
        },
        accesses: Accesses::default(),
        doorbells: BTreeMap::new(),
        interrupts: None,
        exits_bounds: proto::result::ExitsBounds::default(),
        per_io: PerIo {
            doorbells: 0.0625,
            ..PerIo::default()
        },
        depth: Depth {
            asked: 32,
            effective: 31.94,
            limit: 1024,
        },
        trim: None,
        flush: None,
        late: None,
        latency_target: None,
        steady: None,
        trace_kept: 0,
        stages_ns: None,
        gaps: Gaps::default(),
        checks: vec![Check {
            name: "commands".into(),
            status: CheckStatus::Ok,
            detail: "read: guest 1, qemu 1".into(),
        }],
    };
    let host = HostRun {
        cpu_us_per_io: Some(10.25),
        net_cpu_us_per_io: Some(4.0),
        ..HostRun::default()
    };
    Row {
        run,
        host: Some(host),
    }
}

/// Three repeats of two jobs in turns, at 1000, 2000 .. 6000 IOPS.
pub(crate) fn repeats() -> Vec<Row> {
    let numbered = |number: u32| {
        let mut row = row(number);
        row.job = format!("quick-{}", ["a", "b"][number as usize % 2]);
        row.repeat = number / 2;
        row.read.iops = 1000.0 * f64::from(number + 1);
        row.read.lat_ns.mean = Some(10_000.0 * f64::from(number + 1));
        row.read.bins = vec![(220_000, 1000), (400_000 + u64::from(number), 100)];
        row
    };
    (0..6).map(numbered).collect()
}

/// A document around rows, of a run of `quick` under TCG on the null backend.
pub(crate) fn document(rows: Vec<Row>) -> Document {
    let mut said = Transcript::default();
    said.guest = Some(json!({"hypervisor": "tcg", "tsc_source": "acpi-pm-timer"}));
    let mut document = of_transcript(said);
    document.rows = rows;
    document
}

/// The document of a serial log, without a host that looked at QEMU.
pub(crate) fn of_log(log: &[u8]) -> Document {
    let mut said = Transcript::default();
    said.feed(log);
    said.close();
    of_transcript(said)
}

fn of_transcript(said: Transcript) -> Document {
    let followed = Followed {
        said,
        samples: BTreeMap::new(),
        idle: None,
        stop: Stop::Interrupted,
        stderr: String::new(),
        first_record: None,
        first_row_end: None,
    };
    let host = HostInfo {
        job: "quick".into(),
        qemu_version: "7.2.22".into(),
        accel: "tcg".into(),
        accel_reason: String::new(),
        backend: "null".into(),
        command_line: String::new(),
        first_record_s: None,
    };
    let at = datetime!(2025-03-04 05:06:07.8 +5:45);
    Document::new(&followed, &BTreeMap::new(), host, at, at)
}
