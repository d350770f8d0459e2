//! Several queues, and doorbells before the end of a fill.

use crate::bench::{Outcome, clock, coarse_clock, device, run, spec};
use drivers::block::Status;
use engine::fake::{Answer, Device, HandClock};
use engine::row::{Extras, Kind, RingSpec, Spec, Stages};
use engine::workload::Mix;
use proptest::prelude::*;

fn rings(queues: u16, doorbell_batch: u32) -> Extras {
    Extras {
        rings: RingSpec {
            queues,
            doorbell_batch,
        },
        ..Extras::default()
    }
}

fn device_of(clock: &HandClock, queues: u16, slots: u16) -> Device {
    let mut device = device(clock, slots, 5_000);
    device.offer_queues(queues);
    device
}

fn sum(stages: &Stages) -> u64 {
    stages.build + stages.batch + stages.doorbell + stages.in_flight + stages.reap
}

/// What latencies add up to; a tick is a nanosecond.
fn total(outcome: &Outcome) -> u64 {
    let all = outcome.stats.latency.iter().filter(|it| it.count() > 0);
    all.map(|it| it.mean().unwrap() * it.count() as f64)
        .sum::<f64>()
        .round() as u64
}

#[test]
fn each_queue_has_its_share_and_is_rung_once_a_fill() {
    for queues in [1, 2, 4] {
        let clock = clock(10);
        let mut device = device_of(&clock, 4, 64);
        let outcome = run(
            &mut device,
            &clock,
            Spec {
                depth: 32,
                batch_submit: 32,
                batch_complete_min: 32,
                extras: rings(queues, 0),
                ..spec(320)
            },
        );
        assert_eq!(outcome.tally.failure, None);
        assert_eq!((outcome.reads(), outcome.tally.commands[0]), (320, 320));
        let each = 32 / u32::from(queues);
        assert_eq!(device.batches, vec![each; 10 * usize::from(queues)]);
        let used = usize::from(queues);
        assert_eq!(device.rung[..used], vec![10; used]);
        assert_eq!(device.rung[used..], vec![0; 4 - used]);
        let told: Vec<u64> = outcome
            .tally
            .queue_doorbells
            .iter()
            .map(|queue| queue.submit)
            .collect();
        assert_eq!(told, if queues == 1 { vec![] } else { vec![10; used] });
        assert_eq!(
            outcome.tally.row_accesses.submit_doorbells,
            10 * u64::from(queues)
        );
    }
}

#[test]
fn the_depth_is_bounded_for_each_queue() {
    for (queues, asked, got) in [(1, 64, 4), (3, 64, 12), (3, 7, 7), (4, 64, 16)] {
        let clock = clock(10);
        let mut device = device_of(&clock, 4, 4);
        let outcome = run(
            &mut device,
            &clock,
            Spec {
                depth: asked,
                extras: rings(queues, 0),
                ..spec(500)
            },
        );
        assert_eq!(outcome.tally.depth_limit, got);
        let most = got.div_ceil(u32::from(queues)) as usize;
        assert_eq!(device.deepest.iter().max(), Some(&most));
        assert_eq!(outcome.reads(), 500);
        assert_eq!(outcome.tally.retries, 0);
    }
}

#[test]
fn so_many_requests_share_a_doorbell_and_no_more() {
    for (most, batches) in [
        (1, vec![1; 64]),
        (4, vec![4; 16]),
        (5, [vec![5; 6], vec![2], vec![5; 6], vec![2]].concat()),
        (32, vec![32; 2]),
        (500, vec![32; 2]),
        (0, vec![32; 2]),
    ] {
        let clock = clock(10);
        let mut device = device(&clock, 64, 5_000);
        let outcome = run(
            &mut device,
            &clock,
            Spec {
                depth: 32,
                batch_submit: 32,
                batch_complete_min: 32,
                stages: true,
                extras: rings(1, most),
                ..spec(64)
            },
        );
        assert_eq!(device.batches, batches, "doorbell_batch={most}");
        assert_eq!(outcome.reads(), 64);
        // Owned by the device from the start of its own doorbell on.
        let stages = outcome.stats.stages;
        let owned = stages.doorbell + stages.in_flight + stages.reap;
        assert_eq!(outcome.stats.depth_integral, owned);
    }
}

#[test]
fn a_limit_of_the_controller_bounds_a_doorbell_too() {
    let clock = clock(10);
    let mut device = device_of(&clock, 2, 64);
    device.limits.max_batch = 3;
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 16,
            batch_complete_min: 16,
            extras: rings(2, 8),
            ..spec(16)
        },
    );
    assert_eq!(device.batches, [3, 3, 3, 3, 2, 2]);
    assert_eq!(outcome.reads(), 16);
}

#[test]
fn each_batch_is_stamped_with_its_own_doorbell() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 5_000);
    device.costs = [300, 200, 0];
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 4,
            stages: true,
            extras: rings(1, 2),
            ..spec(4)
        },
    );
    let stages = outcome.stats.stages;
    // In each batch of two the first waits for the build of the second alone.
    assert_eq!(stages.build, 4 * 300);
    assert_eq!(stages.batch, 2 * 300);
    assert_eq!(stages.doorbell, 4 * 200);
    assert_eq!(sum(&stages), total(&outcome));
    let stats = &outcome.stats;
    assert_eq!((stats.submit_ticks, stats.doorbell_ticks), (1_200, 400));
}

#[test]
fn each_queue_is_stamped_with_its_own_doorbell() {
    let clock = clock(0);
    let mut device = device_of(&clock, 2, 4);
    device.costs = [300, 200, 0];
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 4,
            stages: true,
            extras: rings(2, 0),
            ..spec(4)
        },
    );
    let stages = outcome.stats.stages;
    assert_eq!(stages.build, 4 * 300);
    // Builds of 3, 2, 1 and 0 others, and two wait for the other queue's doorbell.
    assert_eq!(stages.batch, 6 * 300 + 2 * 200);
    assert_eq!(stages.doorbell, 4 * 200);
    assert_eq!(sum(&stages), total(&outcome));
    let stats = &outcome.stats;
    assert_eq!((stats.submit_ticks, stats.doorbell_ticks), (1_200, 400));
}

#[test]
fn a_command_lost_on_any_queue_is_aborted_there() {
    for lost in 0..6u64 {
        for aborts in [true, false] {
            let clock = coarse_clock();
            let mut device = device_of(&clock, 3, 4);
            device.aborts = aborts;
            device.plan =
                Box::new(move |at, _| Answer::ok(if at == lost { u64::MAX } else { 10_000 }));
            let outcome = run(
                &mut device,
                &clock,
                Spec {
                    depth: 6,
                    extras: rings(3, 0),
                    ..spec(1_000_000)
                },
            );
            assert!(outcome.tally.failure.is_some());
            assert_eq!(device.calls[0], u32::from(!aborts), "resets");
            let lost = [u64::from(!aborts), 0];
            assert_eq!(outcome.tally.lost, lost);
            let kinds: Vec<_> = outcome.tally.errors.iter().map(|kind| kind.0).collect();
            let expected = if aborts {
                vec![Status::Aborted]
            } else {
                vec![]
            };
            assert_eq!(kinds, expected);
        }
    }
}

/// One row of any shape; whatever it is, all is done once and adds up.
#[derive(Clone, Debug)]
struct Shape {
    queues: u16,
    doorbell_batch: u32,
    depth: u32,
    batch_submit: u32,
    batch_complete_min: u32,
    /// Commands of an I/O.
    pieces: u64,
    slots: u16,
    busy_every: u64,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let batches = (1..20u32, 1..20u32);
    let device = (1..4u64, 4..40u16, 3..50u64);
    (1..=4u16, 0..9u32, 1..40u32, batches, device).prop_map(
        |(queues, doorbell_batch, depth, (submit, complete), (pieces, slots, busy_every))| Shape {
            queues,
            doorbell_batch,
            depth,
            batch_submit: submit,
            batch_complete_min: complete,
            pieces,
            slots,
            busy_every,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_the_shape_all_is_done_once_and_adds_up(shape in shapes()) {
        let clock = clock(7);
        let mut device = device_of(&clock, 4, shape.slots);
        device.costs = [31, 57, 13];
        device.plan = Box::new(move |number, _| Answer {
            ticks: number * 613 % 9_000,
            status: match number % shape.busy_every {
                2 => Status::Busy,
                _ => Status::Ok,
            },
        });
        let mut spec = Spec {
            kind: Kind::Mix,
            mix: Mix::new(50, 4),
            depth: shape.depth,
            batch_submit: shape.batch_submit,
            batch_complete_min: shape.batch_complete_min,
            stages: true,
            extras: rings(shape.queues, shape.doorbell_batch),
            ..spec(300)
        };
        for lane in [&mut spec.read, &mut spec.write] {
            lane.bs_bytes = 4096 * shape.pieces;
            lane.command_bytes = 4096;
        }
        let outcome = run(&mut device, &clock, spec);
        prop_assert_eq!(&outcome.tally.failure, &None);
        prop_assert_eq!(outcome.reads() + outcome.writes(), 300);
        let commands = outcome.tally.commands[0] + outcome.tally.commands[1];
        prop_assert_eq!(commands, 300 * shape.pieces + outcome.tally.retries);
        prop_assert_eq!(commands, device.log.len() as u64);
        let most = match shape.doorbell_batch {
            0 => u32::MAX,
            most => most,
        };
        prop_assert!(device.batches.iter().all(|batch| *batch <= most));
        prop_assert_eq!(device.batches.iter().sum::<u32>() as u64, commands);
        prop_assert_eq!(device.rung.iter().sum::<u64>(), device.batches.len() as u64);
        let idle = device.rung[usize::from(shape.queues)..].iter().sum::<u64>();
        prop_assert_eq!(idle, 0);
        prop_assert_eq!(sum(&outcome.stats.stages), total(&outcome));
    }
}
