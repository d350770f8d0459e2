//! Register access.

/// Counts of register accesses since the start, exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MmioCounts {
    /// Loads of any width.
    pub reads: u64,
    /// Stores of any width.
    pub writes: u64,
}

/// The registers of one BAR.
///
/// The implementor makes exactly one access of the stated width per call, in
/// program order with all other calls, and counts it. An offset outside the BAR
/// reads as all ones and its write is dropped, as on a bus; both are counted.
pub trait Mmio {
    /// Loads 8 bits at `offset` bytes.
    fn read8(&self, offset: usize) -> u8;
    /// Loads 16 bits at `offset` bytes; `offset` is a multiple of 2.
    fn read16(&self, offset: usize) -> u16;
    /// Loads 32 bits at `offset` bytes; `offset` is a multiple of 4.
    fn read32(&self, offset: usize) -> u32;
    /// Loads 64 bits at `offset` bytes; `offset` is a multiple of 8.
    fn read64(&self, offset: usize) -> u64;
    /// Stores 8 bits at `offset` bytes.
    fn write8(&self, offset: usize, value: u8);
    /// Stores 16 bits at `offset` bytes; `offset` is a multiple of 2.
    fn write16(&self, offset: usize, value: u16);
    /// Stores 32 bits at `offset` bytes; `offset` is a multiple of 4.
    fn write32(&self, offset: usize, value: u32);
    /// Stores 64 bits at `offset` bytes; `offset` is a multiple of 8.
    fn write64(&self, offset: usize, value: u64);
    /// Size of the BAR in bytes.
    fn len_bytes(&self) -> usize;
    /// Accesses made so far.
    fn counts(&self) -> MmioCounts;
}
