//! The firmware's memory map in the loader's terms (UEFI 2.10 table 7.6).

use boot::{MemoryMap, MemoryMapFull, PAGE_BYTES, UNTIL_START};
use bootloader_api::info::MemoryRegionKind;
use uefi::boot::MemoryType;
use uefi::mem::memory_map::MemoryMap as _;
use uefi::mem::memory_map::MemoryMapOwned;

/// The regions of `map`.
pub fn regions(map: &MemoryMapOwned) -> Result<MemoryMap, MemoryMapFull> {
    let mut regions = MemoryMap::new();
    for entry in map.entries() {
        let bytes = entry.page_count.saturating_mul(PAGE_BYTES);
        let end = entry.phys_start.saturating_add(bytes);
        regions.paint(entry.phys_start, end, kind(entry.ty))?;
    }
    Ok(regions)
}

/// What a type means once boot services have ended.
const fn kind(ty: MemoryType) -> MemoryRegionKind {
    match ty {
        MemoryType::CONVENTIONAL => MemoryRegionKind::Usable,
        // Our image and data; the kernel has no use for so little.
        MemoryType::LOADER_CODE | MemoryType::LOADER_DATA => MemoryRegionKind::Bootloader,
        // The page tables and the stack that we still run on.
        MemoryType::BOOT_SERVICES_CODE | MemoryType::BOOT_SERVICES_DATA => UNTIL_START,
        other => MemoryRegionKind::UnknownUefi(other.0),
    }
}
