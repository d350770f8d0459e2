//! `ioprobe-bios`: from a BIOS to the PVH entry.
//!
//! No program, but two pieces of 16-bit code that `cargo xtask image` takes out of
//! the ELF file: section `.mbr`, the code of a disk's first block, and `.stage`,
//! which loads the PVH program and the job, and starts it. A CD boots straight
//! into the stage (El Torito, no emulation).
#![no_std]
#![no_main]
#![expect(unsafe_code, reason = "all of it is assembly")]

mod mbr;
mod stage;

use core::panic::PanicInfo;

/// Never linked: there is no Rust code in the two pieces.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
