//! PRP lists (4.3), built once per buffer instead of once per command.
//!
//! A buffer is contiguous and starts on a page, so the list of a transfer is
//! always a stretch of the list of the whole buffer: PRP2 points into that. What
//! a list page's last slot means depends on the transfer, though: the next data
//! page if it is the last entry, the next list page otherwise. A long list is
//! therefore kept twice, the second shifted by one slot; at most one of the two
//! would have a transfer's last entry in a last slot.

use super::spec::PAGE_BYTES;
use crate::block::{BufferId, BufferPool};
use crate::hal::{DmaError, DmaLayout, DmaRegion, Hal};

/// Slots of a list page.
const SLOTS: u64 = PAGE_BYTES / 8;
/// Slots of a list page that hold data pages where another list page follows.
const DATA_SLOTS: u64 = SLOTS - 1;

/// The lists of every buffer of a pool.
pub(super) struct PrpLists<R> {
    region: Option<R>,
    base: u64,
    /// Distance between the lists of two buffers.
    stride_bytes: u64,
    /// From a buffer's list to its shifted copy; 0 if the list fits one page and
    /// so has no link in it.
    copy_bytes: u64,
}

impl<R: DmaRegion> PrpLists<R> {
    /// Lists for a pool without buffers.
    pub(super) const fn empty() -> Self {
        Self {
            region: None,
            base: 0,
            stride_bytes: 0,
            copy_bytes: 0,
        }
    }

    /// Lists for `count` buffers of `size_bytes` each.
    ///
    /// # Errors
    /// [`DmaError`] when no memory is left.
    pub(super) fn build<H: Hal<Region = R>>(
        hal: &H,
        buffers: &BufferPool<H>,
        count: u32,
        size_bytes: usize,
    ) -> Result<Self, DmaError> {
        let pages = (size_bytes as u64).div_ceil(PAGE_BYTES);
        // Two pages at most are named by PRP1 and PRP2 themselves.
        if pages <= 2 || count == 0 {
            return Ok(Self::empty());
        }
        let entries = pages - 1;
        let (stride_bytes, copy_bytes) = if entries <= SLOTS {
            ((entries * 8).next_power_of_two(), 0)
        } else {
            let first = entries.div_ceil(DATA_SLOTS) * PAGE_BYTES;
            let second = (entries + 1).div_ceil(DATA_SLOTS) * PAGE_BYTES;
            (first + second, first)
        };
        let region = hal.allocate(DmaLayout::pages((stride_bytes * u64::from(count)) as usize))?;
        let lists = Self {
            base: region.bus_addr().0,
            region: Some(region),
            stride_bytes,
            copy_bytes,
        };
        for index in 0..count {
            if let Some(data) = buffers.data_address(BufferId(index), 0, 0) {
                let at = stride_bytes * u64::from(index);
                lists.write(at, 0, data.0, entries);
                if copy_bytes != 0 {
                    lists.write(at + copy_bytes, 1, data.0, entries);
                }
            }
        }
        Ok(lists)
    }

    /// Writes the list of a buffer's pages 1.. at `at`, `skip` slots left free.
    fn write(&self, at: u64, skip: u64, data: u64, entries: u64) {
        let Some(region) = &self.region else { return };
        let put = |offset: u64, value: u64| region.write_words(offset as usize, &[value]);
        let linked = self.copy_bytes != 0;
        for entry in 0..entries {
            let slot = entry + skip;
            let offset = if linked {
                linked_offset(slot)
            } else {
                slot * 8
            };
            put(at + offset, data + (entry + 1) * PAGE_BYTES);
        }
        if linked {
            for page in 1..(entries + skip).div_ceil(DATA_SLOTS) {
                let link = at + page * PAGE_BYTES - 8;
                put(link, self.base + at + page * PAGE_BYTES);
            }
        }
    }

    /// PRP2 of a transfer of `bytes` (at least 1) that starts at `address`, which
    /// is `offset_bytes` into `buffer` and inside it as a whole.
    #[inline]
    pub(super) fn second(
        &self,
        buffer: BufferId,
        offset_bytes: u32,
        address: u64,
        bytes: u32,
    ) -> u64 {
        // From the start of the first page.
        let end = (address & (PAGE_BYTES - 1)) + u64::from(bytes);
        if end <= PAGE_BYTES {
            0
        } else if end <= 2 * PAGE_BYTES {
            (address & !(PAGE_BYTES - 1)) + PAGE_BYTES
        } else {
            self.list(buffer, u64::from(offset_bytes) / PAGE_BYTES, end)
        }
    }

    /// Where the list of a transfer starts, whose first page is the buffer's
    /// `first_page` and which ends `end` bytes after that page's start.
    ///
    /// Out of line: most commands do not need it.
    #[inline(never)]
    fn list(&self, buffer: BufferId, first_page: u64, end: u64) -> u64 {
        let list = self.base + u64::from(buffer.0) * self.stride_bytes;
        if self.copy_bytes == 0 {
            return list + first_page * 8;
        }
        let last_slot = first_page + (end - 1) / PAGE_BYTES - 1;
        // Entry n * 511 would be the last one in a slot that holds a link here.
        let shifted = u64::from(last_slot.is_multiple_of(DATA_SLOTS));
        list + shifted * self.copy_bytes + linked_offset(first_page + shifted)
    }
}

/// Offset of a slot in a list whose every full page ends in a link.
#[inline]
const fn linked_offset(slot: u64) -> u64 {
    slot / DATA_SLOTS * PAGE_BYTES + slot % DATA_SLOTS * 8
}
