//! Shared memory with the bus addresses of a large machine.

use super::words::Words;
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion};
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

const PAGE_BYTES: u64 = 4096;

/// An access of a device to memory that no driver owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where it started.
    pub address: BusAddr,
    /// How many bytes it would have touched.
    pub len_bytes: usize,
}

/// What lies on one page: an allocation, and which of its pages this is.
#[derive(Clone)]
struct Page {
    words: Rc<Words>,
    index: usize,
}

struct Arena {
    base: u64,
    /// By page number from `base`; guard pages and freed ones are `None`.
    pages: RefCell<Vec<Option<Page>>>,
    violations: RefCell<Vec<Violation>>,
    allocations: Cell<u64>,
    live_bytes: Cell<usize>,
    allocations_left: Cell<Option<u64>>,
}

/// The memory of a fake machine. Clones share it.
///
/// Every allocation starts on its own page with an unowned page behind it, and
/// freed addresses are never given out again, so an access that runs over an
/// end or comes too late always shows.
#[derive(Clone)]
pub struct FakeMemory {
    arena: Rc<Arena>,
}

impl Default for FakeMemory {
    fn default() -> Self {
        Self::starting_at(BusAddr(0x12_3450_0000))
    }
}

impl FakeMemory {
    /// Memory whose first allocation lies at or above `base`, which is rounded
    /// up to a page.
    #[must_use]
    pub fn starting_at(base: BusAddr) -> Self {
        Self {
            arena: Rc::new(Arena {
                base: base.0.next_multiple_of(PAGE_BYTES),
                pages: RefCell::new(Vec::new()),
                violations: RefCell::new(Vec::new()),
                allocations: Cell::new(0),
                live_bytes: Cell::new(0),
                allocations_left: Cell::new(None),
            }),
        }
    }

    /// Lets `count` more allocations succeed and none after them; `None` lifts that.
    pub fn fail_after(&self, count: Option<u64>) {
        self.arena.allocations_left.set(count);
    }

    /// Allocations that succeeded so far.
    #[must_use]
    pub fn allocations(&self) -> u64 {
        self.arena.allocations.get()
    }

    /// Bytes that are allocated now.
    #[must_use]
    pub fn live_bytes(&self) -> usize {
        self.arena.live_bytes.get()
    }

    /// Accesses of devices to memory that nobody owned, in order.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        self.arena.violations.borrow().clone()
    }

    /// Allocates zeroed memory; what [`Hal::allocate`](crate::hal::Hal::allocate) gives.
    ///
    /// # Errors
    /// [`DmaError`] once `fail_after` has run out, or for a layout that no
    /// address can satisfy.
    pub fn allocate(&self, layout: DmaLayout) -> Result<FakeRegion, DmaError> {
        let refused = Err(DmaError { layout });
        match self.arena.allocations_left.get() {
            Some(0) => return refused,
            Some(left) => self.arena.allocations_left.set(Some(left - 1)),
            None => {}
        }
        let size = layout.size_bytes as u64;
        if size == 0 || size > layout.boundary_bytes || !layout.align_bytes.is_power_of_two() {
            return refused;
        }
        let align = (layout.align_bytes as u64).max(PAGE_BYTES);
        let mut pages = self.arena.pages.borrow_mut();
        let free = self.arena.base + pages.len() as u64 * PAGE_BYTES;
        let mut start = free.next_multiple_of(align);
        if start / layout.boundary_bytes != (start + size - 1) / layout.boundary_bytes {
            start = start.next_multiple_of(layout.boundary_bytes.max(align));
        }
        let words = Rc::new(Words::zeroed(layout.size_bytes));
        let first_page = ((start - self.arena.base) / PAGE_BYTES) as usize;
        pages.resize(first_page, None);
        for index in 0..size.div_ceil(PAGE_BYTES) as usize {
            pages.push(Some(Page {
                words: words.clone(),
                index,
            }));
        }
        pages.push(None);
        self.arena.allocations.set(self.arena.allocations.get() + 1);
        let live_bytes = self.arena.live_bytes.get() + layout.size_bytes;
        self.arena.live_bytes.set(live_bytes);
        Ok(FakeRegion {
            words,
            bus_addr: BusAddr(start),
            first_page,
            arena: self.arena.clone(),
        })
    }

    /// A device's window on `len_bytes` at `address`; `None` (and a violation)
    /// if that is not inside one live allocation.
    #[must_use]
    pub fn view(&self, address: BusAddr, len_bytes: usize) -> Option<View> {
        let found = self.find(address, len_bytes);
        if found.is_none() {
            let violation = Violation { address, len_bytes };
            self.arena.violations.borrow_mut().push(violation);
        }
        found
    }

    fn find(&self, address: BusAddr, len_bytes: usize) -> Option<View> {
        let from_base = address.0.checked_sub(self.arena.base)?;
        let pages = self.arena.pages.borrow();
        let page_number = usize::try_from(from_base / PAGE_BYTES).ok()?;
        let page = pages.get(page_number)?.as_ref()?;
        let offset = page.index * PAGE_BYTES as usize + (from_base % PAGE_BYTES) as usize;
        let inside = offset.checked_add(len_bytes)? <= page.words.len_bytes();
        inside.then(|| View {
            words: page.words.clone(),
            offset,
        })
    }

    /// A device reads; zeros (and a violation) where it must not.
    pub fn device_read(&self, address: BusAddr, out: &mut [u8]) {
        match self.view(address, out.len()) {
            Some(view) => view.read_bytes(0, out),
            None => out.fill(0),
        }
    }

    /// A device writes; dropped (and a violation) where it must not.
    pub fn device_write(&self, address: BusAddr, data: &[u8]) {
        if let Some(view) = self.view(address, data.len()) {
            view.write_bytes(0, data);
        }
    }
}

/// One allocation, in the driver's hands. Dropping it frees the memory.
pub struct FakeRegion {
    words: Rc<Words>,
    bus_addr: BusAddr,
    first_page: usize,
    arena: Rc<Arena>,
}

impl Drop for FakeRegion {
    fn drop(&mut self) {
        let count = self.words.len_bytes().div_ceil(PAGE_BYTES as usize);
        let mut pages = self.arena.pages.borrow_mut();
        pages[self.first_page..self.first_page + count].fill(None);
        let live_bytes = self.arena.live_bytes.get() - self.words.len_bytes();
        self.arena.live_bytes.set(live_bytes);
    }
}

impl DmaRegion for FakeRegion {
    #[inline]
    fn bus_addr(&self) -> BusAddr {
        self.bus_addr
    }

    #[inline]
    fn len_bytes(&self) -> usize {
        self.words.len_bytes()
    }

    fn read_bytes(&self, offset: usize, out: &mut [u8]) {
        self.words.read_bytes(offset, out);
    }

    fn write_bytes(&self, offset: usize, data: &[u8]) {
        self.words.write_bytes(offset, data);
    }

    #[inline]
    fn read_words<const N: usize>(&self, offset: usize) -> [u64; N] {
        self.words.read_words(offset)
    }

    #[inline]
    fn write_words<const N: usize>(&self, offset: usize, words: &[u64; N]) {
        self.words.write_words(offset, words);
    }

    #[inline]
    fn load16(&self, offset: usize) -> u16 {
        self.words.load(offset, 2) as u16
    }

    #[inline]
    fn load32(&self, offset: usize) -> u32 {
        self.words.load(offset, 4)
    }

    #[inline]
    fn store16(&self, offset: usize, value: u16) {
        self.words.store(offset, 2, u32::from(value));
    }

    #[inline]
    fn store32(&self, offset: usize, value: u32) {
        self.words.store(offset, 4, value);
    }
}

/// A device's window on an allocation, for rings that it uses again and again.
///
/// It outlives the driver's region; a model that must notice freed memory asks
/// [`FakeMemory::view`] anew. Offsets are in bytes from the window's start, and
/// an access outside the allocation panics: a bug of the model.
#[derive(Clone)]
pub struct View {
    words: Rc<Words>,
    offset: usize,
}

impl View {
    /// Copies out.
    pub fn read_bytes(&self, offset: usize, out: &mut [u8]) {
        self.words.read_bytes(self.offset + offset, out);
    }

    /// Copies in.
    pub fn write_bytes(&self, offset: usize, data: &[u8]) {
        self.words.write_bytes(self.offset + offset, data);
    }

    /// Reads `N` words; the address is a multiple of 8.
    #[inline]
    #[must_use]
    pub fn read_words<const N: usize>(&self, offset: usize) -> [u64; N] {
        self.words.read_words(self.offset + offset)
    }

    /// Writes `N` words; the address is a multiple of 8.
    #[inline]
    pub fn write_words<const N: usize>(&self, offset: usize, words: &[u64; N]) {
        self.words.write_words(self.offset + offset, words);
    }

    /// Loads 16 bits.
    #[inline]
    #[must_use]
    pub fn load16(&self, offset: usize) -> u16 {
        self.words.load(self.offset + offset, 2) as u16
    }

    /// Loads 32 bits.
    #[inline]
    #[must_use]
    pub fn load32(&self, offset: usize) -> u32 {
        self.words.load(self.offset + offset, 4)
    }

    /// Stores 16 bits.
    #[inline]
    pub fn store16(&self, offset: usize, value: u16) {
        self.words.store(self.offset + offset, 2, u32::from(value));
    }

    /// Stores 32 bits.
    #[inline]
    pub fn store32(&self, offset: usize, value: u32) {
        self.words.store(self.offset + offset, 4, value);
    }
}
