//! Sizes of what is booted.

use super::figure::{Figure, Target};
use super::machine::Bench;
use super::spread::Spread;
use crate::failure::Failure;
use std::path::Path;
use std::process::{Command, Stdio};

/// The sizes of kernel and PVH image.
///
/// # Errors
/// As [`stripped_bytes`].
pub fn measure(bench: &Bench) -> Result<[Figure; 2], Failure> {
    let kib = |elf: &Path| {
        let bytes = stripped_bytes(elf, &bench.folder)?;
        Ok(Spread::single(bytes as f64 / 1024.0))
    };
    Ok([
        Figure::plain("kernel ELF, stripped", "KiB", kib(&bench.probe.kernel)?)
            .against(Target::at_most(1024.0, 256.0)),
        Figure::plain("PVH image, stripped", "KiB", kib(&bench.probe.pvh)?)
            .noting("carries the kernel"),
    ])
}

/// Bytes of an ELF file without symbols, as `strip` leaves it.
///
/// # Errors
/// [`Failure::Environment`] where binutils are missing.
fn stripped_bytes(elf: &Path, folder: &Path) -> Result<u64, Failure> {
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
