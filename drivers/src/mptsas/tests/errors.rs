//! Statuses, sense and short transfers.

use super::support::*;
use crate::block::Sense;

fn check(key: u8, asc: u8, ascq: u8) -> Status {
    Status::Check(Sense { key, asc, ascq })
}

/// The status of one read with this fault.
fn read_with(machine: &Machine, kind: FaultKind) -> Status {
    let mut adapter = ready(machine);
    machine.device().bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Block(11),
        kind,
        times: 1,
    });
    let status = run(machine, &mut adapter, &read(8, 0));
    assert_eq!(
        run(machine, &mut adapter, &read(8, 1)),
        Status::Ok,
        "the next one is well"
    );
    assert_clean(machine);
    assert_frames_home(machine);
    status
}

#[test]
fn faults_of_a_unit_become_their_kind() {
    for with_firmware in [false, true] {
        for (kind, expected) in [
            (FaultKind::Status(0x08), Status::Busy),
            (FaultKind::Status(0x28), Status::Busy),
            (FaultKind::Status(0x18), Status::ScsiStatus(0x18)),
            (FaultKind::Status(0x40), Status::Aborted),
            (FaultKind::Check(0xb, 0, 6), check(0xb, 0, 6)),
            (FaultKind::CheckDescriptor(3, 0x11, 0), check(3, 0x11, 0)),
            (FaultKind::Check(1, 0x17, 1), Status::Ok),
            (FaultKind::Short(512), Status::ShortTransfer),
            (FaultKind::Short(0), Status::ShortTransfer),
            (FaultKind::Transport(0x43), Status::NoDevice),
            (FaultKind::Transport(0x4b), Status::Aborted),
            (FaultKind::Transport(0x02), Status::Busy),
            (FaultKind::Transport(0x46), Status::HostError(0x46)),
        ] {
            let bus = disk_bus();
            let machine = if with_firmware {
                firmware(bus)
            } else {
                qemu(bus)
            };
            assert_eq!(read_with(&machine, kind), expected, "{kind:?}");
        }
    }
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
    plant(FaultKind::Check(3, 0x11, 0));
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), check(3, 0x11, 0));
    // CHECK CONDITION without sense data, in the same slot.
    plant(FaultKind::Status(2));
    assert_eq!(
        run(&machine, &mut adapter, &read(0, 0)),
        Status::ScsiStatus(2)
    );
}

#[test]
fn a_unit_that_went_away_is_no_device() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().bus.remove_target(0);
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::NoDevice);
    assert_frames_home(&machine);
}

#[test]
fn a_unit_that_shrank_tells_its_sense() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().bus.unit(0, 0).blocks = 8;
    assert_eq!(run(&machine, &mut adapter, &read(8, 0)), check(5, 0x21, 0));
}

#[test]
fn a_write_protected_disk_is_known_before_it_is_written() {
    let mut bus = ScsiBus::with_disk(100, 512);
    bus.unit(0, 0).write_protected = true;
    let machine = qemu(bus);
    let mut adapter = ready(&machine);
    assert!(adapter.disks()[0].read_only);
    let write = request(Op::Write, 0, 1, 0);
    assert_eq!(run(&machine, &mut adapter, &write), check(7, 0x27, 0));
}

#[test]
fn attention_after_a_reset_behind_our_back_is_told() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().bus.reset(2);
    let expected = Status::UnitAttention(Sense {
        key: 6,
        asc: 0x29,
        ascq: 2,
    });
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), expected);
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::Ok);
}

#[test]
fn the_parallel_chip_is_asked_again_for_what_it_lost() {
    let machine = parallel(disk_bus());
    machine.device().quirks.context_replies = false;
    let mut adapter = ready(&machine);
    machine.device().loses_bytes_silently = true;
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::Busy);
    machine.device().loses_bytes_silently = false;
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::Ok);
}
