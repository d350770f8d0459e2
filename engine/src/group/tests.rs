//! What a group makes of its adapters.

use super::{Group, Part};
use crate::fake::{Device, HandClock};
use alloc::vec;
use alloc::vec::Vec;
use drivers::block::{
    BufferId, Completion, Controller, ControllerError, DiskId, Health, Lba, Op, QueueId, Request,
    SubmitError,
};

const QUEUE: QueueId = QueueId(0);

fn devices(clock: &HandClock) -> [Device; 2] {
    [8, 6].map(|slots| Device::new(clock, slots, 1_000, 512, 0))
}

fn group(devices: &mut [Device; 2]) -> Group<'_> {
    let parts = devices.iter_mut().map(|device| Part {
        controller: device,
        disk: DiskId(0),
        level: false,
    });
    let mut group = Group::new(parts.collect());
    group.deal_for(12);
    group.set_buffers(12, 512).unwrap();
    group
}

fn read(disk: u16, buffer: u32) -> Request {
    Request {
        disk: DiskId(disk),
        op: Op::Read,
        lba: Lba(u64::from(buffer)),
        blocks: 1,
        buffer: BufferId(buffer),
        buffer_offset_bytes: 0,
        cookie: 100 + buffer,
    }
}

fn reap(group: &mut Group<'_>, room: usize) -> Vec<u32> {
    let mut out = vec![Completion::EMPTY; room];
    let found = group.reap(QUEUE, &mut out);
    out[..found].iter().map(|one| one.cookie).collect()
}

#[test]
fn limits_are_the_tightest_and_depth_is_that_of_all() {
    let clock = HandClock::new(0, 1, 1);
    let mut devices = devices(&clock);
    devices[0].limits.max_transfer_bytes = 4096;
    devices[1].limits.doorbell_per_request = true;
    let limits = *group(&mut devices).limits();
    assert_eq!((limits.max_in_flight, limits.max_batch), (12, 6));
    assert_eq!((limits.queue_entries, limits.max_transfer_bytes), (6, 4096));
    assert!(limits.doorbell_per_request && !limits.polls_by_register);
}

#[test]
fn each_is_rung_only_for_what_it_was_given_and_all_completions_come_back() {
    let clock = HandClock::new(0, 1, 1);
    let mut devices = devices(&clock);
    let mut group = group(&mut devices);
    for buffer in [0, 2, 1] {
        group
            .submit(QUEUE, &read(buffer as u16 % 2, buffer))
            .unwrap();
    }
    group.ring_doorbell(QUEUE);
    group.ring_doorbell(QUEUE);
    group.submit(QUEUE, &read(0, 4)).unwrap();
    group.ring_doorbell(QUEUE);
    assert_eq!(group.accesses().submit_doorbells, 3);
    assert_eq!((group.accesses().commands, group.in_flight()), (4, 4));
    assert_eq!(reap(&mut group, 8), [100, 102, 104, 101]);
    assert_eq!(group.in_flight(), 0);
    assert_eq!(
        devices[1].log,
        [Request {
            cookie: devices[1].log[0].cookie,
            buffer: BufferId(0),
            ..read(0, 1)
        }]
    );
}

#[test]
fn who_filled_the_last_pass_is_asked_last_in_the_next() {
    let clock = HandClock::new(0, 1, 1);
    let mut devices = devices(&clock);
    let mut group = group(&mut devices);
    for buffer in 0..10 {
        group
            .submit(QUEUE, &read(buffer as u16 % 2, buffer))
            .unwrap();
    }
    group.ring_doorbell(QUEUE);
    assert_eq!(reap(&mut group, 2), [100, 102]);
    assert_eq!(reap(&mut group, 3), [101, 103, 105]);
    assert_eq!(reap(&mut group, 9), [104, 106, 108, 107, 109]);
}

#[test]
fn a_buffer_of_another_adapter_is_refused_and_a_full_one_says_so() {
    let clock = HandClock::new(0, 1, 1);
    let mut devices = devices(&clock);
    let mut group = group(&mut devices);
    for (disk, buffer) in [(0, 1), (1, 0), (2, 0), (0, 12)] {
        assert_eq!(
            group.submit(QUEUE, &read(disk, buffer)),
            Err(SubmitError::Invalid)
        );
    }
    for buffer in [1, 3, 5, 7, 9, 11] {
        group.submit(QUEUE, &read(1, buffer)).unwrap();
    }
    group.ring_doorbell(QUEUE);
    assert_eq!(group.submit(QUEUE, &read(1, 1)), Err(SubmitError::Full));
    assert_eq!(group.in_flight(), 6);
}

#[test]
fn a_completion_of_no_command_is_counted_and_hides_no_other() {
    let clock = HandClock::new(0, 1, 1);
    let mut devices = devices(&clock);
    devices[0].lies = vec![7];
    let mut group = group(&mut devices);
    group.submit(QUEUE, &read(0, 0)).unwrap();
    group.submit(QUEUE, &read(1, 1)).unwrap();
    group.ring_doorbell(QUEUE);
    assert_eq!(reap(&mut group, 1), [100]);
    assert_eq!(reap(&mut group, 1), [101]);
    assert_eq!(group.accesses().bad_completions, 1);
}

#[test]
fn only_the_one_that_is_not_well_is_reset_and_the_worst_is_told() {
    let clock = HandClock::new(0, 1, 1);
    let mut devices = devices(&clock);
    devices[1].health = Health::Gone;
    let mut group = group(&mut devices);
    assert_eq!(group.health(), Health::Gone);
    assert_eq!(group.reset(), Err(ControllerError::Gone));
    let ends: Vec<_> = group.ends().collect();
    assert_eq!(ends[0], Default::default());
    assert_eq!(ends[1].found_unwell, Some(Health::Gone));
    assert_eq!(ends[1].lost, Some(ControllerError::Gone));
    assert_eq!((devices[0].calls[0], devices[1].calls[0]), (0, 1));
}

#[test]
fn an_abort_reaches_the_adapter_that_has_the_command() {
    let clock = HandClock::new(0, 1, 1);
    let mut devices = devices(&clock);
    let mut group = group(&mut devices);
    group.submit(QUEUE, &read(0, 0)).unwrap();
    let tag = group.submit(QUEUE, &read(1, 1)).unwrap();
    group.ring_doorbell(QUEUE);
    group.abort(QUEUE, tag).unwrap();
    assert_eq!(reap(&mut group, 4), [100, 101]);
    group.abort(QUEUE, tag).unwrap();
    assert_eq!((devices[0].calls[3], devices[1].calls[3]), (0, 1));
}
