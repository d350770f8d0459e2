//! What is written, and what is compared.

use crate::bench::{Outcome, clock, device, run, spec};
use drivers::block::Status;
use engine::fake::{Answer, Device, HandClock};
use engine::row::{Kind, Mismatch, Spec};
use engine::workload::{Mix, Order, Stream};
use proto::pattern;

fn write_all(device: &mut Device, clock: &HandClock, bs_bytes: u64, depth: u32) -> Outcome {
    let mut spec = spec(50);
    spec.kind = Kind::Write;
    spec.mix = Mix::new(0, 0);
    spec.depth = depth;
    spec.write.bs_bytes = bs_bytes;
    spec.write.stream = Stream::new(&Order::Once, 50, 5);
    run(device, clock, spec)
}

fn read_back(device: &mut Device, clock: &HandClock, bs_bytes: u64) -> Outcome {
    let mut spec = spec(50);
    spec.verify = true;
    spec.depth = 4;
    spec.read.bs_bytes = bs_bytes;
    spec.read.stream = Stream::new(&Order::Once, 50, 5);
    run(device, clock, spec)
}

#[test]
fn every_unit_written_is_keyed_to_its_place() {
    for bs_bytes in [512u64, 4096, 65_536] {
        let clock = clock(0);
        let mut device = device(&clock, 8, 1_000);
        let outcome = write_all(&mut device, &clock, bs_bytes, 4);
        assert_eq!((outcome.writes(), outcome.reads()), (50, 0));
        let lbas = device.media[0].written();
        let units = 50 * bs_bytes / 512;
        assert!(
            lbas.iter().copied().eq(16..16 + units),
            "exactly the region"
        );
        for lba in lbas {
            assert_eq!(device.media[0].block(lba), pattern::unit(lba * 512));
        }
    }
}

#[test]
fn a_good_disk_reads_back_without_a_mismatch() {
    let clock = clock(0);
    let mut device = device(&clock, 8, 1_000);
    write_all(&mut device, &clock, 4096, 8);
    let outcome = read_back(&mut device, &clock, 4096);
    assert_eq!(outcome.tally.verified_blocks, 400);
    assert_eq!(outcome.tally.mismatched_bytes, 0);
    assert_eq!(outcome.tally.all_zero, Some(false));
}

#[test]
fn one_flipped_byte_is_exactly_that_one() {
    let clock = clock(0);
    let mut device = device(&clock, 8, 1_000);
    write_all(&mut device, &clock, 4096, 8);
    let offset = 8192 + 4096 * 7 + 1234;
    let good = device.media[0].block(offset / 512)[offset as usize % 512];
    device.media[0].write_bytes(offset, &[good ^ 0x10]);
    let outcome = read_back(&mut device, &clock, 4096);
    assert_eq!(outcome.tally.mismatched_bytes, 1);
    let expected = Mismatch {
        offset_bytes: offset,
        expected: good,
        found: good ^ 0x10,
    };
    assert_eq!(outcome.tally.mismatches, [expected]);
    assert_eq!(outcome.reads(), 50, "a mismatch is not an I/O error");
}

#[test]
fn a_lost_write_is_found_by_the_read_back() {
    let clock = clock(0);
    let mut device = device(&clock, 8, 1_000);
    write_all(&mut device, &clock, 4096, 1);
    device.media[0].write(16 + 8 * 3, &[0; 512]);
    let outcome = read_back(&mut device, &clock, 4096);
    assert!(outcome.tally.mismatched_bytes > 490);
    // The key of block 40 starts with the low byte of 20,480, which is zero too.
    assert_eq!(
        outcome.tally.mismatches[0].offset_bytes,
        (16 + 8 * 3) * 512 + 1
    );
    assert_eq!(outcome.tally.mismatches.len(), 16);
}

#[test]
fn a_write_sent_again_after_a_mixed_row_carries_its_own_key() {
    let clock = clock(0);
    let mut device = device(&clock, 16, 0);
    device.plan = Box::new(|number, _| Answer {
        ticks: 1_000,
        status: if number % 7 == 3 {
            Status::Busy
        } else {
            Status::Ok
        },
    });
    let mix = Mix::new(50, 8);
    let mut spec = Spec {
        kind: Kind::Mix,
        mix,
        depth: 8,
        ..spec(400)
    };
    spec.timeout_ticks = 60_000_000_000;
    let outcome = run(&mut device, &clock, spec);
    assert_eq!((outcome.reads(), outcome.writes()), (200, 200));
    let lbas = device.media[0].written();
    assert_eq!(lbas.len(), 200 * 8);
    for lba in lbas {
        assert_eq!(device.media[0].block(lba), pattern::unit(lba * 512));
    }
}

#[test]
fn never_written_space_is_noticed() {
    let clock = clock(0);
    let mut device = device(&clock, 8, 1_000);
    assert_eq!(
        run(&mut device, &clock, spec(10)).tally.all_zero,
        Some(true)
    );
    device.media[0].write_bytes(8192 + 4096 * 1000 - 1, &[1]);
    let all = Spec {
        depth: 8,
        ..spec(8)
    };
    assert_eq!(
        run(&mut device, &clock, all).tally.all_zero,
        Some(true),
        "not in the sample"
    );
    let mut last = spec(1);
    last.region_start_bytes = 8192 + 4096 * 999;
    last.read.stream = Stream::new(&Order::Sequential, 1, 0);
    assert_eq!(run(&mut device, &clock, last).tally.all_zero, Some(false));
}

#[test]
fn without_reads_nothing_is_said_about_zero() {
    let clock = clock(0);
    let mut device = device(&clock, 8, 1_000);
    assert_eq!(write_all(&mut device, &clock, 4096, 1).tally.all_zero, None);
    device.plan = Box::new(|_, _| Answer {
        ticks: 10,
        status: Status::NoDevice,
    });
    assert_eq!(run(&mut device, &clock, spec(5)).tally.all_zero, None);
}
