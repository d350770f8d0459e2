//! I/Os that are kept one by one.

use crate::bench::{Outcome, clock, device, run, spec};
use drivers::block::{DiskId, Op, Sense, Status};
use engine::fake::{Answer, HandClock};
use engine::row::{CrewSpec, Extras, Kind, Seat, Spec};
use engine::workload::{Course, Lengths, Mix, Order, Places, Stream, Worker};

fn keeping(trace_ios: u32) -> Extras {
    Extras {
        trace_ios,
        ..Extras::default()
    }
}

/// Reads in order, `depth` at a time, whose latencies differ.
fn sequential(clock: &HandClock, spec: Spec) -> Outcome {
    let mut device = device(clock, 64, 0);
    device.costs = [31, 57, 13];
    device.plan = Box::new(|number, _| Answer::ok(2_000 + number * 613 % 9_000));
    let mut spec = spec;
    spec.read.stream = Stream::new(&Order::Sequential, 1000, 0);
    run(&mut device, clock, spec)
}

#[test]
fn all_of_a_row_add_up_to_its_figures() {
    let clock = clock(7);
    let outcome = sequential(
        &clock,
        Spec {
            depth: 4,
            stages: true,
            extras: keeping(1000),
            ..spec(300)
        },
    );
    let (trace, latency) = (&outcome.trace, &outcome.stats.latency[0]);
    assert_eq!((trace.len(), latency.count()), (300, 300));
    let sum: u64 = trace.iter().map(|io| io.latency_ns).sum();
    let mean = latency.mean().unwrap() * 300.0;
    assert_eq!(sum, mean.round() as u64);
    let longest = trace.iter().map(|io| io.latency_ns).max();
    let shortest = trace.iter().map(|io| io.latency_ns).min();
    assert_eq!((shortest, longest), (latency.min(), latency.max()));
    // Stage by stage, as the row sums them.
    let stage = |at: usize| -> u64 { trace.iter().map(|io| io.stages_ns.unwrap()[at]).sum() };
    let stages = &outcome.stats.stages;
    assert_eq!(stage(0), stages.build);
    assert_eq!(stage(1) - stage(0), stages.batch);
    assert_eq!(stage(2) - stage(1), stages.doorbell);
    assert_eq!(stage(3) - stage(2), stages.in_flight);
    assert_eq!(sum - stage(3), stages.reap);
    // Positions go with the order of submission, whatever the order of completion.
    for io in trace {
        assert_eq!(io.offset_bytes, 8192 + 4096 * io.seq);
        assert_eq!((io.length_bytes, io.direction), (4096, 0));
    }
    let ends: Vec<u64> = trace
        .iter()
        .map(|io| io.submit_ns as u64 + io.latency_ns)
        .collect();
    assert!(ends.is_sorted());
    assert!(!trace.is_sorted_by_key(|io| io.seq), "some overtook others");
    assert!(ends[299] <= outcome.tally.window_ticks);
}

#[test]
fn the_first_of_the_window_are_kept_and_the_ramp_is_before_it() {
    let clock = clock(7);
    let outcome = sequential(
        &clock,
        Spec {
            depth: 4,
            ramp_ticks: 100_000,
            runtime_ticks: 1_000_000,
            extras: keeping(20),
            ..spec(u64::MAX)
        },
    );
    let trace = &outcome.trace;
    assert_eq!(trace.len(), 20);
    assert!(outcome.reads() > 20);
    let first = trace.iter().map(|io| io.seq).min().unwrap();
    assert!(first > 4, "numbers count the ramp: {first}");
    // What the ramp left in flight ends in the window, and has begun before it.
    assert!(trace.iter().filter(|io| io.submit_ns < 0).count() <= 4);
    assert!(trace[0].submit_ns < 0);
    assert!(
        trace
            .iter()
            .all(|io| io.submit_ns + io.latency_ns as i64 > 0)
    );
    assert_eq!(trace[0].stages_ns, None);
}

#[test]
fn a_row_that_keeps_none_has_none() {
    let outcome = sequential(&clock(7), spec(50));
    assert_eq!((outcome.reads(), outcome.trace.len()), (50, 0));
}

#[test]
fn what_failed_is_not_kept() {
    let clock = clock(7);
    let mut device = device(&clock, 64, 0);
    device.plan = Box::new(|number, _| Answer {
        ticks: 1_000,
        status: match number {
            3 => Status::Check(Sense {
                key: 3,
                asc: 0x11,
                ascq: 0,
            }),
            _ => Status::Ok,
        },
    });
    let spec = Spec {
        extras: keeping(100),
        ..spec(10)
    };
    let outcome = run(&mut device, &clock, spec);
    let seqs: Vec<u64> = outcome.trace.iter().map(|io| io.seq).collect();
    assert_eq!(seqs, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn a_crew_tells_whose_and_what() {
    let clock = clock(7);
    let mut device = device(&clock, 64, 3_000);
    let seat = |numjob: u16, start_lba: u64| {
        let course = || {
            let stream = Stream::new(&Order::Sequential, 64, 0);
            Course::new(64, Places::Stream(stream), Lengths::Fixed(8), 100, 0)
        };
        Seat {
            worker: Worker {
                start_lba,
                courses: [course(), course()],
                mix: Mix::new(0, 1),
                quota_ios: 6,
                quota_blocks: u64::MAX,
                arrivals: [None, None],
            },
            depth: 1,
            disk: DiskId(0),
            numjob,
        }
    };
    let spec = Spec {
        kind: Kind::Write,
        depth: 2,
        extras: Extras {
            crew: Some(CrewSpec {
                seats: vec![seat(0, 0), seat(1, 4096)],
                disks: None,
                changing_op: Op::Write,
                flush_every: [3, 0],
                think_ticks: 0,
                think_ios: 1,
            }),
            ..keeping(100)
        },
        ..spec(u64::MAX)
    };
    let outcome = run(&mut device, &clock, spec);
    for numjob in 0..2 {
        let own = outcome.trace.iter().filter(|io| io.numjob == numjob);
        let told: Vec<(u64, u64, u64)> = own
            .map(|io| (io.direction, io.offset_bytes, io.length_bytes))
            .collect();
        let start = numjob * 4096 * 512;
        let write = |at: u64| (1, start + at * 4096, 4096);
        let flush = (3, 0, 0);
        let expected = [
            write(0),
            write(1),
            write(2),
            flush,
            write(3),
            write(4),
            write(5),
            flush,
        ];
        assert_eq!(told, expected);
    }
}
