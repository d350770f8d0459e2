//! Windows of a PCI-to-PCI bridge (PCI-to-PCI Bridge Architecture 1.2, 3.2.5).

use super::config::{read, write};
use core::ops::Range;
use pci_types::{ConfigRegionAccess, PciAddress};

const MEMORY: u16 = 0x20;
const PREFETCHABLE: u16 = 0x24;
const PREFETCHABLE_BASE_UPPER: u16 = 0x28;
const PREFETCHABLE_LIMIT_UPPER: u16 = 0x2c;
/// Base above limit: forwards nothing.
const CLOSED: u32 = 0x0000_fff0;
/// Type of a prefetchable window: 64 bits.
const WIDE: u32 = 1;

/// Windows start and end on multiples of this.
pub const GRANULE_BYTES: u64 = 1 << 20;

/// What a bridge forwards to the bus behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// Memory below 4 GiB.
    pub memory: Option<Range<u64>>,
    /// Prefetchable memory.
    pub prefetchable: Option<Range<u64>>,
}

impl Windows {
    /// Reads them.
    pub fn read(config: &impl ConfigRegionAccess, bridge: PciAddress) -> Self {
        let prefetchable = read(config, bridge, PREFETCHABLE);
        let upper = |offset| match prefetchable & 0xf {
            WIDE => read(config, bridge, offset),
            _ => 0,
        };
        let upper = [
            upper(PREFETCHABLE_BASE_UPPER),
            upper(PREFETCHABLE_LIMIT_UPPER),
        ];
        Self {
            memory: window(read(config, bridge, MEMORY), [0; 2]),
            prefetchable: window(prefetchable, upper),
        }
    }

    /// Whether all of `range` is forwarded.
    pub fn forward(&self, range: &Range<u64>) -> bool {
        [&self.memory, &self.prefetchable]
            .into_iter()
            .flatten()
            .any(|window| window.start <= range.start && range.end <= window.end)
    }
}

/// Opens the memory window for `range`, or closes it; closes the prefetchable one.
/// The bridge's memory decoder must be off.
pub fn write_window(
    config: &impl ConfigRegionAccess,
    bridge: PciAddress,
    range: Option<&Range<u64>>,
) {
    let memory = range.map_or(CLOSED, |range| {
        let upper_half = |address: u64| (address >> 16) as u32 & 0xfff0;
        upper_half(range.start) | upper_half(range.end - 1) << 16
    });
    write(config, bridge, MEMORY, memory);
    write(config, bridge, PREFETCHABLE, CLOSED);
    write(config, bridge, PREFETCHABLE_BASE_UPPER, 0);
    write(config, bridge, PREFETCHABLE_LIMIT_UPPER, 0);
}

/// Range of a base and limit pair with upper halves; `None` when closed.
fn window(pair: u32, upper: [u32; 2]) -> Option<Range<u64>> {
    let half = |bits: u32, upper: u32| u64::from(upper) << 32 | u64::from(bits & 0xfff0) << 16;
    let base = half(pair, upper[0]);
    let limit = half(pair >> 16, upper[1]);
    (base <= limit).then(|| base..limit + GRANULE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_decode_and_close() {
        assert_eq!(window(0xfe10_fe00, [0; 2]), Some(0xfe00_0000..0xfe20_0000));
        assert_eq!(
            window(0x0011_0001, [8, 8]),
            Some(0x8_0000_0000..0x8_0020_0000)
        );
        assert_eq!(window(CLOSED, [0; 2]), None);
    }

    #[test]
    fn a_range_is_forwarded_only_when_all_of_it_is() {
        let windows = Windows {
            memory: Some(0xfe00_0000..0xfe10_0000),
            prefetchable: None,
        };
        assert!(windows.forward(&(0xfe0f_f000..0xfe10_0000)));
        assert!(!windows.forward(&(0xfe0f_f000..0xfe10_1000)));
        assert!(!Windows::default().forward(&(0..1)));
    }
}
