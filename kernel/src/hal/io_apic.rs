//! I/O APICs: where interrupt lines become messages to a processor (Intel 82093AA).
#![expect(unsafe_code, reason = "a firmware table names the registers' address")]

use super::MmioRegion;
use crate::memory::mmio;
use drivers::hal::Mmio;

/// Register select, register window.
const SELECT: usize = 0x00;
const WINDOW: usize = 0x10;
const REGISTER_BYTES: usize = 0x20;
/// Version; bits 16..24 are the highest pin.
const VERSION: u32 = 0x01;
/// Redirection of pin 0, two registers for each pin.
const FIRST_PIN: u32 = 0x10;
const ACTIVE_LOW: u32 = 1 << 13;
const LEVEL: u32 = 1 << 15;
const MASKED: u32 = 1 << 16;

/// One I/O APIC.
#[derive(Debug)]
pub struct IoApic {
    registers: MmioRegion,
    /// Global number of its first pin.
    pub first_gsi: u32,
    /// Its pins.
    pub pins: u32,
}

impl IoApic {
    /// The one at `address`, with all pins masked. `None` if nothing answers there.
    #[must_use]
    pub fn start(address: u64, first_gsi: u32) -> Option<Self> {
        let base = mmio::map(address, REGISTER_BYTES)?;
        // SAFETY: just mapped, for good; the MADT names it as an I/O APIC, which is
        // aligned to 16 (ACPI 6.5, 5.2.12.3).
        let registers = unsafe { MmioRegion::new(base, REGISTER_BYTES) };
        let mut apic = Self {
            registers,
            first_gsi,
            pins: 0,
        };
        let version = apic.read(VERSION);
        if version == u32::MAX {
            return None;
        }
        apic.pins = (version >> 16 & 0xff) + 1;
        for pin in 0..apic.pins {
            apic.mask(pin);
        }
        Some(apic)
    }

    /// Sends a level-triggered pin to the processor of that id as `vector`.
    pub fn route_level(&self, pin: u32, active_low: bool, vector: u8, processor: u8) {
        let polarity = if active_low { ACTIVE_LOW } else { 0 };
        self.mask(pin);
        self.write(FIRST_PIN + 2 * pin + 1, u32::from(processor) << 24);
        self.write(FIRST_PIN + 2 * pin, LEVEL | polarity | u32::from(vector));
    }

    /// Sends nothing of it any more.
    pub fn mask(&self, pin: u32) {
        self.write(FIRST_PIN + 2 * pin, MASKED);
    }

    fn read(&self, register: u32) -> u32 {
        self.registers.write32(SELECT, register);
        self.registers.read32(WINDOW)
    }

    fn write(&self, register: u32, value: u32) {
        self.registers.write32(SELECT, register);
        self.registers.write32(WINDOW, value);
    }
}
