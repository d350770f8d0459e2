//! Tables that firmware left in memory, and registers that they name.
#![expect(
    unsafe_code,
    reason = "tables lie in physical memory, where firmware says they do"
)]

use super::port::power_management;
use super::volatile;
use crate::acpi::{Register, Space};
use crate::memory::{mmio, physical};
use acpi::{AcpiHandler, AcpiTable, AcpiTables, PhysicalMapping};
use core::ptr::NonNull;

/// The ACPI tables of this machine, found and with their sums checked.
#[derive(Debug)]
pub struct FirmwareTables(AcpiTables<Mapper>);

impl FirmwareTables {
    /// The tables that the RSDP at physical address `rsdp` leads to; `None` where
    /// there is no RSDP, or no root table behind it.
    #[must_use]
    pub fn at(rsdp: u64) -> Option<Self> {
        // SAFETY: the address is where the loader found an RSDP; `Mapper` maps it,
        // and any address that the tables then name.
        let tables = unsafe { AcpiTables::from_rsdp(Mapper, rsdp as usize) };
        tables.ok().map(Self)
    }

    /// `parse` of the bytes of the table of kind `T`, header included; of none
    /// where it is missing or damaged.
    pub fn with<T: AcpiTable, R>(&self, parse: impl Fn(&[u8]) -> R) -> R {
        let Ok(table) = self.0.find_table::<T>() else {
            return parse(&[]);
        };
        let start = table.virtual_start().cast::<u8>().as_ptr();
        // SAFETY: `region_length` bytes are mapped there, and were summed up by the
        // crate. Firmware tables do not change; the mapping outlives the slice.
        let bytes = unsafe { core::slice::from_raw_parts(start, table.region_length()) };
        parse(bytes)
    }
}

/// Bytes of the header of every table (ACPI 6.5, 5.2.6); its length is at 4.
const HEADER_BYTES: usize = 36;

/// `parse` of the bytes of the table at physical address `address`, header
/// included; `None` where no table of that signature is.
pub fn with_table_at<R>(
    address: u64,
    signature: [u8; 4],
    parse: impl FnOnce(&[u8]) -> R,
) -> Option<R> {
    let address = usize::try_from(address).ok()?;
    let start = reach(address, HEADER_BYTES)?;
    // SAFETY: that many bytes are mapped there, and firmware tables do not change.
    let header = unsafe { core::slice::from_raw_parts(start.as_ptr(), HEADER_BYTES) };
    if header[..4] != signature {
        return None;
    }
    let len = u32::from_le_bytes(*header[4..].first_chunk()?) as usize;
    if !(HEADER_BYTES..=MOST_TABLE_BYTES).contains(&len) {
        return None;
    }
    let start = reach(address, len)?;
    // SAFETY: as above, for the length that the table itself states.
    Some(parse(unsafe {
        core::slice::from_raw_parts(start.as_ptr(), len)
    }))
}

/// A longer table is none.
const MOST_TABLE_BYTES: usize = 16 << 20;

/// Stores a byte in a register that firmware names, in memory or on a port;
/// nothing where it is elsewhere, or cannot be reached.
pub fn store8(register: &Register, value: u8) {
    match register.space {
        Space::Port => {
            if let Ok(number) = u16::try_from(register.address) {
                power_management(number).write(value);
            }
        }
        Space::Memory => {
            if let Some(base) = mmio::map(register.address, 1) {
                // SAFETY: just mapped; firmware says that a register is there, so
                // no memory of the program is.
                unsafe { volatile::store8(base, 0, value) };
            }
        }
        Space::Other(_) => {}
    }
}

/// Every loader of this contract maps at least so much of physical memory.
const ALWAYS_MAPPED_BYTES: usize = 4 << 30;

/// Where `size` bytes at a physical address can be read. Tables lie in memory, so
/// the map of memory serves where it reaches; it costs nothing.
fn reach(address: usize, size: usize) -> Option<NonNull<u8>> {
    if address.checked_add(size)? <= ALWAYS_MAPPED_BYTES {
        return physical::pointer(address as u64);
    }
    mmio::map(address as u64, size)
}

/// Stands in for a table that cannot be mapped: no signature, length 0.
#[repr(align(16))]
struct NoTable([u8; 4096]);
static NO_TABLE: NoTable = NoTable([0; 4096]);

/// Maps tables for the `acpi` crate. A mapping stays: there are few, and early.
#[derive(Clone, Copy, Debug)]
struct Mapper;

impl AcpiHandler for Mapper {
    unsafe fn map_physical_region<T>(
        &self,
        address: usize,
        size: usize,
    ) -> PhysicalMapping<Self, T> {
        let (start, size) = match reach(address, size) {
            Some(start) => (start, size),
            None => (NonNull::from(&NO_TABLE.0).cast(), NO_TABLE.0.len()),
        };
        // SAFETY: `size` bytes from `start` are mapped for good: by `reach`, or as
        // the static, which is longer than every structure of the crate.
        unsafe { PhysicalMapping::new(address, start.cast(), size, size, *self) }
    }

    fn unmap_physical_region<T>(_region: &PhysicalMapping<Self, T>) {}
}
