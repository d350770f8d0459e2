//! Aborts, target resets, events.

use super::support::*;

fn three_open(machine: &Machine) -> (Adapter, Vec<Tag>) {
    let mut adapter = ready(machine);
    machine.device().completing = Completing::ByHand;
    let tags = submit_reads(&mut adapter, 3);
    (adapter, tags)
}

fn statuses(finished: &[Completion]) -> Vec<(u32, Status)> {
    finished
        .iter()
        .map(|done| (done.cookie, done.status))
        .collect()
}

#[test]
fn an_aborted_command_completes_as_such() {
    for machine in [one_disk(), firmware(disk_bus())] {
        let (mut adapter, tags) = three_open(&machine);
        adapter.abort(Q, tags[1]).unwrap();
        let finished = reap_all(&machine, &mut adapter);
        assert_eq!(statuses(&finished), [(1, Status::Aborted)]);
        assert_eq!(finished[0].tag, tags[1]);
        while machine.device().complete(0) {}
        let rest = reap_all(&machine, &mut adapter);
        assert_eq!(statuses(&rest), [(0, Status::Ok), (2, Status::Ok)]);
        let seen = machine.device().seen;
        let first = u64::from(machine.device().quirks.hi_pri);
        assert_eq!(seen.first_posts, first, "the FIFO that the adapter has");
        assert_clean(&machine);
        assert_frames_home(&machine);
    }
}

#[test]
fn a_full_queue_is_aborted_one_by_one_within_the_credits() {
    for fetching in [Fetching::AtPost, Fetching::OnStep(1)] {
        let machine = one_disk();
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        let tags = submit_reads(&mut adapter, 127);
        machine.device().fetching = fetching;
        let before = adapter.accesses();
        for tag in tags.iter().chain(&tags) {
            adapter.abort(Q, *tag).unwrap();
        }
        let mut finished = Vec::new();
        for _ in 0..400 {
            machine.step();
            finished.extend(reap_all(&machine, &mut adapter));
        }
        assert_eq!(finished.len(), 127);
        assert!(finished.iter().all(|done| done.status == Status::Aborted));
        let after = adapter.accesses();
        assert_eq!(after.submit_doorbells - before.submit_doorbells, 127);
        assert_eq!(after.commands, before.commands);
        assert_eq!(machine.device().seen.most_outstanding, 128);
        assert_clean(&machine);
        assert_frames_home(&machine);
    }
}

#[test]
fn an_abort_names_the_unit_of_its_command() {
    let mut bus = ScsiBus::new();
    for target in [0, 5] {
        bus.insert(target, 0, ScsiUnit::disk(100, 512));
    }
    let machine = qemu(bus);
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    for disk in [0, 1] {
        let request = Request {
            disk: DiskId(disk),
            ..read(0, u32::from(disk))
        };
        let tag = adapter.submit(Q, &request).unwrap();
        adapter.ring_doorbell(Q);
        adapter.abort(Q, tag).unwrap();
        let finished = reap_all(&machine, &mut adapter);
        assert_eq!(finished.len(), 1, "disk {disk}");
        assert_eq!(
            (finished[0].tag, finished[0].status),
            (tag, Status::Aborted)
        );
    }
}

#[test]
fn aborting_what_has_ended_asks_nothing() {
    let machine = one_disk();
    let (mut adapter, tags) = three_open(&machine);
    machine.device().complete(0);
    assert_eq!(reap_all(&machine, &mut adapter).len(), 1);
    let posts = machine.device().seen.posts;
    adapter.abort(Q, tags[0]).unwrap();
    assert_eq!(machine.device().seen.posts, posts);
    // What ends while its abort is on its way ends once.
    machine.device().fetching = Fetching::OnStep(1);
    adapter.abort(Q, tags[1]).unwrap();
    machine.device().complete(0);
    machine.step();
    let finished = reap_all(&machine, &mut adapter);
    assert_eq!(statuses(&finished), [(1, Status::Ok)]);
    assert_eq!((adapter.in_flight(), adapter.health()), (1, Health::Ok));
    assert_clean(&machine);
}

#[test]
fn a_target_is_reset_with_all_it_has_open() {
    let machine = one_disk();
    let (mut adapter, _) = three_open(&machine);
    adapter.reset_target(DiskId(0)).unwrap();
    let finished = reap_all(&machine, &mut adapter);
    assert_eq!(finished.len(), 3);
    assert!(finished.iter().all(|done| done.status == Status::Aborted));
    machine.device().completing = Completing::AtOnce;
    let status = run(&machine, &mut adapter, &read(0, 5));
    assert!(matches!(status, Status::UnitAttention(sense) if sense.asc == 0x29));
    assert_eq!(run(&machine, &mut adapter, &read(0, 5)), Status::Ok);
    assert_eq!(
        adapter.reset_target(DiskId(1)),
        Err(ControllerError::Unsupported)
    );
    assert_clean(&machine);
    assert_frames_home(&machine);
}

#[test]
fn nothing_is_asked_of_an_adapter_that_gave_up() {
    let machine = one_disk();
    let (mut adapter, tags) = three_open(&machine);
    machine.device().give_up(0x77);
    let refused = ControllerError::Refused {
        what: "task management",
        answer: 0x77,
    };
    assert_eq!(adapter.abort(Q, tags[0]), Err(refused));
    assert_eq!(adapter.health(), Health::Fault(0x77));
    assert_eq!(adapter.submit(Q, &read(0, 9)), Err(SubmitError::Dead));
    machine.unplug();
    assert_eq!(adapter.abort(Q, tags[0]), Err(ControllerError::Gone));
    assert_eq!(adapter.health(), Health::Gone);
}

#[test]
fn events_are_taken_and_tell_of_changed_disks() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    for (event, changed) in [(0x0f, true), (0x06, true), (0x0e, false), (0x0a, false)] {
        machine.device().send_event(event, false);
        assert_eq!(reap_all(&machine, &mut adapter), []);
        assert_eq!(adapter.take_disk_change(), Ok(changed), "event {event:#x}");
        assert_eq!(adapter.take_disk_change(), Ok(false));
    }
    assert_eq!(adapter.health(), Health::Ok);
    assert_frames_home(&machine);
    assert_clean(&machine);
}

#[test]
fn events_do_not_hide_completions() {
    let machine = one_disk();
    let (mut adapter, _) = three_open(&machine);
    machine.device().complete(0);
    machine.device().send_event(0x0f, false);
    machine.device().complete(0);
    assert_eq!(reap_all(&machine, &mut adapter).len(), 2);
}

#[test]
fn only_an_event_that_asks_for_it_is_acknowledged() {
    let machine = firmware(disk_bus());
    let mut adapter = ready(&machine);
    machine.device().send_event(0x0f, false);
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_eq!(machine.device().seen.event_acks, 0);
    machine.device().send_event(0x0f, true);
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_eq!(machine.device().seen.event_acks, 1);
    assert_clean(&machine);
    assert_frames_home(&machine);
}

#[test]
fn a_flood_of_events_ends_each_pass() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    for _ in 0..100 {
        machine.device().send_event(0x0e, false);
    }
    let reads = adapter.accesses().mmio.reads;
    assert_eq!(adapter.reap(Q, &mut [Completion::EMPTY; 8]), 0);
    assert_eq!(adapter.accesses().mmio.reads, reads + 1);
    assert_eq!(reap_all(&machine, &mut adapter), []);
    assert_frames_home(&machine);
}
