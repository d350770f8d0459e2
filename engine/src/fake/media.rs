//! What a fake disk holds.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// Blocks that were written; all others read as zero.
#[derive(Clone, Debug)]
pub struct Media {
    block_bytes: usize,
    blocks: BTreeMap<u64, Vec<u8>>,
}

impl Media {
    /// Empty, with blocks of this size.
    #[must_use]
    pub const fn new(block_bytes: usize) -> Self {
        Self {
            block_bytes,
            blocks: BTreeMap::new(),
        }
    }

    /// The block at `lba`.
    #[must_use]
    pub fn block(&self, lba: u64) -> Vec<u8> {
        self.blocks
            .get(&lba)
            .cloned()
            .unwrap_or_else(|| vec![0; self.block_bytes])
    }

    /// Writes whole blocks from `lba` on. Allocates only for those not yet written.
    pub fn write(&mut self, lba: u64, data: &[u8]) {
        for (block, at) in data.chunks(self.block_bytes).zip(lba..) {
            match self.blocks.get_mut(&at) {
                Some(held) => held.copy_from_slice(block),
                None => {
                    self.blocks.insert(at, block.to_vec());
                }
            }
        }
    }

    /// Writes bytes anywhere.
    pub fn write_bytes(&mut self, offset: u64, data: &[u8]) {
        for (byte, at) in data.iter().zip(offset..) {
            let lba = at / self.block_bytes as u64;
            let mut block = self.block(lba);
            block[(at % self.block_bytes as u64) as usize] = *byte;
            self.blocks.insert(lba, block);
        }
    }

    /// Copies blocks from `lba` on into `out`. Does not allocate.
    pub fn read(&self, lba: u64, out: &mut [u8]) {
        for (block, at) in out.chunks_mut(self.block_bytes).zip(lba..) {
            match self.blocks.get(&at) {
                Some(data) => block.copy_from_slice(data),
                None => block.fill(0),
            }
        }
    }

    /// LBAs that were ever written.
    #[must_use]
    pub fn written(&self) -> Vec<u64> {
        self.blocks.keys().copied().collect()
    }
}
