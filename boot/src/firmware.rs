//! The seam between a way in and the loader.

use crate::memory_map::MemoryMap;
use bootloader_api::info::{FrameBufferInfo, MemoryRegionKind};

/// How the machine was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A hypervisor jumped to the PVH entry (QEMU `-kernel`).
    Pvh,
    /// The UEFI application.
    Uefi,
    /// The BIOS stage, which prepares a PVH start_info and jumps to the same entry.
    Bios,
}

impl EntryKind {
    /// The word for it in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pvh => "pvh",
            Self::Uefi => "uefi",
            Self::Bios => "bios",
        }
    }
}

/// Memory that the firmware uses until the kernel starts, and not after: where its
/// page tables and the stack of the loader lie (UEFI 2.10 table 7.6,
/// EfiBootServicesData). [`crate::load`] takes none of it, and gives it to the kernel.
pub const UNTIL_START: MemoryRegionKind = MemoryRegionKind::UnknownUefi(4);

/// A linear framebuffer that the firmware left behind.
#[derive(Clone, Copy, Debug)]
pub struct FirmwareFramebuffer {
    /// Physical address of the first pixel.
    pub phys: u64,
    /// Its layout.
    pub info: FrameBufferInfo,
}

/// All that a way in learns from its firmware. Addresses are physical.
pub struct Firmware {
    /// Which way in.
    pub entry: EntryKind,
    /// Time-stamp counter at the first instruction of the loader.
    pub entry_tsc: u64,
    /// The machine's memory, with everything already painted as `Bootloader` that
    /// must survive: the loader's own image, stack and data.
    pub memory: MemoryMap,
    /// ACPI root pointer.
    pub rsdp: Option<u64>,
    /// First byte and length of the ramdisk. [`crate::load`] keeps it intact.
    pub ramdisk: Option<(u64, u64)>,
    /// Framebuffer, where there is one.
    pub framebuffer: Option<FirmwareFramebuffer>,
}
