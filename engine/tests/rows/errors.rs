//! Errors, retries, lies.

use crate::bench::{clock, device, run, run_with, spec};
use drivers::block::{Completion, Health, Sense, Status};
use engine::fake::Answer;
use engine::row::{Failure, Kind, Spec};
use engine::workload::Mix;

const MEDIUM: Status = Status::Check(Sense {
    key: 3,
    asc: 0x11,
    ascq: 0,
});

fn answer(ticks: u64, status: Status) -> Answer {
    Answer { ticks, status }
}

#[test]
fn failed_ios_are_in_no_rate_and_no_histogram() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 0);
    // Every tenth fails, and fast.
    device.plan = Box::new(|number, _| {
        if number % 10 == 9 {
            answer(10, MEDIUM)
        } else {
            Answer::ok(5_000)
        }
    });
    let outcome = run(&mut device, &clock, spec(100));
    assert_eq!(outcome.reads(), 90);
    assert_eq!(outcome.stats.latency[0].min(), Some(5_000));
    assert_eq!(outcome.tally.failed, [10, 0]);
    assert_eq!(outcome.tally.failed_commands, 10);
    assert_eq!(outcome.tally.commands, [100, 0]);
    assert_eq!(outcome.tally.moved_bytes, [90 * 4096, 0]);
    let kinds: Vec<_> = outcome.tally.errors.iter().collect();
    assert_eq!(kinds, [(MEDIUM, 10)]);
    assert_eq!(outcome.tally.failure, None);
}

#[test]
fn errors_are_kept_by_kind() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 0);
    device.plan = Box::new(|number, _| match number {
        1 => answer(10, Status::ScsiStatus(0x18)),
        2 => answer(10, Status::ShortTransfer),
        3 => answer(10, Status::ShortTransfer),
        4 => answer(10, Status::HostError(0x11)),
        5 => answer(10, Status::Aborted),
        6 => answer(10, Status::NvmeStatus(0x281)),
        _ => Answer::ok(10),
    });
    let outcome = run(&mut device, &clock, spec(10));
    let kinds: Vec<_> = outcome.tally.errors.iter().collect();
    assert_eq!(
        kinds,
        [
            (Status::ScsiStatus(0x18), 1),
            (Status::ShortTransfer, 2),
            (Status::HostError(0x11), 1),
            (Status::Aborted, 1),
            (Status::NvmeStatus(0x281), 1)
        ]
    );
    assert_eq!(outcome.reads(), 4);
}

#[test]
fn busy_is_sent_again_after_a_pause_and_is_no_error() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 0);
    device.plan = Box::new(|number, _| {
        if (1..=3).contains(&number) {
            answer(10, Status::Busy)
        } else {
            Answer::ok(1_000)
        }
    });
    let outcome = run(&mut device, &clock, spec(3));
    assert_eq!(outcome.reads(), 3);
    assert_eq!(outcome.tally.retries, 3);
    assert_eq!(outcome.tally.commands, [6, 0]);
    assert_eq!(outcome.tally.failed, [0, 0]);
    // Pauses of 1, 2 and 4 ms are part of the latency.
    let max = outcome.stats.latency[0].max().unwrap();
    assert!((7_001_000..7_003_000).contains(&max), "{max}");
    // The same block is asked for again.
    assert!(
        device.log[1..=4]
            .iter()
            .all(|request| request.lba == device.log[1].lba)
    );
}

#[test]
fn busy_for_ever_is_an_error_in_the_end() {
    let clock = crate::bench::coarse_clock();
    let mut device = device(&clock, 4, 0);
    device.plan = Box::new(|_, _| answer(10, Status::Busy));
    let spec = Spec {
        timeout_ticks: 60_000_000_000,
        ..spec(1)
    };
    let outcome = run(&mut device, &clock, spec);
    assert_eq!(outcome.tally.failed, [1, 0]);
    assert_eq!(outcome.tally.retries, 20);
    assert_eq!(outcome.reads(), 0);
    assert!(outcome.stats.latency[0].min().is_none());
}

#[test]
fn a_unit_attention_on_reads_is_sent_again_at_once() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 0);
    let reset = Status::UnitAttention(Sense {
        key: 6,
        asc: 0x29,
        ascq: 0,
    });
    device.plan = Box::new(move |number, _| {
        if number == 0 {
            answer(10, reset)
        } else {
            Answer::ok(1_000)
        }
    });
    let outcome = run(&mut device, &clock, spec(3));
    assert_eq!((outcome.reads(), outcome.tally.retries), (3, 1));
    assert_eq!(outcome.tally.errors.iter().count(), 0);
}

fn changed_under_writes(
    answer_of_recheck: Result<(), String>,
) -> (crate::bench::Outcome, u32, usize) {
    let clock = clock(0);
    let mut device = device(&clock, 8, 0);
    let changed = Status::UnitAttention(Sense {
        key: 6,
        asc: 0x3f,
        ascq: 0x0e,
    });
    device.plan = Box::new(move |number, _| {
        if number == 10 {
            answer(500, changed)
        } else {
            Answer::ok(1_000 + number % 3 * 100)
        }
    });
    let mut asked = 0;
    let mix = Mix::new(0, 1);
    let spec = Spec {
        kind: Kind::Write,
        mix,
        depth: 4,
        ..spec(40)
    };
    let outcome = run_with(&mut device, &clock, spec, &mut |controller| {
        asked += 1;
        assert_eq!(
            controller.in_flight(),
            0,
            "nothing is in flight when the disk is looked at"
        );
        answer_of_recheck.clone()
    });
    (outcome, asked, device.log.len())
}

#[test]
fn a_changed_disk_suspends_writes_until_it_was_looked_at() {
    let (outcome, asked, commands) = changed_under_writes(Ok(()));
    assert_eq!(asked, 1);
    assert_eq!((outcome.writes(), outcome.tally.retries), (40, 1));
    assert_eq!(commands, 41);
    assert_eq!(outcome.tally.failure, None);
}

#[test]
fn a_notice_of_a_change_suspends_writes_too() {
    let clock = crate::bench::coarse_clock();
    let mut device = device(&clock, 8, 100_000);
    device.notice = true;
    let mut asked = 0;
    let spec = Spec {
        kind: Kind::Write,
        mix: Mix::new(0, 1),
        depth: 4,
        ..spec(8_000)
    };
    let outcome = run_with(&mut device, &clock, spec, &mut |_| {
        asked += 1;
        Ok(())
    });
    assert_eq!(
        (asked, outcome.writes(), outcome.tally.retries),
        (1, 8_000, 0)
    );
    assert_eq!(outcome.tally.commands, [0, 8_000]);
}

#[test]
fn a_disk_that_is_another_one_now_is_not_written() {
    let (outcome, asked, commands) = changed_under_writes(Err("holds ext4".into()));
    assert_eq!(asked, 1);
    assert_eq!(
        outcome.tally.failure,
        Some(Failure::Suspended("holds ext4".into()))
    );
    assert!(commands < 20, "{commands}");
    assert!(outcome.tally.window_closed);
    assert_eq!(
        outcome.tally.lost,
        [0, 1],
        "the refused command is not done"
    );
}

#[test]
fn a_completion_that_names_nothing_is_counted_and_ignored() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 1_000);
    device.lies = vec![3, 77, u32::MAX, Completion::EMPTY.cookie + 2];
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 2,
            ..spec(20)
        },
    );
    assert_eq!(outcome.reads(), 20);
    assert_eq!(outcome.tally.bad_completions, 4);
}

#[test]
fn a_controller_that_says_it_is_lying_ends_the_row() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 1_000);
    device.health = Health::Lying("runaway index");
    let outcome = run(&mut device, &clock, spec(20));
    let expected = Failure::Unhealthy(Health::Lying("runaway index"));
    assert_eq!(outcome.tally.failure, Some(expected));
    assert_eq!(outcome.reads(), 0);
    assert_eq!(outcome.tally.commands, [0, 0]);
    assert_eq!(outcome.tally.moved_bytes, [0, 0]);
}

#[test]
fn a_request_that_cannot_exist_ends_the_row() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 1_000);
    device.disks[0].blocks = 16;
    let outcome = run(&mut device, &clock, spec(20));
    assert_eq!(outcome.tally.failure, Some(Failure::Refused));
}
