//! Statuses, sense and short transfers.

use super::{Bench, Machine, Model, Q, one_disk, read, ready, request, run};
use crate::block::{Controller, DiskId, Op, Sense, Status};
use crate::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiBus};

pub(crate) fn check(key: u8, asc: u8, ascq: u8) -> Status {
    Status::Check(Sense { key, asc, ascq })
}

/// The status of one read with this fault; the next one must be good.
pub(crate) fn read_with<B: Bench>(machine: &Machine<B>, kind: FaultKind) -> Status {
    let mut adapter = ready::<B>(machine);
    machine.device().bus().unit(0, 0).plant(Fault {
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
    B::assert_clean(machine);
    status
}

pub(crate) fn faults_of_a_unit_become_their_kind<B: Bench>() {
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
    ] {
        assert_eq!(read_with::<B>(&one_disk::<B>(), kind), expected, "{kind:?}");
    }
}

pub(crate) fn sense_of_an_earlier_command_is_not_taken_again<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    let plant = |kind| {
        machine.device().bus().unit(0, 0).plant(Fault {
            when: FaultWhen::Any,
            kind,
            times: 1,
        });
    };
    plant(FaultKind::Check(3, 0x11, 0));
    machine.device().leave_old_sense();
    assert_eq!(run(&mut adapter, &read(0, 0)), check(3, 0x11, 0));
    // CHECK CONDITION without sense, in the same slot.
    plant(FaultKind::Status(2));
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::ScsiStatus(2));
}

pub(crate) fn a_read_past_the_end_after_a_shrink_tells_its_sense<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    machine.device().bus().unit(0, 0).blocks = 8;
    assert_eq!(run(&mut adapter, &read(8, 0)), check(5, 0x21, 0));
    adapter.refresh_disk(DiskId(0)).unwrap();
    assert_eq!(adapter.disks()[0].blocks, 8);
    assert!(adapter.submit(Q, &read(8, 0)).is_err());
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
}

pub(crate) fn a_write_protected_disk_is_known_before_it_is_written<B: Bench>() {
    let mut bus = ScsiBus::with_disk(100, 512);
    bus.unit(0, 0).write_protected = true;
    let mut adapter = ready::<B>(&B::machine(bus));
    assert!(adapter.disks()[0].read_only);
    assert_eq!(
        run(&mut adapter, &request(Op::Write, 0, 1, 0)),
        check(7, 0x27, 0)
    );
}
