//! The registers of one BAR.
#![expect(
    unsafe_code,
    reason = "registers are reached through a raw pointer to their mapping"
)]

use super::volatile;
use core::cell::Cell;
use core::ptr::NonNull;
use drivers::hal::{Mmio, MmioCounts};

/// A mapped BAR with a count of its accesses.
#[derive(Debug)]
pub struct MmioRegion {
    base: NonNull<u8>,
    len_bytes: usize,
    reads: Cell<u64>,
    writes: Cell<u64>,
}

impl MmioRegion {
    /// # Safety
    /// `len_bytes` bytes from `base` are mapped, uncached, for the life of the
    /// value, hold registers of a device and no memory of the program, and `base`
    /// is aligned to 8.
    #[must_use]
    pub const unsafe fn new(base: NonNull<u8>, len_bytes: usize) -> Self {
        Self {
            base,
            len_bytes,
            reads: Cell::new(0),
            writes: Cell::new(0),
        }
    }

    /// Whether an access of `width` bytes at `offset` exists on this bus.
    #[inline(always)]
    const fn holds(&self, offset: usize, width: usize) -> bool {
        width <= self.len_bytes && offset <= self.len_bytes - width && offset.is_multiple_of(width)
    }

    #[inline(always)]
    fn count_read(&self) {
        self.reads.set(self.reads.get() + 1);
    }

    #[inline(always)]
    fn count_write(&self) {
        self.writes.set(self.writes.get() + 1);
    }
}

impl Mmio for MmioRegion {
    #[inline]
    fn read8(&self, offset: usize) -> u8 {
        self.count_read();
        if !self.holds(offset, 1) {
            return u8::MAX;
        }
        // SAFETY: inside the mapping and aligned, by the line above and `new`.
        unsafe { volatile::load8(self.base, offset) }
    }

    #[inline]
    fn read16(&self, offset: usize) -> u16 {
        self.count_read();
        if !self.holds(offset, 2) {
            return u16::MAX;
        }
        // SAFETY: inside the mapping and aligned, by the line above and `new`.
        unsafe { volatile::load16(self.base, offset) }
    }

    #[inline]
    fn read32(&self, offset: usize) -> u32 {
        self.count_read();
        if !self.holds(offset, 4) {
            return u32::MAX;
        }
        // SAFETY: inside the mapping and aligned, by the line above and `new`.
        unsafe { volatile::load32(self.base, offset) }
    }

    #[inline]
    fn read64(&self, offset: usize) -> u64 {
        self.count_read();
        if !self.holds(offset, 8) {
            return u64::MAX;
        }
        // SAFETY: inside the mapping and aligned, by the line above and `new`.
        unsafe { volatile::load64(self.base, offset) }
    }

    #[inline]
    fn write8(&self, offset: usize, value: u8) {
        self.count_write();
        if self.holds(offset, 1) {
            // SAFETY: inside the mapping and aligned, by the line above and `new`.
            unsafe { volatile::store8(self.base, offset, value) };
        }
    }

    #[inline]
    fn write16(&self, offset: usize, value: u16) {
        self.count_write();
        if self.holds(offset, 2) {
            // SAFETY: inside the mapping and aligned, by the line above and `new`.
            unsafe { volatile::store16(self.base, offset, value) };
        }
    }

    #[inline]
    fn write32(&self, offset: usize, value: u32) {
        self.count_write();
        if self.holds(offset, 4) {
            // SAFETY: inside the mapping and aligned, by the line above and `new`.
            unsafe { volatile::store32(self.base, offset, value) };
        }
    }

    #[inline]
    fn write64(&self, offset: usize, value: u64) {
        self.count_write();
        if self.holds(offset, 8) {
            // SAFETY: inside the mapping and aligned, by the line above and `new`.
            unsafe { volatile::store64(self.base, offset, value) };
        }
    }

    fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    fn counts(&self) -> MmioCounts {
        MmioCounts {
            reads: self.reads.get(),
            writes: self.writes.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registers(backing: &mut [u64; 2]) -> MmioRegion {
        let base = NonNull::from(backing).cast::<u8>();
        // SAFETY: 12 of the 16 bytes; the test does not touch the array meanwhile.
        unsafe { MmioRegion::new(base, 12) }
    }

    #[test]
    fn accesses_have_their_width_and_are_counted() {
        let mut backing = [0x1122_3344_5566_7788, 0xaabb_ccdd_eeff_0011];
        let bar = registers(&mut backing);
        assert_eq!(bar.read32(4), 0x1122_3344);
        assert_eq!(bar.read64(0), 0x1122_3344_5566_7788);
        assert_eq!((bar.read8(1), bar.read16(2)), (0x77, 0x5566));
        bar.write32(8, 0xdead_beef);
        bar.write8(9, 0x11);
        bar.write16(10, 0x2233);
        let counts = bar.counts();
        assert_eq!((counts.reads, counts.writes), (4, 3));
        assert_eq!(backing[1], 0xaabb_ccdd_2233_11ef);
    }

    #[test]
    fn outside_the_bar_is_all_ones_and_dropped_but_counted() {
        let mut backing = [0; 2];
        let bar = registers(&mut backing);
        assert_eq!(bar.read32(12), u32::MAX);
        assert_eq!(bar.read64(8), u64::MAX, "crosses the end");
        assert_eq!(bar.read32(usize::MAX - 3), u32::MAX);
        assert_eq!(bar.read16(12), u16::MAX);
        assert_eq!(bar.read8(12), u8::MAX);
        bar.write32(12, 1);
        bar.write64(8, u64::MAX);
        bar.write8(12, 1);
        bar.write16(14, 1);
        let counts = bar.counts();
        assert_eq!((counts.reads, counts.writes), (5, 4));
        assert_eq!(backing, [0; 2]);
    }
}
