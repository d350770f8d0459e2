//! Between submit and reap nothing is allocated.

use drivers::block::{Controller, DiskId, Op, Sense, Status};
use engine::fake::{Answer, Device, HandClock, NoCounters};
use engine::group::{Group, Part};
use engine::row::{
    self, CrewSpec, Data, Env, Extras, Kind, Lane, RingSpec, Seat, Spec, WaitFor, Workspace,
};
use engine::session::NoLine;
use engine::workload::{Arrival, Course, Lengths, Mix, Order, Places, Rng, Stream, Worker};

/// Allocations of a whole row of `ios` I/Os, what precedes the loop included.
fn allocations(ios: u64, kind: Kind, stages: bool, general: bool, faults: bool) -> u64 {
    allocations_with(ios, kind, stages, general, faults, Extras::default())
}

fn allocations_with(
    ios: u64,
    kind: Kind,
    stages: bool,
    general: bool,
    faults: bool,
    extras: Extras,
) -> u64 {
    let clock = HandClock::new(0, 3, 100);
    let mut device = Device::new(&clock, 64, 65_536, 512, 10_000);
    device.offer_queues(extras.rings.queues);
    device.limits.max_transfer_bytes = if general { 2048 } else { 4096 };
    // The device's own log and media must not allocate either.
    device.log = Vec::new();
    device.batches = Vec::new();
    device.media[0].write(0, &vec![1; 512 * 64]);
    let mut number = 0u64;
    device.plan = Box::new(move |_, _| {
        number += 1;
        let status = match number % 50 {
            7 if faults => Status::Busy,
            21 if faults => Status::Check(Sense {
                key: 3,
                asc: 0x11,
                ascq: 0,
            }),
            _ => Status::Ok,
        };
        Answer {
            ticks: 1_000 + number * 37 % 5_000,
            status,
        }
    });
    let spec = Spec {
        stages,
        verify: general && kind == Kind::Read,
        extras,
        ..spec(ios, kind, device.limits.max_transfer_bytes)
    };
    let count = row::buffers_needed(&spec, device.limits());
    device.set_buffers(count, 4096).unwrap();
    let mut workspace = Workspace::new();
    assert!(workspace.trace.reserve(spec.extras.trace_ios));
    let mut done = 0;
    let info = allocation_counter::measure(|| {
        let env = Env {
            clock: &clock,
            counters: &NoCounters,
            line: &mut NoLine,
            workspace: &mut workspace,
            recheck: &mut |_| Ok(()),
        };
        let tally = row::run(&mut device, env, spec);
        assert_eq!(tally.failure, None);
        done = tally.issued[0] + tally.issued[1];
    });
    assert!(done >= ios, "{done}");
    info.count_total
}

fn spec(ios: u64, kind: Kind, command_bytes: u64) -> Spec {
    let lane = |seed| Lane {
        stream: Stream::new(&Order::Once, 8, seed),
        bs_bytes: 4096,
        command_bytes,
    };
    Spec {
        disk: DiskId(0),
        block_size_bytes: 512,
        region_start_bytes: 0,
        kind,
        read: lane(1),
        write: lane(2),
        mix: Mix::new(if kind == Kind::Read { 100 } else { 50 }, 3),
        depth: 16,
        batch_submit: 1,
        batch_complete_min: 1,
        ramp_ticks: 100_000,
        runtime_ticks: u64::MAX,
        quota_ios: ios,
        timeout_ticks: 60_000_000_000,
        wait: WaitFor::Look,
        poll_interval_ticks: None,
        stages: false,
        verify: false,
        extras: Extras::default(),
    }
}

#[test]
fn the_number_of_allocations_does_not_depend_on_the_number_of_ios() {
    for kind in [Kind::Read, Kind::Mix] {
        for (stages, general) in [(false, false), (true, false), (false, true)] {
            for faults in [false, true] {
                let few = allocations(20, kind, stages, general, faults);
                let many = allocations(2_000, kind, stages, general, faults);
                assert_eq!(
                    few, many,
                    "stages {stages}, general {general}, faults {faults}"
                );
                assert!(
                    few <= 2,
                    "{few}: the list of mismatches and that of retries"
                );
            }
        }
    }
}

/// Two jobs that split, flush, keep a rate, and pause.
fn crew(ios: u64, disks: Option<u16>) -> Extras {
    let seat = |seed: u64, disk: u16| {
        let course = |lane: u64| {
            let lengths = Lengths::split(&[(1, 50), (8, 50)], seed);
            let stream = Stream::new(&Order::Once, 64, seed + lane);
            Course::new(64, Places::Stream(stream), lengths, 80, seed)
        };
        let worker = Worker {
            start_lba: 0,
            courses: [course(0), course(1)],
            mix: Mix::new(50, seed),
            quota_ios: ios,
            quota_blocks: u64::MAX,
            arrivals: [
                Some(Arrival::new(100_000, 1_000_000_000, Some(Rng::new(seed)))),
                None,
            ],
        };
        Seat {
            numjob: disk,
            worker,
            depth: 8,
            disk: DiskId(disk),
        }
    };
    Extras {
        crew: Some(CrewSpec {
            seats: vec![seat(1, 0), seat(2, disks.map_or(0, |_| 1))],
            disks,
            changing_op: Op::Write,
            flush_every: [4, 0],
            think_ticks: 1_000,
            think_ios: 10,
        }),
        data: Data::Random {
            zero_bytes: 100,
            refill: true,
            rng: Rng::new(3),
        },
        ..Extras::default()
    }
}

#[test]
fn a_crew_allocates_nothing_per_io_either() {
    for faults in [false, true] {
        let of = |ios| allocations_with(ios, Kind::Mix, false, true, faults, crew(ios, None));
        assert_eq!(of(20), of(2_000), "faults {faults}");
    }
}

#[test]
fn several_queues_and_early_doorbells_allocate_nothing_per_io_either() {
    let rings = RingSpec {
        queues: 3,
        doorbell_batch: 2,
    };
    for faults in [false, true] {
        let of = |ios| {
            let extras = Extras {
                rings,
                ..Extras::default()
            };
            let plain = allocations_with(ios, Kind::Mix, true, false, faults, extras);
            let extras = Extras {
                rings,
                ..crew(ios, None)
            };
            [
                plain,
                allocations_with(ios, Kind::Mix, false, true, faults, extras),
            ]
        };
        assert_eq!(of(20), of(2_000), "faults {faults}");
    }
}

#[test]
fn keeping_ios_one_by_one_allocates_nothing_either() {
    for crewed in [false, true] {
        let extras = |ios| Extras {
            // Fewer than there are, and more.
            trace_ios: 1_000,
            ..if crewed {
                crew(ios, None)
            } else {
                Extras::default()
            }
        };
        let of = |ios| allocations_with(ios, Kind::Mix, true, crewed, true, extras(ios));
        assert_eq!(of(20), of(2_000), "crewed {crewed}");
    }
}

#[test]
fn several_adapters_at_once_allocate_nothing_per_io_either() {
    let of = |ios| {
        let clock = HandClock::new(0, 3, 100);
        let mut devices = [1_000, 1_700].map(|ticks| {
            let mut device = Device::new(&clock, 64, 65_536, 512, ticks);
            (device.log, device.batches) = (Vec::new(), Vec::new());
            device.media[0].write(0, &vec![1; 512 * 64]);
            device
        });
        let parts = devices.iter_mut().map(|device| Part {
            controller: device,
            disk: DiskId(0),
            level: false,
        });
        let mut group = Group::new(parts.collect());
        let spec = Spec {
            extras: crew(ios, Some(2)),
            ..spec(u64::MAX, Kind::Mix, 4096)
        };
        group.deal_for(16);
        group.set_buffers(32, 4096).unwrap();
        let mut workspace = Workspace::new();
        let info = allocation_counter::measure(|| {
            let env = Env {
                clock: &clock,
                counters: &NoCounters,
                line: &mut NoLine,
                workspace: &mut workspace,
                recheck: &mut |_| Ok(()),
            };
            let tally = row::run_crew(&mut group, env, spec);
            assert_eq!(tally.failure, None);
            // What the ramp left in flight counts too.
            assert!(tally.ios_by_disk.iter().all(|done| *done >= ios));
        });
        info.count_total
    };
    assert_eq!(of(20), of(2_000));
}

#[test]
fn the_counter_counts() {
    let info = allocation_counter::measure(|| {
        std::hint::black_box(vec![0u8; 100]);
    });
    assert_eq!(info.count_total, 1);
}
