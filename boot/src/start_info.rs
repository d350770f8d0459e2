//! What a PVH hypervisor tells: `struct hvm_start_info` version 1
//! (Xen public/arch-x86/hvm/start_info.h).
#![expect(unsafe_code, reason = "the hypervisor hands over physical addresses")]

use crate::{EntryKind, Firmware, MemoryMap, MemoryMapFull};
use bootloader_api::info::MemoryRegionKind;

const MAGIC: u32 = 0x336e_c578;
/// E820 type of ordinary memory (ACPI 6.4 table 15.4).
const E820_MEMORY: u32 = 1;
/// A BIOS stage that jumps to the PVH entry says so with this command line.
const BIOS_COMMAND_LINE: &[u8] = b"ioprobe.entry=bios\0";

#[derive(Clone, Copy)]
#[repr(C)]
struct StartInfo {
    magic: u32,
    version: u32,
    flags: u32,
    modules: u32,
    module_list: u64,
    command_line: u64,
    rsdp: u64,
    memory_map: u64,
    memory_map_entries: u32,
    reserved: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Module {
    address: u64,
    bytes: u64,
    command_line: u64,
    reserved: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct MemoryMapEntry {
    address: u64,
    bytes: u64,
    kind: u32,
    reserved: u32,
}

const _: () = assert!(size_of::<StartInfo>() == 56);
const _: () = assert!(size_of::<Module>() == 32);
const _: () = assert!(size_of::<MemoryMapEntry>() == 24);

/// Why a start_info is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartInfoError {
    /// It does not start with the magic number; what is there.
    Magic(u32),
    /// It has no memory map, which came with version 1.
    NoMemoryMap,
    /// The memory map has too many regions.
    MemoryMapFull,
}

impl From<MemoryMapFull> for StartInfoError {
    fn from(_: MemoryMapFull) -> Self {
        Self::MemoryMapFull
    }
}

/// Value number `index` of an array of `T` at a physical address. The makers of
/// these structures compile for 32 bit, so 64-bit fields need not be aligned.
///
/// # Safety
/// The hypervisor must have put it there, mapped one to one.
const unsafe fn value<T: Copy>(address: u64, index: u32) -> T {
    let pointer = (address as *const T).wrapping_add(index as usize);
    // SAFETY: the caller vouches for the address, and alignment does not matter.
    unsafe { pointer.read_unaligned() }
}

/// Reads the start_info at `address`. The first module is the ramdisk. Everything
/// is copied, so the start_info's own memory may be used again.
///
/// # Errors
/// [`StartInfoError`].
///
/// # Safety
/// `address` must be what the PVH contract put into EBX, still untouched, and
/// memory mapped one to one.
pub unsafe fn read_start_info(address: u64, entry_tsc: u64) -> Result<Firmware, StartInfoError> {
    if address == 0 {
        return Err(StartInfoError::Magic(0));
    }
    // SAFETY: by the PVH contract a start_info lies there.
    let info: StartInfo = unsafe { value(address, 0) };
    if info.magic != MAGIC {
        return Err(StartInfoError::Magic(info.magic));
    }
    if info.version < 1 || info.memory_map_entries == 0 {
        return Err(StartInfoError::NoMemoryMap);
    }
    let mut memory = MemoryMap::new();
    for i in 0..info.memory_map_entries {
        // SAFETY: the start_info says so.
        let entry: MemoryMapEntry = unsafe { value(info.memory_map, i) };
        let kind = match entry.kind {
            E820_MEMORY => MemoryRegionKind::Usable,
            other => MemoryRegionKind::UnknownBios(other),
        };
        let end = entry.address.saturating_add(entry.bytes);
        memory.paint(entry.address, end, kind)?;
    }
    let ramdisk = (info.modules > 0).then(|| {
        // SAFETY: the start_info says so.
        let module: Module = unsafe { value(info.module_list, 0) };
        (module.address, module.bytes)
    });
    Ok(Firmware {
        entry: entry_kind(info.command_line),
        entry_tsc,
        memory,
        rsdp: (info.rsdp != 0).then_some(info.rsdp),
        ramdisk: ramdisk.filter(|&(_, bytes)| bytes > 0),
        framebuffer: None,
    })
}

fn entry_kind(command_line: u64) -> EntryKind {
    if command_line == 0 {
        return EntryKind::Pvh;
    }
    for (i, &expected) in (0..).zip(BIOS_COMMAND_LINE) {
        // SAFETY: a command line ends in zero, and no byte behind one that differs
        // from the expected text is read.
        let found: u8 = unsafe { value(command_line, i) };
        if found != expected {
            return EntryKind::Pvh;
        }
    }
    EntryKind::Bios
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const GIB: u64 = 1 << 30;

    fn entry(address: u64, bytes: u64, kind: u32) -> MemoryMapEntry {
        MemoryMapEntry {
            address,
            bytes,
            kind,
            reserved: 0,
        }
    }

    fn start_info(map: &[MemoryMapEntry]) -> StartInfo {
        StartInfo {
            magic: MAGIC,
            version: 1,
            flags: 0,
            modules: 0,
            module_list: 0,
            command_line: 0,
            rsdp: 0xf_5a00,
            memory_map: map.as_ptr() as u64,
            memory_map_entries: map.len() as u32,
            reserved: 0,
        }
    }

    fn read(info: &StartInfo) -> Result<Firmware, StartInfoError> {
        // SAFETY: on the host, too, addresses are pointers; all of the tests' data
        // outlive the call.
        unsafe { read_start_info(core::ptr::from_ref(info) as u64, 99) }
    }

    #[test]
    fn reads_memory_root_pointer_and_ramdisk() {
        let map = [
            entry(0, 0x9fc00, 1),
            entry(0x9fc00, 0x400, 2),
            entry(1 << 20, GIB, 1),
            entry(4 * GIB, GIB, 1),
        ];
        let module = Module {
            address: 0x3f00_0000,
            bytes: 1234,
            command_line: 0,
            reserved: 0,
        };
        let mut info = start_info(&map);
        info.modules = 1;
        info.module_list = core::ptr::from_ref(&module) as u64;
        let firmware = read(&info).unwrap();
        assert_eq!(firmware.entry, EntryKind::Pvh);
        assert_eq!(firmware.entry_tsc, 99);
        assert_eq!(firmware.rsdp, Some(0xf_5a00));
        assert_eq!(firmware.ramdisk, Some((0x3f00_0000, 1234)));
        let shape: Vec<_> = firmware
            .memory
            .regions()
            .iter()
            .map(|r| (r.start, r.end, r.kind))
            .collect();
        assert_eq!(
            shape,
            [
                (0, 0x9fc00, MemoryRegionKind::Usable),
                (0x9fc00, 0xa0000, MemoryRegionKind::UnknownBios(2)),
                (1 << 20, (1 << 20) + GIB, MemoryRegionKind::Usable),
                (4 * GIB, 5 * GIB, MemoryRegionKind::Usable),
            ]
        );
    }

    #[test]
    fn what_is_missing_is_none() {
        let map = [entry(0, GIB, 1)];
        let mut info = start_info(&map);
        info.rsdp = 0;
        let firmware = read(&info).unwrap();
        assert_eq!((firmware.rsdp, firmware.ramdisk), (None, None));
        assert!(firmware.framebuffer.is_none());
    }

    #[test]
    fn the_bios_stage_is_known_by_its_command_line() {
        let map = [entry(0, GIB, 1)];
        let mut info = start_info(&map);
        for (line, kind) in [
            (&b"ioprobe.entry=bios\0"[..], EntryKind::Bios),
            (b"ioprobe.entry=bios2\0", EntryKind::Pvh),
            (b"ioprobe.entry=\0", EntryKind::Pvh),
            (b"\0", EntryKind::Pvh),
        ] {
            info.command_line = line.as_ptr() as u64;
            assert_eq!(read(&info).unwrap().entry, kind);
        }
    }

    #[test]
    fn another_structure_or_an_old_one_is_refused() {
        let map = [entry(0, GIB, 1)];
        let mut other = start_info(&map);
        other.magic = 0x2bad_b002;
        assert_eq!(read(&other).err(), Some(StartInfoError::Magic(0x2bad_b002)));
        let mut old = start_info(&map);
        old.version = 0;
        assert_eq!(read(&old).err(), Some(StartInfoError::NoMemoryMap));
        let empty = start_info(&[]);
        assert_eq!(read(&empty).err(), Some(StartInfoError::NoMemoryMap));
    }

    #[test]
    fn a_region_at_the_end_of_the_address_space_is_cut_off_there() {
        let map = [entry(0, GIB, 1), entry(u64::MAX - 10, 100, 2)];
        let firmware = read(&start_info(&map)).unwrap();
        let last = firmware.memory.regions().last().unwrap();
        assert_eq!((last.start, last.end), (u64::MAX - 10, u64::MAX));
    }
}
