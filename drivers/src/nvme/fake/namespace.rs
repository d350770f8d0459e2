//! A namespace of the model.

use crate::fake::scsi::BlockStore;

/// One namespace and its blocks.
pub struct FakeNamespace {
    /// Identifier, from 1.
    pub nsid: u32,
    /// Size in blocks.
    pub blocks: u64,
    /// log2 of the block's bytes.
    pub block_shift: u8,
    /// Index of the format in use, 0..=15.
    pub format: u8,
    /// Metadata bytes per block.
    pub metadata_bytes: u16,
    /// NSATTR says write-protected.
    pub read_only: bool,
    /// State of the write protection feature.
    pub protection: u8,
    /// NPWG in blocks; 0: the field is not defined.
    pub preferred_blocks: u16,
    /// EUI-64.
    pub eui64: [u8; 8],
    /// NGUID.
    pub nguid: [u8; 16],
    /// The blocks.
    pub store: BlockStore,
}

impl FakeNamespace {
    /// A namespace of blocks of `1 << block_shift` bytes, with an EUI-64.
    #[must_use]
    pub fn new(nsid: u32, blocks: u64, block_shift: u8) -> Self {
        Self {
            nsid,
            blocks,
            block_shift,
            format: 0,
            metadata_bytes: 0,
            read_only: false,
            protection: 0,
            preferred_blocks: 0,
            eui64: [0x52, 0x54, 0, 0, 0, 0, 0, nsid as u8],
            nguid: [0; 16],
            store: BlockStore::new(1 << block_shift),
        }
    }

    /// Block size in bytes.
    #[must_use]
    pub fn block_bytes(&self) -> usize {
        1 << self.block_shift
    }
}
