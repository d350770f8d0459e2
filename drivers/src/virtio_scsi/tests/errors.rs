//! Responses, statuses, sense and short transfers.

use super::super::queue::Response;
use super::super::status::decode;
use super::*;
use crate::block::Sense;
use crate::fake::scsi::{Fault, FaultKind, FaultWhen, sense_fixed};

fn check(key: u8, asc: u8, ascq: u8) -> Status {
    Status::Check(Sense { key, asc, ascq })
}

/// The status of one read with this fault.
fn read_with(kind: FaultKind) -> Status {
    let machine = one_disk();
    let mut adapter = ready(&machine);
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
        (FaultKind::Transport(1), Status::HostError(1)),
        (FaultKind::Transport(2), Status::Aborted),
        (FaultKind::Transport(3), Status::NoDevice),
        (FaultKind::Transport(4), Status::Aborted),
        (FaultKind::Transport(5), Status::Busy),
        (FaultKind::Transport(6), Status::HostError(6)),
        (FaultKind::Transport(9), Status::HostError(9)),
        (FaultKind::Transport(12), Status::NoDevice),
    ] {
        assert_eq!(read_with(kind), expected, "{kind:?}");
    }
}

#[test]
fn a_response_is_read_in_this_order() {
    let answer = |response, status, residual_bytes| Response {
        sense_bytes: 18,
        residual_bytes,
        status,
        response,
    };
    let sense = sense_fixed(5, 0x21, 0);
    assert_eq!(decode(&answer(0, 2, 512), &sense), check(5, 0x21, 0));
    assert_eq!(decode(&answer(3, 2, 0), &sense), Status::NoDevice);
    assert_eq!(decode(&answer(0, 0, 512), &[]), Status::ShortTransfer);
    assert_eq!(decode(&answer(0, 8, 512), &[]), Status::Busy);
    // A recovered error moved its data, unless there is a residual.
    let recovered = sense_fixed(1, 0x17, 1);
    assert_eq!(decode(&answer(0, 2, 0), &recovered), Status::Ok);
    assert_eq!(decode(&answer(0, 2, 1), &recovered), Status::ShortTransfer);
}

#[test]
fn sense_of_an_earlier_command_is_not_taken_again() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let plant = |kind| {
        machine.device().bus.unit(0, 0).plant(Fault {
            when: FaultWhen::Any,
            kind,
            times: 1,
        });
    };
    machine.device().leaves_sense = true;
    plant(FaultKind::Check(3, 0x11, 0));
    assert_eq!(run(&mut adapter, &read(0, 0)), check(3, 0x11, 0));
    // CHECK CONDITION without sense, in the same slot.
    plant(FaultKind::Status(2));
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::ScsiStatus(2));
}

#[test]
fn a_read_past_the_end_after_a_shrink_tells_its_sense() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
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
    let mut adapter = ready(&qemu(bus));
    assert!(adapter.disks()[0].read_only);
    let written = run(&mut adapter, &request(Op::Write, 0, 1, 0));
    assert_eq!(written, check(7, 0x27, 0));
}
