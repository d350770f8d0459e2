//! Tags of commands in flight, with a generation against stale completions.

use alloc::vec::Vec;

/// Names one command in flight: a slot and the slot's generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    bits: u32,
    slot: u32,
}

impl Tag {
    /// No command: generation 0 is never issued.
    pub const NONE: Self = Self { bits: 0, slot: 0 };

    /// The slot, below the table's capacity.
    #[inline]
    #[must_use]
    pub const fn slot(self) -> usize {
        self.slot as usize
    }

    /// What a device carries; the same as [`bits`](Self::bits).
    #[inline]
    #[must_use]
    pub const fn to_bits(self, _slot_bits: u32) -> u32 {
        self.bits
    }

    /// What a device carries: the slot in the low [`TagTable::slot_bits`], its
    /// generation above.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }
}

/// Why a tag from a device was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagError {
    /// No such slot.
    Unknown(u64),
    /// The slot is free or was given to another command since: late or doubled.
    Stale(u64),
}

#[derive(Clone, Copy)]
struct Slot {
    /// Bits of the command in flight; while there is none, those of the next
    /// command changed to name another slot, so that no comparison with them
    /// succeeds.
    bits: u64,
    /// Of the caller.
    note: u64,
    cookie: u32,
    /// The free slot below this one on the stack of free ones.
    below: u32,
}

/// Turns the bits of a command into those of a free slot, and back.
const fn other(bits: u64) -> u64 {
    bits ^ 1
}

/// The slots of one queue. Allocates only when made.
///
/// Every command passes through here twice, so both ways are a handful of
/// instructions: the bits that a device carries are kept whole, one comparison
/// tells whether they name a command in flight, and the free slots form a stack
/// inside the table, at whose end lies a slot that does not exist.
pub struct TagTable {
    slots: Vec<Slot>,
    /// Top of the stack of free slots; the capacity if there is none.
    top: u32,
    slot_bits: u32,
    slot_mask: u32,
    /// All bits of a tag.
    tag_mask: u64,
    /// The lowest bit of the generation, which is always set: so no tag is 0.
    odd: u64,
}

impl TagTable {
    /// `capacity` slots whose tags fit into `tag_bits` bits (at most 32), of
    /// which the generation takes what the slots leave, at most 16.
    ///
    /// # Panics
    /// If fewer than 2 generation bits would be left: a bug of the driver.
    #[must_use]
    pub fn new(capacity: u16, tag_bits: u32) -> Self {
        let slot_bits = u32::from(capacity.max(2) - 1).ilog2() + 1;
        let generation_bits = (tag_bits.min(32) - slot_bits).min(16);
        assert!(generation_bits >= 2, "no room for a generation");
        let odd = 1 << slot_bits;
        let fresh = |slot: u16| Slot {
            bits: other(odd | u64::from(slot)),
            note: 0,
            cookie: 0,
            below: u32::from(slot) + 1,
        };
        Self {
            slots: (0..capacity).map(fresh).collect(),
            top: 0,
            slot_bits,
            slot_mask: (1 << slot_bits) - 1,
            tag_mask: (1 << (slot_bits + generation_bits)) - 1,
            odd,
        }
    }

    /// Low bits of a tag that are the slot.
    #[inline]
    #[must_use]
    pub const fn slot_bits(&self) -> u32 {
        self.slot_bits
    }

    /// Commands in flight. Looks at every slot: the hot path keeps no count.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        let live = (0..self.slots.len()).filter(|slot| self.is_live(*slot));
        live.count() as u32
    }

    fn is_live(&self, slot: usize) -> bool {
        self.slot_of(self.slots[slot].bits as u32) == slot
    }

    /// Takes a free slot; `None` when all are in flight.
    #[inline]
    pub fn take(&mut self, cookie: u32) -> Option<Tag> {
        self.take_noting(cookie, 0)
    }

    /// Takes a free slot, and keeps `note` with it until it is taken again;
    /// `None` when all are in flight.
    #[inline]
    pub fn take_noting(&mut self, cookie: u32, note: u64) -> Option<Tag> {
        let slot = self.top;
        let entry = self.slots.get_mut(slot as usize)?;
        let bits = other(entry.bits);
        entry.bits = bits;
        entry.cookie = cookie;
        entry.note = note;
        self.top = entry.below;
        let bits = bits as u32;
        Some(Tag { bits, slot })
    }

    /// The slot that bits from a device name; it may not exist.
    #[inline]
    #[must_use]
    pub const fn slot_of(&self, bits: u32) -> usize {
        (bits & self.slot_mask) as usize
    }

    /// What was noted with the command that took the slot last; 0 if there is
    /// no such slot.
    #[inline]
    #[must_use]
    pub fn note(&self, slot: usize) -> u64 {
        self.slots.get(slot).map_or(0, |entry| entry.note)
    }

    /// Ends the command that the device names, and returns its tag and cookie.
    ///
    /// # Errors
    /// [`TagError`]; the table is unchanged.
    #[inline]
    pub fn finish(&mut self, bits: impl Into<u64>) -> Result<(Tag, u32), TagError> {
        let bits = bits.into();
        let slot = bits as u32 & self.slot_mask;
        let Some(entry) = self.slots.get_mut(slot as usize) else {
            return Err(TagError::Unknown(bits));
        };
        if entry.bits != bits {
            return Err(TagError::Stale(bits));
        }
        let next = (bits + 2 * self.odd) & self.tag_mask;
        entry.bits = other(next);
        entry.below = self.top;
        self.top = slot;
        let bits = bits as u32;
        Ok((Tag { bits, slot }, entry.cookie))
    }

    /// Ends the command in flight in `slot`, for a device that carries the slot
    /// alone, and returns its tag and cookie.
    ///
    /// # Errors
    /// [`TagError`]; the table is unchanged.
    #[inline]
    pub fn finish_slot(&mut self, slot: usize) -> Result<(Tag, u32), TagError> {
        let Some(entry) = self.slots.get(slot) else {
            return Err(TagError::Unknown(slot as u64));
        };
        let bits = entry.bits;
        if self.slot_of(bits as u32) != slot {
            return Err(TagError::Stale(slot as u64));
        }
        self.finish(bits)
    }

    /// Whether the tag's command is in flight.
    #[must_use]
    pub fn is_in_flight(&self, tag: Tag) -> bool {
        let entry = self.slots.get(tag.slot());
        entry.is_some_and(|entry| entry.bits == u64::from(tag.bits))
    }

    /// Frees every slot in flight and makes its tag stale, after a reset.
    pub fn forget_all(&mut self) {
        for slot in 0..self.slots.len() {
            if self.is_live(slot) {
                let _ = self.finish(self.slots[slot].bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use proptest::prelude::*;

    #[test]
    fn tags_fit_and_are_never_zero() {
        for (capacity, tag_bits) in [(1, 16), (32, 32), (128, 16), (1024, 16), (1000, 29)] {
            let mut table = TagTable::new(capacity, tag_bits);
            for _ in 0..200_000 / u32::from(capacity) {
                while let Some(tag) = table.take(9) {
                    let bits = tag.bits();
                    assert!(bits != 0 && u64::from(bits) < 1 << tag_bits);
                    assert_eq!(table.slot_of(bits), tag.slot());
                }
                assert_eq!(table.in_flight(), u32::from(capacity));
                table.forget_all();
                assert_eq!(table.in_flight(), 0);
            }
        }
    }

    #[test]
    fn what_is_not_in_flight_does_not_end() {
        let mut table = TagTable::new(5, 16);
        let tag = table.take_noting(7, 70).unwrap();
        let bits = u64::from(tag.bits());
        assert_eq!(table.note(tag.slot()), 70);
        assert_eq!(table.finish(0u64), Err(TagError::Stale(0)));
        assert_eq!(table.finish(7u64), Err(TagError::Unknown(7)));
        let free: u64 = 1 << 3 | 1;
        assert_eq!(table.finish(free), Err(TagError::Stale(free)));
        let other_generation = bits + 8;
        assert_eq!(
            table.finish(other_generation),
            Err(TagError::Stale(other_generation))
        );
        for bit in [16, 31, 32, 63] {
            let beyond = bits | 1 << bit;
            assert_eq!(table.finish(beyond), Err(TagError::Stale(beyond)));
        }
        assert!(table.is_in_flight(tag));
        assert_eq!(table.finish(bits), Ok((tag, 7)));
        assert_eq!(table.finish(bits), Err(TagError::Stale(bits)));
        assert!(!table.is_in_flight(tag) && !table.is_in_flight(Tag::NONE));
        assert_ne!(table.take(0), Some(tag), "the generation moved on");
    }

    #[test]
    fn a_slot_ends_once() {
        let mut table = TagTable::new(5, 16);
        let tag = table.take(70).unwrap();
        assert_eq!(table.finish_slot(5), Err(TagError::Unknown(5)));
        assert_eq!(
            table.finish_slot(usize::MAX),
            Err(TagError::Unknown(u64::MAX))
        );
        assert_eq!(table.finish_slot(3), Err(TagError::Stale(3)));
        assert_eq!(table.finish_slot(tag.slot()), Ok((tag, 70)));
        let again = tag.slot() as u64;
        assert_eq!(table.finish_slot(tag.slot()), Err(TagError::Stale(again)));
        assert_ne!(table.take(0), Some(tag), "the generation moved on");
    }

    proptest! {
        #[test]
        fn each_command_ends_once(capacity in 1..40u16, moves: Vec<u16>) {
            let mut table = TagTable::new(capacity, 10);
            let mut open: Vec<(Tag, u32)> = Vec::new();
            for (cookie, next) in (0..).zip(moves) {
                if next % 2 == 0 {
                    match table.take(cookie) {
                        Some(tag) => open.push((tag, cookie)),
                        None => prop_assert_eq!(open.len(), usize::from(capacity)),
                    }
                } else if !open.is_empty() {
                    let (tag, cookie) = open.swap_remove(usize::from(next) % open.len());
                    prop_assert_eq!(table.finish(tag.bits()), Ok((tag, cookie)));
                    prop_assert!(table.finish(tag.bits()).is_err());
                }
                prop_assert_eq!(table.in_flight() as usize, open.len());
                let slots: BTreeSet<usize> = open.iter().map(|entry| entry.0.slot()).collect();
                prop_assert_eq!(slots.len(), open.len());
            }
        }
    }
}
