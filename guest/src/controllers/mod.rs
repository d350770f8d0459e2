//! The kinds of controllers, one file each: which functions are driven and how.
//!
//! What is done with a controller is compiled here, where its type is known: its
//! driver, and the loops of plain rows.

mod lsisas;
mod nvme;
mod pvscsi;
mod virtio_scsi;

use kernel::adapters::Driver;

/// All kinds.
pub static DRIVERS: [&Driver; 4] = [
    &pvscsi::DRIVER,
    &lsisas::DRIVER,
    &nvme::DRIVER,
    &virtio_scsi::DRIVER,
];

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::adapters::Registers;
    use kernel::pci::{Function, Interrupts};

    fn driver_of(function: &Function) -> Option<&'static Driver> {
        let mut drivers = DRIVERS.iter();
        drivers.find(|driver| (driver.drives)(function)).copied()
    }

    fn function(vendor: u16, device: u16, class: [u8; 3]) -> Function {
        Function::without_bars("00:03.0", vendor, device, class, Interrupts::default())
    }

    #[test]
    fn pvscsi_is_known_by_its_id_whatever_its_class() {
        for class in [[1, 0, 0], [1, 7, 0]] {
            let driver = driver_of(&function(0x15ad, 0x07c0, class));
            assert_eq!(driver.map(|driver| driver.kind), Some("pvscsi"));
        }
        assert!(driver_of(&function(0x15ad, 0x0405, [3, 0, 0])).is_none());
        assert!(driver_of(&function(0x1000, 0x07c0, [1, 7, 0])).is_none());
    }

    #[test]
    fn lsisas_is_known_by_its_id_and_its_parallel_sibling_is_not() {
        for class in [[1, 0, 0], [1, 7, 0]] {
            let driver = driver_of(&function(0x1000, 0x0054, class));
            assert_eq!(driver.map(|driver| driver.kind), Some("lsisas"));
        }
        assert!(driver_of(&function(0x1000, 0x0030, [1, 0, 0])).is_none());
    }

    #[test]
    fn nvme_is_known_by_its_class_whoever_made_it() {
        for (vendor, device) in [(0x1b36, 0x0010), (0x15ad, 0x07f0), (0x80ee, 0x4e56)] {
            let driver = driver_of(&function(vendor, device, [1, 8, 2]));
            assert_eq!(driver.map(|driver| driver.kind), Some("nvme"));
        }
        assert!(driver_of(&function(0x1b36, 0x0010, [1, 8, 1])).is_none());
    }

    #[test]
    fn virtio_scsi_is_known_by_both_ids_and_refused_without_a_modern_interface() {
        for device in [0x1004, 0x1048] {
            let found = function(0x1af4, device, [1, 0, 0]);
            let driver = driver_of(&found).unwrap();
            assert_eq!(driver.kind, "virtio-scsi");
            let Registers::Named(bar_of) = driver.registers else {
                panic!("its capabilities name the BAR");
            };
            assert!(bar_of(&found).unwrap_err().contains("disable-modern=on"));
        }
        assert!(driver_of(&function(0x1af4, 0x1042, [1, 0, 0])).is_none());
    }
}
