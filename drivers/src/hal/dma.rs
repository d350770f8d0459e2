//! Memory that driver and device share.

/// An address as the device sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BusAddr(pub u64);

impl BusAddr {
    /// The address `bytes` further on.
    #[must_use]
    pub const fn add(self, bytes: u64) -> Self {
        Self(self.0 + bytes)
    }

    /// Number of the 4 KiB page that holds the address.
    #[must_use]
    pub const fn page_number(self) -> u64 {
        self.0 >> 12
    }
}

/// Shape of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaLayout {
    /// Length in bytes, at least 1.
    pub size_bytes: usize,
    /// Alignment in bytes, a power of two.
    pub align_bytes: usize,
    /// The region must not cross a multiple of this power of two: 4 GiB for
    /// memory that a device addresses through one shared upper half.
    pub boundary_bytes: u64,
}

impl DmaLayout {
    /// `size_bytes` on a 4 KiB page, inside one 4 GiB window.
    #[must_use]
    pub const fn pages(size_bytes: usize) -> Self {
        Self {
            size_bytes,
            align_bytes: 4096,
            boundary_bytes: 1 << 32,
        }
    }
}

/// No memory of the asked shape is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaError {
    /// What was asked.
    pub layout: DmaLayout,
}

/// One physically contiguous region shared with a device.
///
/// Offsets are in bytes. An access outside the region is a bug of the driver and
/// panics; a driver computes offsets only from its own shadows, never from what
/// the device wrote. Plain reads and writes are not ordered against the device:
/// take ownership with a `load`, give it with a `store`.
pub trait DmaRegion {
    /// Address of the first byte as the device sees it.
    fn bus_addr(&self) -> BusAddr;
    /// Length in bytes.
    fn len_bytes(&self) -> usize;
    /// Copies out of the region.
    fn read_bytes(&self, offset: usize, out: &mut [u8]);
    /// Copies into the region.
    fn write_bytes(&self, offset: usize, data: &[u8]);
    /// Reads `N` little-endian 64-bit words; `offset` is a multiple of 8.
    fn read_words<const N: usize>(&self, offset: usize) -> [u64; N];
    /// Writes `N` little-endian 64-bit words; `offset` is a multiple of 8.
    fn write_words<const N: usize>(&self, offset: usize, words: &[u64; N]);
    /// Loads 16 bits with acquire ordering; `offset` is a multiple of 2.
    fn load16(&self, offset: usize) -> u16;
    /// Loads 32 bits with acquire ordering; `offset` is a multiple of 4.
    fn load32(&self, offset: usize) -> u32;
    /// Stores 16 bits with release ordering; `offset` is a multiple of 2.
    fn store16(&self, offset: usize, value: u16);
    /// Stores 32 bits with release ordering; `offset` is a multiple of 4.
    fn store32(&self, offset: usize, value: u32);
}
