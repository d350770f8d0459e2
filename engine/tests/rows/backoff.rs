//! Looks at a controller that is polled through a register.

use crate::bench::{Outcome, clock, device, run, spec};
use engine::row::Spec;

/// Reads of each run.
const READS: u64 = 10;

/// Reads of `ticks` ns each, where every look at the register takes 100 ns.
fn reads_of(ticks: u64, polls_by_register: bool) -> Outcome {
    let clock = clock(20);
    let mut device = device(&clock, 64, ticks);
    device.costs = [0, 0, 100];
    device.limits.polls_by_register = polls_by_register;
    run(&mut device, &clock, spec(READS))
}

#[test]
fn at_1_ms_some_hundred_looks_do_and_cost_3_percent_at_most() {
    let fast = reads_of(1_000_000, false);
    let slow = reads_of(1_000_000, true);
    assert_eq!((fast.reads(), slow.reads()), (READS, READS));
    let (fast_polls, slow_polls) = (
        fast.stats.empty_polls / READS,
        slow.stats.empty_polls / READS,
    );
    assert!((4_000..6_000).contains(&fast_polls), "{fast_polls}");
    assert!((100..300).contains(&slow_polls), "{slow_polls}");
    let longest = slow.stats.latency[0].max().unwrap();
    assert!((1_000_000..1_032_000).contains(&longest), "{longest}");
}

#[test]
fn at_full_speed_it_costs_no_more_than_its_share() {
    for ticks in [1_000, 20_000, 70_000] {
        let fast = reads_of(ticks, false).tally.window_ticks / READS;
        let slow = reads_of(ticks, true).tally.window_ticks / READS;
        // And the length of one look, by which it may just be missed.
        assert!(slow <= fast + fast / 32 + 120, "{slow} against {fast}");
    }
}

#[test]
fn a_silent_device_is_looked_at_every_tenth_of_a_millisecond() {
    let outcome = reads_of(100_000_000, true);
    let polls = outcome.stats.empty_polls / READS;
    assert!((1_000..1_400).contains(&polls), "{polls}");
    let longest = outcome.stats.latency[0].max().unwrap();
    assert!(longest < 100_101_000, "{longest}");
}

#[test]
fn a_window_ends_in_time_all_the_same() {
    let clock = clock(20);
    let mut device = device(&clock, 64, 100_000_000);
    device.limits.polls_by_register = true;
    let spec = Spec {
        runtime_ticks: 50_000_123,
        ..spec(u64::MAX)
    };
    let outcome = run(&mut device, &clock, spec);
    let over = outcome.tally.window_ticks - 50_000_123;
    assert!(over < 1_000, "{over} ns late");
}
