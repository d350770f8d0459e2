//! Start, features and discovery.

use super::*;
use crate::block::DiskAddress;
use crate::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiUnit};
use crate::hal::Mmio;

fn fails(machine: &Machine) -> ControllerError {
    fails_with(machine, &Options::default())
}

fn fails_with(machine: &Machine, options: &Options) -> ControllerError {
    try_start(machine, options).err().expect("the start fails")
}

/// Values written to the device status, in order.
fn statuses(machine: &Machine) -> Vec<u64> {
    let writes = machine.recorded_writes();
    let statuses = writes.iter().filter(|write| write.offset == 0x14);
    statuses.map(|write| write.value).collect()
}

#[test]
fn bring_up_has_this_order() {
    let machine = one_disk();
    machine.record_writes(true);
    let adapter = start(&machine);
    assert_eq!(statuses(&machine), [0, 1, 3, 0xb, 0xf]);
    let writes = machine.recorded_writes();
    assert_eq!((writes[0].offset, writes[0].value), (0x14, 0));
    let features = adapter.features();
    assert!(features.indirect_descriptors && features.event_index);
    assert!(features.hot_plug && features.changes);
    assert_eq!(
        machine.device().features(),
        1 << 1 | 1 << 2 | 1 << 28 | 1 << 29 | 1 << 32
    );
    assert_eq!(machine.device().queue_entries(0), 16);
    assert_eq!(machine.device().queue_entries(1), 16);
    assert_eq!(machine.device().queue_entries(2), 256);
    assert_eq!(machine.device().vectors(), [0xffff; 4]);
    assert_eq!(machine.device().seen.event_kicks, 1, "buffers are posted");
    assert_clean(&machine);
}

#[test]
fn limits_are_what_the_device_says() {
    let machine = one_disk();
    let adapter = start(&machine);
    let limits = adapter.limits();
    assert_eq!((limits.queues, limits.queue_entries), (1, 256));
    assert_eq!((limits.max_in_flight, limits.max_batch), (128, 128));
    assert_eq!(limits.max_transfer_bytes, 65_535 * 512);
    assert_eq!(limits.max_targets, 256);
    assert_eq!(adapter.features().max_lun, 16_383);
}

#[test]
fn a_device_without_version_1_is_refused_by_name() {
    let legacy = 1 << 28 | 1 << 29;
    let machine = offering(Offers {
        features: legacy,
        ..Offers::default()
    });
    let refused = ControllerError::Refused {
        what: "the modern interface of virtio (VERSION_1)",
        answer: legacy,
    };
    assert_eq!(fails(&machine), refused);
    assert_eq!(machine.device().features(), 0);
}

#[test]
fn features_that_are_refused_end_the_start() {
    let machine = offering(Offers {
        insists_on: 1 << 40,
        ..Offers::default()
    });
    assert!(
        matches!(fails(&machine), ControllerError::Refused { what, .. }
        if what.contains("FEATURES_OK"))
    );
    assert_eq!(machine.device().device_status() & 4, 0, "it never runs");
}

#[test]
fn only_what_is_offered_is_accepted() {
    let platform = 1 << 32 | 1 << 33;
    let machine = offering(Offers {
        features: platform,
        insists_on: platform,
        ..Offers::default()
    });
    let mut adapter = ready(&machine);
    assert_eq!(machine.device().features(), platform);
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert_eq!(machine.device().seen.indirect, 0);
    assert_clean(&machine);
}

#[test]
fn a_configuration_without_sense_is_refused() {
    let all = Offers::default();
    for offers in [
        Offers {
            request_queues: 0,
            ..all
        },
        Offers {
            max_segments: 0,
            ..all
        },
        Offers {
            max_sectors: 0,
            ..all
        },
        Offers {
            commands_per_unit: 0,
            ..all
        },
        Offers { entries: 1, ..all },
        Offers { entries: 0, ..all },
        direct(2),
    ] {
        let error = fails(&offering(offers));
        assert!(
            matches!(error, ControllerError::Refused { .. }),
            "{error:?}"
        );
    }
}

#[test]
fn sizes_that_firmware_changed_are_set_back() {
    use crate::fake::FakeDevice;
    let machine = one_disk();
    // The model's reset restores them; this one's does not.
    machine.device().keeps_sizes = true;
    machine.device().write32(0x2014, 252);
    machine.device().write32(0x2018, 16);
    let mut adapter = ready(&machine);
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert_clean(&machine);
}

#[test]
fn what_firmware_left_running_is_reset_and_the_reset_is_awaited() {
    let machine = offering(Offers {
        reset_reads: 5,
        ..Offers::default()
    });
    let mut adapter = ready(&machine);
    assert_eq!(machine.device().seen.resets, 1);
    assert_eq!(machine.device().quirks.reset_reads, 0);
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    let machine = offering(Offers {
        reset_reads: u32::MAX,
        ..Offers::default()
    });
    let timed_out = ControllerError::TimedOut {
        what: "reset",
        after_ms: 2_000,
    };
    assert_eq!(fails(&machine), timed_out);
}

#[test]
fn all_units_of_all_targets_are_found_at_their_address() {
    let mut bus = ScsiBus::new();
    let addresses = [
        (0, 0),
        (6, 0),
        (6, 3),
        (64, 0),
        (64, 255),
        (64, 256),
        (255, 0),
        (255, 16_383),
    ];
    for (target, lun) in addresses {
        let blocks = 8 + u64::from(target) * 100_000 + u64::from(lun);
        bus.insert(target, lun, ScsiUnit::disk(blocks, 512));
    }
    let machine = qemu(bus);
    let adapter = start(&machine);
    let found = adapter.disks().iter().map(|disk| match disk.address {
        DiskAddress::Scsi { target, lun } => {
            let blocks = 8 + u64::from(target) * 100_000 + u64::from(lun);
            assert_eq!(disk.blocks, blocks);
            (target, lun)
        }
        DiskAddress::Namespace(_) => panic!("a namespace on a SCSI bus"),
    });
    assert_eq!(found.collect::<Vec<_>>(), addresses);
    assert_clean(&machine);
}

#[test]
fn targets_end_where_the_device_says() {
    let mut bus = ScsiBus::with_disk(100, 512);
    bus.insert(3, 0, ScsiUnit::disk(100, 512));
    bus.insert(4, 0, ScsiUnit::disk(100, 512));
    let offers = Offers {
        max_target: 3,
        ..Offers::default()
    };
    let machine = FakeHal::new(|memory| VirtioModel::with(memory, bus, offers));
    let adapter = start(&machine);
    assert_eq!(adapter.disks().len(), 2);
    assert_eq!(adapter.limits().max_targets, 4);
}

#[test]
fn bad_options_are_refused_before_the_device_sees_them() {
    let none = Options::default();
    for (what, value, options) in [
        (
            "queue_entries",
            0,
            Options {
                queue_entries: Some(0),
                ..none
            },
        ),
        (
            "queue_entries",
            100,
            Options {
                queue_entries: Some(100),
                ..none
            },
        ),
        (
            "queue_entries",
            65_536,
            Options {
                queue_entries: Some(65_536),
                ..none
            },
        ),
        (
            "queues",
            0,
            Options {
                queues: Some(0),
                ..none
            },
        ),
    ] {
        let machine = one_disk();
        let refused = ControllerError::BadOption { what, value };
        assert_eq!(fails_with(&machine, &options), refused);
        assert_eq!(machine.mmio().counts(), Default::default());
        assert_eq!(machine.memory().allocations(), 0);
    }
}

#[test]
fn a_silent_unit_is_noted_though_nothing_can_be_aborted() {
    // Only a reset helps.
    let mut bus = ScsiBus::with_disk(100, 512);
    bus.insert(1, 0, ScsiUnit::disk(200, 512));
    bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Any,
        kind: FaultKind::Lost,
        times: 1,
    });
    let machine = qemu(bus);
    machine.device().deaf = true;
    let mut adapter = ready(&machine);
    assert_eq!(
        adapter.ignored()[0].reason,
        "no answer to TEST UNIT READY within 5000 ms"
    );
    assert_eq!(adapter.disks()[0].blocks, 200);
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert_clean(&machine);
}

#[test]
fn structures_outside_the_bar_are_refused() {
    let good = regions();
    for bad in [
        super::super::Regions {
            common: 0x3fd0,
            ..good
        },
        super::super::Regions {
            device: 0x3fe0,
            ..good
        },
        super::super::Regions {
            isr: 0x4000,
            ..good
        },
        super::super::Regions {
            notify: 0x3fff,
            ..good
        },
        super::super::Regions {
            notify_multiplier: 0x1000,
            ..good
        },
    ] {
        let machine = one_disk();
        let (quirks, options) = (Quirks::default(), Options::default());
        let error = VirtioScsi::start(machine.clone(), machine.mmio(), bad, quirks, &options).err();
        assert!(
            matches!(error, Some(ControllerError::Refused { .. })),
            "{bad:?}"
        );
    }
}
