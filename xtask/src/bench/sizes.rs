//! Sizes of what is booted.

use crate::failure::Failure;
use std::path::Path;
use std::process::{Command, Stdio};

/// Bytes of an ELF file without symbols, as `strip` leaves it.
///
/// # Errors
/// [`Failure::Environment`] where binutils are missing.
pub fn stripped_bytes(elf: &Path, folder: &Path) -> Result<u64, Failure> {
    let stripped = folder.join("stripped");
    let status = Command::new("strip")
        .args(["--strip-all", "-o"])
        .args([&stripped, elf])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|error| Failure::io("strip (binutils)", &error))?;
    if !status.success() {
        return Err(Failure::Environment(format!(
            "strip {}: {status}",
            elf.display()
        )));
    }
    let metadata = std::fs::metadata(&stripped);
    Ok(metadata
        .map_err(|error| Failure::io(stripped.display(), &error))?
        .len())
}
