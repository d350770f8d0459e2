//! Capabilities of a function: how it can interrupt, and what its maker adds.

use super::config::read;
use alloc::string::String;
use alloc::vec::Vec;
use pci_types::{ConfigRegionAccess, PciAddress, PciHeader};

const CAPABILITIES: u16 = 0x34;
const INTERRUPT: u16 = 0x3c;
const MSI: u8 = 0x05;
const MSIX: u8 = 0x11;
const VENDOR: u8 = 0x09;
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
        for (offset, word) in walk(config, address) {
            match word as u8 {
                MSI => found.msi_offset = offset,
                MSIX => {
                    found.msix_offset = offset;
                    found.msix_vectors = (word >> 16) as u16 % 2048 + 1;
                }
                _ => {}
            }
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

/// Offset and first word of each capability, in order. A list that loops ends.
fn walk(config: &impl ConfigRegionAccess, address: PciAddress) -> Vec<(u8, u32)> {
    let mut found = Vec::new();
    if !PciHeader::new(address).status(config).has_capability_list() {
        return found;
    }
    let mut offset = read(config, address, CAPABILITIES) as u8 & !0b11;
    while offset != 0 && found.len() < MOST {
        let word = read(config, address, offset.into());
        found.push((offset, word));
        offset = (word >> 8) as u8 & !0b11;
    }
    found
}

/// The bytes of each vendor-specific capability (id 09), whose third byte is its
/// length (PCI 3.0, appendix H), in order; as many whole words as lie inside the
/// first 256 bytes.
pub(super) fn vendor_capabilities(
    config: &impl ConfigRegionAccess,
    address: PciAddress,
) -> Vec<Vec<u8>> {
    let bytes_of = |offset: u8, word: u32| -> Vec<u8> {
        let end = u16::from(offset) + u16::from((word >> 16) as u8);
        (u16::from(offset)..end.min(256))
            .step_by(4)
            .flat_map(|at| read(config, address, at).to_le_bytes())
            .collect()
    };
    walk(config, address)
        .into_iter()
        .filter(|(_, word)| *word as u8 == VENDOR)
        .map(|(offset, word)| bytes_of(offset, word))
        .collect()
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
    fn vendor_capabilities_are_read_as_long_as_they_say() {
        let device = Device::endpoint(0x1af4, 0x1004)
            .with(0x04, 0x0010_0000)
            .with(CAPABILITIES, 0x84)
            .with(0x84, 0x0214_f809)
            .with(0x88, 0x0403_0201)
            .with(0x94, 0x1000)
            .with(0x98, 0xffff_ffff)
            .with(0xf8, 0x0110_0009);
        let machine = Machine::new().at(0, 3, device);
        let found = vendor_capabilities(&machine, PciAddress::new(0, 0, 3, 0));
        assert_eq!(found[0].len(), 20);
        assert_eq!(found[0][..8], [9, 0xf8, 0x14, 2, 1, 2, 3, 4]);
        assert_eq!(found[0][16..], [0, 0x10, 0, 0]);
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[1].len(),
            8,
            "the end of what the capability can lie in"
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
