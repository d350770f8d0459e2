//! Devices that lie, stall or vanish.

use super::support::*;

/// An adapter with three reads open at a device that completes by hand.
fn three_open() -> (Machine, Adapter, Vec<Tag>) {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    let tags = submit_reads(&mut adapter, 3);
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
    assert_eq!(run(machine, adapter, &read(0, 9)), Status::Ok);
    assert_eq!(machine.memory().violations(), []);
    assert_frames_home(machine);
}

#[test]
fn an_unknown_context_is_not_believed() {
    for context in [0, 1, 127, 128, 1 << 28, 1 << 29, 3 << 29, 0x7fff_ffff] {
        let (machine, mut adapter, _) = three_open();
        machine.device().post_reply(context);
        assert_eq!(reap_all(&machine, &mut adapter), []);
        assert_eq!(adapter.in_flight(), 3);
        assert_lying(&mut adapter, 1);
        assert_recovers(&machine, &mut adapter);
    }
}

#[test]
fn the_right_context_with_a_type_is_not_believed() {
    let (machine, mut adapter, tags) = three_open();
    machine.device().post_reply(tags[0].bits() | 1 << 29);
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_lying(&mut adapter, 1);
}

#[test]
fn a_foreign_reply_address_is_not_followed() {
    for (name, offset) in [
        ("below", -80i64),
        ("between two", 40),
        ("behind the last", 128 * 80),
        ("far away", 1 << 30),
    ] {
        let (machine, mut adapter, _) = three_open();
        let first = machine.device().unwritten_reply().unwrap();
        let address = i64::from(first << 1) + offset;
        machine.device().post_reply(1 << 31 | (address as u32) >> 1);
        let recycled = adapter.accesses().completion_doorbells;
        assert_eq!(reap_all(&machine, &mut adapter), [], "{name}");
        assert_eq!(adapter.accesses().completion_doorbells, recycled, "{name}");
        assert_eq!(adapter.in_flight(), 3);
        assert_lying(&mut adapter, 1);
        assert_recovers(&machine, &mut adapter);
    }
}

#[test]
fn a_reply_frame_that_was_not_written_is_not_believed() {
    let (machine, mut adapter, _) = three_open();
    let unwritten = machine.device().unwritten_reply().unwrap();
    machine.device().post_reply(unwritten);
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_lying(&mut adapter, 1);
    assert_eq!(
        machine.device().seen.doubled_frames,
        0,
        "not given back twice"
    );
    assert_recovers(&machine, &mut adapter);
}

#[test]
fn a_doubled_completion_counts_once() {
    for in_a_frame in [false, true] {
        let (machine, mut adapter, tags) = three_open();
        machine.device().quirks.context_replies = !in_a_frame;
        machine.device().complete(0);
        let first = reap_all(&machine, &mut adapter);
        assert_eq!((first.len(), first[0].tag), (1, tags[0]));
        let again = machine.device().last_reply();
        machine.device().post_reply(again);
        assert_eq!(reap_all(&machine, &mut adapter), []);
        assert_eq!(adapter.in_flight(), 2);
        assert_eq!(machine.device().seen.doubled_frames, 0);
        assert_lying(&mut adapter, 1);
        assert_recovers(&machine, &mut adapter);
    }
}

#[test]
fn a_stale_completion_does_not_end_the_next_command_of_its_slot() {
    let (machine, mut adapter, _) = three_open();
    machine.device().complete(0);
    let finished = reap_all(&machine, &mut adapter);
    // The slot is given out again at once.
    let tag = adapter.submit(Q, &read(0, 50)).unwrap();
    assert_eq!(tag.slot(), finished[0].tag.slot());
    let stale = machine.device().last_reply();
    assert_eq!(stale, finished[0].tag.bits());
    machine.device().post_reply(stale);
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_eq!(adapter.in_flight(), 3);
    assert_lying(&mut adapter, 1);
}

#[test]
fn a_completion_that_comes_before_the_doorbell_is_not_believed() {
    let (machine, mut adapter, _) = three_open();
    let tag = adapter.submit(Q, &read(0, 50)).unwrap();
    machine.device().post_reply(tag.bits());
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_eq!(adapter.in_flight(), 4);
    assert_lying(&mut adapter, 1);
}

#[test]
fn replies_to_what_was_never_asked_are_not_believed() {
    for function in [1, 2, 3, 4, 8, 0x40, 0xfe] {
        let (machine, mut adapter, tags) = three_open();
        machine.device().reply_with(function, tags[0].bits());
        assert_eq!(reap_all(&machine, &mut adapter), [], "function {function}");
        assert_eq!(adapter.in_flight(), 3);
        assert_lying(&mut adapter, 1);
        assert_frames_home(&machine);
        assert_recovers(&machine, &mut adapter);
    }
}

#[test]
fn good_completions_beside_bad_ones_are_kept() {
    let (machine, mut adapter, _) = three_open();
    machine.device().post_reply(77);
    machine.device().complete(1);
    machine.device().complete(1);
    let finished = reap_all(&machine, &mut adapter);
    let cookies: Vec<u32> = finished.iter().map(|done| done.cookie).collect();
    assert_eq!(cookies, [1, 2]);
    assert_lying(&mut adapter, 1);
}

#[test]
fn endless_lies_end_each_pass() {
    let (machine, mut adapter, _) = three_open();
    for _ in 0..50 {
        machine.device().post_reply(77);
    }
    let reads = adapter.accesses().mmio.reads;
    assert_eq!(adapter.reap(Q, &mut [Completion::EMPTY; 8]), 0);
    assert_eq!(adapter.accesses().mmio.reads, reads + 1);
}

#[test]
fn a_fault_is_seen_though_no_reply_tells_of_it() {
    let (machine, mut adapter, _) = three_open();
    machine.device().give_up(0x1234);
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_eq!(adapter.health(), Health::Fault(0x1234));
    assert_eq!(adapter.in_flight(), 3);
    assert_recovers(&machine, &mut adapter);
}

#[test]
fn an_adapter_that_somebody_else_reset_is_noticed() {
    let (machine, mut adapter, _) = three_open();
    machine.device().fall_back();
    assert!(matches!(adapter.health(), Health::Lying(_)));
    machine.device().completing = Completing::AtOnce;
    adapter.reset().unwrap();
    assert_eq!(run(&machine, &mut adapter, &read(0, 9)), Status::Ok);
}

#[test]
fn a_device_that_never_answers_holds_nobody() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().mute = true;
    submit_reads(&mut adapter, 4);
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_eq!(adapter.in_flight(), 4);
    assert!(matches!(
        adapter.reset(),
        Err(ControllerError::TimedOut { .. })
    ));
    machine.device().mute = false;
    adapter.reset().unwrap();
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::Ok);
    assert_frames_home(&machine);
}

#[test]
fn a_slow_device_completes_later() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::AfterSteps(2);
    submit_reads(&mut adapter, 4);
    for expected in [0, 0, 4] {
        machine.step();
        assert_eq!(reap_all(&machine, &mut adapter).len(), expected);
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
    let mut out = [Completion::EMPTY; 4];
    assert_eq!(adapter.reap(Q, &mut out), 0);
    assert_eq!((adapter.in_flight(), adapter.health()), (3, Health::Gone));
    assert_eq!(adapter.reset(), Err(ControllerError::Gone));
}
