//! Rows that halt between completions.

use crate::bench::{Outcome, clock, device, run_on_line, spec};
use drivers::block::{InterruptMode, Status};
use engine::fake::{Answer, Device, FakeLine, HandClock, Wire};
use engine::row::{Failure, Kind, Spec, WaitFor};
use engine::workload::Mix;
use proto::job::Irq;

const MESSAGES: WaitFor = WaitFor::Interrupt {
    level: false,
    look_ticks: 0,
};

/// A row on a device that answers in `ticks`, with a wire that `change` may break.
struct Setting {
    clock: HandClock,
    device: Device,
    wire: Wire,
    line: FakeLine,
}

fn setting(ticks: u64) -> Setting {
    setting_on(clock(10), ticks)
}

fn setting_on(clock: HandClock, ticks: u64) -> Setting {
    let mut device = device(&clock, 64, ticks);
    let wire = Wire::default();
    device.wire = Some(wire.clone());
    device.interrupts = InterruptMode::Message;
    let line = FakeLine::new(&wire, &clock, &Irq::ALL);
    Setting {
        clock,
        device,
        wire,
        line,
    }
}

impl Setting {
    fn run(&mut self, spec: Spec) -> Outcome {
        run_on_line(&mut self.device, &self.clock, spec, &mut self.line)
    }
}

fn waiting(ios: u64) -> Spec {
    Spec {
        wait: MESSAGES,
        ..spec(ios)
    }
}

fn completions(outcome: &Outcome) -> Vec<(u64, u64)> {
    outcome.stats.waits.completions_per_interrupt().collect()
}

#[test]
fn at_depth_1_each_completion_has_its_interrupt_and_no_pass_is_empty() {
    let outcome = setting(20_000).run(waiting(100));
    assert_eq!(outcome.tally.failure, None);
    assert_eq!(outcome.reads(), 100);
    let waits = &outcome.stats.waits;
    assert_eq!((waits.device, waits.empty, waits.lost), (100, 0, 0));
    assert_eq!(completions(&outcome), [(1, 99)], "the last has no next");
    assert_eq!(outcome.stats.empty_polls, 0);
}

#[test]
fn every_policy_halts_and_counts_as_it_does_when_it_looks() {
    for (kind, stages, verify) in [
        (Kind::Read, false, false),
        (Kind::Write, false, false),
        (Kind::Mix, false, false),
        (Kind::Mix, true, false),
        (Kind::Read, false, true),
    ] {
        let read_pct = match kind {
            Kind::Read => 100,
            Kind::Write => 0,
            Kind::Mix => 50,
        };
        for depth in [1, 32] {
            let made = |wait| Spec {
                kind,
                stages,
                verify,
                depth,
                wait,
                mix: Mix::new(read_pct, 3),
                ..spec(500)
            };
            let halted = setting(20_000).run(made(MESSAGES));
            let looked = setting(20_000).run(made(WaitFor::Look));
            assert_eq!(halted.tally.digest, looked.tally.digest);
            assert_eq!(halted.reads() + halted.writes(), 500);
            assert_eq!(halted.reads(), looked.reads());
            assert_eq!(halted.reads(), 5 * u64::from(read_pct));
            assert!(halted.stats.waits.device > 0);
            assert_eq!(looked.stats.waits.device, 0);
            assert!(halted.stats.empty_polls <= looked.stats.empty_polls);
        }
    }
}

#[test]
fn a_level_is_acknowledged_each_time() {
    let mut setting = setting(20_000);
    setting.device.interrupts = InterruptMode::Level;
    let wait = WaitFor::Interrupt {
        level: true,
        look_ticks: 0,
    };
    let outcome = setting.run(Spec { wait, ..spec(100) });
    assert_eq!((outcome.reads(), outcome.tally.failure), (100, None));
    let acknowledged = setting.wire.0.borrow().acknowledged;
    assert_eq!(acknowledged, outcome.stats.waits.device);
}

#[test]
fn a_device_whose_interrupts_are_lost_ends_the_row_with_a_message() {
    for lose_every in [1, 3] {
        let mut setting = setting(20_000);
        setting.wire.0.borrow_mut().lose_every = lose_every;
        let outcome = setting.run(waiting(1_000));
        assert_eq!(
            outcome.tally.failure,
            Some(Failure::LostInterrupts { times: 4 })
        );
        assert_eq!(outcome.stats.waits.lost, 4);
        let between = lose_every - 1;
        assert_eq!(outcome.reads(), 4 * lose_every, "{between} came in between");
        // The watch ends each such wait.
        assert!(outcome.tally.window_ticks < 500_000_000);
    }
}

#[test]
fn an_interrupt_that_is_only_late_is_not_lost() {
    let mut setting = setting(99_999_000);
    setting.wire.0.borrow_mut().late_ticks = 900_000;
    let outcome = setting.run(waiting(20));
    assert_eq!((outcome.reads(), outcome.tally.failure), (20, None));
    let waits = &outcome.stats.waits;
    assert_eq!(waits.lost, 0);
    assert!(waits.timer > 0, "the timer came between the two");
}

#[test]
fn a_host_that_held_the_processor_up_may_hold_an_interrupt_up_too() {
    // The first doorbell takes this long; the interrupts come a second late.
    let given_up = || Some(Failure::LostInterrupts { times: 4 });
    for (held_up, failure, lost) in [
        (0, given_up(), 4),
        (12_000_000, given_up(), 4),
        (300_000_000, None, 0),
    ] {
        let mut setting = setting_on(HandClock::new(1, 10, 100_000), 99_999_000);
        setting.wire.0.borrow_mut().late_ticks = 1_000_000_000;
        let clock = setting.clock.clone();
        setting.device.plan = Box::new(move |number, _| {
            if number == 0 {
                clock.set(clock.peek() + held_up);
            }
            Answer::ok(99_999_000)
        });
        let outcome = setting.run(waiting(20));
        assert_eq!(outcome.tally.failure, failure, "{held_up}");
        assert_eq!(outcome.stats.waits.lost, lost, "{held_up}");
    }
}

#[test]
fn a_storm_is_masked_and_ends_the_row_with_a_message() {
    let mut setting = setting(1_000_000_000_000);
    setting.wire.0.borrow_mut().storm = true;
    let outcome = setting.run(waiting(10));
    assert_eq!(
        outcome.tally.failure,
        Some(Failure::InterruptStorm { interrupts: 10_000 })
    );
    assert!(setting.wire.0.borrow().masked);
    assert_eq!(outcome.stats.waits.empty, 10_000);
}

#[test]
fn a_silent_device_times_out_though_nothing_interrupts() {
    let mut setting = setting(20_000);
    setting.device.plan = Box::new(|_, _| Answer::ok(u64::MAX));
    let outcome = setting.run(waiting(10));
    assert!(matches!(
        outcome.tally.failure,
        Some(Failure::TimedOut { .. })
    ));
    assert_eq!(outcome.stats.waits.device, 0);
}

#[test]
fn a_window_ends_in_time_though_nothing_interrupts() {
    let mut setting = setting(100_000_000);
    let outcome = setting.run(Spec {
        runtime_ticks: 50_000_123,
        ..waiting(u64::MAX)
    });
    let over = outcome.tally.window_ticks - 50_000_123;
    assert!(over < 1_000, "{over} ns late");
    assert_eq!(outcome.tally.failure, None);
}

#[test]
fn hybrid_looks_first_and_halts_then() {
    let wait = WaitFor::Interrupt {
        level: false,
        look_ticks: 50_000,
    };
    let fast = setting(20_000).run(Spec { wait, ..spec(100) });
    assert_eq!(fast.reads(), 100);
    assert_eq!(fast.stats.waits.device, 0, "all came while it looked");
    assert!(fast.stats.empty_polls > 100);
    let slow = setting(1_000_000).run(Spec { wait, ..spec(100) });
    assert_eq!((slow.reads(), slow.tally.failure), (100, None));
    assert_eq!((slow.stats.waits.device, slow.stats.waits.empty), (100, 0));
    let polls = slow.stats.empty_polls / 100;
    assert!((100..1_000).contains(&polls), "{polls}");
}

#[test]
fn completions_that_share_an_interrupt_are_counted_to_it() {
    let mut setting = setting(20_000);
    let outcome = setting.run(Spec {
        depth: 8,
        batch_complete_min: 8,
        ..waiting(80)
    });
    assert_eq!(outcome.reads(), 80);
    assert_eq!(completions(&outcome), [(8, 9)]);
}

#[test]
fn what_must_be_sent_again_is_not_forgotten_while_it_halts() {
    for depth in [1, 8] {
        let mut setting = setting(20_000);
        setting.device.plan = Box::new(|number, _| Answer {
            ticks: 20_000,
            status: if number % 5 == 0 {
                Status::Busy
            } else {
                Status::Ok
            },
        });
        let outcome = setting.run(Spec {
            depth,
            ..waiting(100)
        });
        assert_eq!((outcome.reads(), outcome.tally.failure), (100, None));
        assert!(outcome.tally.retries >= 25, "{}", outcome.tally.retries);
        assert_eq!(outcome.stats.waits.lost, 0);
    }
}
