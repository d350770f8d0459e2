//! Multiple APIC Description Table (ACPI 6.5, 5.2.12): the processors.

use super::bytes::{u32_at, u64_at};
use alloc::vec::Vec;

const LOCAL_APIC_ADDRESS: usize = 36;
const FIRST_ENTRY: usize = 44;

const LOCAL_APIC: u8 = 0;
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
}

impl Madt {
    /// Reads a table; it stops at the first entry that makes no sense.
    #[must_use]
    pub fn parse(table: &[u8]) -> Self {
        let mut madt = Self {
            local_apic: u32_at(table, LOCAL_APIC_ADDRESS).map_or(0, u64::from),
            apic_ids: Vec::new(),
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

    fn add(&mut self, kind: u8, entry: &[u8]) {
        match kind {
            LOCAL_APIC => {
                self.add_processor(entry.get(3).map(|&id| u32::from(id)), u32_at(entry, 4))
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
    fn bad_lengths_end_the_walk() {
        let enabled: &[u8] = &[0, 8, 0, 7, 1, 0, 0, 0];
        for bad in [&[0, 0][..], &[0, 1], &[0, 200, 1, 1], &[0]] {
            assert_eq!(Madt::parse(&table(&[enabled, bad])).apic_ids, [7]);
        }
        assert_eq!(Madt::parse(&[0; 10]).cpus(), 1);
    }
}
