//! The loader: from what a firmware knows to a running kernel.
//!
//! Every way in (`src/bin`: PVH, UEFI, and BIOS, whose stage jumps to the PVH
//! entry) does only what is its own: it fills a [`Firmware`] and calls [`load`] and
//! [`Handoff::enter`]. Everything behind that seam is one path, and ends in a
//! `BootInfo` of `bootloader_api`, so the kernel cannot tell the ways apart.
//!
//! 1. The kernel runs on page tables built here: no page is writable and
//!    executable, the page below the kernel's stack is unmapped, physical memory
//!    is mapped never executable.
//! 2. Everything the loader took is `Bootloader` in the memory map that it hands
//!    over; what is `Usable` there belongs to the kernel.
//! 3. The loader takes memory between 1 MiB and 4 GiB only: below, firmware and
//!    the start of further processors have claims; above, it may not reach.
//! 4. Anything in the kernel's ELF that cannot be honoured is an error by name.
#![no_std]

#[cfg(test)]
extern crate std;

mod address_space;
mod bios_area;
mod boot_info;
mod boot_note;
mod elf;
mod error;
mod firmware;
mod frames;
mod handoff;
mod layout;
mod load;
mod memory_map;
mod page_tables;
mod processor;
mod start_info;

pub use bios_area::find_rsdp_below_1_mib;
pub use boot_note::{BOOT_NOTE_REGION, boot_note};
pub use elf::ElfError;
pub use error::LoadError;
pub use firmware::{EntryKind, Firmware, FirmwareFramebuffer, UNTIL_START};
pub use frames::PhysicalWindow;
pub use handoff::Handoff;
pub use load::load;
pub use memory_map::{MemoryMap, MemoryMapFull};
pub use start_info::{StartInfoError, read_start_info};

/// Bytes of a page and of a frame.
pub const PAGE_BYTES: u64 = 4096;

/// What a way in writes to QEMU's isa-debug-exit port when it cannot load the
/// kernel: the same code as a kernel panic, for it is as final.
pub const FAILED_EXIT_CODE: u8 = 0x20;
