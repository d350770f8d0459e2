//! All tables that the kernel uses, in one value.

use super::{EcamRange, Fadt, Madt, Power, mcfg, soft_off};
use crate::hal::firmware::{self, FirmwareTables};
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
    /// How the machine is switched off.
    pub power: Power,
}

/// Reads the tables that the RSDP at physical address `rsdp` leads to. A table
/// that is missing or damaged counts as empty; `None` when there is no root.
#[must_use]
pub fn discover(rsdp: u64) -> Option<Tables> {
    let tables = FirmwareTables::at(rsdp)?;
    let fadt = tables.with::<acpi::fadt::Fadt, _>(Fadt::parse);
    let sleep_type = fadt
        .dsdt
        .and_then(|address| firmware::with_table_at(address, *b"DSDT", soft_off))
        .flatten();
    Some(Tables {
        madt: tables.with::<acpi::madt::Madt, _>(Madt::parse),
        power: Power::new(&fadt, sleep_type),
        fadt,
        ecam: tables.with::<acpi::mcfg::Mcfg, _>(mcfg::parse),
    })
}
