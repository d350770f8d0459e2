//! A machine of configuration spaces in memory.
#![expect(
    unsafe_code,
    reason = "the trait that stands for configuration space declares unsafe methods"
)]

use core::cell::Cell;
use pci_types::{ConfigRegionAccess, PciAddress};

/// One function; a bridge has others behind it.
pub struct Device {
    registers: [Cell<u32>; 64],
    /// Bits that a write changes.
    writable: [u32; 64],
    behind: alloc::vec::Vec<(u8, Device)>,
    is_bridge: bool,
}

impl Device {
    /// An endpoint without BARs.
    pub fn endpoint(vendor: u16, device: u16) -> Self {
        let mut new = Self {
            registers: [const { Cell::new(0) }; 64],
            writable: [0; 64],
            behind: alloc::vec::Vec::new(),
            is_bridge: false,
        };
        new.writable[1] = 0xffff;
        new.with(0, u32::from(device) << 16 | u32::from(vendor))
    }

    /// A bridge with those devices behind it, its window registers as after reset.
    pub fn bridge(behind: impl IntoIterator<Item = (u8, Self)>) -> Self {
        let mut new = Self::endpoint(0x1b36, 0x000c)
            .with(0x08, 0x0604_0000)
            .with(0x0c, 0x0001_0000)
            .with(0x24, 0x0001_0001);
        new.writable[0x18 / 4] = 0x00ff_ffff;
        new.writable[0x20 / 4] = 0xfff0_fff0;
        new.writable[0x24 / 4] = 0xfff0_fff0;
        new.writable[0x28 / 4] = u32::MAX;
        new.writable[0x2c / 4] = u32::MAX;
        new.is_bridge = true;
        new.behind = behind.into_iter().collect();
        new
    }

    /// Sets a register.
    pub fn with(self, offset: u16, value: u32) -> Self {
        self.registers[usize::from(offset / 4)].set(value);
        self
    }

    /// Lets these bits of a register be written.
    pub fn writable(mut self, offset: u16, mask: u32) -> Self {
        self.writable[usize::from(offset / 4)] = mask;
        self
    }

    /// Adds a 32-bit memory BAR.
    pub fn bar32(self, index: usize, size: u32, address: u32) -> Self {
        self.bar(4 + index, size.wrapping_neg(), address, 0)
    }

    /// Adds a prefetchable 64-bit memory BAR.
    pub fn bar64(self, index: usize, size: u64, address: u64) -> Self {
        let mask = size.wrapping_neg();
        self.bar(4 + index, mask as u32, address as u32, 0xc).bar(
            5 + index,
            (mask >> 32) as u32,
            (address >> 32) as u32,
            0,
        )
    }

    fn bar(mut self, register: usize, mask: u32, address: u32, kind: u32) -> Self {
        self.writable[register] = mask & !if kind == 0 { 0 } else { 0xf };
        self.registers[register].set(address | kind);
        self
    }

    fn on_bus(&self, bus: u8, device: u8) -> Option<&Self> {
        let numbers = self.registers[0x18 / 4].get();
        let (secondary, subordinate) = ((numbers >> 8) as u8, (numbers >> 16) as u8);
        if !self.is_bridge || secondary == 0 {
            return None;
        }
        if secondary == bus {
            return find(&self.behind, device);
        }
        if (secondary..=subordinate).contains(&bus) {
            return self
                .behind
                .iter()
                .find_map(|(_, inner)| inner.on_bus(bus, device));
        }
        None
    }
}

fn find(devices: &[(u8, Device)], number: u8) -> Option<&Device> {
    devices
        .iter()
        .find(|(at, _)| *at == number)
        .map(|(_, device)| device)
}

/// The devices of bus 0.
#[derive(Default)]
pub struct Machine {
    devices: alloc::vec::Vec<(u8, Device)>,
}

impl Machine {
    /// A machine without devices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a single-function device on bus 0.
    pub fn at(mut self, bus: u8, device: u8, what: Device) -> Self {
        assert_eq!(bus, 0, "devices behind bridges are given with the bridge");
        self.devices.push((device, what));
        self
    }

    fn device(&self, address: PciAddress) -> Option<&Device> {
        if address.function() != 0 {
            return None;
        }
        let (bus, number) = (address.bus(), address.device());
        if bus == 0 {
            return find(&self.devices, number);
        }
        self.devices
            .iter()
            .find_map(|(_, device)| device.on_bus(bus, number))
    }
}

impl ConfigRegionAccess for Machine {
    unsafe fn read(&self, address: PciAddress, offset: u16) -> u32 {
        self.device(address).map_or(u32::MAX, |device| {
            device.registers[usize::from(offset / 4)].get()
        })
    }

    unsafe fn write(&self, address: PciAddress, offset: u16, value: u32) {
        if let Some(device) = self.device(address) {
            let register = usize::from(offset / 4);
            let writable = device.writable[register];
            let old = device.registers[register].get();
            device.registers[register].set(old & !writable | value & writable);
        }
    }
}
