//! The one path from firmware to kernel.

use crate::elf::Kernel;
use crate::firmware::{Firmware, UNTIL_START};
use crate::frames::{Frames, PhysicalWindow};
use crate::handoff::Handoff;
use crate::layout::Layout;
use crate::memory_map::MemoryMap;
use crate::{BOOT_NOTE_REGION, LoadError, PAGE_BYTES, boot_info, boot_note, processor};
use bootloader_api::BootloaderConfig;
use bootloader_api::info::{MemoryRegionKind, TlsTemplate};

/// Physical memory is mapped at least up to here: device registers and firmware
/// tables lie below.
const LEAST_MAPPED: u64 = 1 << 32;
/// Memory is mapped up to a multiple of this, so that the largest pages fit.
const MAPPED_MULTIPLE: u64 = 1 << 30;

/// Loads the kernel ELF in `kernel` as its `.bootloader-config` asks.
///
/// `window` is where the caller reaches physical memory.
///
/// # Errors
/// [`LoadError`]; nothing was started.
pub fn load(
    firmware: Firmware,
    kernel: &[u8],
    window: PhysicalWindow,
) -> Result<Handoff, LoadError> {
    if kernel.is_empty() {
        return Err(LoadError::NoKernel);
    }
    if !processor::has_no_execute() {
        return Err(LoadError::NoExecuteMissing);
    }
    let image = Kernel::parse(kernel)?;
    let config = BootloaderConfig::deserialize(image.config).map_err(LoadError::Config)?;
    let mut memory = firmware.memory;
    let physical_bytes = mapped_bytes(&memory);
    if let Some((start, bytes)) = firmware.ramdisk {
        memory.paint(start, start + bytes, MemoryRegionKind::Bootloader)?;
    }

    let mut frames = Frames::new(&mut memory, window);
    let mut layout = Layout::new(&mut frames, &config, &image, physical_bytes)?;
    layout.segments(&image)?;
    let gdt = layout.switch()?;
    let (stack, stack_bytes) = layout.stack()?;
    let physical_offset = layout.physical_memory(physical_bytes)?;
    let recursive = layout.recursive()?;
    let ramdisk = match firmware.ramdisk {
        Some((start, bytes)) => Some(layout.ramdisk(start, bytes)?),
        None => None,
    };
    let framebuffer = match firmware.framebuffer {
        Some(framebuffer) => Some(layout.framebuffer(framebuffer)?),
        None => None,
    };
    let (info_memory, info_virt) = layout.boot_info()?;
    let root = layout.root();

    let mut note = frames.take(PAGE_BYTES)?;
    let text = boot_note(firmware.entry, firmware.entry_tsc);
    note.memory().copy_from_slice(text.page());
    frames.finish()?;
    let note_end = note.start() + PAGE_BYTES;
    memory.paint(note.start(), note_end, BOOT_NOTE_REGION)?;
    // Nothing is taken any more, and the kernel starts on tables and stack of ours.
    memory.release(UNTIL_START);

    boot_info::write(info_memory, info_virt, memory.regions(), |info| {
        info.framebuffer = framebuffer.into();
        info.physical_memory_offset = physical_offset.into();
        info.recursive_index = recursive.into();
        info.rsdp_addr = firmware.rsdp.into();
        info.tls_template = tls_template(&image).into();
        info.ramdisk_addr = ramdisk.into();
        info.ramdisk_len = firmware.ramdisk.map_or(0, |(_, bytes)| bytes);
        info.kernel_addr = kernel.as_ptr() as u64;
        info.kernel_len = kernel.len() as u64;
        info.kernel_image_offset = image.lowest();
        info.kernel_stack_bottom = stack;
        info.kernel_stack_len = stack_bytes;
    })?;
    Ok(Handoff {
        root,
        gdt,
        entry: image.entry,
        stack_top: stack + stack_bytes,
        boot_info: info_virt,
    })
}

/// Bytes of physical memory to map: all that a kernel may use, no less than 4 GiB.
/// Claims above are left out: they hold no memory, and the one that PC machines
/// make just below 1 TiB would cost megabytes of page tables.
fn mapped_bytes(memory: &MemoryMap) -> u64 {
    let regions = memory.regions().iter();
    let last = regions
        .filter(|region| [MemoryRegionKind::Usable, UNTIL_START].contains(&region.kind))
        .map(|region| region.end)
        .max();
    last.unwrap_or(0)
        .max(LEAST_MAPPED)
        .next_multiple_of(MAPPED_MULTIPLE)
}

fn tls_template(image: &Kernel<'_>) -> Option<TlsTemplate> {
    let (start_addr, file_size, mem_size) = image.tls?;
    Some(TlsTemplate {
        start_addr,
        file_size,
        mem_size,
    })
}

#[cfg(test)]
mod tests;
