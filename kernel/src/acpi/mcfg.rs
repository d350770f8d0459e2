//! PCI Express memory-mapped configuration table (PCI Firmware Spec 3.3, 4.1.2).

use super::bytes::{u16_at, u64_at};
use alloc::vec::Vec;

const FIRST_ENTRY: usize = 44;
const ENTRY_BYTES: usize = 16;

/// Configuration space of some buses, 1 MiB each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcamRange {
    /// Physical address that bus 0 of the segment would have.
    pub base: u64,
    /// PCI segment.
    pub segment: u16,
    /// First bus.
    pub first_bus: u8,
    /// Last bus.
    pub last_bus: u8,
}

impl EcamRange {
    /// Physical addresses it takes.
    #[must_use]
    pub fn range(&self) -> core::ops::Range<u64> {
        let at = |bus: u64| self.base.saturating_add(bus << 20);
        at(self.first_bus.into())..at(u64::from(self.last_bus) + 1)
    }
}

/// Reads a table; entries that make no sense are left out.
#[must_use]
pub fn parse(table: &[u8]) -> Vec<EcamRange> {
    let entries = table.get(FIRST_ENTRY..).unwrap_or_default();
    entries
        .chunks_exact(ENTRY_BYTES)
        .filter_map(|entry| {
            Some(EcamRange {
                base: u64_at(entry, 0)?,
                segment: u16_at(entry, 8)?,
                first_bus: entry[10],
                last_bus: entry[11],
            })
        })
        .filter(|range| range.base != 0 && range.first_bus <= range.last_bus)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_and_a_cut_one_is_left_out() {
        let mut table = alloc::vec![0; FIRST_ENTRY];
        table.extend_from_slice(&0xb000_0000_u64.to_le_bytes());
        table.extend_from_slice(&[0, 0, 0, 0xff, 0, 0, 0, 0]);
        table.extend_from_slice(&[0xff; 10]);
        let found = parse(&table);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].first_bus, found[0].last_bus), (0, 255));
        assert_eq!(found[0].range(), 0xb000_0000..0xc000_0000);
    }
}
