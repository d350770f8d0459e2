//! The blocks of a disk, of which only those written take memory.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

/// Sparse storage; blocks never written read as zero.
pub struct BlockStore {
    block_bytes: usize,
    blocks: BTreeMap<u64, Box<[u8]>>,
}

impl BlockStore {
    /// Storage of blocks of `block_bytes` each.
    pub fn new(block_bytes: usize) -> Self {
        Self {
            block_bytes,
            blocks: BTreeMap::new(),
        }
    }

    /// Copies blocks from `lba` on into `out`, whose tail may be part of a block.
    pub fn read(&self, lba: u64, out: &mut [u8]) {
        for (index, chunk) in out.chunks_mut(self.block_bytes).enumerate() {
            match self.blocks.get(&(lba + index as u64)) {
                Some(block) => chunk.copy_from_slice(&block[..chunk.len()]),
                None => chunk.fill(0),
            }
        }
    }

    /// Writes blocks from `lba` on; the tail of `data` may be part of a block.
    pub fn write(&mut self, lba: u64, data: &[u8]) {
        let block_bytes = self.block_bytes;
        for (index, chunk) in data.chunks(block_bytes).enumerate() {
            let block = self
                .blocks
                .entry(lba + index as u64)
                .or_insert_with(|| alloc::vec![0; block_bytes].into_boxed_slice());
            block[..chunk.len()].copy_from_slice(chunk);
        }
    }

    /// Forgets blocks, so that they read as zero.
    pub fn discard(&mut self, lba: u64, blocks: u64) {
        let end = lba.saturating_add(blocks);
        self.blocks.retain(|at, _| *at < lba || *at >= end);
    }

    /// Blocks that were written, in order.
    pub fn written(&self) -> impl Iterator<Item = u64> + '_ {
        self.blocks.keys().copied()
    }
}
