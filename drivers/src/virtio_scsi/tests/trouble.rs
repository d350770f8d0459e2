//! Devices that lie, stall or vanish.

use super::super::fake::Completing;
use super::*;
use crate::block::{Health, SubmitError};

/// A controller with three reads open at a device that completes by hand.
fn three_open() -> (Machine, Adapter, Vec<Tag>) {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    let tags = submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    (machine, adapter, tags)
}

fn assert_lying(adapter: &mut Adapter, count: u64) {
    assert!(matches!(adapter.health(), Health::Lying(_)));
    assert_eq!(adapter.accesses().bad_completions, count);
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Dead));
}

/// A reset makes it usable again.
fn assert_recovers(machine: &Machine, adapter: &mut Adapter) {
    machine.device().completing = Completing::AtOnce;
    adapter.reset().unwrap();
    assert_eq!(adapter.health(), Health::Ok);
    assert_eq!(run(adapter, &read(0, 9)), Status::Ok);
    assert_eq!(machine.memory().violations(), []);
}

#[test]
fn a_runaway_index_is_not_followed() {
    for count in [4, 129, 1 << 15, u16::MAX] {
        let (machine, mut adapter, _) = three_open();
        machine.device().run_away(2, count);
        assert_eq!(reap_all(&mut adapter), []);
        assert_eq!(reap_all(&mut adapter), []);
        assert_eq!(adapter.in_flight(), 3);
        assert_lying(&mut adapter, 1);
        assert_recovers(&machine, &mut adapter);
    }
}

#[test]
fn an_index_on_an_idle_ring_is_not_followed() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let again = machine.device().last_head();
    machine.device().use_head(2, again);
    assert_eq!(reap_all(&mut adapter), []);
    assert_lying(&mut adapter, 1);
}

#[test]
fn a_head_of_no_slot_is_not_believed() {
    for (offers, heads) in [
        (Offers::default(), &[128, 255, 256, 65_536, u32::MAX][..]),
        (direct(64), &[1, 2, 4, 63, 64, 1 << 31][..]),
    ] {
        for head in heads {
            let machine = offering(offers);
            let mut adapter = ready(&machine);
            machine.device().completing = Completing::ByHand;
            submit_reads(&mut adapter, 3);
            adapter.ring_doorbell(Q);
            machine.device().use_head(2, *head);
            assert_eq!(reap_all(&mut adapter), []);
            assert_eq!(adapter.in_flight(), 3);
            assert_eq!(adapter.health(), Health::Lying("used entry of no slot"));
            assert_lying(&mut adapter, 1);
            assert_recovers(&machine, &mut adapter);
        }
    }
}

#[test]
fn a_completion_without_a_response_is_not_believed() {
    for offers in [Offers::default(), direct(64)] {
        let machine = offering(offers);
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        let tag = submit_reads(&mut adapter, 1)[0];
        adapter.ring_doorbell(Q);
        let stride = if machine.device().seen.indirect == 0 {
            3
        } else {
            1
        };
        machine.device().use_head(2, tag.slot() as u32 * stride);
        assert_eq!(reap_all(&mut adapter), []);
        assert_eq!(adapter.in_flight(), 1);
        assert_eq!(
            adapter.health(),
            Health::Lying("completion without a response")
        );
    }
}

#[test]
fn a_doubled_completion_counts_once() {
    let (machine, mut adapter, tags) = three_open();
    machine.device().complete(0);
    let again = machine.device().last_head();
    machine.device().use_head(2, again);
    let finished = reap_all(&mut adapter);
    assert_eq!(finished.len(), 1);
    assert_eq!(finished[0].tag, tags[0]);
    assert_eq!(adapter.in_flight(), 2);
    assert_lying(&mut adapter, 1);
    assert_recovers(&machine, &mut adapter);
}

#[test]
fn a_stale_completion_does_not_end_the_next_command_of_its_slot() {
    let (machine, mut adapter, tags) = three_open();
    machine.device().complete(0);
    let stale = machine.device().last_head();
    assert_eq!(reap_all(&mut adapter).len(), 1);
    // The slot is given out again at once, and its response is not written yet.
    let tag = adapter.submit(Q, &read(0, 50)).unwrap();
    assert_eq!(tag.slot(), tags[0].slot());
    adapter.ring_doorbell(Q);
    machine.device().use_head(2, stale);
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(adapter.in_flight(), 3);
    assert_lying(&mut adapter, 1);
}

#[test]
fn what_was_not_published_cannot_complete() {
    let (machine, mut adapter, _) = three_open();
    let tag = adapter.submit(Q, &read(0, 60)).unwrap();
    machine.device().use_head(2, tag.slot() as u32);
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(adapter.in_flight(), 4);
    assert_lying(&mut adapter, 1);
}

#[test]
fn good_completions_beside_bad_ones_are_kept() {
    let (machine, mut adapter, _) = three_open();
    machine.device().use_head(2, 77);
    machine.device().complete(1);
    machine.device().complete(1);
    let finished = reap_all(&mut adapter);
    let cookies: Vec<u32> = finished.iter().map(|done| done.cookie).collect();
    assert_eq!(cookies, [1, 2]);
    assert_lying(&mut adapter, 1);
}

#[test]
fn published_completions_are_taken_while_others_wait_for_the_doorbell() {
    let (machine, mut adapter, _) = three_open();
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
    assert_clean(&machine);
}

#[test]
fn a_device_that_never_answers_holds_nobody() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().mute = true;
    submit_reads(&mut adapter, 4);
    adapter.ring_doorbell(Q);
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(adapter.in_flight(), 4);
    machine.device().mute = false;
    adapter.reset().unwrap();
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert_clean(&machine);
}

#[test]
fn a_slow_device_completes_later() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::AfterSteps(2);
    submit_reads(&mut adapter, 4);
    adapter.ring_doorbell(Q);
    for expected in [0, 0, 4] {
        machine.step();
        assert_eq!(reap_all(&mut adapter).len(), expected);
    }
    // Also during a scan, which waits for it.
    machine.device().bus.unit(0, 0).reset(0);
    adapter.refresh_disk(DiskId(0)).unwrap();
    assert_clean(&machine);
}

#[test]
fn a_device_that_vanishes_with_commands_open_leaves_them_open() {
    let (machine, mut adapter, _) = three_open();
    machine.unplug();
    machine.step();
    adapter.ring_doorbell(Q);
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(adapter.in_flight(), 3);
    assert_eq!(adapter.reset(), Err(ControllerError::Gone));
    assert_eq!(adapter.health(), Health::Gone);
}
