//! The page tables that the kernel starts on.
#![expect(unsafe_code, reason = "page tables are memory of a fixed layout")]

use crate::frames::{Frames, Taken};
use crate::{LoadError, PAGE_BYTES};
use x86_64::structures::paging::mapper::MapToError;
use x86_64::structures::paging::page::PageSize;
use x86_64::structures::paging::{
    Mapper, OffsetPageTable, Page, PageTable, PageTableFlags, PhysFrame, Size1GiB, Size2MiB,
    Size4KiB,
};
use x86_64::{PhysAddr, VirtAddr};

/// What the kernel may do with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) writable: bool,
    pub(crate) executable: bool,
}

impl Access {
    pub(crate) const READ: Self = Self {
        writable: false,
        executable: false,
    };
    pub(crate) const WRITE: Self = Self {
        writable: true,
        executable: false,
    };
    pub(crate) const EXECUTE: Self = Self {
        writable: false,
        executable: true,
    };

    fn flags(self) -> PageTableFlags {
        let mut flags = PageTableFlags::PRESENT;
        flags.set(PageTableFlags::WRITABLE, self.writable);
        flags.set(PageTableFlags::NO_EXECUTE, !self.executable);
        flags
    }
}

/// Page tables under construction. Not active, so nothing is flushed.
pub(crate) struct Tables<'f, 'm> {
    root: Taken,
    frames: &'f mut Frames<'m>,
}

impl<'f, 'm> Tables<'f, 'm> {
    pub(crate) fn new(frames: &'f mut Frames<'m>) -> Result<Self, LoadError> {
        Ok(Self {
            root: frames.take(PAGE_BYTES)?,
            frames,
        })
    }

    /// Physical address of the top table, for CR3.
    pub(crate) const fn root(&self) -> u64 {
        self.root.start()
    }

    pub(crate) fn frames(&mut self) -> &mut Frames<'m> {
        self.frames
    }

    /// Maps the page-aligned range at `virt` to `phys` in 4 KiB pages.
    pub(crate) fn map(
        &mut self,
        virt: u64,
        phys: u64,
        bytes: u64,
        access: Access,
    ) -> Result<(), LoadError> {
        self.map_sized::<Size4KiB>(virt, phys, bytes, access)
    }

    /// Maps physical memory up to `bytes` at `virt` in the largest pages: 1 GiB
    /// where the processor has them, else 2 MiB. Never executable.
    pub(crate) fn map_physical_memory(
        &mut self,
        virt: u64,
        bytes: u64,
        gib_pages: bool,
    ) -> Result<(), LoadError> {
        if gib_pages && virt.is_multiple_of(Size1GiB::SIZE) {
            self.map_sized::<Size1GiB>(virt, 0, bytes, Access::WRITE)
        } else {
            self.map_sized::<Size2MiB>(virt, 0, bytes, Access::WRITE)
        }
    }

    /// Lets the top table appear in itself, as the kernel asked for with
    /// `page_table_recursive`. Never executable.
    pub(crate) fn map_recursively(&mut self, slot: u16) {
        let root = self.root.start();
        let entry = root | Access::WRITE.flags().bits();
        let at = usize::from(slot) * 8;
        self.root.memory()[at..at + 8].copy_from_slice(&entry.to_le_bytes());
    }

    fn map_sized<S: PageSize>(
        &mut self,
        virt: u64,
        phys: u64,
        bytes: u64,
        access: Access,
    ) -> Result<(), LoadError>
    where
        for<'t> OffsetPageTable<'t>: Mapper<S>,
    {
        let offset = VirtAddr::new(self.frames.window().offset());
        let root = self.root.memory().as_mut_ptr().cast::<PageTable>();
        // SAFETY: `root` is a zeroed, page-aligned frame of ours, borrowed mutably.
        let root = unsafe { &mut *root };
        // SAFETY: every table below `root` comes from `frames`, so it is reachable
        // through the window at this offset.
        let mut mapper = unsafe { OffsetPageTable::new(root, offset) };
        let conflict = |virt| LoadError::AddressConflict { virt };
        for step in 0..bytes.div_ceil(S::SIZE) {
            let at = virt
                .checked_add(step * S::SIZE)
                .ok_or_else(|| conflict(virt))?;
            let address = VirtAddr::try_new(at).map_err(|_| conflict(at))?;
            let page =
                Page::<S>::from_start_address(address).map_err(|_| conflict(address.as_u64()))?;
            let frame = PhysFrame::<S>::containing_address(PhysAddr::new(phys + step * S::SIZE));
            // SAFETY: the tables are not active; what they map becomes reachable only
            // for the kernel, under the rights that its ELF file asks for.
            let mapped = unsafe { mapper.map_to(page, frame, access.flags(), self.frames) };
            match mapped {
                Ok(flush) => flush.ignore(),
                Err(MapToError::FrameAllocationFailed) => {
                    return Err(LoadError::OutOfMemory { bytes: PAGE_BYTES });
                }
                Err(_) => return Err(conflict(at)),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::frames::PhysicalWindow;
    use crate::frames::tests::Ram;
    use crate::memory_map::MemoryMap;
    use bootloader_api::info::MemoryRegionKind::Usable;

    /// What a processor would find at `virt`: physical address and rights.
    pub(crate) fn walk(window: PhysicalWindow, root: u64, virt: u64) -> Option<(u64, Access)> {
        let mut table = root;
        let mut access = Access {
            writable: true,
            executable: true,
        };
        for level in (0..4).rev() {
            let shift = 12 + 9 * level;
            let index = (virt >> shift) & 511;
            let at = window.offset() + table + index * 8;
            // SAFETY: the table lies in the test's memory behind the window.
            let entry = unsafe { (at as *const u64).read() };
            if entry & 1 == 0 {
                return None;
            }
            access.writable &= entry & 2 != 0;
            access.executable &= entry >> 63 == 0;
            let phys = entry & 0x000f_ffff_ffff_f000;
            if level == 0 || entry & 0x80 != 0 {
                return Some((phys + (virt & ((1 << shift) - 1)), access));
            }
            table = phys;
        }
        None
    }

    fn with_tables(test: impl FnOnce(&mut Tables<'_, '_>)) {
        let mut ram = Ram::new(8 << 20);
        let mut map = MemoryMap::new();
        map.paint(1 << 20, 8 << 20, Usable).unwrap();
        let mut frames = Frames::new(&mut map, ram.window());
        test(&mut Tables::new(&mut frames).unwrap());
    }

    const HIGH: u64 = 0xffff_ffff_8000_0000;

    #[test]
    fn pages_have_their_own_rights_though_they_share_tables() {
        with_tables(|tables| {
            tables
                .map(HIGH, 0x5000_0000, 0x1001, Access::EXECUTE)
                .unwrap();
            tables
                .map(HIGH + 0x2000, 0x6000_0000, 0x1000, Access::WRITE)
                .unwrap();
            tables
                .map(HIGH + 0x3000, 0x7000_0000, 0x1000, Access::READ)
                .unwrap();
            let (window, root) = (tables.frames().window(), tables.root());
            let at = |offset| walk(window, root, HIGH + offset);
            assert_eq!(at(0x1234), Some((0x5000_1234, Access::EXECUTE)));
            assert_eq!(at(0x2010), Some((0x6000_0010, Access::WRITE)));
            assert_eq!(at(0x3fff), Some((0x7000_0fff, Access::READ)));
            assert_eq!(at(0x4000), None);
        });
    }

    #[test]
    fn physical_memory_is_writable_and_never_executable() {
        for gib_pages in [false, true] {
            with_tables(|tables| {
                let base = 0xffff_8000_0000_0000;
                tables
                    .map_physical_memory(base, 5 << 30, gib_pages)
                    .unwrap();
                let (window, root) = (tables.frames().window(), tables.root());
                for phys in [0, 0xfee0_0123, (5 << 30) - 1] {
                    let found = walk(window, root, base + phys);
                    assert_eq!(found, Some((phys, Access::WRITE)));
                }
                assert_eq!(walk(window, root, base + (5 << 30)), None);
            });
        }
    }

    #[test]
    fn the_recursive_slot_shows_the_top_table() {
        with_tables(|tables| {
            tables.map_recursively(511);
            let (window, root) = (tables.frames().window(), tables.root());
            let found = walk(window, root, u64::MAX - 4095);
            assert_eq!(found, Some((root, Access::WRITE)));
        });
    }

    #[test]
    fn an_address_used_twice_or_not_canonical_is_an_error() {
        with_tables(|tables| {
            tables.map(HIGH, 0x1000, 0x1000, Access::READ).unwrap();
            for virt in [HIGH, 0x8000_0000_0000, HIGH + 1] {
                let result = tables.map(virt, 0x2000, 0x1000, Access::READ);
                assert_eq!(result, Err(LoadError::AddressConflict { virt }));
            }
        });
    }

    #[test]
    fn running_out_of_frames_is_an_error() {
        let mut ram = Ram::new(2 << 20);
        let mut map = MemoryMap::new();
        map.paint(1 << 20, (1 << 20) + 8192, Usable).unwrap();
        let mut frames = Frames::new(&mut map, ram.window());
        let mut tables = Tables::new(&mut frames).unwrap();
        assert_eq!(
            tables.map(HIGH, 0, 0x1000, Access::READ),
            Err(LoadError::OutOfMemory { bytes: 4096 })
        );
    }
}
