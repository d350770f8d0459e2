//! Figures of rows as their records carry them.

use crate::bench::{Shared, adapter, clock, device, job, session, single};
use drivers::block::{Health, Sense, Status};
use engine::fake::{Answer, HandClock};
use engine::workload::{Digest, Direction};
use proto::exit::GuestExit;
use proto::job::Rw;
use proto::result::RunStatus;

#[test]
fn counts_rates_and_depth_agree_with_each_other() {
    let clock = HandClock::new(5_000_000, 0, 500);
    let mut params = job("a", Rw::RandRead);
    params.stages = true;
    let (outcome, shared) = single(device(&clock), &clock, &[params]);
    let run = outcome.rows()[0];
    assert_eq!((run.status, run.reason.clone()), (RunStatus::Ok, None));
    assert_eq!((run.read.ios, run.read.bytes), (100, 409_600));
    assert_eq!((run.commands.read, run.commands.read_bytes), (100, 409_600));
    // 25 batches of 4, 20 us each.
    assert_eq!(run.window_ns, 500_000);
    assert_eq!(
        (run.read.iops, run.read.bw_bytes),
        (200_000.0, 819_200_000.0)
    );
    assert_eq!(
        (run.depth.asked, run.depth.effective, run.depth.limit),
        (4, 4.0, 64)
    );
    assert_eq!(run.read.lat_ns.p90, Some(20_000));
    assert_eq!(run.read.lat_ns.p99, None, "one sample lies beyond");
    assert_eq!(run.accesses.doorbell_writes, 25);
    assert_eq!((run.per_io.doorbells, run.per_io.accesses), (0.25, 0.25));
    assert_eq!(run.doorbells["submit"], 25);
    assert_eq!((run.cpu.busy_pct, run.cpu.busy_cpu_s), (100.0, 0.0005));
    assert_eq!(run.cpu.iops_per_cpu_pct, 2_000.0);
    assert_eq!(run.cpu.empty_polls_per_io, 10.0);
    let stages = run.stages_ns.unwrap();
    assert_eq!(stages.in_flight, 20_000.0);
    assert_eq!(run.all_zero, Some(true));
    assert_eq!(run.params.region_bytes, crate::bench::DISK_BYTES);
    assert_eq!(run.params.ring_pages, 8);
    assert_eq!(shared.0.borrow().writes(), 0);
}

#[test]
fn the_digest_is_that_of_what_was_sent() {
    let clock = clock();
    let (outcome, shared) = single(device(&clock), &clock, &[job("a", Rw::RandRead)]);
    let mut digest = Digest::new(8, 8);
    // The first command is the guard's look at block 0.
    for request in &shared.0.borrow().log[1..] {
        digest.add(Direction::Read, request.lba.0);
    }
    let expected = format!("{:016x}", digest.value());
    assert_eq!(outcome.rows()[0].digest, expected);
}

#[test]
fn rows_that_do_not_fit_the_disk_are_skipped_with_the_reason() {
    let clock = clock();
    let native = engine::fake::Device::new(&clock, 64, 16_384, 4096, 20_000);
    let sizes = [512, 1024, 4096, 4608];
    let jobs = sizes.map(|bs| {
        let mut params = job("bs", Rw::Read);
        params.bs.read_bytes = bs;
        params
    });
    let (outcome, _) = single(native, &clock, &jobs);
    let rows = outcome.rows();
    for (run, bs) in rows.iter().zip(sizes) {
        if bs == 4096 {
            assert_eq!(run.status, RunStatus::Ok);
        } else {
            let expected = format!("bs={bs} is no multiple of the disk's 4096 B blocks");
            assert_eq!(
                (run.status, run.reason.as_deref()),
                (RunStatus::Skipped, Some(&*expected))
            );
        }
    }
    assert_eq!(outcome.exit, GuestExit::Skipped);
}

#[test]
fn a_misaligned_row_runs_and_is_marked() {
    let clock = clock();
    let mut emulated = device(&clock);
    emulated.disks[0].physical_block_bytes = 4096;
    let mut params = job("a", Rw::Read);
    params.bs.read_bytes = 512;
    let (outcome, _) = single(emulated, &clock, &[params]);
    assert_eq!(outcome.rows()[0].status, RunStatus::Ok);
    assert_eq!(
        outcome.notes(),
        ["row 1: I/Os are not aligned to the 4096 B physical blocks of pvscsi@00:03.0:0:0"]
    );
}

#[test]
fn memory_that_is_not_there_skips_the_row() {
    let clock = clock();
    let mut small = device(&clock);
    small.memory_bytes = 1 << 20;
    let mut params = job("a", Rw::Read);
    params.bs.read_bytes = 1 << 20;
    params.iodepth = 32;
    let (outcome, _) = single(small, &clock, &[params, job("b", Rw::Read)]);
    let rows = outcome.rows();
    assert_eq!(rows[0].reason.as_deref(), Some("needs 32 MiB of buffers"));
    assert_eq!(
        (rows[0].status, rows[1].status),
        (RunStatus::Skipped, RunStatus::Ok)
    );
}

#[test]
fn an_option_that_the_device_refuses_skips_the_row() {
    let clock = clock();
    let mut jobs = [job("a", Rw::Read), job("b", Rw::Read)];
    jobs[0].ring_pages = Some(3);
    jobs[1].ring_pages = Some(16);
    let (outcome, shared) = single(device(&clock), &clock, &jobs);
    let rows = outcome.rows();
    assert_eq!(
        rows[0].reason.as_deref(),
        Some("the device cannot take ring_pages=3")
    );
    assert_eq!(rows[1].status, RunStatus::Ok);
    assert_eq!(shared.0.borrow().options.ring_pages, Some(16));
}

#[test]
fn a_bad_sector_fails_its_row_and_no_other() {
    let clock = clock();
    let mut bad = device(&clock);
    let medium = Status::Check(Sense {
        key: 3,
        asc: 0x11,
        ascq: 0,
    });
    bad.plan = Box::new(move |_, request| {
        let hit = request.lba.0 <= 400 && 400 < request.lba.0 + u64::from(request.blocks);
        Answer {
            ticks: 20_000,
            status: if hit { medium } else { Status::Ok },
        }
    });
    let mut jobs = [job("a", Rw::Read), job("b", Rw::Read)];
    jobs[1].offset = proto::job::Extent::Bytes(1 << 20);
    let (outcome, _) = single(bad, &clock, &jobs);
    let rows = outcome.rows();
    assert_eq!(
        (rows[0].errors, rows[0].read.ios, rows[0].commands.failed),
        (1, 99, 1)
    );
    assert_eq!(rows[0].status, RunStatus::Failed);
    assert_eq!(rows[0].errors_by_kind["check condition, sense 3/11/00"], 1);
    assert_eq!((rows[1].status, rows[1].errors), (RunStatus::Ok, 0));
    assert_eq!(outcome.exit, GuestExit::Failed);
}

#[test]
fn a_controller_that_is_gone_takes_only_its_own_rows_with_it() {
    let clock = clock();
    let mut dying = device(&clock);
    dying.gone_after_commands = 50;
    dying.aborts = false;
    dying.plan = Box::new(|number, _| Answer::ok(if number == 49 { u64::MAX } else { 20_000 }));
    let adapters = vec![
        adapter("00:03.0", &Shared::new(dying, "pvscsi")),
        adapter("00:04.0", &Shared::new(device(&clock), "lsisas")),
    ];
    let jobs = [job("a", Rw::Read), job("b", Rw::Read)];
    let outcome = session(&clock, adapters, &jobs);
    let rows = outcome.rows();
    let status: Vec<_> = rows.iter().map(|run| run.status).collect();
    use RunStatus::{Failed, Ok, Skipped};
    assert_eq!(status, [Failed, Ok, Skipped, Ok]);
    assert!(
        rows[0]
            .reason
            .as_deref()
            .unwrap()
            .starts_with("the controller is gone")
    );
    assert!(
        rows[2]
            .reason
            .as_deref()
            .unwrap()
            .contains("cannot be used any more")
    );
    assert_eq!(outcome.exit, GuestExit::Failed);
}

#[test]
fn lies_fail_the_row() {
    let clock = clock();
    let mut lying = device(&clock);
    lying.lies = Vec::new();
    let shared = Shared::new(lying, "pvscsi");
    let other = shared.clone();
    shared.0.borrow_mut().plan = Box::new(move |_, _| Answer::ok(20_000));
    other.0.borrow_mut().health = Health::Lying("runaway index");
    let outcome = session(
        &clock,
        vec![adapter("00:03.0", &shared)],
        &[job("a", Rw::Read)],
    );
    let run = outcome.rows()[0];
    assert_eq!(run.status, RunStatus::Failed);
    assert!(
        run.reason
            .as_deref()
            .unwrap()
            .contains("breaks its protocol: runaway index")
    );
}

#[test]
fn a_window_without_completion_is_no_success() {
    let clock = clock();
    let mut slow = device(&clock);
    slow.plan =
        Box::new(|_, request| Answer::ok(if request.blocks == 8 { 5_000_000 } else { 100 }));
    let mut params = job("a", Rw::Read);
    params.runtime_ns = Some(1_000_000);
    params.number_ios = None;
    let (outcome, _) = single(slow, &clock, &[params]);
    let run = outcome.rows()[0];
    assert_eq!(
        run.reason.as_deref(),
        Some("no I/O completed inside the window")
    );
    assert_eq!((run.open_at_end.count, run.open_at_end.censored), (4, true));
    assert_eq!(run.commands.read, 4);
}
