//! Start, features and discovery.

use super::*;
use crate::block::{ControllerError, DiskAddress};
use crate::fake::scsi::ScsiUnit;
use crate::hal::Hal;
use crate::hal::Mmio;

fn fails(machine: &Machine, options: &Options) -> ControllerError {
    let mmio = machine.mmio();
    Pvscsi::start(machine.clone(), mmio, options)
        .err()
        .expect("the start fails")
}

/// Command numbers written to the command register, in order.
fn commands(machine: &Machine) -> Vec<u64> {
    let writes = machine.recorded_writes();
    let commands = writes.iter().filter(|write| write.offset == 0);
    commands.map(|write| write.value).collect()
}

#[test]
fn bring_up_has_this_order_on_qemu() {
    let machine = one_disk();
    machine.record_writes(true);
    let adapter = start(&machine, 1);
    // Targets twice, reset, rings, messages (probe, set-up), threshold (probe).
    assert_eq!(commands(&machine), [11, 7, 1, 3, 8, 8, 10]);
    let writes = machine.recorded_writes();
    assert_eq!((writes[0].offset, writes[0].value), (0x2010, 0));
    assert_eq!(adapter.limits().max_targets, 65);
    assert!(adapter.features().messages);
    assert!(!adapter.features().call_threshold);
    assert_clean(&machine);
}

#[test]
fn bring_up_finds_what_esxi_offers() {
    let machine = esxi(ScsiBus::with_disk(100, 512));
    machine.device().quirks.max_targets = Some(16);
    machine.record_writes(true);
    let adapter = start(&machine, 8);
    assert_eq!(commands(&machine), [11, 1, 3, 8, 8, 10, 10]);
    assert_eq!(adapter.limits().max_targets, 16);
    assert!(adapter.features().call_threshold);
}

#[test]
fn the_configuration_page_tells_the_targets_too() {
    let machine = esxi(ScsiBus::with_disk(100, 512));
    machine.device().quirks.max_targets = None;
    machine.device().quirks.config_targets = Some(33);
    let adapter = start(&machine, 8);
    assert_eq!(adapter.limits().max_targets, 33);
    assert_clean(&machine);
}

#[test]
fn an_implausible_number_of_targets_is_not_believed() {
    let machine = esxi(ScsiBus::with_disk(100, 512));
    machine.device().quirks.max_targets = Some(100_000);
    machine.device().quirks.config_targets = Some(0);
    assert_eq!(start(&machine, 8).limits().max_targets, 65);
}

#[test]
fn all_units_of_all_targets_are_found_but_esxis_own() {
    let bus = || {
        let mut bus = ScsiBus::new();
        for target in [0, 6, 7, 64] {
            bus.insert(target, 0, ScsiUnit::disk(8 + u64::from(target), 512));
        }
        bus.insert(64, 5, ScsiUnit::disk(8, 512));
        bus
    };
    let found = |machine: &Machine| -> Vec<(u16, u16)> {
        let adapter = start(machine, 1);
        let addresses = adapter.disks().iter().map(|disk| match disk.address {
            DiskAddress::Scsi { target, lun } => (target, lun),
            DiskAddress::Namespace(_) => panic!("a namespace on a SCSI bus"),
        });
        addresses.collect()
    };
    assert_eq!(
        found(&qemu(bus())),
        [(0, 0), (6, 0), (7, 0), (64, 0), (64, 5)]
    );
    assert_eq!(found(&esxi(bus())), [(0, 0), (6, 0), (64, 0), (64, 5)]);
}

#[test]
fn other_ring_sizes_are_refused_before_the_device_sees_them() {
    for pages in [0, 3, 5, 31, 33, 64, 256] {
        let machine = one_disk();
        let refused = ControllerError::BadOption {
            what: "ring_pages",
            value: u64::from(pages),
        };
        assert_eq!(fails(&machine, &options(pages)), refused);
        assert_eq!(machine.mmio().counts(), Default::default());
        assert_eq!(machine.memory().allocations(), 0);
    }
}

#[test]
fn the_rings_have_the_asked_size() {
    for (pages, completions) in [
        (1, 128),
        (2, 128),
        (4, 128),
        (8, 256),
        (16, 512),
        (32, 1024),
    ] {
        let machine = one_disk();
        let adapter = start(&machine, pages);
        let entries = u32::from(pages) * 32;
        assert_eq!(machine.device().ring_entries(), (entries, completions));
        assert_eq!(adapter.limits().max_in_flight, entries);
        assert_eq!(adapter.limits().ring_pages, pages);
    }
}

#[test]
fn refused_rings_are_an_error() {
    let machine = one_disk();
    machine.device().refuses_rings = true;
    let refused = ControllerError::Refused {
        what: "SETUP_RINGS",
        answer: u64::from(u32::MAX),
    };
    assert_eq!(fails(&machine, &options(1)), refused);
}

#[test]
fn a_small_bar_is_refused() {
    struct Small;
    impl Mmio for Small {
        fn read8(&self, _: usize) -> u8 {
            panic!("no access is made")
        }
        fn read16(&self, _: usize) -> u16 {
            panic!("no access is made")
        }
        fn write8(&self, _: usize, _: u8) {
            panic!("no access is made")
        }
        fn write16(&self, _: usize, _: u16) {
            panic!("no access is made")
        }
        fn read32(&self, _: usize) -> u32 {
            panic!("no access is made")
        }
        fn read64(&self, _: usize) -> u64 {
            panic!("no access is made")
        }
        fn write32(&self, _: usize, _: u32) {
            panic!("no access is made")
        }
        fn write64(&self, _: usize, _: u64) {
            panic!("no access is made")
        }
        fn len_bytes(&self) -> usize {
            0x1000
        }
        fn counts(&self) -> crate::hal::MmioCounts {
            Default::default()
        }
    }
    struct SmallHal(Machine);
    impl Hal for SmallHal {
        type Mmio = Small;
        type Region = crate::fake::FakeRegion;
        type Clock = crate::fake::FakeClock;
        fn allocate(
            &self,
            layout: crate::hal::DmaLayout,
        ) -> Result<Self::Region, crate::hal::DmaError> {
            self.0.memory().allocate(layout)
        }
        fn clock(&self) -> &Self::Clock {
            self.0.clock()
        }
    }
    let error = Pvscsi::start(SmallHal(one_disk()), Small, &options(1)).err();
    assert!(matches!(
        error,
        Some(ControllerError::Refused { answer: 0x1000, .. })
    ));
}
