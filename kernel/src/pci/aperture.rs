//! Where addresses may be given out.

use crate::acpi::EcamRange;
use alloc::vec::Vec;
use core::ops::Range;

/// 32-bit addresses: above the last that RAM may have on a PC chipset, below the
/// fixed devices (local and I/O APIC, HPET, TPM, firmware) with some distance.
const LOW: Range<u64> = 0xc000_0000..0xfe00_0000;
const FOUR_GIB: u64 = 1 << 32;
/// Distance kept from RAM above 4 GiB, which may grow by hot-plug up to a multiple.
const HIGH_ALIGN_BYTES: u64 = 32 << 30;

/// What the loader says of physical memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    /// RAM.
    pub ram: Vec<Range<u64>>,
    /// Anything else that is listed.
    pub reserved: Vec<Range<u64>>,
}

impl MemoryMap {
    /// Whether any of `range` is RAM.
    #[must_use]
    pub fn overlaps_ram(&self, range: &Range<u64>) -> bool {
        self.ram
            .iter()
            .any(|ram| range.start < ram.end && ram.start < range.end)
    }
}

/// Free addresses, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aperture {
    free: Vec<Range<u64>>,
}

impl Aperture {
    /// One range.
    pub fn new(range: Range<u64>) -> Self {
        let mut new = Self::default();
        if range.start < range.end {
            new.free.push(range);
        }
        new
    }

    /// Takes a range out, whether free or not.
    pub fn remove(&mut self, taken: &Range<u64>) {
        let mut left = Vec::with_capacity(self.free.len() + 1);
        for free in &self.free {
            let before = free.start..free.end.min(taken.start);
            let after = free.start.max(taken.end)..free.end;
            let apart = taken.end <= free.start || free.end <= taken.start;
            if apart {
                left.push(free.clone());
            } else {
                left.extend(
                    [before, after]
                        .into_iter()
                        .filter(|part| part.start < part.end),
                );
            }
        }
        self.free = left;
    }

    /// Takes the lowest `size` bytes at a multiple of `align`, a power of two.
    pub fn take(&mut self, size: u64, align: u64) -> Option<u64> {
        let start = self.free.iter().find_map(|free| {
            let start = free.start.checked_next_multiple_of(align)?;
            let end = start.checked_add(size)?;
            (end <= free.end).then_some(start)
        })?;
        self.remove(&(start..start + size));
        Some(start)
    }
}

/// Free addresses below and above 4 GiB.
#[derive(Clone, Debug)]
pub struct Apertures {
    /// Below 4 GiB.
    pub low: Aperture,
    /// Above 4 GiB, as far as the processor reaches.
    pub high: Aperture,
}

impl Apertures {
    /// What memory map and configuration space leave free, with `address_bits` the
    /// width of a physical address.
    pub fn new(map: &MemoryMap, ecam: &[EcamRange], address_bits: u32) -> Self {
        let ram_end = map.ram.iter().map(|range| range.end).max().unwrap_or(0);
        let high_start = ram_end.max(FOUR_GIB).next_multiple_of(HIGH_ALIGN_BYTES);
        let mut new = Self {
            low: Aperture::new(LOW),
            high: Aperture::new(high_start..1 << address_bits.min(52)),
        };
        map.ram
            .iter()
            .chain(&map.reserved)
            .for_each(|range| new.remove(range));
        ecam.iter().for_each(|range| new.remove(&range.range()));
        new
    }

    /// Takes a range out of both.
    pub fn remove(&mut self, taken: &Range<u64>) {
        self.low.remove(taken);
        self.high.remove(taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_is_lowest_first_and_aligned() {
        let mut aperture = Aperture::new(0x1000..0x1_0000);
        assert_eq!(aperture.take(0x800, 0x800), Some(0x1000));
        assert_eq!(aperture.take(0x4000, 0x4000), Some(0x4000));
        assert_eq!(
            aperture.take(0x1000, 0x1000),
            Some(0x2000),
            "the hole before"
        );
        assert_eq!(aperture.take(0x8000, 0x8000), Some(0x8000));
        assert_eq!(aperture.take(0x1000, 0x1000), Some(0x3000));
        assert_eq!(aperture.take(0x1000, 0x1000), None);
        assert_eq!(aperture.take(0x800, 1), Some(0x1800));
    }

    #[test]
    fn removing_splits_trims_and_swallows() {
        let mut aperture = Aperture::new(10..100);
        aperture.remove(&(40..50));
        aperture.remove(&(0..20));
        aperture.remove(&(90..200));
        aperture.remove(&(200..300));
        assert_eq!(aperture.free, [20..40, 50..90]);
        aperture.remove(&(0..100));
        assert_eq!(aperture.free, []);
    }

    #[test]
    fn ram_reserved_ranges_and_configuration_space_are_left_out() {
        let map = MemoryMap {
            ram: alloc::vec![0..0xc800_0000, FOUR_GIB..FOUR_GIB + (1 << 30)],
            reserved: alloc::vec![0xfc00_0000..FOUR_GIB],
        };
        let ecam = EcamRange {
            base: 0xe000_0000,
            segment: 0,
            first_bus: 0,
            last_bus: 255,
        };
        let apertures = Apertures::new(&map, &[ecam], 40);
        assert_eq!(
            apertures.low.free,
            [0xc800_0000..0xe000_0000, 0xf000_0000..0xfc00_0000]
        );
        let high = Aperture::new(32 << 30..1 << 40);
        assert_eq!(apertures.high, high);
    }
}
