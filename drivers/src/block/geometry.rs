//! What a driver must check of a request, as small as the hot path wants it.

use super::{Disk, Lba};

/// Shape of a disk. Checked once when made, so that one comparison per figure
/// is enough per request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    blocks: u64,
    block_shift: u32,
    /// At most `blocks`.
    max_blocks: u32,
}

impl Geometry {
    /// Of `disk`, behind a controller that takes commands of at most
    /// `max_transfer_bytes` each.
    ///
    /// # Panics
    /// If the block size is no power of two: no such [`Disk`] may exist.
    #[must_use]
    pub fn new(disk: &Disk, max_transfer_bytes: u64) -> Self {
        assert!(disk.block_size_bytes.is_power_of_two());
        let block_shift = disk.block_size_bytes.trailing_zeros();
        // Lengths in bytes stay below 4 GiB.
        let longest_bytes = max_transfer_bytes
            .min(disk.max_transfer_bytes)
            .min(u64::from(u32::MAX));
        let max_blocks = (longest_bytes >> block_shift).min(disk.blocks);
        Self {
            blocks: disk.blocks,
            block_shift,
            max_blocks: max_blocks as u32,
        }
    }

    /// Capacity in blocks.
    #[must_use]
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Length in bytes of a read or write of `blocks` from `lba`, which is always
    /// their number times the block size; `None` if the range is empty, too long
    /// for one command, or not on the disk.
    #[inline]
    #[must_use]
    pub const fn transfer_bytes(&self, lba: Lba, blocks: u32) -> Option<u32> {
        if blocks.wrapping_sub(1) >= self.max_blocks || lba.0 > self.blocks - blocks as u64 {
            return None;
        }
        Some(blocks << self.block_shift)
    }

    /// Whether the disk has these blocks, at least one; of a command without
    /// data the number is not bounded by what a transfer takes.
    #[must_use]
    pub const fn contains(&self, lba: Lba, blocks: u32) -> bool {
        blocks > 0 && blocks as u64 <= self.blocks && lba.0 <= self.blocks - blocks as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::DiskAddress;
    use alloc::string::String;

    fn disk(blocks: u64, block_size_bytes: u32, max_transfer_bytes: u64) -> Disk {
        Disk {
            address: DiskAddress::Namespace(1),
            blocks,
            block_size_bytes,
            physical_block_bytes: block_size_bytes,
            read_only: false,
            durable_writes: false,
            trim: false,
            max_transfer_bytes,
            vendor: String::new(),
            model: String::new(),
            serial: String::new(),
            wwid: String::new(),
        }
    }

    #[test]
    fn ranges_end_with_the_disk() {
        let geometry = Geometry::new(&disk(100, 512, u64::MAX), 1 << 20);
        assert_eq!(geometry.transfer_bytes(Lba(0), 100), Some(51_200));
        assert_eq!(geometry.transfer_bytes(Lba(99), 1), Some(512));
        assert_eq!(geometry.transfer_bytes(Lba(99), 2), None);
        assert_eq!(geometry.transfer_bytes(Lba(u64::MAX), 1), None);
        assert_eq!(geometry.transfer_bytes(Lba(0), 0), None);
        assert!(geometry.contains(Lba(90), 10) && !geometry.contains(Lba(91), 10));
    }

    #[test]
    fn the_shortest_of_all_limits_counts() {
        let geometry = Geometry::new(&disk(1 << 40, 4096, 65_536), 1 << 20);
        assert_eq!(geometry.transfer_bytes(Lba(0), 16), Some(65_536));
        assert_eq!(geometry.transfer_bytes(Lba(0), 17), None);
        let geometry = Geometry::new(&disk(1 << 60, 512, u64::MAX), u64::MAX);
        assert_eq!(geometry.transfer_bytes(Lba(0), 1 << 23), None);
        assert_eq!(
            geometry.transfer_bytes(Lba(0), (1 << 23) - 1),
            Some(u32::MAX - 511)
        );
    }

    #[test]
    fn a_disk_of_one_block_takes_one_block() {
        let geometry = Geometry::new(&disk(1, 512, u64::MAX), 1 << 20);
        assert_eq!(geometry.transfer_bytes(Lba(0), 1), Some(512));
        assert_eq!(geometry.transfer_bytes(Lba(0), 2), None);
        assert_eq!(geometry.transfer_bytes(Lba(1), 1), None);
    }
}
