//! What a run boots from: built, and laid into the run's folder where firmware
//! boots it.

use super::args::MachineArgs;
use crate::build;
use crate::console::Console;
use crate::failure::Failure;
use crate::image;
use crate::interrupt::Interrupt;
use crate::qemu::command::Boot;
use crate::qemu::firmware::{Firmware, Ovmf, find_ovmf};
use crate::result::RunFolder;
use std::path::PathBuf;

/// What was built, before there is a folder for the run.
pub enum Built {
    /// The PVH image.
    Pvh(PathBuf),
    /// A boot image, and OVMF where that boots it.
    Image(image::Image, Option<Ovmf>),
}

/// Files of a run's boot.
pub enum Files {
    /// The PVH image.
    Pvh(PathBuf),
    /// A boot image in the run's folder.
    Bios(PathBuf),
    /// The same, OVMF's code, and its variables in the run's folder.
    Uefi(PathBuf, PathBuf, PathBuf),
}

/// Builds what the firmware boots.
///
/// # Errors
/// [`Failure::Environment`] if OVMF is missing or the guest cannot be built.
pub fn build(
    args: &MachineArgs,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<Built, Failure> {
    let inject = args.inject.is_some();
    let ovmf = match args.firmware {
        Firmware::Pvh => {
            let guest = build::build(inject, console, interrupt)?;
            return Ok(Built::Pvh(guest.pvh));
        }
        Firmware::Bios => None,
        Firmware::Uefi => {
            let given = args.ovmf_code.as_deref().zip(args.ovmf_vars.as_deref());
            Some(find_ovmf(given, !args.no_install, console, interrupt)?)
        }
    };
    // The job comes from the host, as in every run.
    let image = image::build_image(None, inject, console, interrupt)?;
    Ok(Built::Image(image, ovmf))
}

impl Built {
    /// Puts what is the run's own into its folder.
    ///
    /// # Errors
    /// [`Failure::Environment`] if that cannot be written.
    pub fn place(self, folder: &RunFolder) -> Result<Files, Failure> {
        let (image, ovmf) = match self {
            Self::Pvh(path) => return Ok(Files::Pvh(path)),
            Self::Image(image, ovmf) => (image, ovmf),
        };
        let path = folder.file("boot.img");
        image::write(&path, &image)?;
        let Some(ovmf) = ovmf else {
            return Ok(Files::Bios(path));
        };
        let vars = folder.file("efi-variables.fd");
        let copied = std::fs::read(&ovmf.vars).and_then(|bytes| std::fs::write(&vars, bytes));
        copied.map_err(|error| Failure::io(vars.display(), &error))?;
        Ok(Files::Uefi(path, ovmf.code, vars))
    }
}

impl Files {
    /// For QEMU's command line.
    #[must_use]
    pub fn boot(&self) -> Boot<'_> {
        match self {
            Self::Pvh(kernel) => Boot::Pvh(kernel),
            Self::Bios(image) => Boot::Bios(image),
            Self::Uefi(image, code, vars) => Boot::Uefi { image, code, vars },
        }
    }
}
