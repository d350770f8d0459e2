//! The machine's physical memory: who owns which frame, and where it is seen.

use super::free_ranges::{FRAME_BYTES, FreeRanges, Placement, Shape};
use bootloader_api::info::{MemoryRegion, MemoryRegionKind};
use core::ptr::NonNull;
use spin::{Mutex, Once};
use x86_64::PhysAddr;
use x86_64::structures::paging::{FrameAllocator, PhysFrame, Size4KiB};

/// Below lie firmware data and the start of further processors.
const LOWEST: u64 = 1 << 20;
/// Free ranges that can be told apart.
const RANGES: usize = 512;

static FREE: Mutex<FreeRanges<RANGES>> = Mutex::new(FreeRanges::new());
/// Where physical address 0 is seen.
static OFFSET: Once<u64> = Once::new();
static USABLE_BYTES: Once<u64> = Once::new();

/// Takes over the memory that the loader left.
pub(super) fn init(regions: &[MemoryRegion], offset: u64) {
    OFFSET.call_once(|| offset);
    let usable = regions
        .iter()
        .filter(|region| region.kind == MemoryRegionKind::Usable);
    USABLE_BYTES.call_once(|| usable.clone().map(|r| r.end - r.start).sum());
    let mut free = FREE.lock();
    for region in usable {
        let start = region.start.max(LOWEST).next_multiple_of(FRAME_BYTES);
        let end = region.end & !(FRAME_BYTES - 1);
        if start < end {
            // A map that overlaps itself, or one of very many pieces, costs memory
            // and nothing else.
            free.give(start, end);
        }
    }
}

/// Bytes of memory that the loader left to the kernel.
#[must_use]
pub fn usable_bytes() -> u64 {
    USABLE_BYTES.get().copied().unwrap_or(0)
}

/// Bytes that are free now.
#[must_use]
pub fn free_bytes() -> u64 {
    FREE.lock().free_bytes()
}

/// What to add to a physical address to reach it.
pub(super) fn offset() -> Option<u64> {
    OFFSET.get().copied()
}

/// Where `phys` is seen: cached, writable, never executable. Only memory is mapped
/// there for sure; device registers are reached through [`super::mmio`].
#[must_use]
pub fn pointer(phys: u64) -> Option<NonNull<u8>> {
    NonNull::new((offset()? + phys) as *mut u8)
}

/// Takes memory of that shape; its content is whatever it was.
pub(super) fn take(shape: Shape, placement: Placement) -> Option<u64> {
    FREE.lock().take(shape, placement)
}

/// Gives back what [`take`] gave.
pub(super) fn give(start: u64, bytes: u64) -> bool {
    FREE.lock().give(start, start + bytes)
}

/// Frames for page tables and the heap, one by one.
pub(super) struct Frames;

impl Frames {
    /// Takes one frame.
    pub(super) fn take(&mut self) -> Option<PhysFrame> {
        let shape = Shape {
            bytes: FRAME_BYTES,
            align: FRAME_BYTES,
            boundary: 1 << 63,
        };
        let start = take(shape, Placement::Lowest)?;
        Some(PhysFrame::containing_address(PhysAddr::new(start)))
    }
}

// SAFETY: `take` hands out free memory and marks it as taken.
unsafe impl FrameAllocator<Size4KiB> for Frames {
    fn allocate_frame(&mut self) -> Option<PhysFrame> {
        self.take()
    }
}
