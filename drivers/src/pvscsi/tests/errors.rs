//! Statuses, sense and short transfers.

use super::super::status::decode;
use super::bench::{Esxi, Qemu};
use super::*;
use crate::fake::scsi::{Fault, FaultKind, FaultWhen, sense_fixed};
use crate::scsi::kit::errors::{check, read_with};

#[test]
fn host_statuses_become_their_kind() {
    for (status, expected) in [
        (0x11, Status::NoDevice),
        (0x26, Status::Aborted),
        (0x30, Status::Aborted),
        (0x1a, Status::HostError(0x1a)),
    ] {
        let fault = FaultKind::Transport(status);
        let bus = || ScsiBus::with_disk(1 << 21, 512);
        assert_eq!(
            read_with::<Qemu>(&qemu(bus()), fault),
            expected,
            "{status:#x}"
        );
        assert_eq!(
            read_with::<Esxi>(&esxi(bus()), fault),
            expected,
            "{status:#x}"
        );
    }
}

#[test]
fn the_units_own_status_comes_before_the_adapters() {
    let sense = sense_fixed(5, 0x21, 0);
    assert_eq!(decode(0x12, 2, &sense), check(5, 0x21, 0));
    assert_eq!(decode(0x12, 8, &[]), Status::Busy);
    assert_eq!(decode(0x12, 0, &[]), Status::ShortTransfer);
    assert_eq!(decode(0x0c, 0, &[]), Status::ShortTransfer);
    // A recovered error moved its data, unless the adapter says otherwise.
    let recovered = sense_fixed(1, 0x17, 1);
    assert_eq!(decode(0, 2, &recovered), Status::Ok);
    assert_eq!(decode(0x12, 2, &recovered), Status::ShortTransfer);
    for linked in [0x0a, 0x0b] {
        assert_eq!(decode(linked, 0, &[]), Status::Ok);
    }
    for reset in [0x22, 0x23, 0x25] {
        assert_eq!(decode(reset, 0, &[]), Status::Aborted);
    }
    assert_eq!(decode(0x20, 0, &[]), Status::HostError(0x20));
    assert_eq!(decode(7, 0x102, &[]), Status::HostError(7));
}

#[test]
fn a_stated_length_below_the_request_is_a_short_transfer() {
    let machine = esxi(ScsiBus::with_disk(1 << 21, 512));
    let mut adapter = ready(&machine, 1);
    // A device that states no underrun, only the length.
    machine.device().quirks.short_status = 0;
    machine.device().bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Block(0),
        kind: FaultKind::Short(2048),
        times: 1,
    });
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::ShortTransfer);
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
}

#[test]
fn roomy_probes_may_come_short() {
    // REPORT LUNS, INQUIRY and the pages are all asked with room to spare; on
    // this adapter each is then marked as short.
    let machine = one_disk();
    let adapter = start(&machine, 1);
    assert_eq!(adapter.disks().len(), 1);
    assert_eq!(adapter.disks()[0].model, "QEMU HARDDISK");
}
