//! I/Os in flight.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use drivers::block::{DiskId, Op, Tag};

/// Most I/Os that a row keeps in flight. Indices are masked with it, so that no
/// access needs a bounds check.
pub const MAX_IN_FLIGHT: usize = proto::job::MAX_IN_FLIGHT as usize;
const MASK: usize = MAX_IN_FLIGHT - 1;

/// One I/O: when its build started, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// [`FREE`] without an I/O.
    pub t0: u64,
    /// First block << 1 | direction.
    pub place: u64,
    /// Of the command that was submitted last.
    pub tag: Tag,
}

/// [`Slot::t0`] of a slot without an I/O. No clock gets there, and the time since
/// then comes out so long that the hot path takes it for a case to look at: it
/// needs no comparison of its own.
pub(super) const FREE: u64 = 1 << 63;

impl Slot {
    const NONE: Self = Self {
        t0: FREE,
        place: 0,
        tag: Tag::NONE,
    };

    pub const fn is_free(self) -> bool {
        self.t0 == FREE
    }

    pub const fn lba(self) -> u64 {
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
#[derive(Clone, Copy, Debug)]
pub(super) struct Extra {
    pub pieces_left: u16,
    pub failed: bool,
    pub attempts: u16,
    /// The I/O that `attempts` belongs to.
    pub attempts_t0: u64,
    /// Of a crew's I/O: what it does, how long it is, whose it is, and when it was
    /// meant to start.
    pub op: Op,
    pub blocks: u32,
    pub member: u16,
    pub disk: DiskId,
    pub due: u64,
    /// The I/O that the same doorbell publishes and that was built before, or [`END`],
    /// or [`UNLINKED`].
    next: u16,
    /// Its number in the order of submission, where the row keeps I/Os one by one.
    pub seq: u64,
}

/// No further I/O.
pub(super) const END: u16 = u16::MAX;
/// No doorbell publishes it: that one was rung, or it was not built yet.
const UNLINKED: u16 = u16::MAX - 1;

impl Extra {
    const NONE: Self = Self {
        pieces_left: 0,
        failed: false,
        attempts: 0,
        attempts_t0: 0,
        op: Op::Read,
        blocks: 0,
        member: 0,
        disk: DiskId(0),
        due: 0,
        next: UNLINKED,
        seq: 0,
    };
}

/// Memory of the tables, allocated once and used by all rows.
pub(super) struct Memory {
    slots: Box<[Slot; MAX_IN_FLIGHT]>,
    stamps: Box<[Stamps; MAX_IN_FLIGHT]>,
    extras: Box<[Extra; MAX_IN_FLIGHT]>,
    free: Box<[u16; MAX_IN_FLIGHT]>,
    again: Vec<u32>,
}

fn boxed<T: Clone>(value: T) -> Box<[T; MAX_IN_FLIGHT]> {
    let Ok(array) = vec![value; MAX_IN_FLIGHT].into_boxed_slice().try_into() else {
        unreachable!("the length is MAX_IN_FLIGHT")
    };
    array
}

impl Memory {
    pub fn new() -> Self {
        Self {
            slots: boxed(Slot::NONE),
            stamps: boxed(Stamps::default()),
            extras: boxed(Extra::NONE),
            free: boxed(0),
            again: Vec::new(),
        }
    }
}

/// The tables of one row.
pub(super) struct Table<'a> {
    slots: &'a mut [Slot; MAX_IN_FLIGHT],
    stamps: &'a mut [Stamps; MAX_IN_FLIGHT],
    extras: &'a mut [Extra; MAX_IN_FLIGHT],
    free: &'a mut [u16; MAX_IN_FLIGHT],
    free_len: usize,
    depth: usize,
    /// Cookies of commands to be sent (again).
    pub again: &'a mut Vec<u32>,
}

impl<'a> Table<'a> {
    /// An empty table of `depth` slots, with room for `commands` deferred ones.
    /// Allocates, if at all, here.
    pub fn new(memory: &'a mut Memory, depth: usize, commands: usize) -> Self {
        let depth = depth.min(MAX_IN_FLIGHT);
        memory.slots.fill(Slot::NONE);
        memory.extras.fill(Extra::NONE);
        // The first I/O takes slot 0.
        for (at, slot) in memory.free[..depth].iter_mut().rev().enumerate() {
            *slot = at as u16;
        }
        memory.again.clear();
        memory.again.reserve(commands);
        Self {
            slots: &mut memory.slots,
            stamps: &mut memory.stamps,
            extras: &mut memory.extras,
            free: &mut memory.free,
            free_len: depth,
            depth,
            again: &mut memory.again,
        }
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

    /// Puts an I/O into the free slot that has `top` others below it. A batch
    /// takes them from the top down, and says at its end how many it left by
    /// [`keep_free`](Self::keep_free).
    #[inline]
    pub fn place(&mut self, top: usize, t0: u64, place: u64) -> usize {
        let index = self.free_at(top);
        let slot = &mut self.slots[index];
        slot.t0 = t0;
        slot.place = place;
        index
    }

    /// Makes the free slot with `top` others below it one of those that are left
    /// over when slots are divided by `of`: the topmost of them changes places with
    /// it. What was freed last is nearest to the top, so this is a short search.
    #[inline]
    pub fn bring_up(&mut self, top: usize, of: usize, rest: usize) {
        let free = &mut self.free[..=top & MASK];
        let found = free
            .iter()
            .rposition(|slot| usize::from(*slot) % of == rest);
        if let (Some(found), Some(last)) = (found, free.len().checked_sub(1)) {
            free.swap(found, last);
        }
    }

    /// The free slot with `top` others below it.
    #[inline]
    pub fn free_at(&self, top: usize) -> usize {
        usize::from(self.free[top & MASK]) & MASK
    }

    /// Only the lowest `count` free slots are free from now on.
    #[inline]
    pub fn keep_free(&mut self, count: usize) {
        self.free_len = count;
    }

    /// Gives a slot back.
    #[inline]
    pub fn release(&mut self, index: usize) {
        self.slots[index & MASK].t0 = FREE;
        let top = self.free_len;
        self.free[top & MASK] = index as u16;
        self.free_len = top + 1;
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

    /// Puts an I/O before those that the same doorbell publishes, of which `newest` is
    /// the first; false if it is one of them already.
    pub fn link(&mut self, index: usize, newest: u16) -> bool {
        let extra = self.extra(index);
        let fresh = extra.next == UNLINKED;
        if fresh {
            extra.next = newest;
        }
        fresh
    }

    /// Stamps all that one doorbell published, from `newest` on.
    pub fn stamp_linked(&mut self, newest: u16, t2: u64, t3: u64) {
        let mut at = newest;
        while at != END {
            let index = usize::from(at);
            at = core::mem::replace(&mut self.extra(index).next, UNLINKED);
            let stamps = self.stamps(index);
            stamps.t2 = t2.max(stamps.t1);
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

    #[inline]
    pub fn extra(&mut self, index: usize) -> &mut Extra {
        &mut self.extras[index & MASK]
    }

    /// A copy of it.
    #[inline]
    pub fn extra_of(&self, index: usize) -> Extra {
        self.extras[index & MASK]
    }

    #[inline]
    pub fn set_tag(&mut self, index: usize, tag: Tag) {
        self.slots[index & MASK].tag = tag;
    }

    /// Slots that hold an I/O.
    pub fn open(&self) -> impl Iterator<Item = (usize, Slot)> + '_ {
        let slots = self.slots[..self.depth].iter().copied().enumerate();
        slots.filter(|(_, slot)| !slot.is_free())
    }
}

const _: () = assert!(MAX_IN_FLIGHT.is_power_of_two() && MAX_IN_FLIGHT <= 1 << 16);
