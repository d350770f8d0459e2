//! Multiple APIC Description Table (ACPI 6.5, 5.2.12): processors and I/O APICs.

use super::bytes::{u16_at, u32_at, u64_at};
use alloc::vec::Vec;

const LOCAL_APIC_ADDRESS: usize = 36;
const FIRST_ENTRY: usize = 44;

const LOCAL_APIC: u8 = 0;
const IO_APIC: u8 = 1;
const SOURCE_OVERRIDE: u8 = 2;
/// Flags of an override (table 5.26).
const POLARITY: u16 = 0b11;
const POLARITY_LOW: u16 = 0b11;
const TRIGGER: u16 = 0b11 << 2;
const TRIGGER_LEVEL: u16 = 0b11 << 2;
const LOCAL_APIC_ADDRESS_OVERRIDE: u8 = 5;
const LOCAL_X2APIC: u8 = 9;

/// Flag of a processor that may be used now. One that is only "online capable"
/// is an empty hot-plug slot.
const ENABLED: u32 = 1;

/// What the kernel uses of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Madt {
    /// Physical address of each processor's local APIC.
    pub local_apic: u64,
    /// Local APIC ids of the usable processors, in the table's order, each once.
    pub apic_ids: Vec<u32>,
    /// I/O APICs.
    pub io_apics: Vec<IoApicEntry>,
    /// ISA interrupts that come in level-triggered: global number, active low.
    level_overrides: Vec<(u32, bool)>,
}

/// One I/O APIC (5.2.12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoApicEntry {
    /// Physical address of its registers.
    pub address: u64,
    /// Global number of its first pin.
    pub first_gsi: u32,
}

impl Madt {
    /// Reads a table; it stops at the first entry that makes no sense.
    #[must_use]
    pub fn parse(table: &[u8]) -> Self {
        let mut madt = Self {
            local_apic: u32_at(table, LOCAL_APIC_ADDRESS).map_or(0, u64::from),
            ..Self::default()
        };
        let mut rest = table.get(FIRST_ENTRY..).unwrap_or_default();
        while let &[kind, len, ..] = rest {
            let len = usize::from(len);
            if len < 2 || len > rest.len() {
                break;
            }
            let (entry, after) = rest.split_at(len);
            madt.add(kind, entry);
            rest = after;
        }
        madt
    }

    /// Usable processors; at least the one that runs this.
    #[must_use]
    pub fn cpus(&self) -> u32 {
        (self.apic_ids.len() as u32).max(1)
    }

    /// Whether an interrupt of the ISA bus comes in level-triggered at that global
    /// number; then, whether it is active low.
    #[must_use]
    pub fn level_override(&self, gsi: u32) -> Option<bool> {
        let mut overrides = self.level_overrides.iter();
        overrides.find(|(of, _)| *of == gsi).map(|(_, low)| *low)
    }

    fn add(&mut self, kind: u8, entry: &[u8]) {
        match kind {
            LOCAL_APIC => {
                self.add_processor(entry.get(3).map(|&id| u32::from(id)), u32_at(entry, 4))
            }
            IO_APIC => {
                if let (Some(address), Some(first_gsi)) = (u32_at(entry, 4), u32_at(entry, 8)) {
                    let address = u64::from(address);
                    self.io_apics.push(IoApicEntry { address, first_gsi });
                }
            }
            SOURCE_OVERRIDE => {
                if let (Some(gsi), Some(flags)) = (u32_at(entry, 4), u16_at(entry, 8))
                    && flags & TRIGGER == TRIGGER_LEVEL
                {
                    let low = flags & POLARITY == POLARITY_LOW;
                    self.level_overrides.push((gsi, low));
                }
            }
            LOCAL_X2APIC => self.add_processor(u32_at(entry, 4), u32_at(entry, 8)),
            LOCAL_APIC_ADDRESS_OVERRIDE => {
                if let Some(address) = u64_at(entry, 4) {
                    self.local_apic = address;
                }
            }
            _ => {}
        }
    }

    fn add_processor(&mut self, apic_id: Option<u32>, flags: Option<u32>) {
        let (Some(apic_id), Some(flags)) = (apic_id, flags) else {
            return;
        };
        if flags & ENABLED != 0 && !self.apic_ids.contains(&apic_id) {
            self.apic_ids.push(apic_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entries: &[&[u8]]) -> Vec<u8> {
        let mut table = alloc::vec![0; FIRST_ENTRY];
        table[LOCAL_APIC_ADDRESS..LOCAL_APIC_ADDRESS + 4]
            .copy_from_slice(&0xfee0_0000_u32.to_le_bytes());
        for entry in entries {
            table.extend_from_slice(entry);
        }
        table
    }

    #[test]
    fn enabled_processors_count_once_and_hot_plug_slots_do_not() {
        let madt = Madt::parse(&table(&[
            &[0, 8, 0, 0, 1, 0, 0, 0],
            &[1, 12, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0, 0],
            &[0, 8, 1, 2, 1, 0, 0, 0],
            &[0, 8, 2, 4, 2, 0, 0, 0],
            &[9, 16, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
            &[9, 16, 0, 0, 0x2c, 1, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0],
        ]));
        assert_eq!(madt.apic_ids, [0, 2, 300]);
        assert_eq!(madt.cpus(), 3);
        assert_eq!(madt.local_apic, 0xfee0_0000);
    }

    #[test]
    fn the_override_moves_the_local_apic() {
        let madt = Madt::parse(&table(&[&[5, 12, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]]));
        assert_eq!(madt.local_apic, 0x1_0000_0000);
    }

    #[test]
    fn io_apics_and_level_overrides_are_kept() {
        let madt = Madt::parse(&table(&[
            &[1, 12, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0, 0],
            &[1, 12, 1, 0, 0, 0x10, 0xc0, 0xfe, 24, 0, 0, 0],
            &[2, 10, 0, 0, 2, 0, 0, 0, 0, 0],
            &[2, 10, 0, 10, 10, 0, 0, 0, 0x0d, 0],
            &[2, 10, 0, 9, 9, 0, 0, 0, 0x0f, 0],
        ]));
        let gsis: Vec<_> = madt.io_apics.iter().map(|apic| apic.first_gsi).collect();
        assert_eq!(gsis, [0, 24]);
        assert_eq!(madt.io_apics[1].address, 0xfec0_1000);
        assert_eq!(madt.level_override(2), None, "as the ISA bus has it");
        assert_eq!(madt.level_override(10), Some(false));
        assert_eq!(madt.level_override(9), Some(true));
    }

    #[test]
    fn bad_lengths_end_the_walk() {
        let enabled: &[u8] = &[0, 8, 0, 7, 1, 0, 0, 0];
        for bad in [&[0, 0][..], &[0, 1], &[0, 200, 1, 1], &[0]] {
            assert_eq!(Madt::parse(&table(&[enabled, bad])).apic_ids, [7]);
        }
        assert_eq!(Madt::parse(&[0; 10]).cpus(), 1);
    }
}
