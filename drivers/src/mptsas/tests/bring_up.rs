//! From whatever state the adapter is found in to disks.

use super::super::fake::{Chip, Quirks};
use super::support::*;
use crate::block::DiskAddress;
use crate::hal::{BusAddr, Clock};

fn addresses(adapter: &Adapter) -> Vec<(u16, u16)> {
    let address = |disk: &crate::block::Disk| match disk.address {
        DiskAddress::Scsi { target, lun } => (target, lun),
        DiskAddress::Namespace(_) => panic!("a namespace behind SCSI"),
    };
    adapter.disks().iter().map(address).collect()
}

/// QEMU's ids 0, 7 and 8, and one unit 1 without a unit 0.
fn wide_bus() -> ScsiBus {
    let mut bus = ScsiBus::new();
    for (target, lun) in [(0, 0), (7, 0), (8, 0), (1, 1)] {
        let blocks = 1000 + u64::from(target);
        bus.insert(target, lun, ScsiUnit::disk(blocks, 512));
    }
    bus
}

#[test]
fn all_ids_and_units_of_qemus_adapter_are_found() {
    let machine = qemu(wide_bus());
    let adapter = start(&machine);
    assert_eq!(adapter.kind(), "lsisas");
    assert_eq!(addresses(&adapter), [(0, 0), (1, 1), (7, 0), (8, 0)]);
    assert_eq!(adapter.disks()[3].blocks, 1008);
    assert!(adapter.ignored().is_empty());
    let seen = machine.device().seen;
    assert_eq!((seen.gentle_resets, seen.hard_resets), (0, 0));
    assert_eq!(seen.init_words, 11);
    assert_eq!(machine.device().ioc_state(), 2);
    assert_clean(&machine);
    assert_frames_home(&machine);
}

#[test]
fn limits_are_those_of_the_device() {
    let machine = one_disk();
    let adapter = start(&machine);
    let limits = adapter.limits();
    assert_eq!((limits.queues, limits.queue_entries), (1, 128));
    assert_eq!((limits.max_in_flight, limits.max_batch), (127, 127));
    assert_eq!(limits.max_targets, 16);
    assert_eq!(limits.max_transfer_bytes, 6 * 0xff_f000);
    assert!(limits.doorbell_per_request && limits.polls_by_register);
    assert!(adapter.has_events());
    assert_eq!(adapter.facts().product, 0x2102);
    assert_eq!(machine.device().free_frames(), 128);
}

#[test]
fn an_adapter_that_insists_on_its_targets_is_asked_for_those() {
    let machine = qemu(wide_bus());
    machine.device().quirks.strict_targets = true;
    let adapter = start(&machine);
    assert_eq!(adapter.limits().max_targets, 8);
    assert_eq!(addresses(&adapter), [(0, 0), (1, 1), (7, 0)]);
}

#[test]
fn an_adapter_of_256_targets_is_scanned_to_the_end() {
    let mut bus = disk_bus();
    bus.insert(255, 255, ScsiUnit::disk(5, 4096));
    let machine = qemu(bus);
    machine.device().quirks.told_targets = 256;
    let adapter = start(&machine);
    assert_eq!(adapter.limits().max_targets, 256);
    assert_eq!(addresses(&adapter), [(0, 0), (255, 255)]);
    assert_clean(&machine);
}

#[test]
fn firmware_with_locks_and_delays_is_brought_up() {
    let machine = firmware(wide_bus());
    let adapter = start(&machine);
    assert_eq!(adapter.kind(), "lsisas");
    assert_eq!(addresses(&adapter), [(0, 0), (1, 1), (7, 0), (8, 0)]);
    // 128 reply frames, of which one is kept, below 266 credits.
    assert_eq!(adapter.limits().max_in_flight, 127);
    // 128 bytes of frame hold 6 elements.
    assert_eq!(adapter.limits().max_transfer_bytes, 6 * 0xff_f000);
    assert_eq!(adapter.limits().max_targets, 112);
    assert_clean(&machine);
}

#[test]
fn the_parallel_sibling_skips_its_own_id() {
    let mut bus = wide_bus();
    bus.insert(15, 0, ScsiUnit::disk(9, 512));
    let machine = parallel(bus);
    assert_eq!(machine.device().chip, Chip::Parallel53c1030);
    let adapter = start(&machine);
    assert_eq!(adapter.kind(), "lsilogic");
    assert!(adapter.facts().parallel);
    assert_eq!(addresses(&adapter), [(0, 0), (1, 1), (8, 0), (15, 0)]);
    // Its message version knows no version fields.
    assert_eq!(machine.device().seen.init_words, 6);
    assert_clean(&machine);
}

#[test]
fn an_adapter_in_operation_is_taken_over() {
    let machine = one_disk();
    let first = start(&machine);
    // Its memory stays, as that of a firmware's driver would.
    core::mem::forget(first);
    let adapter = start(&machine);
    assert_eq!(adapter.disks().len(), 1);
    assert_eq!(machine.device().seen.gentle_resets, 1);
    assert_clean(&machine);
    assert_frames_home(&machine);
}

#[test]
fn a_fault_is_reset_away() {
    for machine in [one_disk(), firmware(disk_bus())] {
        machine.device().give_up(0x1234);
        let adapter = start(&machine);
        assert_eq!(adapter.disks().len(), 1);
        let seen = machine.device().seen;
        assert_eq!((seen.gentle_resets, seen.hard_resets), (0, 1));
        assert_eq!(machine.device().interrupt_mask(), 9);
        assert_clean(&machine);
    }
}

#[test]
fn a_handshake_left_half_done_is_reset_away() {
    let machine = one_disk();
    use crate::hal::Mmio;
    machine.mmio().write32(0, 0x42 << 24 | 3 << 16);
    let adapter = start(&machine);
    assert_eq!(adapter.disks().len(), 1);
    assert_eq!(machine.device().seen.hard_resets, 1);
    assert_clean(&machine);
}

#[test]
fn firmware_that_still_starts_is_waited_for() {
    let machine = one_disk();
    machine.device().start_over(50);
    assert_eq!(machine.device().ioc_state(), 0);
    let adapter = start(&machine);
    assert_eq!(adapter.disks().len(), 1);
    assert_eq!(machine.device().seen.hard_resets, 0);
}

#[test]
fn an_adapter_without_events_works_too() {
    for faults_on_unknown in [true, false] {
        let machine = one_disk();
        machine.device().quirks.events = false;
        machine.device().quirks.faults_on_unknown = faults_on_unknown;
        let adapter = start(&machine);
        assert!(!adapter.has_events());
        assert_eq!(adapter.disks().len(), 1);
        assert_eq!(machine.device().ioc_state(), 2);
        assert_frames_home(&machine);
    }
}

#[test]
fn a_mute_adapter_is_given_up_in_time() {
    let machine = one_disk();
    machine.device().mute = true;
    let refused = try_start(&machine).err().unwrap();
    let timed_out = ControllerError::TimedOut {
        what: "IOC_FACTS",
        after_ms: 5_000,
    };
    assert_eq!(refused, timed_out);
    let clock: &FakeClock = crate::hal::Hal::clock(&machine);
    let ms = clock.peek_ticks() / (clock.ticks_per_second() / 1000);
    assert!((5_000..5_010).contains(&ms), "after {ms} ms");
}

#[test]
fn an_absent_adapter_is_gone() {
    let machine = one_disk();
    machine.unplug();
    assert_eq!(try_start(&machine).err(), Some(ControllerError::Gone));
}

#[test]
fn unusable_facts_are_refused() {
    let with = |change: fn(&mut Quirks)| {
        let machine = one_disk();
        change(&mut machine.device().quirks);
        try_start(&machine).err()
    };
    let refused = |what, answer| Some(ControllerError::Refused { what, answer });
    for credits in [0, 1] {
        let machine = one_disk();
        machine.device().quirks.credits = credits;
        let answer = u64::from(credits);
        assert_eq!(
            try_start(&machine).err(),
            refused("two requests at a time", answer)
        );
    }
    assert_eq!(
        with(|quirks| quirks.reply_depth = 1),
        refused("two requests at a time", 1)
    );
    assert_eq!(
        with(|quirks| quirks.request_frame_bytes = 56),
        refused("a request frame with data", 56)
    );
    assert_eq!(with(|quirks| quirks.credits = 2), None);
}

#[test]
fn without_memory_it_does_not_start_and_leaves_the_adapter_ready() {
    for allocations in 0..3 {
        let machine = one_disk();
        machine.memory().fail_after(Some(allocations));
        assert!(matches!(
            try_start(&machine).err(),
            Some(ControllerError::Dma(_))
        ));
        assert_eq!(machine.device().ioc_state(), 1);
        assert_eq!(machine.memory().live_bytes(), 0);
    }
}

#[test]
fn frames_never_cross_a_window() {
    // The first allocation would lie across a multiple of 4 GiB.
    for base in [
        0x1_ffff_f000,
        0x1_ffff_c000,
        0x0_ffff_9000,
        0xffff_fff0_0000,
    ] {
        let memory = FakeMemory::starting_at(BusAddr(base));
        let build = |memory: &FakeMemory| MptModel::new(memory, disk_bus());
        let machine = FakeHal::on(memory, FakeClock::default(), build);
        let mut adapter = ready(&machine);
        assert_eq!(run(&machine, &mut adapter, &read(0, 3)), Status::Ok);
        machine.device().bus.unit(0, 0).plant(Fault {
            when: FaultWhen::Any,
            kind: FaultKind::Check(3, 0x11, 0),
            times: 1,
        });
        let status = run(&machine, &mut adapter, &read(0, 3));
        assert!(matches!(status, Status::Check(sense) if sense.key == 3));
        assert_clean(&machine);
    }
}

#[test]
fn what_is_no_disk_is_ignored() {
    let mut bus = disk_bus();
    bus.insert(1, 0, ScsiUnit::cd_rom(0));
    bus.insert(2, 0, ScsiUnit::disk(0, 512));
    bus.insert(3, 0, ScsiUnit::disk(1, 512));
    let machine = qemu(bus);
    let adapter = start(&machine);
    assert_eq!(addresses(&adapter), [(0, 0), (3, 0)]);
    assert_eq!(adapter.ignored().len(), 2);
    assert_clean(&machine);
}

#[test]
fn a_target_that_swallows_a_command_does_not_hold_the_scan() {
    let mut bus = disk_bus();
    bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Opcode(0x12),
        kind: FaultKind::Lost,
        times: 1,
    });
    bus.insert(1, 0, ScsiUnit::disk(9, 512));
    let machine = qemu(bus);
    let adapter = start(&machine);
    assert_eq!(addresses(&adapter), [(1, 0)]);
    assert_eq!(
        adapter.ignored()[0].reason,
        "no answer to INQUIRY within 5000 ms"
    );
    assert_eq!(machine.device().seen.gentle_resets, 1);
    assert_frames_home(&machine);
}
