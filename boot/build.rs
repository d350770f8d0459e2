//! Link options of the ways in, and the kernel that they carry.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Programs without start-up code, at places that their linker scripts say.
const BARE: [&str; 6] = [
    "-nostdlib",
    "-nostartfiles",
    "-Wl,--build-id=none",
    "-Wl,-z,norelro",
    "-Wl,--no-eh-frame-hdr",
    "-Wl,-z,noexecstack",
];

/// At fixed addresses.
const FIXED: [&str; 2] = ["-static", "-no-pie"];

/// Anywhere: the firmware applies what relocations are left.
const ANYWHERE: [&str; 2] = ["-static-pie", "-Wl,--no-dynamic-linker"];

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    link_options(&here, "pvh", &FIXED);
    // Options for a program that the features leave out would be an error.
    if env::var_os("CARGO_FEATURE_UEFI").is_some() {
        link_options(&here, "uefi", &ANYWHERE);
    }
    if env::var_os("CARGO_FEATURE_BIOS").is_some() {
        link_options(&here, "bios", &FIXED);
    }
    embed_kernel();
}

fn link_options(here: &Path, way: &str, how: &[&str]) {
    let script = here.join("src/bin").join(way).join("link.ld");
    println!("cargo::rerun-if-changed={}", script.display());
    let script = format!("-Wl,-T,{}", script.display());
    for option in BARE.iter().chain(how).chain([&script.as_str()]) {
        println!("cargo::rustc-link-arg-bin=ioprobe-{way}={option}");
    }
}

/// `IOPROBE_KERNEL` names the kernel's ELF file. Without it the loader builds all
/// the same, for checks and lints, and says at run time that it holds no kernel.
fn embed_kernel() {
    println!("cargo::rerun-if-env-changed=IOPROBE_KERNEL");
    let kernel = match env::var_os("IOPROBE_KERNEL") {
        Some(path) => {
            let path = PathBuf::from(path);
            println!("cargo::rerun-if-changed={}", path.display());
            path.canonicalize().unwrap_or_else(|error| {
                panic!(
                    "IOPROBE_KERNEL={}: {error}; build it first: cargo build -p guest --bin ioprobe-kernel",
                    path.display()
                )
            })
        }
        None => {
            let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
            let empty = out.join("no-kernel");
            fs::write(&empty, []).expect("OUT_DIR is writable");
            empty
        }
    };
    println!("cargo::rustc-env=IOPROBE_KERNEL_FILE={}", kernel.display());
}
