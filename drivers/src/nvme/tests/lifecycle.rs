//! Reset, other options, shutdown, and what becomes of memory.

use super::super::fake::NvmeConfig;
use super::super::{Nvme, Quirks};
use super::rig::{Hal, Q, check, machine, one_disk, plain, request, rig};
use crate::block::{Controller, ControllerError, Health, Options, SubmitError};
use crate::hal::Hal as _;

fn ms(hal: &Hal) -> u64 {
    hal.clock().peek_ticks() / 1_000_000
}

#[test]
fn a_reset_forgets_commands_and_keeps_buffers_and_disks() {
    for options in [plain(), Options::default()] {
        let mut rig = rig(NvmeConfig::default(), &options);
        rig.nvme.set_buffers(2, 4096).unwrap();
        rig.nvme
            .fill_buffer(crate::block::BufferId(1), 8, &[1, 2, 3]);
        let disks = rig.nvme.disks().to_vec();
        for round in 0..3 {
            // Leave the indices somewhere in the rings.
            for _ in 0..=round {
                assert!(rig.run(&request()).status.is_ok());
            }
            rig.hal.device().hold = true;
            rig.send(700, &request());
            rig.hal.step();
            assert_eq!(rig.nvme.in_flight(), 700);
            rig.nvme.reset().unwrap();
            rig.hal.device().hold = false;
            assert_eq!(rig.nvme.in_flight(), 0);
            assert!(rig.run(&request()).status.is_ok());
            rig.send(1023, &request());
            rig.hal.step();
            assert_eq!(rig.reap().len(), 1023);
        }
        let mut bytes = [0; 3];
        rig.nvme
            .read_buffer(crate::block::BufferId(1), 8, &mut bytes);
        assert_eq!(bytes, [1, 2, 3]);
        assert_eq!(rig.nvme.disks(), disks);
        rig.check();
    }
}

#[test]
fn a_reset_that_fails_leaves_a_dead_controller_that_can_be_tried_again() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.hal.device().faults.never_ready = true;
    assert!(matches!(
        rig.nvme.reset(),
        Err(ControllerError::TimedOut { .. })
    ));
    assert!(matches!(rig.nvme.health(), Health::Fault(_)));
    assert_eq!(rig.nvme.submit(Q, &request()), Err(SubmitError::Dead));
    rig.hal.device().faults.never_ready = false;
    rig.nvme.reset().unwrap();
    assert!(rig.run(&request()).status.is_ok());
}

#[test]
fn other_options_bring_other_queues() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    let resets = rig.hal.device().resets();
    rig.nvme.reconfigure(&plain()).unwrap();
    assert_eq!(
        rig.hal.device().resets(),
        resets,
        "nothing differs, nothing happens"
    );
    for (entries, queues) in [(64, 4), (64, 2), (2048, 2), (64, 3), (2, 1)] {
        let options = Options {
            queue_entries: Some(entries),
            queues: Some(queues),
            ..plain()
        };
        rig.nvme.reconfigure(&options).unwrap();
        let limits = *rig.nvme.limits();
        assert_eq!((limits.queue_entries, limits.queues), (entries, queues));
        let exist = rig.hal.device().io_queues();
        assert_eq!(exist, (usize::from(queues), entries));
        for _ in 0..3 {
            rig.send(entries - 1, &request());
            rig.hal.step();
            assert_eq!(rig.reap().len() as u32, entries - 1);
        }
    }
    rig.nvme.reconfigure(&Options::default()).unwrap();
    assert!(rig.nvme.uses_shadow_doorbells());
    assert!(rig.run(&request()).status.is_ok());
    rig.check();
}

#[test]
fn options_change_only_while_nothing_is_in_flight_and_when_they_make_sense() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.send(3, &request());
    let other = Options {
        queue_entries: Some(16),
        ..plain()
    };
    assert_eq!(
        rig.nvme.reconfigure(&other),
        Err(ControllerError::InFlight(3))
    );
    assert_eq!(
        rig.nvme.set_buffers(1, 4096),
        Err(ControllerError::InFlight(3))
    );
    let bad = Options {
        queue_entries: Some(1),
        ..plain()
    };
    let what = "queue_entries";
    let refused = ControllerError::BadOption { what, value: 1 };
    assert_eq!(rig.nvme.reconfigure(&bad), Err(refused));
    rig.hal.step();
    assert_eq!(rig.reap().len(), 3);
    rig.check();
}

#[test]
fn a_shutdown_is_announced_once_and_ends_in_off() {
    let mut rig = rig(NvmeConfig::default(), &Options::default());
    rig.nvme.set_buffers(1, 4096).unwrap();
    assert!(rig.run(&request()).status.is_ok());
    rig.nvme.shutdown();
    rig.nvme.shutdown();
    {
        let device = rig.hal.device();
        assert_eq!((device.shutdowns(), device.is_enabled()), (1, false));
    }
    assert_eq!(rig.nvme.submit(Q, &request()), Err(SubmitError::Dead));
    rig.nvme.reset().unwrap();
    assert!(rig.run(&request()).status.is_ok());
    rig.check();
}

#[test]
fn a_shutdown_that_is_never_reported_is_waited_for_within_bounds() {
    let vmware = Quirks::of(0x15ad, 0x07f0);
    assert!(vmware.never_reports_shutdown);
    assert!(!Quirks::of(0x1b36, 0x0010).never_reports_shutdown);
    assert_eq!(Quirks::of(0x80ee, 0x4e56), Quirks::default());
    for (quirks, wait_ms) in [(Quirks::default(), 5000), (vmware, 500)] {
        let hal = machine(NvmeConfig::default(), one_disk());
        let mut nvme = Nvme::start(hal.clone(), hal.mmio(), quirks, &plain()).unwrap();
        hal.device().faults.never_shut_down = true;
        let before = ms(&hal);
        nvme.shutdown();
        let took = ms(&hal) - before;
        assert!((wait_ms..wait_ms + 5).contains(&took), "{took}");
        assert!(!hal.device().is_enabled());
        check(&hal);
    }
}

#[test]
fn dropping_the_driver_stops_the_device_before_memory_goes() {
    let mut rig = rig(NvmeConfig::default(), &Options::default());
    rig.nvme.set_buffers(4, 65_536).unwrap();
    rig.hal.device().hold = true;
    rig.send(20, &request());
    rig.hal.step();
    drop(rig.nvme);
    assert!(!rig.hal.device().is_enabled());
    rig.hal.step();
    assert_eq!(rig.hal.memory().live_bytes(), 0);
    check(&rig.hal);
}

#[test]
fn a_device_that_cannot_be_stopped_keeps_its_memory() {
    let mut rig = rig(NvmeConfig::default(), &Options::default());
    rig.nvme.set_buffers(4, 65_536).unwrap();
    let live = rig.hal.memory().live_bytes();
    rig.hal.device().faults.never_off = true;
    rig.send(1, &request());
    rig.nvme.shutdown();
    assert_eq!(
        rig.nvme.set_buffers(1, 4096),
        Err(ControllerError::InFlight(1))
    );
    drop(rig.nvme);
    assert_eq!(rig.hal.memory().live_bytes(), live);
}

#[test]
fn buffers_can_be_replaced_and_fail_cleanly() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    let bare = rig.hal.memory().live_bytes();
    for (count, size) in [
        (1, 512),
        (3, 4096),
        (2, 12_288),
        (0, 0),
        (2, 5 << 20),
        (1, 4096),
    ] {
        rig.nvme.set_buffers(count, size).unwrap();
        if count > 0 {
            assert!(rig.run(&request()).status.is_ok());
        }
    }
    for left in 0..4 {
        rig.hal.memory().fail_after(Some(left));
        let made = rig.nvme.set_buffers(4, 12_288);
        assert!(matches!(made, Err(ControllerError::Dma(_))), "{left}");
        assert_eq!(rig.hal.memory().live_bytes(), bare, "an empty pool");
        assert_eq!(rig.nvme.submit(Q, &request()), Err(SubmitError::Invalid));
    }
    rig.hal.memory().fail_after(Some(4));
    assert!(
        rig.nvme.set_buffers(4, 12_288).is_err(),
        "no room for their lists"
    );
    assert_eq!(rig.hal.memory().live_bytes(), bare);
    rig.hal.memory().fail_after(None);
    rig.nvme.set_buffers(4, 12_288).unwrap();
    rig.check();
}
