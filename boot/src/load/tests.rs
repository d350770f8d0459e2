//! A made-up kernel, loaded into memory on the host.
#![expect(unsafe_code, reason = "the tests look at what the kernel would find")]

use super::*;
use crate::elf::tests::build;
use crate::firmware::{EntryKind, FirmwareFramebuffer};
use crate::frames::tests::Ram;
use crate::page_tables::Access;
use crate::page_tables::tests::walk;
use bootloader_api::BootInfo;
use bootloader_api::config::Mapping;
use bootloader_api::info::{FrameBufferInfo, MemoryRegion, PixelFormat};
use std::vec::Vec;

const MIB: u64 = 1 << 20;
const BASE: u64 = 0xffff_ffff_8020_0000;

fn firmware(bytes: u64) -> Firmware {
    let mut memory = MemoryMap::new();
    memory.paint(0, 0x9fc00, MemoryRegionKind::Usable).unwrap();
    memory.paint(MIB, bytes, MemoryRegionKind::Usable).unwrap();
    memory
        .paint(0xfd_0000_0000, 1 << 40, MemoryRegionKind::UnknownBios(2))
        .unwrap();
    Firmware {
        entry: EntryKind::Pvh,
        entry_tsc: 77,
        memory,
        rsdp: Some(0xf_5a00),
        ramdisk: None,
        framebuffer: None,
    }
}

fn config() -> BootloaderConfig {
    let mut config = BootloaderConfig::new_default();
    config.kernel_stack_size = 10_000;
    config.mappings.physical_memory = Some(Mapping::Dynamic);
    config.mappings.dynamic_range_start = Some(0xffff_8000_0000_0000);
    config
}

fn kernel(config: &BootloaderConfig) -> Vec<u8> {
    let parts = [
        (BASE, 5, &b"code"[..], 4),
        (BASE + 0x1000, 4, &b"rodata"[..], 6),
        (BASE + 0x2010, 6, &b"data"[..], 0x3000),
    ];
    build(BASE, &parts, &config.serialize())
}

/// A loaded kernel and the memory it lies in.
struct Loaded {
    handoff: Handoff,
    window: PhysicalWindow,
    // Keeps the window valid.
    _ram: Ram,
}

impl Loaded {
    fn new(firmware: Firmware, config: &BootloaderConfig) -> Self {
        let mut ram = Ram::new(8 * MIB);
        let window = ram.window();
        Self {
            handoff: load(firmware, &kernel(config), window).unwrap(),
            window,
            _ram: ram,
        }
    }

    fn at(&self, virt: u64) -> Option<(u64, Access)> {
        walk(self.window, self.handoff.root, virt)
    }

    /// The `N` bytes that the kernel sees at `virt`.
    fn bytes<const N: usize>(&self, virt: u64) -> [u8; N] {
        let (phys, _) = self.at(virt).unwrap();
        // SAFETY: what is mapped in these tests lies in `_ram`, page by page.
        unsafe { ((self.window.offset() + phys) as *const [u8; N]).read() }
    }

    fn info(&self) -> &BootInfo {
        let (phys, access) = self.at(self.handoff.boot_info).unwrap();
        assert_eq!(access, Access::WRITE);
        // SAFETY: the loader wrote a BootInfo there.
        unsafe { &*((self.window.offset() + phys) as *const BootInfo) }
    }

    /// The memory map, read where the kernel would read it.
    fn regions(&self) -> Vec<MemoryRegion> {
        // Pointer and length; the pointer is the kernel's, so it is not followed.
        let slice: *const [u64; 2] = (&raw const self.info().memory_regions).cast();
        // SAFETY: `repr(C)` of a pointer and a length.
        let [virt, len] = unsafe { slice.read() };
        let step = size_of::<MemoryRegion>() as u64;
        let region = |i: u64| self.bytes::<{ size_of::<MemoryRegion>() }>(virt + i * step);
        (0..len)
            // SAFETY: the loader wrote MemoryRegions there.
            .map(|i| unsafe { core::mem::transmute(region(i)) })
            .collect()
    }
}

#[test]
fn segments_have_content_and_rights_and_zeros_behind() {
    let loaded = Loaded::new(firmware(8 * MIB), &config());
    assert_eq!(loaded.bytes(BASE), *b"code\0");
    assert_eq!(loaded.bytes(BASE + 0x1000), *b"rodata");
    assert_eq!(loaded.bytes(BASE + 0x2010), *b"data\0");
    assert_eq!(loaded.bytes(BASE + 0x4fff), [0_u8]);
    assert_eq!(loaded.at(BASE).unwrap().1, Access::EXECUTE);
    assert_eq!(loaded.at(BASE + 0x1000).unwrap().1, Access::READ);
    assert_eq!(loaded.at(BASE + 0x2000).unwrap().1, Access::WRITE);
    assert_eq!(loaded.at(BASE + 0x6000), None);
    assert_eq!(loaded.handoff.entry, BASE);
    assert_eq!(loaded.info().kernel_image_offset, BASE);
}

#[test]
fn what_the_firmware_needs_until_the_start_is_the_kernels_afterwards() {
    let mut firmware = firmware(8 * MIB);
    let (start, end) = (MIB, 3 * MIB);
    firmware.memory = MemoryMap::new();
    let claims = [
        (start, end, UNTIL_START),
        (end, 8 * MIB, MemoryRegionKind::Usable),
        (5 << 30, 6 << 30, UNTIL_START),
    ];
    for (start, end, kind) in claims {
        firmware.memory.paint(start, end, kind).unwrap();
    }
    let loaded = Loaded::new(firmware, &config());
    let regions = loaded.regions();
    let usable = |at: u64| {
        let region = regions.iter().find(|r| (r.start..r.end).contains(&at));
        region.map(|region| region.kind) == Some(MemoryRegionKind::Usable)
    };
    // The loader took nothing there, and says that it is free.
    assert!(usable(start) && usable(end - 1) && usable((6 << 30) - 1));
    assert!(!usable(end));
    assert!(loaded.handoff.root >= end);
    // What is usable is mapped, as far up as it lies.
    let physical = loaded.info().physical_memory_offset.into_option().unwrap();
    assert!(loaded.at(physical + (6 << 30) - 1).is_some());
}

#[test]
fn the_stack_stands_on_an_unmapped_page() {
    let loaded = Loaded::new(firmware(8 * MIB), &config());
    let (bottom, bytes) = {
        let info = loaded.info();
        (info.kernel_stack_bottom, info.kernel_stack_len)
    };
    assert_eq!(bytes, 12_288);
    assert_eq!(loaded.handoff.stack_top, bottom + bytes);
    for page in 0..3 {
        let (_, access) = loaded.at(bottom + page * 4096).unwrap();
        assert_eq!(access, Access::WRITE);
    }
    assert_eq!(loaded.at(bottom - 1), None);
    assert_eq!(loaded.at(bottom + bytes), None);
}

#[test]
fn physical_memory_is_mapped_to_four_gib_and_not_to_distant_claims() {
    let loaded = Loaded::new(firmware(8 * MIB), &config());
    let offset = loaded.info().physical_memory_offset.into_option().unwrap();
    assert_eq!(loaded.at(offset + 0xfee0_0000).unwrap().0, 0xfee0_0000);
    assert_eq!(loaded.at(offset).unwrap().1, Access::WRITE);
    assert_eq!(loaded.at(offset + (4 << 30)), None);
    assert_eq!(loaded.info().rsdp_addr.into_option(), Some(0xf_5a00));
}

#[test]
fn the_memory_map_keeps_what_was_taken_from_the_kernel() {
    let loaded = Loaded::new(firmware(8 * MIB), &config());
    let regions = loaded.regions();
    let kind_at = |phys: u64| {
        let region = regions.iter().find(|r| (r.start..r.end).contains(&phys));
        region.map(|r| r.kind)
    };
    let bootloader = Some(MemoryRegionKind::Bootloader);
    for virt in [BASE, BASE + 0x4000, loaded.handoff.boot_info] {
        assert_eq!(kind_at(loaded.at(virt).unwrap().0), bootloader);
    }
    assert_eq!(kind_at(loaded.handoff.root), bootloader);
    assert_eq!(kind_at(loaded.handoff.gdt), bootloader);
    assert_eq!(kind_at(0x1000), Some(MemoryRegionKind::Usable));
    assert_eq!(kind_at(8 * MIB - 1), Some(MemoryRegionKind::Usable));
    assert_eq!(
        kind_at(0xfd_0000_0000),
        Some(MemoryRegionKind::UnknownBios(2))
    );
}

#[test]
fn the_boot_note_lies_in_a_region_of_its_kind() {
    let loaded = Loaded::new(firmware(8 * MIB), &config());
    let offset = loaded.info().physical_memory_offset.into_option().unwrap();
    let regions = loaded.regions();
    let found: Vec<_> = regions
        .iter()
        .filter(|region| region.kind == BOOT_NOTE_REGION)
        .collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].end - found[0].start, PAGE_BYTES);
    let text = loaded.bytes::<31>(offset + found[0].start);
    assert_eq!(&text, b"ioprobe-boot 1\nentry=pvh\ntsc=77");
}

#[test]
fn a_ramdisk_is_mapped_where_it_lies_and_never_taken() {
    let mut firmware = firmware(8 * MIB);
    firmware.ramdisk = Some((MIB + 100, 5000));
    let loaded = Loaded::new(firmware, &config());
    let info = loaded.info();
    let virt = info.ramdisk_addr.into_option().unwrap();
    assert_eq!(info.ramdisk_len, 5000);
    assert_eq!(loaded.at(virt), Some((MIB + 100, Access::WRITE)));
    assert_eq!(loaded.at(virt + 4999).unwrap().0, MIB + 5099);
    // Untouched: the memory still holds what it held before.
    assert_eq!(loaded.bytes::<2>(virt), [0xef, 0xbe]);
    assert_eq!(loaded.at(BASE).unwrap().0 % PAGE_BYTES, 0);
    assert!(loaded.handoff.root >= MIB + 8192);
}

#[test]
fn a_framebuffer_is_mapped_with_its_layout() {
    let mut firmware = firmware(8 * MIB);
    let info = FrameBufferInfo {
        byte_len: 64 * 1024,
        width: 128,
        height: 128,
        pixel_format: PixelFormat::Bgr,
        bytes_per_pixel: 4,
        stride: 128,
    };
    firmware.framebuffer = Some(FirmwareFramebuffer {
        phys: 0xfd00_0000,
        info,
    });
    let loaded = Loaded::new(firmware, &config());
    let found = loaded.info().framebuffer.as_ref().unwrap();
    assert_eq!(found.info().stride, 128);
    // SAFETY: `repr(C)`, the address comes first.
    let virt = unsafe { core::ptr::from_ref(found).cast::<u64>().read() };
    assert_eq!(loaded.at(virt), Some((0xfd00_0000, Access::WRITE)));
    assert_eq!(loaded.at(virt + 0xffff).unwrap().0, 0xfd00_ffff);
}

#[test]
fn fixed_addresses_are_honoured() {
    let mut config = config();
    config.mappings.boot_info = Mapping::FixedAddress(0xffff_9000_0000_0000);
    config.mappings.kernel_stack = Mapping::FixedAddress(0xffff_9100_0000_0000);
    config.mappings.physical_memory = Some(Mapping::FixedAddress(0xffff_a000_0000_0000));
    config.mappings.page_table_recursive = Some(Mapping::Dynamic);
    let loaded = Loaded::new(firmware(8 * MIB), &config);
    let info = loaded.info();
    assert_eq!(loaded.handoff.boot_info, 0xffff_9000_0000_0000);
    assert_eq!(info.kernel_stack_bottom, 0xffff_9100_0000_1000);
    assert_eq!(loaded.at(0xffff_a000_0000_1234).unwrap().0, 0x1234);
    let slot = u64::from(info.recursive_index.into_option().unwrap());
    let own = 0xffff << 48 | slot << 39 | slot << 30 | slot << 21 | slot << 12;
    assert_eq!(loaded.at(own), Some((loaded.handoff.root, Access::WRITE)));
}

#[test]
fn what_cannot_be_honoured_is_an_error() {
    let mut ram = Ram::new(8 * MIB);
    let window = ram.window();
    assert_eq!(
        load(firmware(8 * MIB), b"", window).err(),
        Some(LoadError::NoKernel)
    );
    let foreign = build(BASE, &[(BASE, 5, b"code", 4)], b"nonsense");
    assert!(matches!(
        load(firmware(8 * MIB), &foreign, window).err(),
        Some(LoadError::Config(_))
    ));
    let small = firmware(MIB + 5 * 4096);
    assert!(matches!(
        load(small, &kernel(&config()), window).err(),
        Some(LoadError::OutOfMemory { .. })
    ));
    let mut clash = config();
    clash.mappings.boot_info = Mapping::FixedAddress(BASE);
    assert_eq!(
        load(firmware(8 * MIB), &kernel(&clash), window).err(),
        Some(LoadError::AddressConflict { virt: BASE })
    );
}
