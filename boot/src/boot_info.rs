//! Writes the `BootInfo` of `bootloader_api`.
#![expect(unsafe_code, reason = "BootInfo refers to addresses of the kernel")]

use crate::LoadError;
use crate::frames::Taken;
use bootloader_api::BootInfo;
use bootloader_api::info::{FrameBuffer, FrameBufferInfo, MemoryRegion, MemoryRegions};

/// Regions that may be added to the map after its size was asked for.
const SPARE_REGIONS: usize = 16;
const REGIONS_AT: usize = size_of::<BootInfo>().next_multiple_of(align_of::<MemoryRegion>());

/// Bytes for a BootInfo and the `regions` of its memory map, behind it.
pub(crate) const fn bytes_for(regions: usize) -> u64 {
    (REGIONS_AT + (regions + SPARE_REGIONS) * size_of::<MemoryRegion>()) as u64
}

/// A slice in the kernel's address space, of the layout that [`MemoryRegions`]
/// documents: `repr(C)`, pointer and length.
#[repr(C)]
struct KernelSlice {
    pointer: *mut MemoryRegion,
    len: usize,
}

/// Writes BootInfo and memory map to `taken`, which the kernel sees at `virt`;
/// `fill` sets everything but the map.
pub(crate) fn write(
    mut taken: Taken,
    virt: u64,
    regions: &[MemoryRegion],
    fill: impl FnOnce(&mut BootInfo),
) -> Result<(), LoadError> {
    let memory = taken.memory();
    if REGIONS_AT + size_of_val(regions) > memory.len() {
        return Err(LoadError::MemoryMapFull);
    }
    let slice = KernelSlice {
        pointer: (virt as usize + REGIONS_AT) as *mut MemoryRegion,
        len: regions.len(),
    };
    // SAFETY: both are `repr(C)` of a pointer and a length; the pointer is followed
    // by the kernel only, in whose address space it is valid.
    let map = unsafe { core::mem::transmute::<KernelSlice, MemoryRegions>(slice) };
    let mut info = BootInfo::new(map);
    fill(&mut info);
    let start = memory.as_mut_ptr();
    // SAFETY: `memory` starts on a page and is longer than BootInfo.
    unsafe { start.cast::<BootInfo>().write(info) };
    // SAFETY: REGIONS_AT lies inside, checked above.
    let target = unsafe { start.add(REGIONS_AT) };
    let source = regions.as_ptr();
    // SAFETY: the length was checked above, REGIONS_AT is aligned, and freshly
    // taken memory overlaps nothing.
    unsafe { source.copy_to_nonoverlapping(target.cast(), regions.len()) };
    Ok(())
}

/// A framebuffer that the kernel sees at `virt`.
pub(crate) fn framebuffer(virt: u64, info: FrameBufferInfo) -> FrameBuffer {
    // SAFETY: the firmware says that the framebuffer is there, the caller mapped it
    // at `virt` for the kernel, and the loader itself never touches it.
    unsafe { FrameBuffer::new(virt, info) }
}
