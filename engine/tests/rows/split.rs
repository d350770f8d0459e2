//! I/Os longer than one command.

use crate::bench::{clock, device, run, spec};
use drivers::block::{Sense, Status};
use engine::fake::Answer;
use engine::row::Spec;
use engine::workload::{Order, Stream};

/// Blocks of 20 KiB in commands of at most 8 KiB: 8, 8 and 4.
fn long(ios: u64) -> Spec {
    let mut spec = spec(ios);
    spec.read.bs_bytes = 20_480;
    spec.read.command_bytes = 8192;
    spec.read.stream = Stream::new(&Order::Sequential, 100, 0);
    spec
}

#[test]
fn the_pieces_cover_the_io_without_overlap() {
    let clock = clock(0);
    let mut device = device(&clock, 16, 1_000);
    device.limits.max_transfer_bytes = 8192;
    let outcome = run(&mut device, &clock, long(2));
    let pieces: Vec<(u64, u32, u32)> = device
        .log
        .iter()
        .map(|request| (request.lba.0, request.blocks, request.buffer_offset_bytes))
        .collect();
    assert_eq!(
        pieces,
        [
            (16, 16, 0),
            (32, 16, 8192),
            (48, 8, 16_384),
            (56, 16, 0),
            (72, 16, 8192),
            (88, 8, 16_384)
        ]
    );
    assert_eq!((outcome.reads(), outcome.tally.commands), (2, [6, 0]));
    assert_eq!(outcome.tally.moved_bytes, [40_960, 0]);
    assert_eq!(device.batches, [3, 3], "one doorbell for an I/O");
}

#[test]
fn latency_ends_with_the_last_piece() {
    let clock = clock(0);
    let mut device = device(&clock, 16, 0);
    device.plan = Box::new(|number, _| Answer::ok([3_000, 9_000, 1_000][number as usize % 3]));
    let outcome = run(&mut device, &clock, long(10));
    assert_eq!(
        (outcome.reads(), outcome.stats.latency[0].mean()),
        (10, Some(9_000.0))
    );
    // Depth is of commands: 13 us of ownership in each 9 us.
    assert_eq!(outcome.stats.depth_integral, 130_000);
}

#[test]
fn one_failed_piece_fails_the_io_once() {
    let clock = clock(0);
    let mut device = device(&clock, 16, 0);
    let medium = Status::Check(Sense {
        key: 3,
        asc: 0x11,
        ascq: 0,
    });
    device.plan = Box::new(move |number, _| Answer {
        ticks: 1_000,
        status: if number == 4 || number == 5 {
            medium
        } else {
            Status::Ok
        },
    });
    let outcome = run(&mut device, &clock, long(3));
    assert_eq!((outcome.reads(), outcome.tally.failed), (2, [1, 0]));
    assert_eq!(outcome.tally.failed_commands, 2);
    assert_eq!(outcome.tally.commands, [9, 0]);
    // Two I/Os, and the first piece of the failed one.
    assert_eq!(outcome.tally.moved_bytes, [2 * 20_480 + 8192, 0]);
}

#[test]
fn only_the_piece_that_was_busy_is_sent_again() {
    let clock = clock(0);
    let mut device = device(&clock, 16, 0);
    device.plan = Box::new(|number, _| Answer {
        ticks: 1_000,
        status: if number == 1 {
            Status::Busy
        } else {
            Status::Ok
        },
    });
    let outcome = run(&mut device, &clock, long(1));
    assert_eq!((outcome.reads(), outcome.tally.retries), (1, 1));
    assert_eq!(outcome.tally.commands, [4, 0]);
    assert_eq!(device.log[3].lba, device.log[1].lba);
    assert_eq!(outcome.tally.moved_bytes, [20_480, 0]);
}

#[test]
fn depth_leaves_room_for_all_pieces() {
    let clock = clock(0);
    let mut device = device(&clock, 16, 1_000);
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 32,
            ..long(50)
        },
    );
    assert_eq!(outcome.tally.depth_limit, 5);
    assert_eq!(outcome.reads(), 50);
}

#[test]
fn an_io_of_more_pieces_than_the_queue_holds_still_completes() {
    let clock = clock(0);
    let mut device = device(&clock, 2, 1_000);
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            stages: true,
            ..long(10)
        },
    );
    assert_eq!((outcome.reads(), outcome.tally.commands), (10, [30, 0]));
    assert_eq!(outcome.tally.retries, 0);
    assert_eq!(outcome.tally.failure, None);
    let stages = &outcome.stats.stages;
    let sum = stages.build + stages.batch + stages.doorbell + stages.in_flight + stages.reap;
    assert_eq!(sum as f64, outcome.stats.latency[0].mean().unwrap() * 10.0);
}
