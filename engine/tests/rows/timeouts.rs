//! Commands that do not come back.

use crate::bench::{coarse_clock, device, run, spec};
use drivers::block::{Health, Status};
use engine::fake::Answer;
use engine::row::{Failure, Spec};

fn loses(number: u64) -> engine::fake::Plan {
    Box::new(move |at, _| Answer::ok(if at == number { u64::MAX } else { 10_000 }))
}

fn timed_out(failure: &Option<Failure>) -> bool {
    matches!(failure, Some(Failure::TimedOut { write: false, age_ticks, .. }) if *age_ticks >= 1_000_000_000)
}

#[test]
fn a_lost_command_is_aborted_and_fails_the_row() {
    let clock = coarse_clock();
    let mut device = device(&clock, 4, 0);
    device.plan = loses(5);
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 2,
            ..spec(1_000_000)
        },
    );
    assert!(
        timed_out(&outcome.tally.failure),
        "{:?}",
        outcome.tally.failure
    );
    assert_eq!(
        device.calls[3], 1,
        "the lost one is aborted; the other had just completed"
    );
    assert_eq!(device.calls[0], 0, "no reset is needed");
    let kinds: Vec<_> = outcome.tally.errors.iter().map(|kind| kind.0).collect();
    assert_eq!(kinds, [Status::Aborted]);
    assert!(outcome.tally.failed[0] >= 1);
    assert!(outcome.tally.window_closed);
}

#[test]
fn a_controller_that_cannot_abort_is_reset() {
    let clock = coarse_clock();
    let mut device = device(&clock, 4, 0);
    device.plan = loses(5);
    device.aborts = false;
    let outcome = run(&mut device, &clock, spec(1_000));
    assert!(timed_out(&outcome.tally.failure));
    assert_eq!(device.calls[0], 1);
    assert_eq!(outcome.tally.lost, [1, 0]);
    assert_eq!(outcome.reads(), 5);
    assert_eq!(outcome.tally.moved_bytes, [5 * 4096, 0]);
}

#[test]
fn the_last_command_may_take_its_time_after_the_window() {
    let clock = coarse_clock();
    let mut device = device(&clock, 4, 900_000_000);
    let spec = Spec {
        runtime_ticks: 1_000_000,
        ..spec(u64::MAX)
    };
    let outcome = run(&mut device, &clock, spec);
    assert_eq!(outcome.tally.failure, None);
    assert_eq!(outcome.tally.window_ticks, 1_000_000);
    assert_eq!((outcome.reads(), outcome.tally.open_at_end), (0, 1));
    assert_eq!(outcome.tally.oldest_open_ticks, 1_000_000);
    assert_eq!(outcome.tally.moved_bytes, [4096, 0]);
}

#[test]
fn a_command_lost_in_the_drain_fails_the_row_too() {
    let clock = coarse_clock();
    let mut device = device(&clock, 4, 0);
    device.plan = loses(0);
    let spec = Spec {
        runtime_ticks: 1_000_000,
        ..spec(u64::MAX)
    };
    let outcome = run(&mut device, &clock, spec);
    assert!(timed_out(&outcome.tally.failure));
    assert_eq!(outcome.tally.failed, [1, 0]);
}

#[test]
fn a_device_that_went_away_is_said_so() {
    let clock = coarse_clock();
    let mut device = device(&clock, 4, 0);
    device.plan = loses(3);
    device.gone_after_commands = 4;
    device.aborts = false;
    let outcome = run(&mut device, &clock, spec(10));
    assert_eq!(
        outcome.tally.failure,
        Some(Failure::Unhealthy(Health::Gone))
    );
    assert!(outcome.tally.controller_lost, "the reset fails too");
    assert_eq!((outcome.reads(), outcome.tally.lost), (3, [1, 0]));

    let outcome = run(&mut device, &clock, spec(1));
    assert_eq!(
        outcome.tally.failure,
        Some(Failure::Unhealthy(Health::Gone))
    );
    assert_eq!(outcome.tally.commands, [0, 0]);
}

#[test]
fn thirty_seconds_are_measured_as_thirty_seconds() {
    let clock = engine::fake::HandClock::new(0, 0, 1_000_000);
    let mut device = device(&clock, 4, 30_000_000_000);
    let spec = Spec {
        timeout_ticks: 60_000_000_000,
        ..spec(1)
    };
    let outcome = run(&mut device, &clock, spec);
    assert_eq!(outcome.tally.failure, None);
    let latency = &outcome.stats.latency[0];
    assert_eq!(
        (latency.min(), latency.max()),
        (Some(30_000_000_000), Some(30_000_000_000))
    );
    assert_eq!(latency.quantile(99_000), Some(30_000_000_000));
}
