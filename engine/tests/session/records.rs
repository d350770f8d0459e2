//! Which records, in which order.

use crate::bench::{Line, Shared, adapter, clock, device, job, session, single};
use drivers::block::{DiskAddress, Ignored};
use engine::fake::Device;
use proto::exit::GuestExit;
use proto::job::Rw;
use proto::record::Record;
use proto::result::RunStatus;

fn kinds(lines: &[Line]) -> Vec<String> {
    lines
        .iter()
        .map(|line| match line {
            Line::Sync(number) => format!("sync {number}"),
            Line::Record(Record::Controller(_)) => "controller".into(),
            Line::Record(Record::Disk(_)) => "disk".into(),
            Line::Record(Record::Ignored(_)) => "ignored".into(),
            Line::Record(Record::Plan(plan)) => format!("plan {}", plan.rows),
            Line::Record(Record::RowBegin(row)) => format!("begin {}", row.row),
            Line::Record(Record::Row(row)) => format!("row {}", row.row),
            Line::Record(Record::Progress(progress)) => progress.what.clone(),
            Line::Record(Record::Note(_)) => "note".into(),
            Line::Record(Record::End(_)) => "end".into(),
            Line::Record(_) => "other".into(),
        })
        .collect()
}

#[test]
fn two_rows_in_order_with_sync_around_each() {
    let clock = clock();
    let jobs = [job("a", Rw::RandRead), job("b", Rw::Read)];
    let (outcome, shared) = single(device(&clock), &clock, &jobs);
    assert_eq!(
        kinds(&outcome.lines),
        [
            "controller",
            "disk",
            "plan 2",
            "sync 0",
            "begin 0",
            "sync 1",
            "first_io",
            "row 0",
            "sync 2",
            "begin 1",
            "sync 3",
            "row 1",
            "end"
        ]
    );
    assert_eq!(outcome.exit, GuestExit::Pass);
    assert_eq!(shared.0.borrow().calls[2], 1, "the adapter is shut down");
}

#[test]
fn the_end_record_counts_all_before_it() {
    let clock = clock();
    let mut jobs = vec![job("a", Rw::RandRead), job("w", Rw::Write)];
    jobs[1].bs.write_bytes = 4096;
    let (outcome, _) = single(device(&clock), &clock, &jobs);
    let Some(Line::Record(Record::End(end))) = outcome.lines.last() else {
        panic!("the end record is last");
    };
    // Two were sent before the session.
    assert_eq!(end.records, outcome.records().count() as u64 - 1 + 2);
    assert_eq!((end.ok, end.failed, end.skipped), (1, 0, 1));
    assert_eq!(outcome.exit, GuestExit::Skipped);
}

#[test]
fn the_first_io_is_stamped_when_it_completes() {
    let clock = clock();
    let (outcome, _) = single(device(&clock), &clock, &[job("a", Rw::Read)]);
    let at_ns = outcome.records().find_map(|record| match record {
        Record::Progress(progress) => Some(progress.at_ns),
        _ => None,
    });
    // Origin 1 ms, start 5 ms; the look at the stamp and the first I/O take 20 us
    // each, with a few looks at the clock in between.
    let at_ns = at_ns.unwrap();
    assert!((4_040_000..4_045_000).contains(&at_ns), "{at_ns}");
}

#[test]
fn ids_and_names_of_controllers_and_disks() {
    let clock = clock();
    let mut first = device(&clock);
    first.add_disk(2048, 4096);
    first.ignored.push(Ignored {
        address: DiskAddress::Scsi { target: 5, lun: 0 },
        reason: "CD-ROM".into(),
    });
    let mut nvme = device(&clock);
    nvme.disks[0].address = DiskAddress::Namespace(1);
    let second = device(&clock);
    let adapters = vec![
        adapter("00:03.0", &Shared::new(first, "lsisas")),
        adapter("00:04.0", &Shared::new(nvme, "nvme")),
        adapter("00:1c.0/00.0", &Shared::new(second, "pvscsi")),
    ];
    let outcome = session(&clock, adapters, &[job("a", Rw::Read)]);
    let disks: Vec<_> = outcome
        .disks()
        .iter()
        .map(|disk| {
            (
                disk.id.as_str(),
                disk.name_in_vsphere.as_str(),
                disk.controller.as_str(),
            )
        })
        .collect();
    assert_eq!(
        disks,
        [
            ("lsisas@00:03.0:0:0", "SCSI 0:0", "lsisas@00:03.0"),
            ("lsisas@00:03.0:1:0", "SCSI 0:1", "lsisas@00:03.0"),
            ("nvme@00:04.0:1", "NVMe 0:0", "nvme@00:04.0"),
            ("pvscsi@00:1c.0/00.0:0:0", "SCSI 1:0", "pvscsi@00:1c.0/00.0"),
        ]
    );
    let ignored = outcome.records().find_map(|record| match record {
        Record::Ignored(ignored) => Some((ignored.id.as_str(), ignored.reason.as_str())),
        _ => None,
    });
    assert_eq!(ignored, Some(("lsisas@00:03.0:5:0", "CD-ROM")));
    assert_eq!(outcome.rows().len(), 4);
    assert_eq!(outcome.disks()[1].block_size, 4096);
}

#[test]
fn a_job_runs_only_on_the_controllers_and_disks_it_names() {
    let clock = clock();
    let mut pvscsi = device(&clock);
    pvscsi.add_disk(2048, 512);
    let adapters = vec![
        adapter("00:03.0", &Shared::new(pvscsi, "pvscsi")),
        adapter("00:04.0", &Shared::new(device(&clock), "lsisas")),
    ];
    let mut jobs = [
        job("kind", Rw::Read),
        job("disk", Rw::Read),
        job("none", Rw::Read),
    ];
    jobs[0].controllers = vec!["lsisas".into()];
    jobs[1].disks = vec!["pvscsi@00:03.0:1:0".into()];
    jobs[2].controllers = vec!["nvme".into()];
    let outcome = session(&clock, adapters, &jobs);
    let rows: Vec<_> = outcome
        .rows()
        .iter()
        .map(|run| (run.job.clone(), run.disk.clone()))
        .collect();
    assert_eq!(
        rows,
        [
            ("kind".to_string(), "lsisas@00:04.0:0:0".to_string()),
            ("disk".to_string(), "pvscsi@00:03.0:1:0".to_string())
        ]
    );
    assert_eq!(outcome.notes().len(), 1);
    assert!(
        outcome.notes()[0].starts_with("job none: no disk fits"),
        "{:?}",
        outcome.notes()
    );
}

#[test]
fn no_controller_and_no_disk_have_their_own_exit() {
    let clock = clock();
    let outcome = session(&clock, Vec::new(), &[job("a", Rw::Read)]);
    assert_eq!(outcome.exit, GuestExit::NothingToDo);
    assert_eq!(
        outcome.notes(),
        ["no storage controller that ioprobe drives was found"]
    );

    let mut empty: Device = device(&clock);
    empty.disks.clear();
    let (outcome, _) = single(empty, &clock, &[job("a", Rw::Read)]);
    assert_eq!(outcome.exit, GuestExit::NothingToDo);
    assert_eq!(outcome.notes(), ["no disk was found behind any controller"]);
}

#[test]
fn the_planned_time_is_known_only_if_all_rows_have_one() {
    let clock = clock();
    let mut timed = job("a", Rw::Read);
    timed.number_ios = None;
    timed.runtime_ns = Some(2_000_000);
    timed.ramp_ns = 1_000_000;
    let planned = |jobs: &[_]| {
        let clock = crate::bench::clock();
        let (outcome, _) = single(device(&clock), &clock, jobs);
        outcome.records().find_map(|record| match record {
            Record::Plan(plan) => Some(plan.planned_ns),
            _ => None,
        })
    };
    assert_eq!(
        planned(&[timed.clone(), timed.clone()]),
        Some(Some(6_000_000))
    );
    assert_eq!(planned(&[timed, job("b", Rw::Read)]), Some(None));
    let _ = clock;
}

#[test]
fn no_field_is_nan_or_infinite_where_nothing_happened() {
    let clock = clock();
    let mut never = device(&clock);
    never.plan = Box::new(|_, request| engine::fake::Answer {
        ticks: 10,
        status: if request.blocks == 8 {
            drivers::block::Status::HostError(0x46)
        } else {
            drivers::block::Status::Ok
        },
    });
    let (outcome, _) = single(never, &clock, &[job("a", Rw::Read)]);
    let run = outcome.rows()[0];
    assert_eq!(run.status, RunStatus::Failed);
    assert_eq!(run.reason.as_deref(), Some("failed I/Os: 100"));
    assert_eq!(run.errors_by_kind["host adapter status 0x46"], 100);
    for figure in [
        run.read.iops,
        run.read.bw_bytes,
        run.write.iops,
        run.cpu.work_cycles_per_io,
        run.cpu.iops_per_cpu_pct,
        run.per_io.accesses,
        run.depth.effective,
    ] {
        assert!(figure.is_finite());
    }
    assert_eq!(
        (
            run.read.lat_ns.min,
            run.read.lat_ns.mean,
            run.read.lat_ns.p50
        ),
        (None, None, None)
    );
    assert_eq!(outcome.exit, GuestExit::Failed);
}
