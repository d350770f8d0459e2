//! Fields of a table that may end anywhere.

/// The little-endian field of `N` bytes at `offset`; `None` past the end.
pub fn field<const N: usize>(table: &[u8], offset: usize) -> Option<[u8; N]> {
    table.get(offset..)?.first_chunk().copied()
}

/// 16 bits at `offset`.
pub fn u16_at(table: &[u8], offset: usize) -> Option<u16> {
    field(table, offset).map(u16::from_le_bytes)
}

/// 32 bits at `offset`.
pub fn u32_at(table: &[u8], offset: usize) -> Option<u32> {
    field(table, offset).map(u32::from_le_bytes)
}

/// 64 bits at `offset`.
pub fn u64_at(table: &[u8], offset: usize) -> Option<u64> {
    field(table, offset).map(u64::from_le_bytes)
}
