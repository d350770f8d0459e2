//! Register windows: uncached, never executable.

use super::tables;
use core::ptr::NonNull;

/// Maps `len` bytes of device registers from the physical address `phys`, both
/// in bytes and of any alignment. The mapping stays for ever. `None` when
/// address space or page-table memory is used up, or `len` is 0.
#[must_use]
pub fn map(phys: u64, len: usize) -> Option<NonNull<u8>> {
    if len == 0 {
        return None;
    }
    let virt = tables::map_registers(phys, len as u64)?;
    NonNull::new(virt as *mut u8)
}
