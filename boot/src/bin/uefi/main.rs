//! `ioprobe-uefi`: the loader and the kernel as a UEFI application.
//!
//! Linked as a position-independent ELF file, which `cargo xtask` turns into the
//! PE file that firmware starts.
#![no_std]
#![no_main]
#![expect(
    unsafe_code,
    reason = "the program's entry, and the end of boot services"
)]

mod framebuffer;
mod job;
mod memory;
#[path = "../shared/memory_functions.rs"]
mod memory_functions;
#[path = "../shared/report.rs"]
mod report;
mod tables;

use boot::{EntryKind, Firmware, PhysicalWindow};
use core::arch::x86_64::_rdtsc;
use core::panic::PanicInfo;
use uefi::{Status, println};
use x86_64::instructions::interrupts;
use x86_64::registers::control::{Cr4, Cr4Flags};

static KERNEL: &[u8] = include_bytes!(env!("IOPROBE_KERNEL_FILE"));

#[uefi::entry]
fn main() -> Status {
    // SAFETY: every processor with a 64-bit mode has the instruction.
    let entry_tsc = unsafe { _rdtsc() };
    if Cr4::read().contains(Cr4Flags::L5_PAGING) {
        println!("ioprobe: this firmware runs with 5-level paging, which is not supported;");
        println!("switch it off (QEMU: -cpu ..,la57=off)");
        return Status::UNSUPPORTED;
    }
    let ramdisk = job::read().unwrap_or_else(|error| {
        println!("ioprobe: {} cannot be read ({error})", job::PATH);
        None
    });
    let framebuffer = framebuffer::find();
    let rsdp = tables::find_rsdp();
    // SAFETY: all that was opened above is closed again; what is kept are physical
    // addresses of a framebuffer, of tables, and of memory of type loader data.
    let map = unsafe { uefi::boot::exit_boot_services(None) };
    // The firmware's handlers must not run any more.
    interrupts::disable();
    let memory = match memory::regions(&map) {
        Ok(memory) => memory,
        Err(error) => report::fail(format_args!("memory map: {error:?}")),
    };
    let firmware = Firmware {
        entry: EntryKind::Uefi,
        entry_tsc,
        memory,
        rsdp,
        ramdisk,
        framebuffer,
    };
    // SAFETY: UEFI maps all memory one to one (UEFI 2.10, 2.3.4); what the map
    // calls usable belongs to nobody since boot services ended.
    let window = unsafe { PhysicalWindow::new(core::ptr::null_mut()) };
    match boot::load(firmware, KERNEL, window) {
        // SAFETY: ring 0, interrupts off, mapped one to one; our image and the map
        // are loader code and loader data, which were painted.
        Ok(handoff) => unsafe { handoff.enter() },
        Err(error) => report::fail(format_args!("{error}")),
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    report::fail(format_args!("{info}"))
}
