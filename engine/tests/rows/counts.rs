//! What is issued, and that it is counted as it is.

use crate::bench::{clock, device, run, spec};
use drivers::block::Op;
use engine::row::{Kind, Spec};
use engine::workload::{Mix, Order, Stream};

#[test]
fn number_ios_is_met_exactly_and_all_are_in_the_window() {
    for depth in [1, 7, 32] {
        let clock = clock(10);
        let mut device = device(&clock, 64, 5_000);
        let outcome = run(&mut device, &clock, Spec { depth, ..spec(100) });
        assert_eq!(outcome.reads(), 100);
        assert_eq!(outcome.tally.issued, [100, 0]);
        assert_eq!(outcome.tally.commands, [100, 0]);
        assert_eq!(outcome.tally.moved_bytes, [409_600, 0]);
        assert_eq!(outcome.tally.open_at_end, 0);
        assert_eq!(device.log.len(), 100);
        assert!(outcome.tally.window_closed && outcome.tally.failure.is_none());
    }
}

#[test]
fn each_position_is_a_whole_block_of_the_region() {
    let clock = clock(10);
    let mut device = device(&clock, 8, 1_000);
    run(
        &mut device,
        &clock,
        Spec {
            depth: 4,
            ..spec(1000)
        },
    );
    let mut lbas: Vec<u64> = device.log.iter().map(|request| request.lba.0).collect();
    lbas.sort_unstable();
    // The region starts at 8 KiB, and every one of its 1000 blocks is read once.
    let expected: Vec<u64> = (0..1000).map(|index| 16 + index * 8).collect();
    assert_eq!(lbas, expected);
    assert!(
        device
            .log
            .iter()
            .all(|request| request.blocks == 8 && request.op == Op::Read)
    );
}

#[test]
fn sequential_reads_go_up_and_wrap() {
    let clock = clock(10);
    let mut device = device(&clock, 8, 1_000);
    let mut spec = spec(5);
    spec.read.stream = Stream::new(&Order::Sequential, 3, 0);
    run(&mut device, &clock, spec);
    let lbas: Vec<u64> = device.log.iter().map(|request| request.lba.0).collect();
    assert_eq!(lbas, [16, 24, 32, 16, 24]);
}

#[test]
fn a_mix_keeps_its_share_and_its_directions_apart() {
    for (pct, depth) in [
        (0, 1),
        (1, 64),
        (30, 1),
        (50, 64),
        (70, 1),
        (99, 64),
        (100, 1),
    ] {
        let clock = clock(10);
        let mut device = device(&clock, 64, 1_000);
        let mix = Mix::new(pct, 9);
        let outcome = run(
            &mut device,
            &clock,
            Spec {
                kind: Kind::Mix,
                mix,
                depth,
                ..spec(10_000)
            },
        );
        let share = u64::from(pct) * 100;
        assert_eq!((outcome.reads(), outcome.writes()), (share, 10_000 - share));
        assert_eq!(outcome.tally.commands, [share, 10_000 - share]);
        assert_eq!(
            (device.reads() as u64, device.writes() as u64),
            (share, 10_000 - share)
        );
        let has_latency = outcome.stats.latency[1].mean().is_some();
        assert_eq!(has_latency, pct < 100, "no latency without I/O");
    }
}

#[test]
fn the_same_seed_gives_the_same_digest_and_order() {
    let digest = |depth, seed| {
        let clock = clock(10);
        let mut device = device(&clock, 64, 1_000);
        let mut spec = Spec { depth, ..spec(500) };
        spec.read.stream = Stream::new(&Order::Independent, 1000, seed);
        run(&mut device, &clock, spec).tally.digest
    };
    assert_eq!(
        digest(1, 1),
        digest(32, 1),
        "order of issue does not depend on depth"
    );
    assert_ne!(digest(1, 1), digest(1, 2));
}

#[test]
fn one_doorbell_serves_all_that_there_is_room_for() {
    let clock = clock(10);
    let mut device = device(&clock, 64, 5_000);
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 32,
            ..spec(320)
        },
    );
    // All of a batch complete at the same time here, so each refill is 32 long.
    assert!(
        device.batches.iter().all(|batch| *batch == 32),
        "{:?}",
        device.batches
    );
    assert_eq!(device.batches.len(), 10);
    assert_eq!(outcome.tally.window_accesses.submit_doorbells, 10);
    assert_eq!(outcome.tally.row_accesses.submit_doorbells, 10);
}

#[test]
fn batch_submit_and_complete_min_make_the_batches_exact() {
    let clock = clock(10);
    let mut device = device(&clock, 128, 0);
    device.plan = Box::new(|number, _| engine::fake::Answer::ok(1_000 + number * 37 % 5_000));
    let spec = Spec {
        depth: 64,
        batch_submit: 32,
        batch_complete_min: 32,
        ..spec(64 * 50)
    };
    let outcome = run(&mut device, &clock, spec);
    assert_eq!(outcome.reads(), 3200);
    assert_eq!(device.batches, vec![32; 100]);
}

#[test]
fn a_rest_smaller_than_the_batch_is_issued_too() {
    let clock = clock(10);
    let mut device = device(&clock, 64, 1_000);
    let spec = Spec {
        depth: 8,
        batch_submit: 8,
        ..spec(20)
    };
    assert_eq!(run(&mut device, &clock, spec).reads(), 20);
    assert_eq!(device.batches, [8, 8, 4]);
}

#[test]
fn the_controllers_batch_limit_is_kept() {
    let clock = clock(10);
    let mut device = device(&clock, 64, 5_000);
    device.limits.max_batch = 10;
    run(
        &mut device,
        &clock,
        Spec {
            depth: 32,
            ..spec(64)
        },
    );
    assert_eq!(device.batches, [10, 10, 10, 2, 10, 10, 10, 2]);
}

#[test]
fn reap_is_emptied_before_the_refill_even_if_its_room_is_small() {
    let clock = clock(10);
    let mut device = device(&clock, 1024, 5_000);
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 1000,
            ..spec(2000)
        },
    );
    assert_eq!(outcome.reads(), 2000);
    assert_eq!(device.batches, [1000, 1000]);
}
