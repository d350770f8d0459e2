//! Interrupts: none, by line, by message.

use super::super::fake::NvmeConfig;
use super::rig::{Rig, plain, request, rig};
use crate::block::{Completion, Controller, ControllerError, InterruptMode, Options, QueueId};

fn with(messages: bool, mode: InterruptMode) -> Rig {
    let config = NvmeConfig {
        messages,
        ..NvmeConfig::default()
    };
    let mut rig = rig(config, &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.nvme.set_interrupts(mode).unwrap();
    rig
}

#[test]
fn polled_queues_raise_nothing() {
    for messages in [false, true] {
        let mut rig = with(messages, InterruptMode::Off);
        rig.send(3, &request());
        rig.hal.step();
        assert!(!rig.hal.device().line_is_up());
        assert_eq!(rig.hal.device().messages_sent(), 0);
        assert!(!rig.nvme.acknowledge_interrupt());
        assert_eq!(rig.reap().len(), 3);
        rig.check();
    }
}

#[test]
fn a_line_is_held_down_until_the_queue_is_drained() {
    let mut rig = with(false, InterruptMode::Level);
    for _ in 0..3 {
        assert!(!rig.hal.device().line_is_up());
        rig.send(5, &request());
        rig.hal.step();
        assert!(rig.hal.device().line_is_up());
        assert!(rig.nvme.acknowledge_interrupt());
        assert!(
            !rig.hal.device().line_is_up(),
            "or the handler would run for ever"
        );
        // Half of it: the rest must not raise the line yet.
        let mut two = [Completion::EMPTY; 2];
        assert_eq!(rig.nvme.reap(super::rig::Q, &mut two), 2);
        assert!(!rig.hal.device().line_is_up());
        assert_eq!(rig.reap().len(), 3);
        // Unmasked again: what comes next is heard.
        rig.send(1, &request());
        rig.hal.step();
        assert!(rig.hal.device().line_is_up());
        assert!(rig.nvme.acknowledge_interrupt());
        assert_eq!(rig.reap().len(), 1);
    }
    assert!(
        !rig.nvme.acknowledge_interrupt(),
        "a line shared with another device"
    );
    rig.check();
}

#[test]
fn a_line_is_held_down_until_all_queues_are_drained() {
    let config = NvmeConfig {
        messages: false,
        ..NvmeConfig::default()
    };
    let three = Options {
        queues: Some(3),
        ..plain()
    };
    let mut rig = rig(config, &three);
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.nvme.set_interrupts(InterruptMode::Level).unwrap();
    let queues = [QueueId(0), QueueId(1), QueueId(2)];
    let send = |rig: &mut Rig, queue| {
        rig.nvme.submit(queue, &request()).unwrap();
        rig.nvme.ring_doorbell(queue);
        rig.hal.step();
    };
    let reap = |rig: &mut Rig, queue| rig.nvme.reap(queue, &mut [Completion::EMPTY; 4]);
    send(&mut rig, queues[0]);
    send(&mut rig, queues[1]);
    assert!(rig.nvme.acknowledge_interrupt());
    assert_eq!(reap(&mut rig, queues[0]), 1);
    assert!(!rig.hal.device().line_is_up(), "the other has its turn");
    // Behind the pass: to a queue that was looked at.
    send(&mut rig, queues[0]);
    assert_eq!(reap(&mut rig, queues[1]), 1);
    assert_eq!(reap(&mut rig, queues[2]), 0);
    assert!(rig.hal.device().line_is_up(), "or the loop would sleep");
    assert!(rig.nvme.acknowledge_interrupt());
    // One who uses a single queue of several needs no pass over the others.
    assert_eq!(reap(&mut rig, queues[0]), 1);
    send(&mut rig, queues[0]);
    assert!(rig.hal.device().line_is_up());
    rig.check();
}

#[test]
fn messages_need_no_mask_and_no_acknowledgement() {
    let mut rig = with(true, InterruptMode::Message);
    let before = rig.nvme.accesses().mmio;
    rig.send(4, &request());
    rig.hal.step();
    assert_eq!(rig.hal.device().messages_sent(), 4);
    assert!(!rig.nvme.acknowledge_interrupt());
    assert_eq!(rig.reap().len(), 4);
    let after = rig.nvme.accesses().mmio;
    assert_eq!(
        (after.reads - before.reads, after.writes - before.writes),
        (0, 2)
    );
    rig.check();
}

#[test]
fn the_mode_changes_only_while_nothing_is_in_flight() {
    let mut rig = with(true, InterruptMode::Off);
    rig.send(2, &request());
    let refused = rig.nvme.set_interrupts(InterruptMode::Message);
    assert_eq!(refused, Err(ControllerError::InFlight(2)));
    rig.hal.step();
    assert_eq!(rig.reap().len(), 2);
    let resets = rig.hal.device().resets();
    for mode in [
        InterruptMode::Message,
        InterruptMode::Off,
        InterruptMode::Off,
    ] {
        rig.nvme.set_interrupts(mode).unwrap();
        assert!(rig.run(&request()).status.is_ok());
    }
    assert_eq!(
        rig.hal.device().resets(),
        resets + 2,
        "the same mode costs nothing"
    );
    rig.check();
}
