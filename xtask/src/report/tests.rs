//! Tables of a made-up result, where every figure is known.

use super::{csv, markdown, table};
use crate::result::{HostRun, Row};
use proto::result::{
    Accesses, Check, CheckStatus, Commands, Cpu, Depth, Direction, Gaps, LatencyNs, OpenAtEnd,
    PerIo, Run, RunParams, RunStatus,
};
use std::collections::BTreeMap;

fn direction(ios: u64) -> Direction {
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
            verify: "none".into(),
            keys: Default::default(),
        },
        status: RunStatus::Ok,
        reason: None,
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

fn skipped() -> Row {
    let run = Run {
        status: RunStatus::Skipped,
        reason: Some("needs 96 MiB".into()),
        read: Direction::default(),
        depth: Depth {
            asked: 128,
            effective: f64::NAN,
            limit: 0,
        },
        checks: Vec::new(),
        ..row(1).run
    };
    Row { run, host: None }
}

fn mixed() -> Row {
    let mut run = row(2);
    run.params.rw = "randrw".into();
    run.params.bs_write = Some(8192);
    run.write = direction(10);
    run
}

#[test]
fn one_table_where_there_is_room() {
    let text = table(&[row(0)], 200);
    assert_eq!(text.lines().count(), 2);
    let cells: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(
        cells,
        [
            "0", "randread", "4k", "32", "31.9", "143.2k", "559.4", "0.062", "0", "ok", "100.0",
            "1432", "8123", "10.2", "4.0", "223", "220", "400", "9877"
        ]
    );
}

#[test]
fn three_tables_at_80_columns() {
    let text = table(&[row(0), skipped(), mixed()], 80);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert_eq!(text.matches("row ").count(), 3, "{text}");
    for column in ["IOPS", "p99.9", "CPU %", "host us/IO"] {
        assert!(text.contains(column), "{text}");
    }
}

#[test]
fn figures_are_listed_at_40_columns() {
    let text = table(&[row(0)], 40);
    assert!(
        text.lines().all(|line| line.chars().count() <= 40),
        "{text}"
    );
    assert!(text.contains("IOPS 143.2k"), "{text}");
    assert!(text.contains("p99 400"), "{text}");
}

#[test]
fn how_a_row_waited_stands_where_not_all_polled() {
    let mut halted = row(1);
    halted.params.wait = "irq".into();
    halted.params.irq = Some("msix".into());
    assert!(!table(&[row(0)], 200).contains("wait"));
    let text = table(&[row(0), halted], 200);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("wait"), "{text}");
    assert!(lines[1].contains(" poll "), "{text}");
    assert!(lines[2].contains(" msix "), "{text}");
}

#[test]
fn what_does_not_exist_is_blank() {
    for text in [
        table(&[row(0), skipped()], 200),
        markdown(&[skipped()]),
        csv(&[skipped()]),
    ] {
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        assert!(text.contains("skipped"), "{text}");
    }
    let cells = table(&[skipped()], 200);
    let cells: Vec<&str> = cells.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(cells, ["1", "randread", "4k", "128", "0", "skipped"]);
}

#[test]
fn a_mix_has_a_line_for_each_direction() {
    let text = table(&[mixed()], 200);
    let lines: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
    assert!(
        lines[0].starts_with("2  randrw r") || lines[0].starts_with("2 randrw r"),
        "{text}"
    );
    assert!(
        lines[1].starts_with("randrw w") && lines[1].contains("8k"),
        "{text}"
    );
}

#[test]
fn csv_has_raw_figures_without_exponents() {
    let mut run = row(0);
    run.read.bytes = (1 << 53) + 1;
    run.read.bw_bytes = 1e17;
    let text = csv(&[run]);
    let (header, line) = text.trim_end().split_once("\r\n").unwrap();
    let names: Vec<&str> = header.split(',').collect();
    let fields: Vec<&str> = line.split(',').collect();
    assert_eq!(names.len(), fields.len());
    let field = |name| fields[names.iter().position(|known| *known == name).unwrap()];
    assert_eq!(field("bytes"), "9007199254740993");
    assert_eq!(field("bw_bytes"), "100000000000000000");
    assert_eq!(field("iops"), "143201.5");
    assert_eq!(field("lat_p99_9_ns"), "");
    assert_eq!(field("checks"), "commands ok");
    assert_eq!((field("wait"), field("irq")), ("poll", ""));
    assert_eq!(field("host_net_cpu_us_per_io"), "4");
}

#[test]
fn several_controllers_are_told_apart() {
    let mut other = row(1);
    other.controller = "nvme@00:04.0".into();
    assert!(!table(&[row(0)], 80).contains("pvscsi"));
    for text in [
        table(&[row(0), other.clone()], 80),
        markdown(&[row(0), other]),
    ] {
        assert!(text.contains("controller"), "{text}");
        assert!(text.contains("pvscsi") && text.contains("nvme"), "{text}");
    }
}

#[test]
fn several_adapters_at_once_are_counted_by_kind() {
    let mut two = row(1);
    two.controller = "pvscsi@00:03.0+pvscsi@00:04.0".into();
    let mut mixed = row(2);
    mixed.controller = "pvscsi@00:03.0+nvme@00:04.0".into();
    let rows = [row(0), two, mixed];
    let text = table(&rows, 100);
    assert!(
        text.contains("2 pvscsi") && text.contains("pvscsi+nvme"),
        "{text}"
    );
}
