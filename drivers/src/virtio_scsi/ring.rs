//! One split virtqueue (2.7): the driver area and the device area.
//!
//! Indices run freely over 16 bits; a slot is the index modulo the ring size.
//! The driver's own indices live here, and what lies in shared memory is only
//! ever a copy of them. Each entry that is made available comes back used.

use super::regs::Parts;
use super::spec::{NO_VECTOR, available, used};
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};
use core::sync::atomic::{Ordering, fence};

/// How either side may leave out telling the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suppression {
    /// Not at all: each batch is told.
    None,
    /// By a flag (2.7.7, 2.7.10).
    Flags,
    /// By the index that is waited for (VIRTIO_F_EVENT_IDX).
    EventIndex,
}

/// Both areas of one queue.
pub(super) struct Ring<R> {
    driver: R,
    device: R,
    entries: u16,
    mask: u16,
    /// Next entry to fill.
    produced: u16,
    /// Entries before this index are the device's.
    published: u16,
    /// Next used entry to take.
    consumed: u16,
    /// The device writes the event index.
    event_index: bool,
    kicks: Suppression,
}

/// An entry that the device has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Used {
    /// The descriptor that its chain started with.
    pub(super) head: u32,
}

/// The device's index is further on than the entries it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Runaway;

impl<R: DmaRegion> Ring<R> {
    /// A ring of `entries` entries, a power of two.
    pub(super) fn allocate<H: Hal<Region = R>>(hal: &H, entries: u16) -> Result<Self, DmaError> {
        let count = usize::from(entries);
        Ok(Self {
            driver: hal.allocate(DmaLayout::pages(available::RING + 2 * count + 2))?,
            device: hal.allocate(DmaLayout::pages(used::RING + 8 * count + 2))?,
            entries,
            mask: entries - 1,
            produced: 0,
            published: 0,
            consumed: 0,
            event_index: false,
            kicks: Suppression::None,
        })
    }

    pub(super) const fn entries(&self) -> u16 {
        self.entries
    }

    /// Empties it while the device does not use it. `first` is where both indices
    /// start: 0, but for tests of the wrap. `event_index` tells whether the
    /// feature was agreed on, which changes what the device reads and writes.
    pub(super) fn clear(&mut self, first: u16, event_index: bool, kicks: Suppression) {
        for region in [&self.driver, &self.device] {
            for offset in (0..region.len_bytes()).step_by(2) {
                region.store16(offset, 0);
            }
        }
        self.driver.store16(available::INDEX, first);
        self.device.store16(used::INDEX, first);
        (self.produced, self.published, self.consumed) = (first, first, first);
        self.event_index = event_index;
        self.kicks = kicks;
        self.want_interrupts(false);
    }

    /// What a device is told of it.
    pub(super) fn parts(&self, descriptors: BusAddr) -> Parts {
        Parts {
            descriptors,
            driver: self.driver.bus_addr(),
            device: self.device.bus_addr().add(used::START as u64),
            entries: self.entries,
            vector: NO_VECTOR,
        }
    }

    const fn used_event_at(&self) -> usize {
        available::RING + 2 * self.entries as usize
    }

    const fn available_event_at(&self) -> usize {
        used::RING + 8 * self.entries as usize
    }

    /// Whether used entries are announced. With the event index an interrupt that
    /// is not wanted is put off by the whole range of the index; it may still come
    /// once in 65,536 entries.
    pub(super) fn want_interrupts(&self, wanted: bool) {
        if self.event_index {
            let event = self.consumed.wrapping_sub(u16::from(!wanted));
            self.driver.store16(self.used_event_at(), event);
        } else {
            let flags = if wanted { 0 } else { available::NO_INTERRUPT };
            self.driver.store16(available::FLAGS, flags);
        }
    }

    /// Asks for an interrupt at the next used entry, where that must be asked for
    /// anew; whether one was used meanwhile and will not be announced.
    pub(super) fn rearm(&self) -> bool {
        if !self.event_index {
            return false;
        }
        self.want_interrupts(true);
        // The store must be seen before the index is read: the device stores that
        // index before it reads the event.
        fence(Ordering::SeqCst);
        self.device.load16(used::INDEX) != self.consumed
    }

    /// Entries that the device does not know of.
    #[inline]
    pub(super) const fn unpublished(&self) -> u16 {
        self.produced.wrapping_sub(self.published)
    }

    /// Makes the chain that starts with `head` available, at the next `publish`.
    #[inline]
    pub(super) fn push(&mut self, head: u16) {
        let slot = usize::from(self.produced & self.mask);
        self.driver.store16(available::RING + 2 * slot, head);
        self.produced = self.produced.wrapping_add(1);
    }

    /// Shows the device what was pushed; whether it must be told. Something was.
    #[inline]
    pub(super) fn publish(&mut self) -> bool {
        let old = self.published;
        self.published = self.produced;
        self.driver.store16(available::INDEX, self.published);
        self.kicks == Suppression::None || self.wants_kick(old)
    }

    fn wants_kick(&self, old: u16) -> bool {
        // The index must be seen before the device's wish is read: the device
        // writes its wish before it reads the index once more and goes to sleep.
        // Were both loads early, each side would miss the other's store.
        fence(Ordering::SeqCst);
        if self.kicks == Suppression::EventIndex {
            let event = self.device.load16(self.available_event_at());
            passes(event, old, self.published)
        } else {
            self.device.load16(used::FLAGS) & used::NO_NOTIFY == 0
        }
    }

    /// Used entries that can be taken.
    ///
    /// # Errors
    /// [`Runaway`] if there are more than were given to the device.
    #[inline]
    pub(super) fn ready(&self) -> Result<u16, Runaway> {
        let ready = self.device.load16(used::INDEX).wrapping_sub(self.consumed);
        if ready > self.published.wrapping_sub(self.consumed) {
            return Err(Runaway);
        }
        Ok(ready)
    }

    /// Takes the next used entry; `ready` has counted it. Its length is not looked
    /// at: QEMU counts whole buffers there, whatever it moved.
    #[inline]
    pub(super) fn take(&mut self) -> Used {
        let slot = usize::from(self.consumed & self.mask);
        let [word] = self.device.read_words(used::RING + 8 * slot);
        self.consumed = self.consumed.wrapping_add(1);
        Used { head: word as u32 }
    }
}

/// Whether going from `old` to `new` passes `event`, all modulo 2^16 (2.7.10.1).
#[inline]
pub(super) const fn passes(event: u16, old: u16, new: u16) -> bool {
    new.wrapping_sub(event).wrapping_sub(1) < new.wrapping_sub(old)
}
