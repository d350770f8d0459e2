//! The guest image: the kernel, then the PVH loader that carries it.
//!
//! Two invocations of cargo with a target folder apart from the host's, so that
//! no feature of a host crate leaks in. Cargo decides what is up to date.

use super::paths::{target_dir, workspace_root};
use crate::child;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use serde_json::Value;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// The kernel's ELF file.
    pub kernel: PathBuf,
    /// The PVH image with the kernel in it.
    pub pvh: PathBuf,
}

/// What a boot image is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootParts {
    /// The PVH image with the kernel in it.
    pub pvh: PathBuf,
    /// The UEFI program with the kernel in it, as a position-independent ELF file.
    pub uefi: PathBuf,
    /// The BIOS stage.
    pub bios: PathBuf,
}

/// Environment that is meant for the host's build and must not reach the guest's.
const HOST_ONLY: [&str; 4] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_TARGET_DIR",
];

/// Builds the guest; with `inject`, one that makes faults on request.
///
/// # Errors
/// [`Failure::Environment`] if cargo fails; its own messages were shown.
pub fn build(
    inject: bool,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<Guest, Failure> {
    console.say("building the guest");
    let folder = guest_folder(inject);
    let features: &[&str] = if inject {
        &["--features", "inject"]
    } else {
        &[]
    };
    let kernel = cargo(
        "guest",
        "ioprobe-kernel",
        features,
        &folder,
        None,
        interrupt,
    )?;
    let pvh = cargo(
        "boot",
        "ioprobe-pvh",
        &[],
        &folder,
        Some(&kernel),
        interrupt,
    )?;
    Ok(Guest { kernel, pvh })
}

/// Builds the guest in all the forms that a boot image has.
///
/// # Errors
/// [`Failure::Environment`] if cargo fails; its own messages were shown.
pub fn build_boot_parts(
    inject: bool,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<BootParts, Failure> {
    let Guest { kernel, pvh } = build(inject, console, interrupt)?;
    let folder = guest_folder(inject);
    let way = |bin: &str, feature: &str, kernel: Option<&Path>| {
        let features = ["--features", feature];
        cargo("boot", bin, &features, &folder, kernel, interrupt)
    };
    Ok(BootParts {
        pvh,
        uefi: way("ioprobe-uefi", "uefi", Some(&kernel))?,
        // It carries no kernel; another environment would only undo the cache.
        bios: way("ioprobe-bios", "bios", Some(&kernel))?,
    })
}

/// Folders of their own keep either variant from undoing the other's cache.
fn guest_folder(inject: bool) -> PathBuf {
    target_dir().join(if inject { "guest-inject" } else { "guest" })
}

/// Builds the ceiling loop, which the benchmark compares the probe with.
///
/// # Errors
/// [`Failure::Environment`] if cargo fails; its own messages were shown.
pub fn build_ceiling(console: &mut Console<'_>, interrupt: &Interrupt) -> Result<Guest, Failure> {
    console.say("building the ceiling loop");
    // A folder of its own: the loader there carries another kernel.
    let folder = target_dir().join("guest-ceiling");
    let features = ["--features", "guest"];
    let kernel = cargo(
        "ceiling",
        "ioprobe-ceiling",
        &features,
        &folder,
        None,
        interrupt,
    )?;
    let pvh = cargo(
        "boot",
        "ioprobe-pvh",
        &[],
        &folder,
        Some(&kernel),
        interrupt,
    )?;
    Ok(Guest { kernel, pvh })
}

fn cargo(
    package: &str,
    bin: &str,
    features: &[&str],
    folder: &Path,
    kernel: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<PathBuf, Failure> {
    let what = format!("building {bin}");
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command
        .current_dir(workspace_root())
        .args(["build", "--quiet", "--profile", "guest"])
        .args(["--package", package, "--bin", bin])
        .args(features)
        .args(["--message-format", "json-render-diagnostics"])
        .arg("--target-dir")
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    for name in HOST_ONLY {
        command.env_remove(name);
    }
    if let Some(kernel) = kernel {
        command.env("IOPROBE_KERNEL", kernel);
    }
    let mut child = command
        .spawn()
        .map_err(|error| Failure::io(&what, &error))?;
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let read = output.map(|mut output| output.read_to_string(&mut text));
        read.transpose().map(|_| text)
    });
    let status = child::wait(&mut child, &what, interrupt)?;
    if !status.success() {
        return Err(Failure::Environment(format!("{what} failed ({status})")));
    }
    let messages = reader
        .join()
        .unwrap_or_else(|_| Ok(String::new()))
        .map_err(|error| Failure::io(&what, &error))?;
    executable(&messages, bin)
        .ok_or_else(|| Failure::Environment(format!("{what}: cargo named no executable")))
}

/// The path of `bin` in cargo's messages.
fn executable(messages: &str, bin: &str) -> Option<PathBuf> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == bin)
            .then(|| message["executable"].as_str().map(PathBuf::from))
            .flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executable_is_found_among_messages() {
        let messages = concat!(
            "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"boot\"},\"executable\":null}\n",
            "no json\n",
            "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"ioprobe-pvh\"},",
            "\"executable\":\"/t/guest/ioprobe-pvh\"}\n",
        );
        let found = executable(messages, "ioprobe-pvh");
        assert_eq!(found.as_deref(), Some(Path::new("/t/guest/ioprobe-pvh")));
        assert_eq!(executable(messages, "other"), None);
    }
}
