//! The buffers that requests name.

use super::BufferId;
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};
use alloc::vec::Vec;

/// Data buffers of one size, each contiguous and on a 4 KiB page.
pub struct BufferPool<H: Hal> {
    regions: Vec<H::Region>,
    /// Address of each region, for the hot path.
    addresses: Vec<BusAddr>,
    size_bytes: usize,
}

impl<H: Hal> Default for BufferPool<H> {
    fn default() -> Self {
        Self {
            regions: Vec::new(),
            addresses: Vec::new(),
            size_bytes: 0,
        }
    }
}

impl<H: Hal> BufferPool<H> {
    /// Frees all buffers and makes `count` zeroed ones of `size_bytes` each. No
    /// device may use the old ones any more.
    ///
    /// # Errors
    /// [`DmaError`], and the pool is empty.
    pub fn replace(&mut self, hal: &H, count: u32, size_bytes: usize) -> Result<(), DmaError> {
        *self = Self::default();
        let mut fresh = Self {
            regions: Vec::with_capacity(count as usize),
            addresses: Vec::with_capacity(count as usize),
            size_bytes,
        };
        for _ in 0..count {
            let region = hal.allocate(DmaLayout::pages(size_bytes))?;
            fresh.addresses.push(region.bus_addr());
            fresh.regions.push(region);
        }
        *self = fresh;
        Ok(())
    }

    /// Address of `len_bytes` from `offset_bytes` on in a buffer; `None` if there
    /// is no such buffer or the range leaves it.
    #[inline]
    #[must_use]
    pub fn data_address(
        &self,
        buffer: BufferId,
        offset_bytes: u32,
        len_bytes: u32,
    ) -> Option<BusAddr> {
        let address = self.address(buffer)?;
        if u64::from(offset_bytes) + u64::from(len_bytes) > self.size_bytes as u64 {
            return None;
        }
        Some(address.add(u64::from(offset_bytes)))
    }

    /// Address of a buffer; `None` if there is no such.
    #[inline]
    #[must_use]
    pub fn address(&self, buffer: BufferId) -> Option<BusAddr> {
        self.addresses.get(buffer.0 as usize).copied()
    }

    /// Length of each buffer in bytes.
    #[must_use]
    pub const fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Copies `data` into a buffer. Panics if it does not fit.
    pub fn fill(&mut self, buffer: BufferId, offset_bytes: usize, data: &[u8]) {
        self.regions[buffer.0 as usize].write_bytes(offset_bytes, data);
    }

    /// Copies out of a buffer. Panics if it does not fit.
    pub fn read(&self, buffer: BufferId, offset_bytes: usize, out: &mut [u8]) {
        self.regions[buffer.0 as usize].read_bytes(offset_bytes, out);
    }
}
