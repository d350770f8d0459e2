//! What a PVH hypervisor tells: `struct hvm_start_info` version 1
//! (Xen public/arch-x86/hvm/start_info.h).
#![expect(unsafe_code, reason = "the hypervisor hands over physical addresses")]

use boot::{EntryKind, Firmware, MemoryMap, MemoryMapFull};
use bootloader_api::info::MemoryRegionKind;

const MAGIC: u32 = 0x336e_c578;
/// E820 type of ordinary memory (ACPI 6.4 table 15.4).
const E820_MEMORY: u32 = 1;
/// A BIOS stage that jumps to the PVH entry says so with this command line.
const BIOS_COMMAND_LINE: &[u8] = b"ioprobe.entry=bios\0";

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

#[repr(C)]
struct Module {
    address: u64,
    bytes: u64,
    command_line: u64,
    reserved: u64,
}

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

/// `len` values of `T` at the physical address `address`; none at address 0.
///
/// # Safety
/// The hypervisor must have put them there, mapped one to one, and nobody may
/// write them while the slice lives.
unsafe fn at<T>(address: u64, len: u32) -> &'static [T] {
    if address == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for address and length.
    unsafe { core::slice::from_raw_parts(address as *const T, len as usize) }
}

/// Reads the start_info at `address`. The first module is the ramdisk. Everything
/// is copied, so the start_info's own memory may be used again.
///
/// # Safety
/// `address` must be what the PVH contract put into EBX, still untouched.
pub unsafe fn read(address: u64, entry_tsc: u64) -> Result<Firmware, StartInfoError> {
    // SAFETY: by the PVH contract a start_info lies there.
    let info: &[StartInfo] = unsafe { at(address, 1) };
    let info = info.first().ok_or(StartInfoError::Magic(0))?;
    if info.magic != MAGIC {
        return Err(StartInfoError::Magic(info.magic));
    }
    if info.version < 1 || info.memory_map_entries == 0 {
        return Err(StartInfoError::NoMemoryMap);
    }
    // SAFETY: the start_info says so.
    let entries: &[MemoryMapEntry] = unsafe { at(info.memory_map, info.memory_map_entries) };
    let mut memory = MemoryMap::new();
    for entry in entries {
        let kind = match entry.kind {
            E820_MEMORY => MemoryRegionKind::Usable,
            other => MemoryRegionKind::UnknownBios(other),
        };
        memory.paint(
            entry.address,
            entry.address.saturating_add(entry.bytes),
            kind,
        )?;
    }
    // SAFETY: the start_info says so.
    let modules: &[Module] = unsafe { at(info.module_list, info.modules) };
    Ok(Firmware {
        entry: entry_kind(info.command_line),
        entry_tsc,
        memory,
        rsdp: (info.rsdp != 0).then_some(info.rsdp),
        ramdisk: modules
            .first()
            .map(|module| (module.address, module.bytes))
            .filter(|&(_, bytes)| bytes > 0),
        framebuffer: None,
    })
}

fn entry_kind(command_line: u64) -> EntryKind {
    for (i, &expected) in BIOS_COMMAND_LINE.iter().enumerate() {
        if command_line == 0 {
            return EntryKind::Pvh;
        }
        // SAFETY: a command line ends in zero, and no byte behind one that differs
        // from the expected text is read.
        let found = unsafe { at::<u8>(command_line + i as u64, 1) };
        if found != [expected] {
            return EntryKind::Pvh;
        }
    }
    EntryKind::Bios
}
