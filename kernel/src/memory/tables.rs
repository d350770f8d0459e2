//! The active page tables, and address space of the kernel's own.

use super::physical::{self, Frames};
use super::window::Window;
use spin::{Mutex, Once};
use x86_64::registers::control::Cr3;
use x86_64::structures::paging::mapper::{MapToError, MapperFlush};
use x86_64::structures::paging::page::PageSize;
use x86_64::structures::paging::{
    Mapper, OffsetPageTable, Page, PageTable, PageTableFlags, PhysFrame, Size2MiB, Size4KiB,
};
use x86_64::{PhysAddr, VirtAddr};

/// Bytes that one entry of the top table covers.
const SLOT_BYTES: u64 = 1 << 39;
const PAGE: u64 = Size4KiB::SIZE;
const LARGE_PAGE: u64 = Size2MiB::SIZE;

/// The one slot of the top table that the kernel fills itself: the heap in its
/// lower half, register windows in its upper.
static SLOT: Once<u64> = Once::new();
static WINDOWS: Mutex<Option<Window>> = Mutex::new(None);
/// Held while page tables change.
static CHANGES: Mutex<()> = Mutex::new(());

/// Finds a free slot. `None` where physical memory is not mapped, or no slot is free.
pub(super) fn init() -> Option<()> {
    let free = with_tables(|tables| {
        let top = tables.level_4_table();
        (256..511).rev().find(|&i| top[i].is_unused())
    })??;
    let start = 0xffff << 48 | (free as u64) << 39;
    SLOT.call_once(|| start);
    *WINDOWS.lock() = Some(Window::new(start + SLOT_BYTES / 2, start + SLOT_BYTES));
    Some(())
}

/// Where the heap starts, and how far it may grow in bytes.
pub(super) fn heap_window() -> Option<(u64, u64)> {
    SLOT.get().map(|&start| (start, SLOT_BYTES / 2))
}

/// Maps fresh zeroed frames, writable and never executable, at `virt`; gives the
/// bytes that could be mapped, less than `bytes` when memory runs out.
pub(super) fn map_fresh(virt: u64, bytes: u64) -> u64 {
    let flags = PageTableFlags::PRESENT | PageTableFlags::WRITABLE | PageTableFlags::NO_EXECUTE;
    let mapped = with_tables(|tables| {
        let mut done = 0;
        while done < bytes {
            let Some(frame) = Frames.take() else { break };
            if zero(frame).is_none() || map_one(tables, virt + done, frame, flags).is_none() {
                physical::give(frame.start_address().as_u64(), PAGE);
                break;
            }
            done += PAGE;
        }
        done
    });
    mapped.unwrap_or(0)
}

/// Maps device registers, uncached, writable and never executable.
pub(super) fn map_registers(phys: u64, bytes: u64) -> Option<u64> {
    let skip = phys % PAGE;
    let first = phys - skip;
    let end = phys.checked_add(bytes)?.checked_next_multiple_of(PAGE)?;
    PhysAddr::try_new(end).ok()?;
    let virt = WINDOWS.lock().as_mut()?.take(first, end - first)?;
    let flags = PageTableFlags::PRESENT
        | PageTableFlags::WRITABLE
        | PageTableFlags::NO_EXECUTE
        | PageTableFlags::NO_CACHE
        | PageTableFlags::WRITE_THROUGH;
    with_tables(|tables| {
        let mut at = first;
        while at < end {
            let to = virt + (at - first);
            if at.is_multiple_of(LARGE_PAGE) && end - at >= LARGE_PAGE {
                let frame: PhysFrame<Size2MiB> = PhysFrame::containing_address(PhysAddr::new(at));
                map_one(tables, to, frame, flags)?;
                at += LARGE_PAGE;
            } else {
                let frame: PhysFrame = PhysFrame::containing_address(PhysAddr::new(at));
                map_one(tables, to, frame, flags)?;
                at += PAGE;
            }
        }
        Some(())
    })??;
    Some(virt + skip)
}

/// Removes the 4 KiB page at `virt` for good. `false` if there is none.
///
/// # Safety
/// Nobody may use the page any more.
pub(super) unsafe fn unmap(virt: u64) -> bool {
    let page: Page = Page::containing_address(VirtAddr::new(virt));
    let unmapped = with_tables(|tables| tables.unmap(page).ok().map(|(_, flush)| flush.flush()));
    unmapped.flatten().is_some()
}

/// Runs `f` on the active page tables.
fn with_tables<R>(f: impl FnOnce(&mut OffsetPageTable<'_>) -> R) -> Option<R> {
    let offset = physical::offset()?;
    let _guard = CHANGES.lock();
    let (root, _) = Cr3::read();
    let top = physical::pointer(root.start_address().as_u64())?.cast::<PageTable>();
    // SAFETY: CR3 holds the top table, seen through the map of physical memory;
    // CHANGES makes this the only reference.
    let top = unsafe { &mut *top.as_ptr() };
    // SAFETY: the loader maps physical memory at `offset` (BootInfo).
    let mut tables = unsafe { OffsetPageTable::new(top, VirtAddr::new(offset)) };
    Some(f(&mut tables))
}

fn map_one<S: PageSize>(
    tables: &mut OffsetPageTable<'_>,
    virt: u64,
    frame: PhysFrame<S>,
    flags: PageTableFlags,
) -> Option<()>
where
    for<'t> OffsetPageTable<'t>: Mapper<S>,
{
    let page = Page::<S>::from_start_address(VirtAddr::new(virt)).ok()?;
    // SAFETY: `virt` lies in the kernel's own slot, where each address is given out
    // once; the frame is fresh memory or a device's registers.
    let mapped: Result<MapperFlush<S>, MapToError<S>> =
        unsafe { tables.map_to(page, frame, flags, &mut Frames) };
    mapped.ok().map(MapperFlush::flush)
}

fn zero(frame: PhysFrame) -> Option<()> {
    let start = physical::pointer(frame.start_address().as_u64())?;
    // SAFETY: the frame was free, so it is memory and nobody else's.
    unsafe { start.write_bytes(0, PAGE as usize) };
    Some(())
}
