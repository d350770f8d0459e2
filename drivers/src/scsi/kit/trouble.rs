//! Devices that lie, stall or vanish.

use super::{Bench, Machine, Model, Q, one_disk, read, ready, reap_all, run, submit_reads};
use crate::block::{Controller, ControllerError, DiskId, Health, Status, SubmitError, Tag};
use crate::fake::scsi::Completing;
use alloc::vec::Vec;

/// An adapter with three reads open at a device that completes by hand.
pub(crate) fn three_open<B: Bench>() -> (Machine<B>, B::Adapter, Vec<Tag>) {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    machine.device().set_completing(Completing::ByHand);
    let tags = submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    (machine, adapter, tags)
}

pub(crate) fn assert_lying(adapter: &mut dyn Controller, count: u64) {
    assert!(matches!(adapter.health(), Health::Lying(_)));
    assert_eq!(adapter.accesses().bad_completions, count);
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Dead));
}

/// A reset makes it usable again.
pub(crate) fn assert_recovers<B: Bench>(machine: &Machine<B>, adapter: &mut B::Adapter) {
    machine.device().set_completing(Completing::AtOnce);
    adapter.reset().unwrap();
    assert_eq!(adapter.health(), Health::Ok);
    assert_eq!(run(adapter, &read(0, 9)), Status::Ok);
    assert_eq!(machine.memory().violations(), []);
}

pub(crate) fn a_runaway_index_is_not_followed<B: Bench>() {
    for count in B::TOO_MANY {
        let (machine, mut adapter, _) = three_open::<B>();
        machine.device().run_away(count);
        assert_eq!(reap_all(&mut adapter), []);
        assert_eq!(reap_all(&mut adapter), []);
        assert_eq!(adapter.in_flight(), 3);
        assert_lying(&mut adapter, 1);
        assert_recovers::<B>(&machine, &mut adapter);
    }
}

pub(crate) fn an_index_on_an_idle_ring_is_not_followed<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    machine.device().tell_again();
    assert_eq!(reap_all(&mut adapter), []);
    assert_lying(&mut adapter, 1);
}

pub(crate) fn a_doubled_completion_counts_once<B: Bench>() {
    let (machine, mut adapter, tags) = three_open::<B>();
    machine.device().complete(0);
    machine.device().tell_again();
    let finished = reap_all(&mut adapter);
    assert_eq!(finished.len(), 1);
    assert_eq!(finished[0].tag, tags[0]);
    assert_eq!(adapter.in_flight(), 2);
    assert_lying(&mut adapter, 1);
    assert_recovers::<B>(&machine, &mut adapter);
}

pub(crate) fn a_stale_completion_does_not_end_the_next_command_of_its_slot<B: Bench>() {
    let (machine, mut adapter, tags) = three_open::<B>();
    machine.device().complete(0);
    assert_eq!(reap_all(&mut adapter).len(), 1);
    // The slot is given out again at once.
    let tag = adapter.submit(Q, &read(0, 50)).unwrap();
    assert_eq!(tag.slot(), tags[0].slot());
    adapter.ring_doorbell(Q);
    machine.device().tell_again();
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(adapter.in_flight(), 3);
    assert_lying(&mut adapter, 1);
}

pub(crate) fn what_was_not_published_cannot_complete<B: Bench>() {
    let (machine, mut adapter, _) = three_open::<B>();
    let tag = adapter.submit(Q, &read(0, 60)).unwrap();
    machine.device().tell_early(tag);
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(adapter.in_flight(), 4);
    assert_lying(&mut adapter, 1);
}

pub(crate) fn good_completions_beside_bad_ones_are_kept<B: Bench>() {
    let (machine, mut adapter, _) = three_open::<B>();
    machine.device().tell_of_none();
    machine.device().complete(1);
    machine.device().complete(1);
    let cookies: Vec<u32> = reap_all(&mut adapter)
        .iter()
        .map(|done| done.cookie)
        .collect();
    assert_eq!(cookies, [1, 2]);
    assert_lying(&mut adapter, 1);
}

pub(crate) fn published_completions_are_taken_while_others_wait_for_the_doorbell<B: Bench>() {
    let (machine, mut adapter, _) = three_open::<B>();
    for cookie in 10..20 {
        adapter.submit(Q, &read(0, cookie)).unwrap();
    }
    machine.device().complete(2);
    let finished = reap_all(&mut adapter);
    assert_eq!(finished.len(), 1);
    assert_eq!(finished[0].cookie, 2);
    adapter.ring_doorbell(Q);
    while machine.device().complete(0) {}
    assert_eq!(reap_all(&mut adapter).len(), 12);
    assert_eq!(adapter.health(), Health::Ok);
    B::assert_clean(&machine);
}

pub(crate) fn a_device_that_never_answers_holds_nobody<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    machine.device().set_mute(true);
    submit_reads(&mut adapter, 4);
    adapter.ring_doorbell(Q);
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(adapter.in_flight(), 4);
    machine.device().set_mute(false);
    adapter.reset().unwrap();
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    B::assert_clean(&machine);
}

pub(crate) fn a_slow_device_completes_later<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    machine.device().set_completing(Completing::AfterSteps(2));
    submit_reads(&mut adapter, 4);
    adapter.ring_doorbell(Q);
    for expected in [0, 0, 4] {
        machine.step();
        assert_eq!(reap_all(&mut adapter).len(), expected);
    }
    // Also during a scan, which waits for it.
    machine.device().bus().unit(0, 0).reset(0);
    adapter.refresh_disk(DiskId(0)).unwrap();
    B::assert_clean(&machine);
}

pub(crate) fn a_device_that_vanishes_with_commands_open_leaves_them_open<B: Bench>() {
    let (machine, mut adapter, _) = three_open::<B>();
    machine.unplug();
    machine.step();
    adapter.ring_doorbell(Q);
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(adapter.in_flight(), 3);
    assert_eq!(adapter.reset(), Err(ControllerError::Gone));
    assert_eq!(adapter.health(), Health::Gone);
}
