//! Rows on several adapters at once.

use crate::bench::{DISK_BYTES, Outcome, Shared, adapter, clock, device, job, session};
use drivers::block::{Op, Status};
use engine::fake::{Answer, Device, FakeLine, HandClock, Wire, WireState};
use engine::session::Adapter;
use proto::job::{ByDirection, Extent, Irq, Params, Rw, Verify, Wait};
use proto::result::{Run, RunStatus};
use std::cell::RefCell;
use std::rc::Rc;

const PCI: [&str; 4] = ["00:03.0", "00:04.0", "00:05.0", "00:06.0"];

fn together(rw: Rw, iodepth: u32) -> Params {
    Params {
        concurrent: true,
        iodepth,
        allow_write: PCI[..2]
            .iter()
            .map(|pci| format!("pvscsi@{pci}:0:0"))
            .collect(),
        ..job("t", rw)
    }
}

/// A session on these devices.
fn on(clock: &HandClock, devices: Vec<Device>, jobs: &[Params]) -> (Outcome, Vec<Shared>) {
    let each = devices.into_iter();
    let shared: Vec<Shared> = each.map(|device| Shared::new(device, "pvscsi")).collect();
    let adapters = PCI.iter().zip(&shared);
    let adapters = adapters.map(|(pci, shared)| adapter(pci, shared)).collect();
    (session(clock, adapters, jobs), shared)
}

fn two(jobs: &[Params]) -> (Outcome, Vec<Shared>) {
    let clock = clock();
    on(&clock, vec![device(&clock), device(&clock)], jobs)
}

fn ios(run: &Run) -> Vec<u64> {
    run.shares.iter().map(|share| share.ios).collect()
}

/// Looks at a disk's stamps before the first row: it has none at its start.
const LOOKS: usize = 1;

/// Commands of a row.
fn given(shared: &Shared) -> usize {
    shared.0.borrow().log.len() - LOOKS
}

#[test]
fn one_row_names_all_and_each_has_its_share_of_depth_and_ios() {
    let (outcome, shared) = two(&[together(Rw::RandRead, 8)]);
    let rows = outcome.rows();
    assert_eq!(rows.len(), 1);
    let run = rows[0];
    assert_eq!((run.status, run.reason.as_deref()), (RunStatus::Ok, None));
    assert_eq!(run.controller, "pvscsi@00:03.0+pvscsi@00:04.0");
    assert_eq!(run.disk, "pvscsi@00:03.0:0:0+pvscsi@00:04.0:0:0");
    let ids: Vec<&str> = run.shares.iter().map(|share| share.disk.as_str()).collect();
    assert_eq!(ids, ["pvscsi@00:03.0:0:0", "pvscsi@00:04.0:0:0"]);
    assert_eq!((run.read.ios, run.commands.read), (100, 100));
    assert_eq!(ios(run), [50, 50]);
    let commands: Vec<u64> = run.shares.iter().map(|share| share.commands).collect();
    assert_eq!(commands, [50, 50]);
    assert_eq!(shared.iter().map(given).collect::<Vec<_>>(), [50, 50]);
    // The first doorbell of each publishes its half of the depth; the looks come before.
    for shared in &shared {
        assert_eq!(shared.0.borrow().batches[LOOKS], 4);
    }
    let rung: u64 = shared
        .iter()
        .map(|shared| (shared.0.borrow().batches.len() - LOOKS) as u64)
        .sum();
    assert_eq!(run.doorbells["submit"], rung);
    assert_eq!(run.depth.asked, 8);
    let positions = |shared: &Shared| -> Vec<u64> {
        let log = &shared.0.borrow().log;
        log[LOOKS..].iter().map(|request| request.lba.0).collect()
    };
    assert_ne!(positions(&shared[0]), positions(&shared[1]), "seeds differ");
}

#[test]
fn what_does_not_divide_goes_on_over_the_jobs() {
    let job = Params {
        numjobs: 3,
        number_ios: Some(5),
        ..together(Rw::RandRead, 3)
    };
    let (outcome, shared) = two(&[job]);
    let run = outcome.rows()[0];
    assert_eq!((run.status, run.read.ios), (RunStatus::Ok, 15));
    assert_eq!(ios(run), [8, 7]);
    let first = |shared: &Shared| shared.0.borrow().batches[LOOKS];
    assert_eq!((first(&shared[0]), first(&shared[1])), (5, 4));
}

#[test]
fn the_quicker_of_two_does_more() {
    let clock = clock();
    let mut slow = device(&clock);
    slow.plan = Box::new(|_, _| Answer::ok(60_000));
    let job = Params {
        number_ios: None,
        time_based: true,
        runtime_ns: Some(60_000_000),
        ..together(Rw::RandRead, 8)
    };
    let (outcome, _) = on(&clock, vec![device(&clock), slow], &[job]);
    let run = outcome.rows()[0];
    let [quick, slow] = ios(run)[..] else {
        panic!("two shares")
    };
    assert_eq!(quick + slow, run.read.ios);
    // 20 us and 60 us.
    assert!(
        (quick as f64 / slow as f64 - 3.0).abs() < 0.2,
        "{quick} {slow}"
    );
}

#[test]
fn writes_go_with_their_data_to_the_disk_they_are_meant_for() {
    let write = Params {
        size: Some(Extent::Bytes(1 << 20)),
        number_ios: None,
        ..together(Rw::Write, 6)
    };
    let mix = Params {
        rwmixread_pct: 50,
        ..together(Rw::RandRw, 5)
    };
    let read_back = |pci: &str| Params {
        verify: Verify::Pattern,
        number_ios: None,
        size: Some(Extent::Bytes(1 << 20)),
        controllers: vec![format!("pvscsi@{pci}")],
        ..job("r", Rw::Read)
    };
    let jobs = [write, mix, read_back(PCI[0]), read_back(PCI[1])];
    let (outcome, _) = two(&jobs);
    let rows = outcome.rows();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0].write.bytes, 2 << 20, "the region of each disk");
    assert_eq!(rows[1].read.ios + rows[1].write.ios, 100);
    for run in &rows {
        assert_eq!((run.status, run.reason.as_deref()), (RunStatus::Ok, None));
    }
    for run in &rows[2..] {
        assert_eq!((run.verified_blocks, run.mismatched_bytes), (2048, 0));
        assert!(run.shares.is_empty());
    }
}

#[test]
fn several_at_once_read_what_is_there() {
    let fill = Params {
        prefill: true,
        verify: Verify::Pattern,
        number_ios: None,
        size: Some(Extent::Bytes(1 << 20)),
        ..together(Rw::RandRead, 7)
    };
    let (outcome, _) = two(&[fill]);
    let rows = outcome.rows();
    let names: Vec<&str> = rows.iter().map(|run| run.job.as_str()).collect();
    assert_eq!(names, ["t-prefill", "t-prefill", "t"]);
    assert_eq!(rows[2].reason, None);
    assert_eq!(
        (rows[2].verified_blocks, rows[2].mismatched_bytes),
        (4096, 0)
    );
}

#[test]
fn what_several_write_is_read_back_from_each() {
    let mix = Params {
        prefill: true,
        verify: Verify::Pattern,
        number_ios: None,
        size: Some(Extent::Bytes(1 << 20)),
        numjobs: 2,
        ..together(Rw::RandRw, 5)
    };
    let (outcome, _) = two(&[mix]);
    let rows = outcome.rows();
    let names: Vec<&str> = rows.iter().map(|run| run.job.as_str()).collect();
    let (fill, back) = ("t-prefill", "t-verify");
    assert_eq!(names, [fill, fill, "t", back, back]);
    for run in &rows {
        assert_eq!((run.reason.as_deref(), run.mismatched_bytes), (None, 0));
    }
    assert_eq!(rows[4].verified_blocks, 2048);
    assert_eq!(rows[4].disk, "pvscsi@00:04.0:0:0");
}

fn with_lines(irq: Irq, jobs: &[Params]) -> (Outcome, Rc<RefCell<WireState>>) {
    let clock = clock();
    let state = Rc::new(RefCell::new(WireState::default()));
    let adapters = (0u8..2).zip(PCI).map(|(number, pci)| {
        // Lines of one level share their source.
        let source = if irq == Irq::Intx { 0 } else { number };
        let wire = Wire(Rc::clone(&state), source);
        let mut device = Device::new(&clock, 64, DISK_BYTES / 512, 512, 0);
        let ticks = 20_000 + 7_000 * u64::from(number);
        device.plan = Box::new(move |_, _| Answer::ok(ticks));
        device.wire = Some(wire.clone());
        Adapter {
            line: Box::new(FakeLine::new(&wire, &clock, &[irq])),
            ..adapter(pci, &Shared::new(device, "pvscsi"))
        }
    });
    let adapters = adapters.collect();
    (session(&clock, adapters, jobs), state)
}

#[test]
fn an_interrupt_of_any_ends_the_wait() {
    // Each by itself first, then both.
    let opened = 4;
    for irq in [Irq::Msi, Irq::Intx] {
        let job = Params {
            wait: Wait::Irq,
            ..together(Rw::RandRead, 2)
        };
        let (outcome, wire) = with_lines(irq, &[job]);
        let run = outcome.rows()[0];
        assert_eq!((run.status, run.reason.as_deref()), (RunStatus::Ok, None));
        assert_eq!((run.read.ios, ios(run)), (100, vec![50, 50]));
        assert_eq!(run.params.irq.as_deref(), Some(irq.name()));
        let interrupts = run.interrupts.as_ref().unwrap();
        let found = (interrupts.spurious, interrupts.lost, interrupts.timer);
        assert_eq!(found, (0, 0, 0));
        assert!(interrupts.device >= 90, "{}", interrupts.device);
        let wire = wire.borrow();
        assert_eq!((wire.opened.len(), wire.closed), (opened, opened as u32));
        assert_eq!(wire.acknowledged > 0, irq == Irq::Intx);
    }
}

/// I/Os of each of four equal adapters that halt on one processor, where an answer and
/// a doorbell take so long.
fn equals(iodepth: u32, answer_ticks: u64, doorbell_ticks: u64) -> Vec<u64> {
    let clock = clock();
    let state = Rc::new(RefCell::new(WireState::default()));
    let adapters = PCI.iter().zip(0u8..).map(|(pci, source)| {
        let wire = Wire(Rc::clone(&state), source);
        let mut device = Device::new(&clock, 64, DISK_BYTES / 512, 512, answer_ticks);
        device.costs = [100, doorbell_ticks, 100];
        device.wire = Some(wire.clone());
        Adapter {
            line: Box::new(FakeLine::new(&wire, &clock, &[Irq::Msi])),
            ..adapter(pci, &Shared::new(device, "pvscsi"))
        }
    });
    let adapters = adapters.collect();
    let job = Params {
        wait: Wait::Irq,
        number_ios: None,
        time_based: true,
        runtime_ns: Some(20_000_000),
        ..together(Rw::RandRead, iodepth)
    };
    let outcome = session(&clock, adapters, &[job]);
    ios(outcome.rows()[0])
}

/// A doorbell that takes half as long as an answer lets two of four, always rung first,
/// finish twice as often as the others.
#[test]
fn equal_adapters_do_equally_much() {
    for (depth, answer_ticks, doorbell_ticks) in [
        (4, 20_000, 10_000),
        (32, 20_000, 10_000),
        (4, 10_000, 1_000),
        (32, 3_000, 3_000),
    ] {
        let each = equals(depth, answer_ticks, doorbell_ticks);
        let (least, most) = (each.iter().min().unwrap(), each.iter().max().unwrap());
        // What is in flight at the end may go to one of them.
        let may_differ = most / 100 + u64::from(depth) / 4;
        assert!(most - least <= may_differ, "depth {depth}: {each:?}");
    }
}

#[test]
fn an_adapter_that_dies_fails_the_row_and_leaves_the_other_usable() {
    let clock = clock();
    let mut dying = device(&clock);
    dying.gone_after_commands = 40;
    let alone = |pci: &str| Params {
        controllers: vec![format!("pvscsi@{pci}")],
        ..job("a", Rw::RandRead)
    };
    let jobs = [
        together(Rw::RandRead, 8),
        alone(PCI[0]),
        alone(PCI[1]),
        together(Rw::RandRead, 8),
    ];
    let (outcome, shared) = on(&clock, vec![device(&clock), dying], &jobs);
    let rows = outcome.rows();
    let said: Vec<_> = rows.iter().map(|run| run.status).collect();
    use RunStatus::{Failed, Ok, Skipped};
    assert_eq!(said, [Failed, Ok, Skipped, Skipped]);
    let reason = rows[0].reason.as_deref().unwrap();
    assert!(
        reason.ends_with("(pvscsi@00:04.0: the controller is gone)"),
        "{reason}"
    );
    let why = "pvscsi@00:04.0 cannot be used any more: ";
    assert!(rows[3].reason.as_deref().unwrap().starts_with(why));
    assert_eq!(rows[1].read.ios, 100);
    assert_eq!(shared[1].0.borrow().calls[0], 1, "it was reset, in vain");
}

#[test]
fn a_device_that_stops_answering_is_reset_alone() {
    let clock = HandClock::new(5_000_000, 10, 200_000);
    let mut silent = device(&clock);
    silent.aborts = false;
    silent.plan = Box::new(|number, _| Answer {
        ticks: if number < 30 { 20_000 } else { u64::MAX },
        status: Status::Ok,
    });
    let alone = Params {
        controllers: vec![format!("pvscsi@{}", PCI[0])],
        ..job("a", Rw::RandRead)
    };
    let jobs = [together(Rw::RandRead, 8), alone];
    let (outcome, shared) = on(&clock, vec![device(&clock), silent], &jobs);
    let rows = outcome.rows();
    assert_eq!(rows[0].status, RunStatus::Failed);
    let reason = rows[0].reason.as_deref().unwrap();
    assert!(reason.contains("did not complete in 60"), "{reason}");
    assert_eq!(rows[1].status, RunStatus::Ok);
    let resets = |shared: &Shared| shared.0.borrow().calls[0];
    assert_eq!((resets(&shared[0]), resets(&shared[1])), (0, 1));
}

#[test]
fn what_cannot_be_dealt_out_is_skipped_with_the_reason() {
    let clock = clock();
    let rates = ByDirection {
        read: 1,
        ..ByDirection::default()
    };
    let jobs = [
        together(Rw::RandRead, 1),
        Params {
            adapters: Some(3),
            ..together(Rw::RandRead, 4)
        },
        Params {
            rate_iops: rates,
            ..together(Rw::RandRead, 4)
        },
    ];
    let (outcome, _) = on(&clock, vec![device(&clock), device(&clock)], &jobs);
    let reasons: Vec<_> = outcome
        .rows()
        .iter()
        .map(|run| run.reason.clone().unwrap())
        .collect();
    assert_eq!(
        reasons,
        [
            "a depth of 1 is less than one I/O for each of 2 adapters",
            "the job asks for 3 adapters, and there are 2 for it",
            "rate_iops=1 is less than one for each of 2 adapters",
        ]
    );
    let large = Device::new(&clock, 64, DISK_BYTES / 4096, 4096, 20_000);
    let jobs = [together(Rw::RandRead, 4)];
    let (outcome, _) = on(&clock, vec![device(&clock), large], &jobs);
    let reason = "one disk has blocks of 512 B and another of 4096 B";
    assert_eq!(outcome.rows()[0].reason.as_deref(), Some(reason));
}

#[test]
fn the_first_selected_disk_of_the_first_adapters_takes_part() {
    let clock = clock();
    let mut devices: Vec<Device> = (0..4).map(|_| device(&clock)).collect();
    devices[1].add_disk(DISK_BYTES / 512, 512);
    let job = Params {
        adapters: Some(2),
        disks: vec!["pvscsi@00:04.0:1:0".into(), "pvscsi@00:06.0:0:0".into()],
        ..together(Rw::RandRead, 4)
    };
    let (outcome, shared) = on(&clock, devices, &[job]);
    let run = outcome.rows()[0];
    assert_eq!(run.disk, "pvscsi@00:04.0:1:0+pvscsi@00:06.0:0:0");
    assert_eq!(ios(run), [50, 50]);
    let log = &shared[1].0.borrow().log;
    let on_second = log.iter().filter(|request| request.disk.0 == 1);
    // A look at its stamps, and its share.
    assert_eq!(
        on_second.filter(|request| request.op == Op::Read).count(),
        LOOKS + 50
    );
}

#[test]
fn a_device_depth_bounds_each_disk() {
    let job = Params {
        numjobs: 2,
        device_depth: Some(3),
        ..together(Rw::RandRead, 16)
    };
    let (outcome, shared) = two(&[job]);
    assert_eq!(outcome.rows()[0].read.ios, 200);
    for shared in &shared {
        let device = shared.0.borrow();
        assert_eq!(device.batches[LOOKS], 3);
        assert_eq!(device.batches.iter().max(), Some(&3));
    }
}
