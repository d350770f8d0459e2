//! Size of a disk.

/// What READ CAPACITY says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Logical blocks; 0 where the device gives the all-ones address that means none.
    pub blocks: u64,
    /// Logical block size in bytes, as the device says.
    pub block_size_bytes: u32,
    /// Physical block size in bytes.
    pub physical_block_bytes: u32,
    /// LBPME: logical block provisioning is on, so UNMAP may work.
    pub provisioned: bool,
}

/// Bytes that READ CAPACITY(16) returns.
pub const CAPACITY_16_BYTES: usize = 32;
/// Bytes that READ CAPACITY(10) returns.
pub const CAPACITY_10_BYTES: usize = 8;

impl Capacity {
    /// From READ CAPACITY(16) data (SBC-3 5.16.2).
    #[must_use]
    pub fn from_16(data: &[u8; CAPACITY_16_BYTES]) -> Self {
        let word =
            |at: usize| u32::from_be_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]);
        let last = u64::from(word(0)) << 32 | u64::from(word(4));
        let exponent = u32::from(data[13] & 0xf);
        Self {
            blocks: last.wrapping_add(1),
            block_size_bytes: word(8),
            physical_block_bytes: word(8).saturating_mul(1 << exponent),
            provisioned: data[14] & 0x80 != 0,
        }
    }

    /// From READ CAPACITY(10) data (SBC-3 5.15.2); `None` if the disk is too
    /// large for it to tell.
    #[must_use]
    pub fn from_10(data: &[u8; CAPACITY_10_BYTES]) -> Option<Self> {
        let word =
            |at: usize| u32::from_be_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]);
        (word(0) != u32::MAX).then(|| Self {
            blocks: u64::from(word(0)) + 1,
            block_size_bytes: word(4),
            physical_block_bytes: word(4),
            provisioned: false,
        })
    }
}
