//! I/Os in flight.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use drivers::block::Tag;

/// Most I/Os that a row keeps in flight. Indices are masked with it, so that no
/// access needs a bounds check.
pub const MAX_IN_FLIGHT: usize = 2048;
const MASK: usize = MAX_IN_FLIGHT - 1;

/// One I/O: when its build started, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub t0: u64,
    /// Byte offset on the disk << 1 | direction; [`FREE`] without an I/O.
    pub place: u64,
}

/// [`Slot::place`] of a slot without an I/O: no disk has an offset of 2^63 bytes.
pub(super) const FREE: u64 = u64::MAX;

impl Slot {
    pub const fn offset_bytes(self) -> u64 {
        self.place >> 1
    }

    /// 0 read, 1 write.
    pub const fn lane(self) -> usize {
        (self.place & 1) as usize
    }
}

/// Stamps of one I/O, with stages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamps {
    pub t1: u64,
    pub t2: u64,
    pub t3: u64,
}

/// What remains of a split I/O, and how often it was sent again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extra {
    pub pieces_left: u16,
    pub failed: bool,
    pub attempts: u16,
    /// The I/O that `attempts` belongs to.
    pub attempts_t0: u64,
}

/// The tables of one row, allocated once and used by all.
pub(super) struct Table {
    slots: Box<[Slot; MAX_IN_FLIGHT]>,
    stamps: Box<[Stamps; MAX_IN_FLIGHT]>,
    extras: Box<[Extra; MAX_IN_FLIGHT]>,
    tags: Box<[Tag; MAX_IN_FLIGHT]>,
    free: Box<[u16; MAX_IN_FLIGHT]>,
    free_len: usize,
    depth: usize,
    /// Cookies of commands to be sent (again).
    pub again: Vec<u32>,
}

fn boxed<T: Clone>(value: T) -> Box<[T; MAX_IN_FLIGHT]> {
    let Ok(array) = vec![value; MAX_IN_FLIGHT].into_boxed_slice().try_into() else {
        unreachable!("the length is MAX_IN_FLIGHT")
    };
    array
}

impl Table {
    pub fn new() -> Self {
        Self {
            slots: boxed(Slot { t0: 0, place: FREE }),
            stamps: boxed(Stamps::default()),
            extras: boxed(Extra::default()),
            tags: boxed(Tag::NONE),
            free: boxed(0),
            free_len: 0,
            depth: 0,
            again: Vec::new(),
        }
    }

    /// Makes the table empty, with `depth` slots and room for `commands`
    /// deferred ones. Allocates, if at all, here.
    pub fn prepare(&mut self, depth: usize, commands: usize) {
        self.depth = depth.min(MAX_IN_FLIGHT);
        self.slots.fill(Slot { t0: 0, place: FREE });
        self.extras.fill(Extra::default());
        // The first I/O takes slot 0.
        for (at, slot) in self.free[..self.depth].iter_mut().rev().enumerate() {
            *slot = at as u16;
        }
        self.free_len = self.depth;
        self.again.clear();
        self.again.reserve(commands);
    }

    #[inline]
    pub const fn free_len(&self) -> usize {
        self.free_len
    }

    /// I/Os that have a slot.
    #[inline]
    pub const fn outstanding(&self) -> usize {
        self.depth - self.free_len
    }

    /// Takes a slot. The caller has seen that one is free.
    #[inline]
    pub fn take(&mut self, slot: Slot) -> usize {
        self.free_len = self.free_len.wrapping_sub(1) & MASK;
        let index = usize::from(self.free[self.free_len]) & MASK;
        self.slots[index] = slot;
        index
    }

    /// Gives a slot back.
    #[inline]
    pub fn release(&mut self, index: usize) {
        self.slots[index & MASK].place = FREE;
        self.free[self.free_len & MASK] = index as u16;
        self.free_len += 1;
    }

    /// The slots taken last, `count` of them: those of the batch just built.
    #[inline]
    pub fn stamp_batch(&mut self, count: usize, t2: u64, t3: u64) {
        let end = (self.free_len + count).min(MAX_IN_FLIGHT);
        for slot in &self.free[self.free_len.min(end)..end] {
            let stamps = &mut self.stamps[usize::from(*slot) & MASK];
            stamps.t2 = t2;
            stamps.t3 = t3;
        }
    }

    #[inline]
    pub fn slot(&self, index: usize) -> Slot {
        self.slots[index & MASK]
    }

    #[inline]
    pub fn stamps(&mut self, index: usize) -> &mut Stamps {
        &mut self.stamps[index & MASK]
    }

    /// Stamps of the slot taken last.
    #[inline]
    pub fn stamps_of_last(&mut self) -> &mut Stamps {
        let index = usize::from(self.free[self.free_len & MASK]) & MASK;
        &mut self.stamps[index]
    }

    #[inline]
    pub fn extra(&mut self, index: usize) -> &mut Extra {
        &mut self.extras[index & MASK]
    }

    #[inline]
    pub fn set_tag(&mut self, index: usize, tag: Tag) {
        self.tags[index & MASK] = tag;
    }

    pub fn tag(&self, index: usize) -> Tag {
        self.tags[index & MASK]
    }

    /// Slots that hold an I/O.
    pub fn open(&self) -> impl Iterator<Item = (usize, Slot)> + '_ {
        let slots = self.slots[..self.depth].iter().copied().enumerate();
        slots.filter(|(_, slot)| slot.place != FREE)
    }
}

const _: () = assert!(MAX_IN_FLIGHT.is_power_of_two() && MAX_IN_FLIGHT <= 1 << 16);
