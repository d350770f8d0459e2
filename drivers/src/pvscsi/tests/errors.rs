//! Statuses, sense and short transfers.

use super::super::status::decode;
use super::*;
use crate::block::Sense;
use crate::fake::scsi::{Fault, FaultKind, FaultWhen, sense_fixed};

fn check(key: u8, asc: u8, ascq: u8) -> Status {
    Status::Check(Sense { key, asc, ascq })
}

/// The status of one read with this fault, on either adapter.
fn read_with(kind: FaultKind, esxi_adapter: bool) -> Status {
    let bus = ScsiBus::with_disk(1 << 21, 512);
    let machine = if esxi_adapter { esxi(bus) } else { qemu(bus) };
    let mut adapter = ready(&machine, 1);
    machine.device().bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Block(11),
        kind,
        times: 1,
    });
    let status = run(&mut adapter, &read(8, 0));
    assert_eq!(
        run(&mut adapter, &read(8, 1)),
        Status::Ok,
        "the next one is well"
    );
    assert_clean(&machine);
    status
}

#[test]
fn faults_of_a_unit_become_their_kind() {
    for esxi_adapter in [false, true] {
        for (kind, expected) in [
            (FaultKind::Status(0x08), Status::Busy),
            (FaultKind::Status(0x28), Status::Busy),
            (FaultKind::Status(0x18), Status::ScsiStatus(0x18)),
            (FaultKind::Status(0x40), Status::Aborted),
            (FaultKind::Check(0xb, 0, 6), check(0xb, 0, 6)),
            (FaultKind::CheckDescriptor(3, 0x11, 0), check(3, 0x11, 0)),
            (
                FaultKind::Check(6, 0x2a, 9),
                Status::UnitAttention(Sense {
                    key: 6,
                    asc: 0x2a,
                    ascq: 9,
                }),
            ),
            (FaultKind::Short(512), Status::ShortTransfer),
            (FaultKind::Short(0), Status::ShortTransfer),
            (FaultKind::Transport(0x11), Status::NoDevice),
            (FaultKind::Transport(0x26), Status::Aborted),
            (FaultKind::Transport(0x30), Status::Aborted),
            (FaultKind::Transport(0x1a), Status::HostError(0x1a)),
        ] {
            assert_eq!(read_with(kind, esxi_adapter), expected, "{kind:?}");
        }
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
fn sense_of_an_earlier_command_is_not_taken_again() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    let plant = |kind| {
        machine.device().bus.unit(0, 0).plant(Fault {
            when: FaultWhen::Any,
            kind,
            times: 1,
        });
    };
    plant(FaultKind::Check(3, 0x11, 0));
    assert_eq!(run(&mut adapter, &read(0, 0)), check(3, 0x11, 0));
    // CHECK CONDITION without sense, in the same slot.
    plant(FaultKind::Status(2));
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::ScsiStatus(2));
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

#[test]
fn a_read_past_the_end_after_a_shrink_tells_its_sense() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    machine.device().bus.unit(0, 0).blocks = 8;
    assert_eq!(run(&mut adapter, &read(8, 0)), check(5, 0x21, 0));
    adapter.refresh_disk(DiskId(0)).unwrap();
    assert_eq!(adapter.disks()[0].blocks, 8);
    assert!(adapter.submit(Q, &read(8, 0)).is_err());
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
}

#[test]
fn a_write_protected_disk_is_known_before_it_is_written() {
    let mut bus = ScsiBus::with_disk(100, 512);
    bus.unit(0, 0).write_protected = true;
    let mut adapter = ready(&qemu(bus), 1);
    assert!(adapter.disks()[0].read_only);
    assert_eq!(
        run(&mut adapter, &request(Op::Write, 0, 1, 0)),
        check(7, 0x27, 0)
    );
}
