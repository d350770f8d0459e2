//! What the configuration table leads to.

use uefi::table::cfg::ConfigTableEntry;

/// Physical address of the ACPI root pointer: of revision 2 or, failing that, 1.
pub fn find_rsdp() -> Option<u64> {
    uefi::system::with_config_table(|entries| {
        let kinds = [ConfigTableEntry::ACPI2_GUID, ConfigTableEntry::ACPI_GUID];
        let mut found = kinds
            .iter()
            .filter_map(|kind| entries.iter().find(|entry| entry.guid == *kind));
        found.next().map(|entry| entry.address as u64)
    })
}
