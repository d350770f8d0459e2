//! Shadow doorbells (5.7, Doorbell Buffer Config): tails and heads in memory,
//! and a register write only where the device asks to be woken.

use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};
use core::sync::atomic::{Ordering, fence};

/// Bytes of either page, laid out like the doorbell registers.
const PAGE_BYTES: usize = super::spec::PAGE_BYTES as usize;

/// The two pages. While they are in force the device believes the shadow page,
/// so every movement must be written there.
pub(super) struct ShadowDoorbells<R> {
    /// Tails and heads, written by the driver.
    shadow: R,
    /// Event indices, written by the device: the value whose passing it wants to
    /// be told of.
    events: R,
}

impl<R: DmaRegion> ShadowDoorbells<R> {
    /// # Errors
    /// [`DmaError`] when no memory is left.
    pub(super) fn new<H: Hal<Region = R>>(hal: &H) -> Result<Self, DmaError> {
        Ok(Self {
            shadow: hal.allocate(DmaLayout::pages(PAGE_BYTES))?,
            events: hal.allocate(DmaLayout::pages(PAGE_BYTES))?,
        })
    }

    /// Whether the pages have room for a doorbell at this offset.
    pub(super) const fn has_room_for(at: usize) -> bool {
        at + 4 <= PAGE_BYTES
    }

    /// Addresses of the shadow page and of the event page.
    pub(super) fn bus_addrs(&self) -> [BusAddr; 2] {
        [self.shadow.bus_addr(), self.events.bus_addr()]
    }

    /// Sets one doorbell, before the device is told of the pages.
    pub(super) fn preset(&self, at: usize, value: u32) {
        self.shadow.store32(at, value);
    }

    /// Publishes `new`; whether the device wants the register written too.
    #[inline]
    pub(super) fn publish(&self, at: usize, old: u32, new: u32) -> bool {
        self.shadow.store32(at, new);
        // The store must be seen before the event index is read: the device
        // stores that index before it reads the tail once more and goes to sleep.
        // Were both loads early, each side would miss the other's store.
        fence(Ordering::SeqCst);
        passes(self.events.load32(at), old, new)
    }
}

/// Whether going from `old` to `new` passes `event`, all modulo 2^16.
#[inline]
fn passes(event: u32, old: u32, new: u32) -> bool {
    let behind_new = (new as u16).wrapping_sub(event as u16).wrapping_sub(1);
    behind_new < (new as u16).wrapping_sub(old as u16)
}

#[cfg(test)]
mod tests {
    use super::passes;
    use crate::fake::FakeRegion;

    #[test]
    fn the_last_doorbell_of_a_page_is_at_4092() {
        let room = super::ShadowDoorbells::<FakeRegion>::has_room_for;
        assert!(room(0) && room(4092));
        assert!(!room(4093) && !room(4096));
    }

    #[test]
    fn the_event_counts_from_old_inclusive_to_new_exclusive() {
        assert!(passes(5, 5, 6), "the device waits for exactly this entry");
        assert!(passes(7, 5, 9));
        assert!(!passes(9, 5, 9), "not beyond what was published");
        assert!(!passes(4, 5, 9), "already passed");
        assert!(!passes(5, 6, 6), "nothing moved");
    }

    #[test]
    fn a_tail_that_wraps_at_the_end_of_its_ring_still_passes() {
        // From slot 1022 to slot 2 of a ring of 1024, in 16-bit arithmetic.
        assert!(passes(1022, 1022, 2));
        assert!(passes(0, 1022, 2));
        assert!(!passes(2, 1022, 2));
    }
}
