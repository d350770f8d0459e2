//! Memory for what the loader builds: taken once, upwards, never given back.
#![expect(
    unsafe_code,
    reason = "physical memory is reached through raw pointers"
)]

use crate::memory_map::{MemoryMap, MemoryMapFull};
use crate::{LoadError, PAGE_BYTES};
use bootloader_api::info::MemoryRegionKind;
use x86_64::PhysAddr;
use x86_64::structures::paging::{FrameAllocator, PhysFrame, Size4KiB};

/// Below lie the interrupt vectors, BIOS data and the start of other processors.
const LOWEST: u64 = 1 << 20;
/// A way in reaches at least this much; see [`PhysicalWindow`].
const LIMIT: u64 = 1 << 32;

/// Where physical memory appears to the loader.
#[derive(Clone, Copy)]
pub struct PhysicalWindow {
    base: *mut u8,
}

impl PhysicalWindow {
    /// A window in which physical address 0 appears at `base`: the null pointer
    /// where physical memory is mapped one to one.
    ///
    /// # Safety
    /// All memory between 1 MiB and 4 GiB that the [`MemoryMap`] used with this
    /// window calls `Usable` must be readable and writable at `base` plus its
    /// physical address, and nobody else may use it.
    #[must_use]
    pub const unsafe fn new(base: *mut u8) -> Self {
        Self { base }
    }

    /// Where the loader reaches `phys`.
    const fn pointer(self, phys: u64) -> *mut u8 {
        self.base.wrapping_add(phys as usize)
    }

    /// What to add to a physical address.
    pub(crate) fn offset(self) -> u64 {
        self.base as u64
    }
}

/// Frames that the loader took; only their owner writes them.
pub(crate) struct Taken {
    start: u64,
    bytes: u64,
    window: PhysicalWindow,
}

impl Taken {
    /// Physical address of the first byte.
    pub(crate) const fn start(&self) -> u64 {
        self.start
    }

    /// Length in bytes, whole pages.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The memory itself.
    pub(crate) fn memory(&mut self) -> &mut [u8] {
        let pointer = self.window.pointer(self.start);
        // SAFETY: `Frames::take` hands out each frame once, inside usable memory
        // below 4 GiB, which PhysicalWindow::new's caller made reachable and
        // private; `&mut self` makes this the only reference.
        unsafe { core::slice::from_raw_parts_mut(pointer, self.bytes as usize) }
    }
}

/// Takes memory upwards from 1 MiB.
pub(crate) struct Frames<'a> {
    map: &'a mut MemoryMap,
    window: PhysicalWindow,
    next: u64,
}

impl<'a> Frames<'a> {
    pub(crate) const fn new(map: &'a mut MemoryMap, window: PhysicalWindow) -> Self {
        Self {
            map,
            window,
            next: LOWEST,
        }
    }

    pub(crate) const fn window(&self) -> PhysicalWindow {
        self.window
    }

    pub(crate) fn map(&self) -> &MemoryMap {
        self.map
    }

    /// Takes `bytes`, rounded up to pages, contiguous and zeroed.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<Taken, LoadError> {
        let error = LoadError::OutOfMemory { bytes };
        let bytes = bytes
            .checked_next_multiple_of(PAGE_BYTES)
            .filter(|&bytes| bytes < LIMIT)
            .ok_or(error)?;
        let start = self
            .map
            .usable()
            .find_map(|region| {
                let start = region.start.max(self.next).next_multiple_of(PAGE_BYTES);
                (start + bytes <= region.end.min(LIMIT)).then_some(start)
            })
            .ok_or(error)?;
        self.next = start + bytes;
        let mut taken = Taken {
            start,
            bytes,
            window: self.window,
        };
        taken.memory().fill(0);
        Ok(taken)
    }

    /// Marks all that was taken, and what was skipped on the way.
    pub(crate) fn finish(self) -> Result<(), MemoryMapFull> {
        self.map
            .paint_usable(LOWEST, self.next, MemoryRegionKind::Bootloader)
    }
}

// SAFETY: `take` never hands out a frame twice.
unsafe impl FrameAllocator<Size4KiB> for Frames<'_> {
    fn allocate_frame(&mut self) -> Option<PhysFrame> {
        let taken = self.take(PAGE_BYTES).ok()?;
        Some(PhysFrame::containing_address(PhysAddr::new(taken.start())))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use MemoryRegionKind::{Bootloader, UnknownBios, Usable};
    use std::vec::Vec;

    /// Physical memory on the host, from address 0.
    pub(crate) struct Ram {
        words: Vec<[u64; 512]>,
    }

    impl Ram {
        pub(crate) fn new(bytes: u64) -> Self {
            let dirt = [0xdead_beef_dead_beef; 512];
            Self {
                words: std::vec![dirt; bytes as usize / 4096 + 1],
            }
        }

        /// A window whose addresses keep their page offsets.
        pub(crate) fn window(&mut self) -> PhysicalWindow {
            let base = self.words.as_mut_ptr().cast::<u8>();
            let base = base.wrapping_add(base.align_offset(4096));
            // SAFETY: the tests' maps lie inside `words`, which outlives the window.
            unsafe { PhysicalWindow::new(base) }
        }
    }

    const MIB: u64 = 1 << 20;

    #[test]
    fn takes_upwards_zeroed_and_marks_what_it_took() {
        let mut ram = Ram::new(4 * MIB);
        let mut map = MemoryMap::new();
        map.paint(0, 0x9fc00, Usable).unwrap();
        map.paint(MIB, 2 * MIB, Usable).unwrap();
        map.paint(2 * MIB + 100, 4 * MIB, Usable).unwrap();
        let mut frames = Frames::new(&mut map, ram.window());
        let mut small = frames.take(1).unwrap();
        assert_eq!((small.start(), small.bytes()), (MIB, 4096));
        assert!(small.memory().iter().all(|&byte| byte == 0));
        let large = frames.take(MIB).unwrap();
        assert_eq!(large.start(), 2 * MIB + 4096);
        assert_eq!(
            frames.take(2 * MIB).err(),
            Some(LoadError::OutOfMemory { bytes: 2 * MIB })
        );
        frames.finish().unwrap();
        let shape: Vec<_> = map
            .regions()
            .iter()
            .map(|r| (r.start, r.end, r.kind))
            .collect();
        assert_eq!(
            shape,
            [
                (0, 0x9fc00, Usable),
                (MIB, 2 * MIB, Bootloader),
                (2 * MIB + 100, 3 * MIB + 4096, Bootloader),
                (3 * MIB + 4096, 4 * MIB, Usable),
            ]
        );
    }

    #[test]
    fn leaves_alone_what_is_not_usable_or_out_of_reach() {
        let mut ram = Ram::new(2 * MIB);
        let mut map = MemoryMap::new();
        map.paint(MIB, MIB + 8192, Usable).unwrap();
        map.paint(MIB + 4096, MIB + 8192, UnknownBios(2)).unwrap();
        map.paint(LIMIT, LIMIT + MIB, Usable).unwrap();
        let mut frames = Frames::new(&mut map, ram.window());
        assert_eq!(frames.take(4096).unwrap().start(), MIB);
        assert!(frames.take(4096).is_err());
    }
}
