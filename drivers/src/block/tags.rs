//! Tags of commands in flight, with a generation against stale completions.

use alloc::vec::Vec;

/// Names one command in flight: a slot and the slot's generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    slot: u16,
    generation: u16,
}

impl Tag {
    /// No command: generation 0 is never issued.
    pub const NONE: Self = Self {
        slot: 0,
        generation: 0,
    };

    /// The slot, below the table's capacity.
    #[inline]
    #[must_use]
    pub const fn slot(self) -> usize {
        self.slot as usize
    }

    /// The tag as `generation << slot_bits | slot`: what a device carries.
    #[inline]
    #[must_use]
    pub const fn to_bits(self, slot_bits: u32) -> u32 {
        (self.generation as u32) << slot_bits | self.slot as u32
    }
}

/// Why a tag from a device was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagError {
    /// No such slot.
    Unknown(u32),
    /// The slot is free or was given to another command since: late or doubled.
    Stale(u32),
}

#[derive(Clone, Copy)]
struct Slot {
    generation: u16,
    in_flight: bool,
    cookie: u32,
}

/// The slots of one queue. Allocates only when made.
pub struct TagTable {
    slots: Vec<Slot>,
    free: Vec<u16>,
    slot_bits: u32,
    generation_mask: u16,
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
        let free_slot = Slot {
            generation: 1,
            in_flight: false,
            cookie: 0,
        };
        Self {
            slots: alloc::vec![free_slot; usize::from(capacity)],
            free: (0..capacity).rev().collect(),
            slot_bits,
            generation_mask: ((1u32 << generation_bits) - 1) as u16,
        }
    }

    /// Bits that the slot takes in [`Tag::to_bits`].
    #[inline]
    #[must_use]
    pub const fn slot_bits(&self) -> u32 {
        self.slot_bits
    }

    /// Commands in flight.
    #[inline]
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        (self.slots.len() - self.free.len()) as u32
    }

    /// Takes a free slot; `None` when all are in flight.
    #[inline]
    pub fn take(&mut self, cookie: u32) -> Option<Tag> {
        let slot = self.free.pop()?;
        let entry = &mut self.slots[usize::from(slot)];
        entry.in_flight = true;
        entry.cookie = cookie;
        Some(Tag {
            slot,
            generation: entry.generation,
        })
    }

    /// Ends the command that the device names, and returns its tag and cookie.
    ///
    /// # Errors
    /// [`TagError`]; the table is unchanged.
    #[inline]
    pub fn finish(&mut self, bits: u32) -> Result<(Tag, u32), TagError> {
        let slot = bits & ((1 << self.slot_bits) - 1);
        let Some(entry) = self.slots.get_mut(slot as usize) else {
            return Err(TagError::Unknown(bits));
        };
        if !entry.in_flight || u32::from(entry.generation) != bits >> self.slot_bits {
            return Err(TagError::Stale(bits));
        }
        let tag = Tag {
            slot: slot as u16,
            generation: entry.generation,
        };
        entry.in_flight = false;
        entry.generation = entry.generation.wrapping_add(1) & self.generation_mask;
        if entry.generation == 0 {
            entry.generation = 1;
        }
        self.free.push(slot as u16);
        Ok((tag, entry.cookie))
    }

    /// Whether the tag's command is in flight.
    #[must_use]
    pub fn is_in_flight(&self, tag: Tag) -> bool {
        self.slots
            .get(tag.slot())
            .is_some_and(|entry| entry.in_flight && entry.generation == tag.generation)
    }

    /// Frees every slot in flight and makes its tag stale, after a reset.
    pub fn forget_all(&mut self) {
        for slot in 0..self.slots.len() {
            if self.slots[slot].in_flight {
                let bits = u32::from(self.slots[slot].generation) << self.slot_bits | slot as u32;
                let _ = self.finish(bits);
            }
        }
    }
}
