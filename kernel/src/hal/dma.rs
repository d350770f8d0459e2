//! Memory that a driver shares with its device.
#![expect(
    unsafe_code,
    reason = "shared memory is reached through a raw pointer, never a reference"
)]

use super::volatile;
use crate::memory::dma::{self, DmaBlock};
use core::ptr::NonNull;
use core::sync::atomic::{Ordering, fence};
use drivers::hal::{BusAddr, DmaError, DmaLayout, DmaRegion};

/// One physically contiguous region; bus addresses are physical addresses here
/// (no IOMMU is programmed).
///
/// Ordering: x86 keeps loads in order with loads and stores in order with stores,
/// and a store to uncached memory (a doorbell) after all earlier stores, so
/// acquire and release need the compiler's fence only.
#[derive(Debug)]
pub struct DmaMemory {
    virt: NonNull<u8>,
    len_bytes: usize,
    bus: BusAddr,
    /// Gives the memory back on drop.
    _block: Option<DmaBlock>,
}

impl DmaMemory {
    /// Zeroed memory of that shape.
    ///
    /// # Errors
    /// [`DmaError`] when none is left.
    pub fn allocate(layout: DmaLayout) -> Result<Self, DmaError> {
        let block = dma::allocate(layout)?;
        Ok(Self {
            virt: block.virt,
            len_bytes: block.len,
            bus: BusAddr(block.phys),
            _block: Some(block),
        })
    }

    /// Panics unless `width` bytes at `offset` lie inside and are aligned to `align`.
    #[inline(always)]
    fn check(&self, offset: usize, width: usize, align: usize) {
        // A sum that an offset's type bounds needs no look at its carry.
        let inside = matches!(offset.checked_add(width), Some(end) if end <= self.len_bytes);
        assert!(
            inside && offset.is_multiple_of(align),
            "DMA access outside its region"
        );
    }
}

impl DmaRegion for DmaMemory {
    fn bus_addr(&self) -> BusAddr {
        self.bus
    }

    fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    fn read_bytes(&self, offset: usize, out: &mut [u8]) {
        self.check(offset, out.len(), 1);
        let head = offset.wrapping_neg() % 8;
        let (edge, rest) = out.split_at_mut(head.min(out.len()));
        for (index, byte) in edge.iter_mut().enumerate() {
            // SAFETY: inside, by `check`; bytes need no alignment.
            *byte = unsafe { volatile::load8(self.virt, offset + index) };
        }
        let mut at = offset + edge.len();
        let (words, tail) = rest.as_chunks_mut::<8>();
        for word in words {
            // SAFETY: inside, by `check`; `at` is a multiple of 8 after the edge and
            // the region starts on one.
            *word = unsafe { volatile::load64(self.virt, at) }.to_le_bytes();
            at += 8;
        }
        for (index, byte) in tail.iter_mut().enumerate() {
            // SAFETY: inside, by `check`; bytes need no alignment.
            *byte = unsafe { volatile::load8(self.virt, at + index) };
        }
    }

    fn write_bytes(&self, offset: usize, data: &[u8]) {
        self.check(offset, data.len(), 1);
        let head = offset.wrapping_neg() % 8;
        let (edge, rest) = data.split_at(head.min(data.len()));
        for (index, &byte) in edge.iter().enumerate() {
            // SAFETY: inside, by `check`; bytes need no alignment.
            unsafe { volatile::store8(self.virt, offset + index, byte) };
        }
        let mut at = offset + edge.len();
        let (words, tail) = rest.as_chunks::<8>();
        for &word in words {
            // SAFETY: inside, by `check`; `at` is a multiple of 8 after the edge and
            // the region starts on one.
            unsafe { volatile::store64(self.virt, at, u64::from_le_bytes(word)) };
            at += 8;
        }
        for (index, &byte) in tail.iter().enumerate() {
            // SAFETY: inside, by `check`; bytes need no alignment.
            unsafe { volatile::store8(self.virt, at + index, byte) };
        }
    }

    #[inline]
    fn read_words<const N: usize>(&self, offset: usize) -> [u64; N] {
        self.check(offset, N * 8, 8);
        let mut words = [0; N];
        for (index, word) in words.iter_mut().enumerate() {
            // SAFETY: inside and aligned, by `check`.
            *word = unsafe { volatile::load64(self.virt, offset + index * 8) };
        }
        words
    }

    #[inline]
    fn write_words<const N: usize>(&self, offset: usize, words: &[u64; N]) {
        self.check(offset, N * 8, 8);
        for (index, &word) in words.iter().enumerate() {
            // SAFETY: inside and aligned, by `check`.
            unsafe { volatile::store64(self.virt, offset + index * 8, word) };
        }
    }

    #[inline]
    fn load16(&self, offset: usize) -> u16 {
        self.check(offset, 2, 2);
        // SAFETY: inside and aligned, by `check`.
        let value = unsafe { volatile::load16(self.virt, offset) };
        fence(Ordering::Acquire);
        value
    }

    #[inline]
    fn load32(&self, offset: usize) -> u32 {
        self.check(offset, 4, 4);
        // SAFETY: inside and aligned, by `check`.
        let value = unsafe { volatile::load32(self.virt, offset) };
        fence(Ordering::Acquire);
        value
    }

    #[inline]
    fn store16(&self, offset: usize, value: u16) {
        self.check(offset, 2, 2);
        fence(Ordering::Release);
        // SAFETY: inside and aligned, by `check`.
        unsafe { volatile::store16(self.virt, offset, value) };
    }

    #[inline]
    fn store32(&self, offset: usize, value: u32) {
        self.check(offset, 4, 4);
        fence(Ordering::Release);
        // SAFETY: inside and aligned, by `check`.
        unsafe { volatile::store32(self.virt, offset, value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// A region over 64 bytes of the test's own memory, which outlives the test.
    fn region() -> DmaMemory {
        let bytes: &'static mut [u64; 8] = alloc::boxed::Box::leak(alloc::boxed::Box::new([0; 8]));
        DmaMemory {
            virt: NonNull::from(bytes).cast(),
            len_bytes: 64,
            bus: BusAddr(0x1_2345_6000),
            _block: None,
        }
    }

    #[test]
    fn bytes_survive_every_offset_and_length() {
        let pattern: Vec<u8> = (1..=64).collect();
        for offset in 0..64 {
            for len in 0..=64 - offset {
                let memory = region();
                memory.write_bytes(offset, &pattern[..len]);
                let mut all = [0; 64];
                memory.read_bytes(0, &mut all);
                assert!(all[..offset].iter().all(|&byte| byte == 0));
                assert_eq!(all[offset..offset + len], pattern[..len]);
                assert!(all[offset + len..].iter().all(|&byte| byte == 0));
                let mut part = alloc::vec![0; len];
                memory.read_bytes(offset, &mut part);
                assert_eq!(part, pattern[..len]);
            }
        }
    }

    #[test]
    fn words_and_cells_are_little_endian_at_their_offset() {
        let memory = region();
        memory.write_words(8, &[0x1122_3344_5566_7788, 1]);
        assert_eq!(memory.load32(8), 0x5566_7788);
        assert_eq!(memory.load16(14), 0x1122);
        memory.store32(12, 0xdead_beef);
        memory.store16(8, 0xcafe);
        assert_eq!(memory.read_words::<2>(8), [0xdead_beef_5566_cafe, 1]);
    }

    #[test]
    #[should_panic(expected = "outside its region")]
    fn a_word_across_the_end_is_a_bug() {
        region().write_words(56, &[0, 0]);
    }

    #[test]
    #[should_panic(expected = "outside its region")]
    fn an_offset_near_the_end_of_the_address_space_is_a_bug() {
        let _ = region().load32(usize::MAX - 3);
    }
}
