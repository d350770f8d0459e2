//! From a device that was reset to disks that are known.

use super::{Bench, Machine, Model, one_disk, read, ready, request, run};
use crate::block::{BufferId, Controller, ControllerError, Op, Status};
use crate::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiBus, ScsiUnit};
use crate::fake::{FakeHal, FakeMemory};
use crate::hal::{BusAddr, Hal};
use alloc::vec::Vec;

fn fails<B: Bench>(machine: &Machine<B>) -> ControllerError {
    B::start(machine).err().expect("the start fails")
}

pub(crate) fn sixty_four_disks_tell_their_attention_and_are_all_found<B: Bench>() {
    let mut bus = ScsiBus::new();
    // 7 is an adapter's own on some buses.
    let targets = || (0..65).filter(|target| *target != 7);
    for target in targets() {
        bus.insert(target, 0, ScsiUnit::disk(1000 + u64::from(target), 512));
    }
    let machine = B::machine(bus);
    let adapter = B::start(&machine).unwrap();
    let sizes: Vec<u64> = adapter.disks().iter().map(|disk| disk.blocks).collect();
    assert_eq!(
        sizes,
        targets()
            .map(|target| 1000 + u64::from(target))
            .collect::<Vec<_>>()
    );
    assert!(adapter.ignored().is_empty());
    let mut device = machine.device();
    assert!(
        device
            .bus()
            .units_mut()
            .all(|unit| unit.attentions.is_empty())
    );
}

pub(crate) fn what_is_no_disk_is_ignored<B: Bench>() {
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, ScsiUnit::cd_rom(0));
    bus.insert(1, 0, ScsiUnit::disk(0, 512));
    bus.insert(2, 0, ScsiUnit::disk(1, 512));
    let mut adapter = ready::<B>(&B::machine(bus));
    assert_eq!(adapter.ignored().len(), 2);
    assert_eq!(adapter.disks().len(), 1);
    assert_eq!(run(&mut adapter, &request(Op::Read, 0, 1, 3)), Status::Ok);
}

pub(crate) fn a_controller_without_disks_starts<B: Bench>() {
    let adapter = B::start(&B::machine(ScsiBus::new())).unwrap();
    assert!(adapter.disks().is_empty() && adapter.ignored().is_empty());
}

pub(crate) fn a_device_that_is_gone_says_so<B: Bench>() {
    let machine = one_disk::<B>();
    machine.unplug();
    assert_eq!(fails::<B>(&machine), ControllerError::Gone);
}

pub(crate) fn a_device_that_goes_during_the_scan_says_so<B: Bench>() {
    let machine = one_disk::<B>();
    machine.device().set_mute(true);
    let pulled = machine.clone();
    machine
        .clock()
        .watch(alloc::rc::Rc::new(move |_| pulled.unplug()));
    assert_eq!(fails::<B>(&machine), ControllerError::Gone);
}

pub(crate) fn a_mute_device_ends_the_start_in_time<B: Bench>() {
    let machine = one_disk::<B>();
    machine.device().set_mute(true);
    let timed_out = ControllerError::TimedOut {
        what: "TEST UNIT READY",
        after_ms: 5_000,
    };
    assert_eq!(fails::<B>(&machine), timed_out);
    assert!(machine.clock().peek_ticks() < B::MUTE_START_NS);
    B::assert_clean(&machine);
}

pub(crate) fn a_silent_unit_is_noted_and_the_rest_works<B: Bench>() {
    let mut bus = ScsiBus::with_disk(100, 512);
    bus.insert(1, 0, ScsiUnit::disk(200, 512));
    bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Any,
        kind: FaultKind::Lost,
        times: 1,
    });
    let machine = B::machine(bus);
    let mut adapter = ready::<B>(&machine);
    assert_eq!(
        adapter.ignored()[0].reason,
        "no answer to TEST UNIT READY within 5000 ms"
    );
    assert_eq!(adapter.disks()[0].blocks, 200);
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    B::assert_clean(&machine);
}

pub(crate) fn want_of_memory_is_an_error_and_leaves_nothing_behind<B: Bench>() {
    let mut allocations = 0;
    loop {
        let machine = one_disk::<B>();
        machine.memory().fail_after(Some(allocations));
        match B::start(&machine) {
            Ok(_) => break,
            Err(ControllerError::Dma(_)) => {}
            Err(error) => panic!("{error:?}"),
        }
        assert_eq!(machine.memory().live_bytes(), 0);
        assert_eq!(machine.memory().violations(), []);
        allocations += 1;
    }
    assert!(allocations >= 6, "{allocations}");
}

pub(crate) fn everything_works_below_and_across_4_gib<B: Bench>() {
    for base in [0x1000, 0xffff_c000, 0x12_3450_0000, 0xf_ffff_fff0_0000] {
        let memory = FakeMemory::starting_at(BusAddr(base));
        let bus = ScsiBus::with_disk(1 << 20, 512);
        let machine = FakeHal::on(memory, Default::default(), |memory| B::device(memory, bus));
        let mut adapter = ready::<B>(&machine);
        adapter.fill_buffer(BufferId(0), 0, &[0x5a; 4096]);
        assert_eq!(run(&mut adapter, &request(Op::Write, 8, 8, 0)), Status::Ok);
        assert_eq!(run(&mut adapter, &read(8, 1)), Status::Ok);
        let mut seen = [0; 4096];
        adapter.read_buffer(BufferId(1), 0, &mut seen);
        assert_eq!(seen, [0x5a; 4096]);
        B::assert_clean(&machine);
    }
}
