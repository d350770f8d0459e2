//! The heap: one stretch of address space that grows by fresh frames.

use super::tables;
use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;
use linked_list_allocator::Heap;
use spin::Mutex;

/// The heap grows by at least this much.
const STEP_BYTES: u64 = 256 << 10;

static STATE: Mutex<State> = Mutex::new(State {
    heap: Heap::empty(),
    mapped_bytes: 0,
});

struct State {
    heap: Heap,
    mapped_bytes: u64,
}

impl State {
    /// Maps room for `layout` behind what there is. `false` when memory runs out.
    fn grow(&mut self, layout: Layout) -> bool {
        let Some((start, limit)) = tables::heap_window() else {
            return false;
        };
        // The new room joins the free end of the old, whatever that holds, so the
        // size with its alignment always fits into it; the list's own nodes need
        // a little more.
        let need = layout.size() as u64 + layout.align() as u64 + 64;
        let step = need.max(STEP_BYTES).next_multiple_of(4096);
        if step > limit - self.mapped_bytes {
            return false;
        }
        let mapped = tables::map_fresh(start + self.mapped_bytes, step);
        if mapped == 0 {
            return false;
        }
        if self.mapped_bytes == 0 {
            // SAFETY: freshly mapped, of that length, and used by the heap alone.
            unsafe { self.heap.init(start as *mut u8, mapped as usize) };
        } else {
            // SAFETY: just mapped, directly behind the heap's end.
            unsafe { self.heap.extend(mapped as usize) };
        }
        self.mapped_bytes += mapped;
        mapped == step
    }
}

/// Bytes of memory that the heap has taken.
#[must_use]
pub fn mapped_bytes() -> u64 {
    STATE.lock().mapped_bytes
}

/// The allocator behind `alloc`; [`crate::guest!`] installs it.
#[derive(Debug)]
pub struct KernelHeap;

// SAFETY: the list allocator hands out disjoint blocks of mapped memory, and the
// lock keeps changes apart. No interrupt handler allocates.
unsafe impl GlobalAlloc for KernelHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut state = STATE.lock();
        loop {
            if let Ok(block) = state.heap.allocate_first_fit(layout) {
                return block.as_ptr();
            }
            if !state.grow(layout) {
                // What could be mapped last may still do.
                let last = state.heap.allocate_first_fit(layout);
                return last.map_or(core::ptr::null_mut(), NonNull::as_ptr);
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(block) = NonNull::new(block) {
            // SAFETY: by the trait's contract, `alloc` gave this block for this layout.
            unsafe { STATE.lock().heap.deallocate(block, layout) };
        }
    }
}
