//! The message ring.

use super::super::HotPlug;
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
    let mut adapter = ready(&machine, 1);
    assert_eq!(adapter.next_message(), None);
    machine.device().hot_add(5, 2, ScsiUnit::disk(100, 512));
    assert_eq!(adapter.next_message(), Some(HotPlug::Added(at(5, 2))));
    assert_eq!(adapter.next_message(), None);
    assert_eq!(adapter.disks().len(), 1);
    assert_eq!(adapter.ignored()[0].address, at(5, 2).into());
}

#[test]
fn commands_to_a_removed_unit_end_with_an_error() {
    let mut bus = ScsiBus::with_disk(100, 512);
    bus.insert(1, 0, ScsiUnit::disk(100, 512));
    let machine = qemu(bus);
    let mut adapter = ready(&machine, 1);
    machine.device().completing = Completing::ByHand;
    let mut asked = read(0, 0);
    asked.disk = DiskId(1);
    adapter.submit(Q, &asked).unwrap();
    adapter.submit(Q, &read(0, 1)).unwrap();
    adapter.ring_doorbell(Q);
    machine.device().hot_remove(1);
    while machine.device().complete(0) {}
    let statuses: Vec<Status> = reap_all(&mut adapter)
        .iter()
        .map(|done| done.status)
        .collect();
    assert_eq!(statuses, [Status::NoDevice, Status::Ok]);
    assert_eq!(adapter.next_message(), Some(HotPlug::Removed(at(1, 0))));
    assert!(adapter.refresh_disk(DiskId(1)).is_err());
}

#[test]
fn messages_survive_the_wrap_of_their_ring() {
    let machine = one_disk();
    let mut adapter = start(&machine, 1);
    for round in 0..10 {
        for target in 0..20 {
            machine.device().hot_remove(100 + target + round);
        }
        for target in 0..20 {
            let told = Some(HotPlug::Removed(at(100 + target + round, 0)));
            assert_eq!(adapter.next_message(), told);
        }
    }
    assert_eq!(machine.device().seen.dropped_messages, 0);
}

#[test]
fn messages_go_on_after_a_reset() {
    let machine = one_disk();
    let mut adapter = start(&machine, 1);
    machine.device().hot_remove(9);
    assert!(adapter.next_message().is_some());
    adapter.reset().unwrap();
    assert_eq!(adapter.next_message(), None);
    machine.device().hot_remove(10);
    assert_eq!(adapter.next_message(), Some(HotPlug::Removed(at(10, 0))));
}

#[test]
fn a_runaway_message_index_is_not_followed() {
    let machine = one_disk();
    let mut adapter = start(&machine, 1);
    machine.device().run_messages_away(33);
    assert_eq!(adapter.next_message(), None);
    assert!(matches!(adapter.health(), Health::Lying(_)));
}

#[test]
fn an_adapter_without_messages_has_none() {
    let machine = one_disk();
    machine.device().quirks.messages = false;
    let mut adapter = start(&machine, 1);
    assert!(!adapter.features().messages);
    assert_eq!(adapter.next_message(), None);
}
