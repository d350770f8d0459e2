//! Link options of the ways in, and the kernel that they carry.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    pvh_link_options(&here);
    embed_kernel();
}

/// A static program at fixed addresses without any start-up code.
fn pvh_link_options(here: &Path) {
    let script = here.join("src/bin/pvh/link.ld");
    println!("cargo::rerun-if-changed={}", script.display());
    let options = [
        "-nostdlib",
        "-nostartfiles",
        "-static",
        "-no-pie",
        "-Wl,--build-id=none",
        "-Wl,-z,norelro",
        "-Wl,--no-eh-frame-hdr",
        "-Wl,-z,noexecstack",
    ];
    for option in options {
        println!("cargo::rustc-link-arg-bin=ioprobe-pvh={option}");
    }
    println!(
        "cargo::rustc-link-arg-bin=ioprobe-pvh=-Wl,-T,{}",
        script.display()
    );
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
                    "IOPROBE_KERNEL={}: {error}; build it first: cargo build -p kernel --bin ioprobe-kernel",
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
