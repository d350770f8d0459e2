//! What starts the guest: QEMU itself, a BIOS, or UEFI, whose files must be found.

use super::install::{self, Package};
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Ways to start the guest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Firmware {
    /// QEMU jumps into the guest: the quickest way
    #[default]
    Pvh,
    /// OVMF boots the image as a CD
    Uefi,
    /// SeaBIOS boots the image as a CD
    Bios,
}

impl Firmware {
    /// Least memory in MiB with which the firmware starts.
    #[must_use]
    pub const fn least_memory_mib(self) -> u32 {
        match self {
            Self::Pvh | Self::Bios => 0,
            Self::Uefi => 256,
        }
    }
}

/// OVMF: its code, and a store of variables to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ovmf {
    /// Read-only.
    pub code: PathBuf,
    /// What a new machine starts with.
    pub vars: PathBuf,
}

/// Where distributions put it: code and variables, of the same size class.
const PLACES: [(&str, &str); 8] = [
    // Debian, Ubuntu; with 2 MiB until 2023.
    (
        "/usr/share/OVMF/OVMF_CODE_4M.fd",
        "/usr/share/OVMF/OVMF_VARS_4M.fd",
    ),
    (
        "/usr/share/OVMF/OVMF_CODE.fd",
        "/usr/share/OVMF/OVMF_VARS.fd",
    ),
    // Fedora, RHEL.
    (
        "/usr/share/edk2/ovmf/OVMF_CODE.fd",
        "/usr/share/edk2/ovmf/OVMF_VARS.fd",
    ),
    // Arch.
    (
        "/usr/share/edk2/x64/OVMF_CODE.4m.fd",
        "/usr/share/edk2/x64/OVMF_VARS.4m.fd",
    ),
    // openSUSE.
    (
        "/usr/share/qemu/ovmf-x86_64-code.bin",
        "/usr/share/qemu/ovmf-x86_64-vars.bin",
    ),
    // QEMU's own, as brew and builds from source install it.
    (
        "/opt/homebrew/share/qemu/edk2-x86_64-code.fd",
        "/opt/homebrew/share/qemu/edk2-i386-vars.fd",
    ),
    (
        "/usr/local/share/qemu/edk2-x86_64-code.fd",
        "/usr/local/share/qemu/edk2-i386-vars.fd",
    ),
    (
        "/usr/share/qemu/edk2-x86_64-code.fd",
        "/usr/share/qemu/edk2-i386-vars.fd",
    ),
];

/// The package that brings it.
const PACKAGE: Package = Package {
    what: "OVMF",
    apt: "ovmf",
    by_hand: [
        ("apt", "sudo apt-get install ovmf"),
        ("dnf", "sudo dnf install edk2-ovmf"),
        ("pacman", "sudo pacman -S edk2-ovmf"),
        ("brew", "brew install qemu"),
    ],
};

/// Finds OVMF: what the user gave, or where distributions put it, after installing
/// it where that is possible and not forbidden.
///
/// # Errors
/// [`Failure::Environment`] that says what to type.
pub fn find_ovmf(
    given: Option<(&Path, &Path)>,
    may_install: bool,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<Ovmf, Failure> {
    if let Some((code, vars)) = given {
        return given_ovmf(code, vars);
    }
    if let Some(found) = look(&PLACES) {
        return Ok(found);
    }
    console.say("OVMF, UEFI for virtual machines, is needed and was not found");
    install::install(&PACKAGE, may_install, console, interrupt)?;
    look(&PLACES).ok_or_else(|| {
        Failure::Environment(
            "OVMF was installed, but its files were not found; name them with --ovmf-code and \
             --ovmf-vars"
                .into(),
        )
    })
}

/// The OVMF that the user names.
///
/// # Errors
/// [`Failure::Environment`] if a file is missing.
pub fn given_ovmf(code: &Path, vars: &Path) -> Result<Ovmf, Failure> {
    for path in [code, vars] {
        std::fs::metadata(path)
            .map_err(|error| Failure::Environment(format!("{}: {error}", path.display())))?;
    }
    Ok(Ovmf {
        code: code.to_owned(),
        vars: vars.to_owned(),
    })
}

fn look(places: &[(&str, &str)]) -> Option<Ovmf> {
    let both = |place: &&(&str, &str)| Path::new(place.0).exists() && Path::new(place.1).exists();
    places.iter().find(both).map(|(code, vars)| Ovmf {
        code: code.into(),
        vars: vars.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_variables_are_found_together() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let (code, vars, other) = (path("code"), path("vars"), path("other"));
        std::fs::write(&code, "x").unwrap();
        let places = [(code.as_str(), vars.as_str()), (&other, &other)];
        assert_eq!(look(&places), None);
        std::fs::write(&vars, "x").unwrap();
        assert_eq!(look(&places).unwrap().code, Path::new(&code));
    }

    #[test]
    fn a_given_file_that_is_missing_is_told() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::plain(&mut out, &mut err, 80);
        let given = (
            Path::new("/nonexistent/code"),
            Path::new("/nonexistent/vars"),
        );
        let failure = find_ovmf(Some(given), true, &mut console, &Interrupt::default());
        let failure = failure.unwrap_err();
        assert_eq!(failure.code(), 3);
        assert!(failure.message().starts_with("/nonexistent/code: "));
    }
}
