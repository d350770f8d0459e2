//! Depth: asked, possible, effective.

use crate::bench::{clock, device, run, spec};
use engine::row::Spec;

#[test]
fn the_integral_is_exact_at_depth_one() {
    // Looks are free and the device takes 5 us from the doorbell on; polls go in
    // steps of 100 ns, so each I/O is owned for exactly 5,000 ns.
    let clock = clock(0);
    let mut device = device(&clock, 4, 5_000);
    let outcome = run(&mut device, &clock, spec(100));
    assert_eq!(outcome.tally.window_ticks, 500_000);
    assert_eq!(outcome.stats.depth_integral, 500_000);
    assert_eq!(outcome.stats.latency[0].mean(), Some(5_000.0));
    assert_eq!(outcome.stats.latency[0].stddev(), Some(0.0));
}

#[test]
fn time_before_the_doorbell_is_latency_but_not_depth() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 5_000);
    device.costs = [300, 200, 0];
    let outcome = run(&mut device, &clock, spec(10));
    // Owned from the doorbell's start: 200 in the doorbell, and since the device
    // answers 5,000 after the doorbell's start, 4,800 more.
    assert_eq!(outcome.stats.depth_integral, 50_000);
    assert_eq!(outcome.tally.window_ticks, 53_000);
    assert_eq!(outcome.stats.latency[0].max(), Some(5_300));
}

#[test]
fn effective_depth_is_littles_law() {
    for depth in [1u32, 8, 32] {
        let clock = clock(1);
        let mut device = device(&clock, 64, 1_000_000);
        let spec = Spec {
            depth,
            runtime_ticks: 100_000_000,
            ..spec(u64::MAX)
        };
        let outcome = run(&mut device, &clock, spec);
        let rate = outcome.reads() as f64 / outcome.tally.window_ticks as f64;
        let little = rate * outcome.stats.latency[0].mean().unwrap();
        assert!((outcome.effective_depth() / f64::from(depth) - 1.0).abs() < 0.001);
        assert!((little / f64::from(depth) - 1.0).abs() < 0.02, "{little}");
    }
}

#[test]
fn a_small_queue_lowers_the_depth_and_nothing_fails() {
    for asked in [128u32, 129, 256, 4096] {
        let clock = clock(1);
        let mut device = device(&clock, 127, 1_000_000);
        let spec = Spec {
            depth: asked,
            runtime_ticks: 50_000_000,
            ..spec(u64::MAX)
        };
        let outcome = run(&mut device, &clock, spec);
        assert_eq!(outcome.tally.depth_limit, 127);
        assert!((outcome.effective_depth() - 127.0).abs() < 0.5);
        assert_eq!(outcome.tally.failure, None);
        assert_eq!(outcome.tally.issued[0], outcome.tally.moved_bytes[0] / 4096);
    }
}

#[test]
fn a_queue_that_is_full_earlier_than_it_said_only_defers() {
    // It says 64 slots and takes 10.
    let clock = clock(1);
    let mut device = device(&clock, 10, 20_000);
    device.limits.max_in_flight = 64;
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 16,
            ..spec(200)
        },
    );
    assert_eq!(outcome.reads(), 200);
    assert_eq!(outcome.tally.commands, [200, 0]);
    assert_eq!(outcome.tally.retries, 0);
    assert!(outcome.effective_depth() <= 10.0);
}

#[test]
fn a_doorbell_per_request_is_one_doorbell_to_the_loop() {
    let clock = clock(0);
    let mut device = device(&clock, 8, 10_000);
    device.limits.doorbell_per_request = true;
    device.costs = [500, 100, 0];
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 2,
            ..spec(2)
        },
    );
    // Both are owned from 1,000, where the posting starts, to 11,000.
    assert_eq!(outcome.stats.depth_integral, 20_000);
    assert_eq!(outcome.tally.row_accesses.submit_doorbells, 2);
}

#[test]
fn a_pass_that_takes_all_there_was_room_for_is_followed_by_a_refill() {
    // As many commands as one call to the driver returns, and multiples of that.
    for depth in [256, 512] {
        let clock = clock(0);
        let mut device = device(&clock, depth, 1_000);
        let spec = Spec {
            depth: u32::from(depth),
            ..spec(1000)
        };
        let outcome = run(&mut device, &clock, spec);
        assert_eq!(outcome.reads(), 1000, "depth {depth}");
    }
}
