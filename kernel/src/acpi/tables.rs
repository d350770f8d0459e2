//! All tables that the kernel uses, in one value.

use super::{EcamRange, Fadt, Madt, mcfg};
use crate::hal::firmware::FirmwareTables;
use alloc::vec::Vec;

/// What firmware says of the machine; every part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Processors.
    pub madt: Madt,
    /// PM timer, reset register, DSDT.
    pub fadt: Fadt,
    /// Memory-mapped configuration space.
    pub ecam: Vec<EcamRange>,
}

/// Reads the tables that the RSDP at physical address `rsdp` leads to. A table
/// that is missing or damaged counts as empty; `None` when there is no root.
#[must_use]
pub fn discover(rsdp: u64) -> Option<Tables> {
    let tables = FirmwareTables::at(rsdp)?;
    Some(Tables {
        madt: tables.with::<acpi::madt::Madt, _>(Madt::parse),
        fadt: tables.with::<acpi::fadt::Fadt, _>(Fadt::parse),
        ecam: tables.with::<acpi::mcfg::Mcfg, _>(mcfg::parse),
    })
}
