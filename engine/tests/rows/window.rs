//! Edges of the window.

use crate::bench::{clock, device, run, spec};
use drivers::block::Controller;
use engine::fake::{Answer, HandClock};
use engine::row::{self, Env, Spec, Workspace};
use engine::session::{MachineCounters, MachineCounts, NoLine};

/// Counters that take 1 ms to read.
struct SlowCounters(HandClock);

impl MachineCounters for SlowCounters {
    fn counts(&self) -> MachineCounts {
        self.0.advance(1_000_000);
        MachineCounts::default()
    }
}

#[test]
fn setting_up_is_no_part_of_the_first_io() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 30_000);
    device.set_buffers(1, 4096).unwrap();
    let mut workspace = Workspace::new();
    let env = Env {
        clock: &clock,
        counters: &SlowCounters(clock.clone()),
        line: &mut NoLine,
        workspace: &mut workspace,
        recheck: &mut |_| Ok(()),
    };
    row::run(&mut device, env, spec(3));
    let latency = &workspace.stats.latency[0];
    assert_eq!((latency.count(), latency.max()), (3, Some(30_000)));
    assert_eq!(workspace.stats.submit_ticks, 0, "all looks are free");
}

#[test]
fn a_window_by_time_is_as_long_as_its_stamps_say() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 30_000);
    let spec = Spec {
        runtime_ticks: 100_000,
        ..spec(u64::MAX)
    };
    let outcome = run(&mut device, &clock, spec);
    // Completions at 30, 60 and 90 us; the fourth is open at 100 us, 10 us old.
    assert_eq!(outcome.tally.window_ticks, 100_000);
    assert_eq!(outcome.reads(), 3);
    assert_eq!(
        (outcome.tally.open_at_end, outcome.tally.oldest_open_ticks),
        (1, 10_000)
    );
    assert_eq!(outcome.stats.depth_integral, 100_000);
    // It is drained, counted as a command, and in no rate.
    assert_eq!(outcome.tally.commands, [4, 0]);
    assert_eq!(outcome.tally.moved_bytes, [4 * 4096, 0]);
    assert_eq!(outcome.tally.lost, [0, 0]);
}

#[test]
fn what_completes_on_the_closing_stamp_counts() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 50_000);
    let spec = Spec {
        runtime_ticks: 100_000,
        ..spec(u64::MAX)
    };
    let outcome = run(&mut device, &clock, spec);
    assert_eq!(outcome.reads(), 2);
    assert_eq!(outcome.tally.window_ticks, 100_000);
    assert_eq!(outcome.tally.open_at_end, 0);
    assert_eq!(
        device.log.len(),
        2,
        "nothing is issued once the window is closed"
    );
}

#[test]
fn a_late_look_makes_the_window_longer_not_the_rate_higher() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 10_000);
    let stall = clock.clone();
    device.plan = Box::new(move |number, _| {
        if number == 9 {
            stall.advance(400_000);
        }
        Answer::ok(10_000)
    });
    let spec = Spec {
        runtime_ticks: 100_000,
        ..spec(u64::MAX)
    };
    let outcome = run(&mut device, &clock, spec);
    assert_eq!(outcome.reads(), 9);
    assert_eq!(outcome.tally.window_ticks, 490_000);
    assert_eq!(outcome.tally.open_at_end, 1);
}

#[test]
fn the_ramp_leaves_no_trace() {
    // In the ramp the device is slow, and fails one command.
    let clock = clock(0);
    let mut device = device(&clock, 4, 0);
    let now = clock.clone();
    let start = clock.peek();
    device.plan = Box::new(move |_, _| {
        let ramping = now.peek() - start < 1_000_000;
        Answer::ok(if ramping { 90_000 } else { 10_000 })
    });
    let spec = Spec {
        ramp_ticks: 1_000_000,
        runtime_ticks: 1_000_000,
        ..spec(u64::MAX)
    };
    let outcome = run(&mut device, &clock, spec);
    // 11 complete in the ramp; the twelfth was issued at 990 us and completes in
    // the window, 80 us after its start, with its whole latency of 90 us.
    assert_eq!(outcome.tally.window_ticks, 1_000_000);
    assert_eq!(outcome.reads(), 1 + 92);
    assert_eq!(outcome.stats.latency[0].max(), Some(90_000));
    assert_eq!(outcome.stats.latency[0].bins().len(), 2);
    assert_eq!(outcome.stats.depth_integral, 1_000_000);
    let all = outcome.tally.commands[0];
    assert_eq!(all, 11 + 93, "commands are of the whole row");
    assert_eq!(outcome.tally.window_accesses.submit_doorbells, 92);
    assert_eq!(outcome.tally.row_accesses.submit_doorbells, all);
}

#[test]
fn number_ios_counts_from_the_end_of_the_ramp() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 10_000);
    let spec = Spec {
        ramp_ticks: 100_000,
        ..spec(50)
    };
    let outcome = run(&mut device, &clock, spec);
    // The completion on the opening stamp belongs to the ramp.
    assert_eq!(outcome.reads(), 50);
    assert_eq!(outcome.tally.commands, [60, 0]);
}

#[test]
fn runtime_ends_what_number_ios_would_not() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 10_000);
    let spec = Spec {
        runtime_ticks: 100_000,
        ..spec(1_000)
    };
    assert_eq!(run(&mut device, &clock, spec).reads(), 10);
}

#[test]
fn useful_and_empty_passes_and_the_work_in_them() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 1_000);
    device.costs = [300, 200, 40];
    let outcome = run(&mut device, &clock, spec(2));
    // After the doorbell 800 remain; an empty pass with its turn takes 140, so
    // five are empty, and the sixth, from 700 to 740, is too; the seventh finds it.
    assert_eq!(outcome.stats.useful_passes, 2);
    assert_eq!(outcome.stats.empty_polls, 12);
    let stats = &outcome.stats;
    assert_eq!(
        (stats.submit_ticks, stats.doorbell_ticks, stats.reap_ticks),
        (600, 400, 80)
    );
    assert_eq!(stats.work_ticks(), 1080);
}

#[test]
fn a_gap_is_seen_and_a_long_doorbell_is_none() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 1_000);
    let stall = clock.clone();
    device.plan = Box::new(move |number, _| {
        if number == 1 {
            stall.advance(3_000_000);
        }
        Answer::ok(1_000)
    });
    let outcome = run(&mut device, &clock, spec(3));
    assert_eq!(
        (outcome.stats.gaps, outcome.stats.longest_gap_ticks),
        (1, 3_000_000)
    );
    assert_eq!(outcome.stats.long_doorbells, 0);

    device.plan = Box::new(|_, _| Answer::ok(1_000));
    device.costs = [0, 250_000, 0];
    let outcome = run(&mut device, &clock, spec(3));
    assert_eq!(outcome.stats.gaps, 0);
    assert_eq!(
        (
            outcome.stats.long_doorbells,
            outcome.stats.longest_doorbell_ticks
        ),
        (3, 250_000)
    );
}

#[test]
fn the_first_completion_is_stamped() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 7_000);
    let start = clock.peek();
    let outcome = run(&mut device, &clock, spec(3));
    assert_eq!(outcome.tally.first_completion_ticks, Some(start + 7_000));
}

#[test]
fn a_stall_of_seconds_is_one_sample_with_its_whole_length() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 0);
    device.plan =
        Box::new(|number, _| Answer::ok(if number == 500 { 2_000_000_000 } else { 10_000 }));
    let spec = Spec {
        timeout_ticks: 60_000_000_000,
        ..spec(1_000)
    };
    let outcome = run(&mut device, &clock, spec);
    assert_eq!(outcome.stats.latency[0].max(), Some(2_000_000_000));
    assert_eq!(
        outcome.stats.latency[0].quantile(50_000),
        Some(10_000 / 128 * 128 + 127)
    );
}

#[test]
fn a_clock_that_steps_back_is_clamped_and_counted() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 0);
    let back = clock.clone();
    device.plan = Box::new(move |number, _| {
        if number == 1 {
            back.set(back.peek() - 1);
        }
        Answer::ok(0)
    });
    let outcome = run(&mut device, &clock, spec(3));
    assert_eq!(outcome.reads(), 3);
    assert_eq!(outcome.stats.backward_steps, 1);
    assert_eq!(outcome.stats.latency[0].max(), Some(0));
}
