//! The kernel's address space, piece by piece.

use crate::address_space::AddressSpace;
use crate::elf::Kernel;
use crate::firmware::FirmwareFramebuffer;
use crate::frames::{Frames, Taken};
use crate::page_tables::{Access, Tables};
use crate::{LoadError, PAGE_BYTES, boot_info, handoff, processor};
use bootloader_api::BootloaderConfig;
use bootloader_api::config::Mapping;
use bootloader_api::info::FrameBuffer;

/// An address space that is being laid out as the kernel's configuration asks.
pub(crate) struct Layout<'f, 'm, 'c> {
    tables: Tables<'f, 'm>,
    space: AddressSpace,
    config: &'c BootloaderConfig,
}

impl<'f, 'm, 'c> Layout<'f, 'm, 'c> {
    /// An empty one, in which nothing will be placed over `image` or over what the
    /// configuration puts at fixed addresses.
    pub(crate) fn new(
        frames: &'f mut Frames<'m>,
        config: &'c BootloaderConfig,
        image: &Kernel<'_>,
        physical_bytes: u64,
    ) -> Result<Self, LoadError> {
        let mappings = &config.mappings;
        let mut space = AddressSpace::new(mappings);
        for segment in image.segments() {
            space.reserve(segment.virt, segment.memory_bytes);
        }
        space.reserve(handoff::switch_address(), handoff::SWITCH_BYTES);
        let fixed = [
            (Some(mappings.kernel_stack), config.kernel_stack_size),
            (Some(mappings.boot_info), 1),
            (Some(mappings.framebuffer), 1),
            (Some(mappings.ramdisk_memory), 1),
            (mappings.physical_memory, physical_bytes),
            (mappings.page_table_recursive, 1),
        ];
        for (mapping, bytes) in fixed {
            if let Some(Mapping::FixedAddress(virt)) = mapping {
                space.reserve(virt, bytes);
            }
        }
        Ok(Self {
            tables: Tables::new(frames)?,
            space,
            config,
        })
    }

    /// Physical address of the top page table.
    pub(crate) const fn root(&self) -> u64 {
        self.tables.root()
    }

    /// The kernel's segments, each with the rights its ELF header gives it.
    pub(crate) fn segments(&mut self, image: &Kernel<'_>) -> Result<(), LoadError> {
        for segment in image.segments() {
            let start = segment.page_start();
            let bytes = segment.page_end() - start;
            let mut memory = self.tables.frames().take(bytes)?;
            let skip = (segment.virt - start) as usize;
            memory.memory()[skip..skip + segment.data.len()].copy_from_slice(segment.data);
            let access = Access {
                writable: segment.writable,
                executable: segment.executable,
            };
            self.tables.map(start, memory.start(), bytes, access)?;
        }
        Ok(())
    }

    /// What must be reachable under the old tables and the new: the code that goes
    /// from one to the other, and the segment descriptors. Gives these' address.
    pub(crate) fn switch(&mut self) -> Result<u64, LoadError> {
        let code = handoff::switch_address();
        let first = code & !(PAGE_BYTES - 1);
        let bytes = code + handoff::SWITCH_BYTES - first;
        self.tables.map(first, first, bytes, Access::EXECUTE)?;
        let mut memory = self.tables.frames().take(PAGE_BYTES)?;
        let gdt = memory.start();
        for (slot, entry) in memory.memory().chunks_exact_mut(8).zip(handoff::GDT) {
            slot.copy_from_slice(&entry.to_le_bytes());
        }
        self.tables.map(gdt, gdt, PAGE_BYTES, Access::READ)?;
        Ok(gdt)
    }

    /// The kernel's stack: first byte and length. The page below stays unmapped,
    /// so that an overflow is a page fault; at a fixed address, that page is it.
    pub(crate) fn stack(&mut self) -> Result<(u64, u64), LoadError> {
        let bytes = self.config.kernel_stack_size.max(1);
        let memory = self.tables.frames().take(bytes)?;
        let mapping = self.config.mappings.kernel_stack;
        let guard = self.space.place(mapping, PAGE_BYTES + memory.bytes())?;
        let start = guard + PAGE_BYTES;
        self.tables
            .map(start, memory.start(), memory.bytes(), Access::WRITE)?;
        Ok((start, memory.bytes()))
    }

    /// Physical memory, where the kernel asked for it: its virtual address.
    pub(crate) fn physical_memory(&mut self, bytes: u64) -> Result<Option<u64>, LoadError> {
        let virt = match self.config.mappings.physical_memory {
            Some(Mapping::FixedAddress(virt)) => virt,
            Some(Mapping::Dynamic) => self.space.slots(bytes)?,
            None => return Ok(None),
        };
        self.tables
            .map_physical_memory(virt, bytes, processor::has_gib_pages())?;
        Ok(Some(virt))
    }

    /// The recursive entry, where the kernel asked for it: its index.
    pub(crate) fn recursive(&mut self) -> Result<Option<u16>, LoadError> {
        let virt = match self.config.mappings.page_table_recursive {
            Some(Mapping::FixedAddress(virt)) => virt,
            Some(Mapping::Dynamic) => self.space.slots(1)?,
            None => return Ok(None),
        };
        let index = (virt >> 39 & 511) as u16;
        self.tables.map_recursively(index);
        Ok(Some(index))
    }

    /// The ramdisk: its virtual address.
    pub(crate) fn ramdisk(&mut self, phys: u64, bytes: u64) -> Result<u64, LoadError> {
        self.map_as_it_lies(self.config.mappings.ramdisk_memory, phys, bytes)
    }

    /// The framebuffer.
    pub(crate) fn framebuffer(
        &mut self,
        found: FirmwareFramebuffer,
    ) -> Result<FrameBuffer, LoadError> {
        let mapping = self.config.mappings.framebuffer;
        let virt = self.map_as_it_lies(mapping, found.phys, found.info.byte_len as u64)?;
        Ok(boot_info::framebuffer(virt, found.info))
    }

    /// Memory for BootInfo and the memory map as it may still grow, and where the
    /// kernel will see it.
    pub(crate) fn boot_info(&mut self) -> Result<(Taken, u64), LoadError> {
        let regions = self.tables.frames().map().regions().len();
        let memory = self.tables.frames().take(boot_info::bytes_for(regions))?;
        let mapping = self.config.mappings.boot_info;
        let virt = self.space.place(mapping, memory.bytes())?;
        self.tables
            .map(virt, memory.start(), memory.bytes(), Access::WRITE)?;
        Ok((memory, virt))
    }

    fn map_as_it_lies(
        &mut self,
        mapping: Mapping,
        phys: u64,
        bytes: u64,
    ) -> Result<u64, LoadError> {
        let skip = phys % PAGE_BYTES;
        let virt = self.space.place(mapping, skip + bytes)?;
        self.tables
            .map(virt, phys - skip, skip + bytes, Access::WRITE)?;
        Ok(virt + skip)
    }
}
