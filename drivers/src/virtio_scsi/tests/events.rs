//! The event queue.

use super::super::Event;
use super::super::fake::Completing;
use super::*;
use crate::block::Health;
use crate::fake::scsi::ScsiUnit;
use crate::scsi::ScsiAddress;

fn at(target: u16, lun: u16) -> ScsiAddress {
    ScsiAddress { target, lun }
}

#[test]
fn added_units_are_told_and_left_alone() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    assert_eq!(adapter.next_event(), None);
    for (target, lun) in [(5, 2), (200, 255), (5, 256), (5, 16_383)] {
        let unit = ScsiUnit::disk(100, 512);
        machine.device().hot_add(target, lun, unit);
        assert_eq!(adapter.next_event(), Some(Event::Added(at(target, lun))));
        assert_eq!(adapter.next_event(), None);
    }
    assert_eq!(adapter.disks().len(), 1);
    assert_eq!(adapter.ignored()[0].address, at(5, 2).into());
    assert_clean(&machine);
}

#[test]
fn commands_to_a_removed_unit_end_with_an_error() {
    let mut bus = ScsiBus::with_disk(100, 512);
    bus.insert(1, 0, ScsiUnit::disk(100, 512));
    let machine = qemu(bus);
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    let mut asked = read(0, 0);
    asked.disk = DiskId(1);
    adapter.submit(Q, &asked).unwrap();
    adapter.submit(Q, &read(0, 1)).unwrap();
    adapter.ring_doorbell(Q);
    machine.device().hot_remove(1);
    while machine.device().complete(0) {}
    let finished = reap_all(&mut adapter);
    let statuses: Vec<Status> = finished.iter().map(|done| done.status).collect();
    assert_eq!(statuses, [Status::NoDevice, Status::Ok]);
    assert_eq!(adapter.next_event(), Some(Event::Removed(at(1, 0))));
    assert!(adapter.refresh_disk(DiskId(1)).is_err());
}

#[test]
fn changes_are_told_once_and_cost_nothing_while_there_are_none() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let before = adapter.accesses().mmio;
    assert_eq!(adapter.take_disk_change(), Ok(false));
    assert_eq!(adapter.accesses().mmio, before);
    machine.device().resized(0, 0);
    let changed = Event::Changed {
        at: at(0, 0),
        asc: 0x2a,
        ascq: 9,
    };
    assert_eq!(adapter.next_event(), Some(changed));
    machine.device().resized(0, 0);
    machine.device().tell(1, 0, 0);
    assert_eq!(adapter.take_disk_change(), Ok(true));
    assert_eq!(adapter.take_disk_change(), Ok(false));
    assert_clean(&machine);
}

#[test]
fn other_events_are_what_they_are() {
    let machine = one_disk();
    let mut adapter = start(&machine);
    machine.device().tell(1, 7, 0);
    machine.device().tell(0, 7, 0);
    machine.device().tell(2, 7, 1);
    assert_eq!(adapter.next_event(), Some(Event::Reset(at(7, 0))));
    assert_eq!(adapter.next_event(), Some(Event::Unknown(2)));
    assert_eq!(adapter.next_event(), None);
}

#[test]
fn buffers_come_back_and_survive_the_wrap_of_their_ring() {
    let machine = one_disk();
    let mut adapter = start(&machine);
    for round in 0..10 {
        for target in 0..16 {
            machine.device().hot_remove(100 + target + round);
        }
        for target in 0..16 {
            let told = Some(Event::Removed(at(100 + target + round, 0)));
            assert_eq!(adapter.next_event(), told);
        }
    }
    assert_eq!(machine.device().seen.dropped_events, 0);
    assert_clean(&machine);
}

#[test]
fn missed_events_are_told() {
    let machine = one_disk();
    let mut adapter = start(&machine);
    for target in 0..17 {
        machine.device().hot_remove(100 + target);
    }
    assert_eq!(machine.device().seen.dropped_events, 1);
    for target in 0..16 {
        let told = Some(Event::Removed(at(100 + target, 0)));
        assert_eq!(adapter.next_event(), told);
    }
    // By the first buffer that came back.
    assert_eq!(adapter.next_event(), Some(Event::Missed));
    assert_eq!(adapter.next_event(), None);
    // With another event in the same buffer, both are told.
    machine.device().tell(1 << 31 | 1, 9, 2);
    assert_eq!(adapter.next_event(), Some(Event::Missed));
    assert_eq!(adapter.next_event(), Some(Event::Removed(at(9, 0))));
    assert_eq!(adapter.next_event(), None);
}

#[test]
fn events_go_on_after_a_reset() {
    let machine = one_disk();
    let mut adapter = start(&machine);
    machine.device().hot_remove(9);
    assert!(adapter.next_event().is_some());
    machine.device().hot_remove(9);
    adapter.reset().unwrap();
    assert_eq!(adapter.next_event(), None);
    machine.device().hot_remove(10);
    assert_eq!(adapter.next_event(), Some(Event::Removed(at(10, 0))));
}

#[test]
fn a_runaway_event_index_and_an_unknown_buffer_are_not_followed() {
    let machine = one_disk();
    let mut adapter = start(&machine);
    machine.device().run_away(1, 17);
    assert_eq!(adapter.next_event(), None);
    assert!(matches!(adapter.health(), Health::Lying(_)));
    let machine = one_disk();
    let mut adapter = start(&machine);
    machine.device().use_head(1, 16);
    assert_eq!(adapter.next_event(), None);
    assert!(matches!(adapter.health(), Health::Lying(_)));
}
