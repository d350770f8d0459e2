//! Physical frames, the heap, memory shared with devices, register windows.
//!
//! 1. A frame has one owner at a time: the loader, the heap, the page tables or
//!    one [`dma::DmaBlock`].
//! 2. No page is writable and executable, and guard pages stay unmapped;
//!    [`guard::audit`] proves it at the start.
//! 3. Nothing here allocates while it holds a lock, and locks are taken in the
//!    order heap, tables, frames.
#![expect(
    unsafe_code,
    reason = "page tables and raw memory; all of it lies behind safe functions"
)]

pub mod audit;
pub mod boot_note;
pub mod dma;
pub mod free_ranges;
pub mod guard;
pub mod heap;
pub mod mmio;
pub mod physical;
mod tables;
pub mod window;

use crate::arch;
use bootloader_api::BootInfo;

/// Why memory could not be taken over. The kernel cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitError {
    /// The loader does not map physical memory, which the kernel's configuration asks for.
    NoPhysicalMap,
    /// Every entry of the top page table is taken.
    NoFreeSlot,
}

/// Takes over from the loader what `info` says: memory, page tables, stack.
///
/// # Errors
/// [`InitError`] where the loader broke its contract.
pub fn init(info: &BootInfo) -> Result<(), InitError> {
    let offset = info.physical_memory_offset.as_ref().copied();
    let offset = offset.ok_or(InitError::NoPhysicalMap)?;
    physical::init(&info.memory_regions, offset);
    tables::init().ok_or(InitError::NoFreeSlot)?;
    // Older loaders do not say where the stack is.
    if let Some(page) = info.kernel_stack_bottom.checked_sub(4096) {
        guard::add(page, "the kernel stack");
    }
    for (page, what) in arch::interrupt_stack_guards() {
        // SAFETY: these pages are laid out as guards and used for nothing else.
        unsafe { guard::unmap(page, what) };
    }
    Ok(())
}

/// The ramdisk that the loader mapped, if there is one.
#[must_use]
pub fn ramdisk(info: &BootInfo) -> Option<&[u8]> {
    let start = info.ramdisk_addr.as_ref().copied()?;
    // SAFETY: the loader mapped that many bytes there (BootInfo), it keeps them out
    // of the usable memory, and nobody writes them.
    Some(unsafe { core::slice::from_raw_parts(start as *const u8, info.ramdisk_len as usize) })
}
