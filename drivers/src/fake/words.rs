//! Memory as 64-bit cells, read and written at any width.

use alloc::boxed::Box;
use core::cell::Cell;

/// The contents of one allocation, little-endian.
pub(super) struct Words {
    cells: Box<[Cell<u64>]>,
    len_bytes: usize,
}

impl Words {
    /// `len_bytes` zeroed bytes.
    pub(super) fn zeroed(len_bytes: usize) -> Self {
        Self {
            cells: alloc::vec![Cell::new(0u64); len_bytes.div_ceil(8)].into_boxed_slice(),
            len_bytes,
        }
    }

    #[inline]
    pub(super) fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Panics if the range leaves the allocation.
    fn check(&self, offset: usize, len_bytes: usize) {
        let inside = offset
            .checked_add(len_bytes)
            .is_some_and(|end| end <= self.len_bytes);
        assert!(
            inside,
            "access of {len_bytes} bytes at offset {offset} leaves a region of {} bytes",
            self.len_bytes
        );
    }

    #[inline]
    pub(super) fn read_words<const N: usize>(&self, offset: usize) -> [u64; N] {
        assert!(offset.is_multiple_of(8), "words at odd offset {offset}");
        let cells = &self.cells[offset / 8..][..N];
        core::array::from_fn(|index| cells[index].get())
    }

    #[inline]
    pub(super) fn write_words<const N: usize>(&self, offset: usize, words: &[u64; N]) {
        assert!(offset.is_multiple_of(8), "words at odd offset {offset}");
        let cells = &self.cells[offset / 8..][..N];
        for (cell, word) in cells.iter().zip(words) {
            cell.set(*word);
        }
    }

    /// The `width_bytes` (1, 2 or 4) bytes at `offset`, naturally aligned.
    #[inline]
    pub(super) fn load(&self, offset: usize, width_bytes: usize) -> u32 {
        assert!(offset.is_multiple_of(width_bytes), "load at odd {offset}");
        let shift = offset % 8 * 8;
        let mask = u64::MAX >> (64 - 8 * width_bytes);
        (self.cells[offset / 8].get() >> shift & mask) as u32
    }

    /// Sets the `width_bytes` (1, 2 or 4) bytes at `offset`, naturally aligned.
    #[inline]
    pub(super) fn store(&self, offset: usize, width_bytes: usize, value: u32) {
        assert!(offset.is_multiple_of(width_bytes), "store at odd {offset}");
        let shift = offset % 8 * 8;
        let mask = (u64::MAX >> (64 - 8 * width_bytes)) << shift;
        let cell = &self.cells[offset / 8];
        cell.set(cell.get() & !mask | u64::from(value) << shift & mask);
    }

    pub(super) fn read_bytes(&self, mut offset: usize, mut out: &mut [u8]) {
        self.check(offset, out.len());
        while !out.is_empty() {
            let start = offset % 8;
            let take = (8 - start).min(out.len());
            let bytes = self.cells[offset / 8].get().to_le_bytes();
            let (head, tail) = out.split_at_mut(take);
            head.copy_from_slice(&bytes[start..start + take]);
            out = tail;
            offset += take;
        }
    }

    pub(super) fn write_bytes(&self, mut offset: usize, mut data: &[u8]) {
        self.check(offset, data.len());
        while !data.is_empty() {
            let start = offset % 8;
            let take = (8 - start).min(data.len());
            let cell = &self.cells[offset / 8];
            let mut bytes = cell.get().to_le_bytes();
            let (head, tail) = data.split_at(take);
            bytes[start..start + take].copy_from_slice(head);
            cell.set(u64::from_le_bytes(bytes));
            data = tail;
            offset += take;
        }
    }
}
