//! Link options of a program on the kernel library: static, at fixed addresses, no
//! start-up code.

use std::env;
use std::path::PathBuf;

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let script = here.join("../kernel/link.ld");
    println!("cargo::rerun-if-changed={}", script.display());
    let options = [
        "-nostdlib",
        "-nostartfiles",
        "-static",
        "-no-pie",
        "-Wl,--build-id=none",
        "-Wl,-z,norelro",
        "-Wl,-z,noexecstack",
        "-Wl,--no-eh-frame-hdr",
    ];
    for option in options {
        println!("cargo::rustc-link-arg-bins={option}");
    }
    println!("cargo::rustc-link-arg-bins=-Wl,-T,{}", script.display());
}
