//! Configuration space: ports where they answer, else memory (ECAM).
#![expect(
    unsafe_code,
    reason = "configuration writes move and start devices; this module is the only one that makes them"
)]

use crate::acpi::EcamRange;
use crate::hal::MmioRegion;
use crate::hal::port::IoPort;
use crate::memory::mmio;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;
use drivers::hal::Mmio;
use pci_types::{ConfigRegionAccess, PciAddress};

const ADDRESS: u16 = 0xcf8;
const DATA: u16 = 0xcfc;
/// CONFIG_ADDRESS: enable (PCI 3.0, 3.2.2.3.2).
const ENABLE: u32 = 1 << 31;
/// Configuration space of one bus in memory.
const BUS_BYTES: u64 = 1 << 20;

/// Access to configuration space of segment 0. Reads of nothing give all ones.
#[derive(Debug)]
pub struct Config {
    mechanism: Mechanism,
}

#[derive(Debug)]
enum Mechanism {
    /// Configuration mechanism 1.
    Ports {
        address: IoPort<u32>,
        data: IoPort<u32>,
    },
    /// Memory, mapped bus by bus as needed.
    Memory {
        ranges: Vec<EcamRange>,
        buses: RefCell<BTreeMap<u8, Option<MmioRegion>>>,
    },
}

impl Config {
    /// Ports, if a host bridge answers there; else the memory that the MCFG names.
    /// `None` where there is neither: no PCI.
    #[must_use]
    pub fn new(ecam: &[EcamRange]) -> Option<Self> {
        // SAFETY: the pair only reaches configuration space, which nothing but
        // this value touches; what a write there may do is said at each one.
        let address = unsafe { IoPort::<u32>::new(ADDRESS) };
        // SAFETY: as above.
        let data = unsafe { IoPort::<u32>::new(DATA) };
        address.write(ENABLE);
        if address.read() == ENABLE {
            let mechanism = Mechanism::Ports { address, data };
            return Some(Self { mechanism });
        }
        let ranges: Vec<_> = ecam
            .iter()
            .filter(|range| range.segment == 0)
            .copied()
            .collect();
        (!ranges.is_empty()).then(|| Self {
            mechanism: Mechanism::Memory {
                ranges,
                buses: RefCell::default(),
            },
        })
    }

    fn read(&self, address: PciAddress, offset: u16) -> u32 {
        match &self.mechanism {
            Mechanism::Ports {
                address: port,
                data,
            } => {
                port.write(selector(address, offset));
                data.read()
            }
            Mechanism::Memory { ranges, buses } => {
                let mut buses = buses.borrow_mut();
                bus(ranges, &mut buses, address)
                    .map_or(u32::MAX, |bus| bus.read32(bus_offset(address, offset)))
            }
        }
    }

    fn write(&self, address: PciAddress, offset: u16, value: u32) {
        match &self.mechanism {
            Mechanism::Ports {
                address: port,
                data,
            } => {
                port.write(selector(address, offset));
                data.write(value);
            }
            Mechanism::Memory { ranges, buses } => {
                let mut buses = buses.borrow_mut();
                if let Some(bus) = bus(ranges, &mut buses, address) {
                    bus.write32(bus_offset(address, offset), value);
                }
            }
        }
    }
}

impl ConfigRegionAccess for Config {
    unsafe fn read(&self, address: PciAddress, offset: u16) -> u32 {
        self.read(address, offset)
    }

    unsafe fn write(&self, address: PciAddress, offset: u16, value: u32) {
        self.write(address, offset, value);
    }
}

/// Reads an aligned register. Reading configuration space changes nothing that
/// the kernel relies on.
pub(super) fn read(config: &impl ConfigRegionAccess, address: PciAddress, offset: u16) -> u32 {
    // SAFETY: every address may be read; a function that is not there reads as ones.
    unsafe { config.read(address, offset) }
}

/// Writes an aligned register. Callers in this module write bus numbers, windows,
/// BARs and command bits only, and BARs only with addresses that no memory has.
pub(super) fn write(
    config: &impl ConfigRegionAccess,
    address: PciAddress,
    offset: u16,
    value: u32,
) {
    // SAFETY: the function exists, and the callers keep what is said above.
    unsafe { config.write(address, offset, value) };
}

/// CONFIG_ADDRESS for a register below 256.
fn selector(address: PciAddress, offset: u16) -> u32 {
    ENABLE
        | u32::from(address.bus()) << 16
        | u32::from(address.device()) << 11
        | u32::from(address.function()) << 8
        | u32::from(offset & 0xfc)
}

/// Where a register lies in its bus's memory.
fn bus_offset(address: PciAddress, offset: u16) -> usize {
    usize::from(address.device()) << 15
        | usize::from(address.function()) << 12
        | usize::from(offset & 0xffc)
}

fn bus<'a>(
    ranges: &[EcamRange],
    buses: &'a mut BTreeMap<u8, Option<MmioRegion>>,
    address: PciAddress,
) -> Option<&'a MmioRegion> {
    let number = address.bus();
    let mapped = buses.entry(number).or_insert_with(|| {
        let range = ranges
            .iter()
            .find(|range| (range.first_bus..=range.last_bus).contains(&number))?;
        let start = range.base + u64::from(number) * BUS_BYTES;
        let base = mmio::map(start, BUS_BYTES as usize)?;
        // SAFETY: just mapped, for good; firmware reserves it for this purpose.
        Some(unsafe { MmioRegion::new(base, BUS_BYTES as usize) })
    });
    mapped.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_mechanisms_address_the_same_register() {
        let address = PciAddress::new(0, 2, 0x1c, 3);
        assert_eq!(selector(address, 0x10), 0x8002_e310);
        assert_eq!(bus_offset(address, 0x10), 0xe3010);
        assert_eq!(bus_offset(address, 0x104), 0xe3104);
    }
}
