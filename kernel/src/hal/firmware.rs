//! Tables that firmware left in memory.
#![expect(
    unsafe_code,
    reason = "tables lie in physical memory, where firmware says they do"
)]

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
