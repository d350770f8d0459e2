//! Disks that go, and controllers that are not well.

use crate::bench::{clock, device, run, spec};
use drivers::block::{Health, Sense, Status};
use engine::fake::Answer;
use engine::row::{Failure, Spec};

const fn sense(key: u8, asc: u8, ascq: u8) -> Status {
    Status::Check(Sense { key, asc, ascq })
}

#[test]
fn the_first_answer_that_nothing_is_there_ends_the_row() {
    for answer in [Status::NoDevice, sense(5, 0x25, 0), sense(2, 0x3a, 1)] {
        let clock = clock(10);
        let mut device = device(&clock, 8, 0);
        device.plan = Box::new(move |number, _| match number {
            0..50 => Answer::ok(1_000),
            _ => Answer {
                ticks: 1_000,
                status: answer,
            },
        });
        let outcome = run(
            &mut device,
            &clock,
            Spec {
                depth: 4,
                ..spec(1_000)
            },
        );
        assert_eq!(outcome.tally.failure, Some(Failure::DiskGone(answer)));
        // No more than were in flight is spent on it.
        assert_eq!(
            outcome.reads() + outcome.tally.failed[0],
            device.log.len() as u64
        );
        assert!((1..=4).contains(&outcome.tally.failed[0]));
        assert_eq!(outcome.tally.lost, [0, 0]);
        assert!(!outcome.tally.controller_lost);
    }
}

#[test]
fn a_sense_key_alone_does_not_end_it() {
    for answer in [sense(5, 0x21, 0), sense(2, 0x04, 3)] {
        let clock = clock(10);
        let mut device = device(&clock, 8, 0);
        device.plan = Box::new(move |number, _| Answer {
            ticks: 1_000,
            status: if number == 50 { answer } else { Status::Ok },
        });
        let outcome = run(&mut device, &clock, spec(100));
        assert_eq!(outcome.reads(), 99);
        assert_eq!(outcome.tally.failure, None);
    }
}

#[test]
fn a_lying_controller_with_nothing_in_flight_is_reset_too() {
    let clock = clock(10);
    let mut device = device(&clock, 8, 1_000);
    device.health = Health::Lying("twice");
    let outcome = run(&mut device, &clock, spec(10));
    let unwell = Health::Lying("twice");
    assert_eq!(outcome.tally.failure, Some(Failure::Unhealthy(unwell)));
    assert_eq!(outcome.tally.found_unwell, Some(unwell));
    assert_eq!(device.calls[0], 1, "one reset");
}
