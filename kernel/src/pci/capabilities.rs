//! How a function can interrupt.

use super::config::read;
use alloc::string::String;
use alloc::vec::Vec;
use pci_types::{ConfigRegionAccess, PciAddress, PciHeader};

const CAPABILITIES: u16 = 0x34;
const INTERRUPT: u16 = 0x3c;
const MSI: u8 = 0x05;
const MSIX: u8 = 0x11;
/// More capabilities than fit between the header and the end of 256 bytes.
const MOST: usize = 48;

/// Interrupt modes that a function offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interrupts {
    /// Vectors of the MSI-X table; 0 without MSI-X.
    pub msix_vectors: u16,
    /// Offset of the MSI capability; 0 without MSI.
    pub msi_offset: u8,
    /// Offset of the MSI-X capability; 0 without MSI-X.
    pub msix_offset: u8,
    /// INTx pin: 1 is A; 0 without INTx.
    pub pin: u8,
}

impl Interrupts {
    /// Reads a function's capability list and pin. A list that loops ends.
    pub(super) fn read(config: &impl ConfigRegionAccess, address: PciAddress) -> Self {
        let mut found = Self {
            pin: (read(config, address, INTERRUPT) >> 8) as u8,
            ..Self::default()
        };
        if !PciHeader::new(address).status(config).has_capability_list() {
            return found;
        }
        let mut offset = read(config, address, CAPABILITIES) as u8 & !0b11;
        for _ in 0..MOST {
            if offset == 0 {
                break;
            }
            let word = read(config, address, offset.into());
            match word as u8 {
                MSI => found.msi_offset = offset,
                MSIX => {
                    found.msix_offset = offset;
                    found.msix_vectors = (word >> 16) as u16 % 2048 + 1;
                }
                _ => {}
            }
            offset = (word >> 8) as u8 & !0b11;
        }
        found
    }

    /// Names as the result lists them, the best first: `msix`, `msi`, `intx`.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        [
            (self.msix_vectors != 0, "msix"),
            (self.msi_offset != 0, "msi"),
            (self.pin != 0, "intx"),
        ]
        .into_iter()
        .filter(|&(offered, _)| offered)
        .map(|(_, name)| name.into())
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Device, Machine};
    use super::*;

    #[test]
    fn capabilities_and_pin_are_found() {
        let device = Device::endpoint(0x15ad, 0x07c0)
            .with(INTERRUPT, 0x0000_0100)
            .with(0x04, 0x0010_0000)
            .with(CAPABILITIES, 0x40)
            .with(0x40, 0x0000_7c10)
            .with(0x7c, 0x0080_9005)
            .with(0x90, 0x0017_0011);
        let machine = Machine::new().at(0, 3, device);
        let found = Interrupts::read(&machine, PciAddress::new(0, 0, 3, 0));
        assert_eq!(found.names(), ["msix", "msi", "intx"]);
        assert_eq!(
            (found.msi_offset, found.msix_offset, found.msix_vectors),
            (0x7c, 0x90, 24)
        );
    }

    #[test]
    fn a_list_that_loops_ends() {
        let device = Device::endpoint(1, 1)
            .with(0x04, 0x0010_0000)
            .with(CAPABILITIES, 0x40)
            .with(0x40, 0x0000_4000);
        let machine = Machine::new().at(0, 3, device);
        let found = Interrupts::read(&machine, PciAddress::new(0, 0, 3, 0));
        assert_eq!(found.names(), [""; 0]);
    }
}
