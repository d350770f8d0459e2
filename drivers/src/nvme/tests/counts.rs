//! Exact counts of what a driver does to its device.

use super::super::fake::NvmeConfig;
use super::rig::{Q, plain, request, rig};
use crate::block::{Completion, Controller, Options};

#[test]
fn a_batch_costs_one_doorbell_each_way() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    let before = rig.nvme.accesses();
    let mut out = [Completion::EMPTY; 32];
    for _ in 0..100 {
        rig.send(32, &request());
        rig.nvme.ring_doorbell(Q);
        rig.hal.step();
        assert_eq!(rig.nvme.reap(Q, &mut out), 32);
        assert_eq!(rig.nvme.reap(Q, &mut out), 0);
    }
    let after = rig.nvme.accesses();
    assert_eq!(after.commands - before.commands, 3200);
    assert_eq!(after.submit_doorbells - before.submit_doorbells, 100);
    assert_eq!(
        after.completion_doorbells - before.completion_doorbells,
        100
    );
    assert_eq!(after.mmio.writes - before.mmio.writes, 200);
    assert_eq!(after.mmio.reads, before.mmio.reads);
    assert_eq!(after.bad_completions, 0);
    rig.check();
}

#[test]
fn a_doorbell_without_commands_gives_no_slots_back() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.send(3, &request());
    rig.hal.step();
    let mut out = [Completion::EMPTY; 2];
    assert_eq!(rig.nvme.reap(Q, &mut out), 2);
    let before = rig.nvme.accesses();
    rig.nvme.ring_doorbell(Q);
    assert_eq!(rig.nvme.accesses(), before);
    rig.check();
}

#[test]
fn completions_that_do_not_fit_wait_for_the_next_pass() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.send(10, &request());
    rig.hal.step();
    let mut out = [Completion::EMPTY; 4];
    let found = [0; 4].map(|_| rig.nvme.reap(Q, &mut out));
    assert_eq!(found, [4, 4, 2, 0]);
    assert_eq!(
        rig.nvme.accesses().completion_doorbells,
        1,
        "with the last one"
    );
    rig.check();
}

#[test]
fn passes_between_two_doorbells_share_one_head() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.send(40, &request());
    let mut out = [Completion::EMPTY; 5];
    for _ in 0..100 {
        rig.hal.step();
        for _ in 0..4 {
            assert_eq!(rig.nvme.reap(Q, &mut out), 5);
        }
        rig.send(20, &request());
    }
    let accesses = rig.nvme.accesses();
    assert_eq!(accesses.completion_doorbells, 100);
    assert_eq!(accesses.submit_doorbells, 101);
    rig.check();
}

#[test]
fn slots_are_given_back_before_the_device_runs_short() {
    let options = Options {
        queue_entries: Some(64),
        ..plain()
    };
    let mut rig = rig(NvmeConfig::default(), &options);
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.send(63, &request());
    rig.hal.step();
    let mut out = [Completion::EMPTY; 8];
    let heads = [0; 7].map(|_| {
        assert_eq!(rig.nvme.reap(Q, &mut out), 8);
        rig.nvme.accesses().completion_doorbells
    });
    assert_eq!(heads, [0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(rig.nvme.reap(Q, &mut out), 7);
    assert_eq!(rig.nvme.accesses().completion_doorbells, 2, "the last one");
    rig.check();
}
