//! Which virtual addresses are still free for what the kernel lets the loader place.

use crate::{LoadError, PAGE_BYTES};
use bootloader_api::config::{Mapping, Mappings};

/// Bytes that one entry of the top page table covers.
const SLOT_BYTES: u64 = 1 << 39;
const SLOTS: usize = 512;

/// Free entries of the top page table, and one of them that small things share.
pub(crate) struct AddressSpace {
    taken: [bool; SLOTS],
    first: usize,
    last: usize,
    /// Next free address, and the end, of the slot for small things.
    small: Option<(u64, u64)>,
}

/// The sign-extended address of a slot.
const fn slot_start(slot: usize) -> u64 {
    let address = (slot as u64) << 39;
    if slot >= SLOTS / 2 {
        address | 0xffff << 48
    } else {
        address
    }
}

const fn slot_of(virt: u64) -> usize {
    (virt >> 39) as usize % SLOTS
}

impl AddressSpace {
    /// All addresses that `mappings` lets the loader choose. The lowest slot is
    /// never chosen: null pointers and the loader's own pages lie there.
    pub(crate) fn new(mappings: &Mappings) -> Self {
        let first = mappings.dynamic_range_start.unwrap_or(0);
        let last = mappings.dynamic_range_end.unwrap_or(u64::MAX);
        let mut space = Self {
            taken: [false; SLOTS],
            first: slot_of(first).max(1),
            last: slot_of(last),
            small: None,
        };
        // A slot is chosen whole, so one that the range only cuts is out.
        if first > slot_start(space.first) {
            space.first += 1;
        }
        space
    }

    /// Keeps `bytes` from `virt` on from being chosen.
    pub(crate) fn reserve(&mut self, virt: u64, bytes: u64) {
        let last = slot_of(virt.saturating_add(bytes.saturating_sub(1)));
        for slot in slot_of(virt)..=last {
            self.taken[slot] = true;
        }
    }

    /// An address for `bytes`, as the kernel wants it: fixed, or chosen here with
    /// an unmapped page before and behind it.
    pub(crate) fn place(&mut self, mapping: Mapping, bytes: u64) -> Result<u64, LoadError> {
        if let Mapping::FixedAddress(virt) = mapping {
            return Ok(virt);
        }
        let need = bytes.next_multiple_of(PAGE_BYTES) + 2 * PAGE_BYTES;
        if need > SLOT_BYTES / 2 {
            return self.slots(bytes);
        }
        let (next, end) = match self.small {
            Some((next, end)) if next + need <= end => (next, end),
            _ => {
                let start = self.slots(SLOT_BYTES)?;
                (start, start + (SLOT_BYTES - PAGE_BYTES))
            }
        };
        self.small = Some((next + need, end));
        Ok(next + PAGE_BYTES)
    }

    /// The start of neighbouring free slots for `bytes`.
    pub(crate) fn slots(&mut self, bytes: u64) -> Result<u64, LoadError> {
        let count = bytes.div_ceil(SLOT_BYTES).max(1) as usize;
        let free = |slots: &[bool]| slots.iter().all(|&taken| !taken);
        let start = (self.first..=self.last)
            .find(|&slot| {
                let same_half = slot / (SLOTS / 2) == (slot + count - 1) / (SLOTS / 2);
                same_half && slot + count - 1 <= self.last && free(&self.taken[slot..slot + count])
            })
            .ok_or(LoadError::OutOfAddressSpace { bytes })?;
        self.taken[start..start + count].fill(true);
        Ok(slot_start(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper_half() -> AddressSpace {
        let mut mappings = Mappings::new_default();
        mappings.dynamic_range_start = Some(0xffff_8000_0000_0000);
        AddressSpace::new(&mappings)
    }

    #[test]
    fn small_things_share_a_slot_with_holes_between() {
        let mut space = upper_half();
        let first = space.place(Mapping::Dynamic, 10).unwrap();
        let second = space.place(Mapping::Dynamic, 8192).unwrap();
        let third = space.place(Mapping::Dynamic, 1).unwrap();
        assert_eq!(first, 0xffff_8000_0000_1000);
        assert_eq!(second - first, 3 * 4096);
        assert_eq!(third - second, 4 * 4096);
    }

    #[test]
    fn large_things_get_slots_that_nobody_reserved() {
        let mut space = upper_half();
        space.reserve(0xffff_8080_0000_0000, 1);
        assert_eq!(space.slots(4 << 30).unwrap(), 0xffff_8000_0000_0000);
        assert_eq!(space.slots(1 << 40).unwrap(), 0xffff_8100_0000_0000);
        assert_eq!(
            space.place(Mapping::Dynamic, 1 << 39).unwrap(),
            0xffff_8200_0000_0000
        );
    }

    #[test]
    fn without_wishes_the_lowest_slot_stays_free() {
        let mut space = AddressSpace::new(&Mappings::new_default());
        assert_eq!(space.slots(1).unwrap(), 0x80_0000_0000);
    }

    #[test]
    fn a_run_never_spans_the_gap_between_the_halves() {
        let mut mappings = Mappings::new_default();
        mappings.dynamic_range_start = Some(slot_start(254));
        let mut space = AddressSpace::new(&mappings);
        assert_eq!(space.slots(3 << 39).unwrap(), slot_start(256));
    }

    #[test]
    fn a_range_starts_and_ends_where_the_kernel_says() {
        let mut mappings = Mappings::new_default();
        mappings.dynamic_range_start = Some(slot_start(300) + 1);
        mappings.dynamic_range_end = Some(slot_start(301) + 5);
        let mut space = AddressSpace::new(&mappings);
        assert_eq!(space.slots(1).unwrap(), slot_start(301));
        assert_eq!(
            space.slots(7),
            Err(LoadError::OutOfAddressSpace { bytes: 7 })
        );
        assert_eq!(
            space.place(Mapping::FixedAddress(0x1234_5000), 1),
            Ok(0x1234_5000)
        );
    }
}
