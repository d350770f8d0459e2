//! `ioprobe-pvh`: the loader and the kernel in one file for hypervisors that start
//! an ELF file directly (`qemu-system-x86_64 -kernel`).
#![no_std]
#![no_main]
#![expect(unsafe_code, reason = "the program's entry")]

mod entry;
#[path = "../shared/memory_functions.rs"]
mod memory_functions;
#[path = "../shared/report.rs"]
mod report;

use boot::PhysicalWindow;
use bootloader_api::info::MemoryRegionKind;
use core::panic::PanicInfo;

static KERNEL: &[u8] = include_bytes!(env!("IOPROBE_KERNEL_FILE"));

unsafe extern "C" {
    /// First byte of the loader; the linker script gives it.
    static __image_start: u8;
    /// First byte behind the loader.
    static __image_end: u8;
}

/// Called by the entry code with the physical address of the start_info and the
/// time-stamp counter at the first instruction.
extern "sysv64" fn pvh_main(start_info: u64, entry_tsc: u64) -> ! {
    // SAFETY: the entry code passes on what EBX held.
    let firmware = unsafe { boot::read_start_info(start_info, entry_tsc) };
    let mut firmware = match firmware {
        Ok(firmware) => firmware,
        Err(error) => report::fail(format_args!("PVH start_info: {error:?}")),
    };
    if firmware.rsdp.is_none() {
        // SAFETY: the entry code maps the first 4 GiB one to one, and a machine of
        // this kind has memory or ROM everywhere below 1 MiB.
        firmware.rsdp = unsafe { boot::find_rsdp_below_1_mib() };
    }
    let start = (&raw const __image_start) as u64;
    let end = (&raw const __image_end) as u64;
    if let Err(error) = firmware
        .memory
        .paint(start, end, MemoryRegionKind::Bootloader)
    {
        report::fail(format_args!("memory map: {error:?}"));
    }
    // SAFETY: the entry code maps the first 4 GiB one to one; the loader's own
    // memory was painted just now and the start_info was copied.
    let window = unsafe { PhysicalWindow::new(core::ptr::null_mut()) };
    match boot::load(firmware, KERNEL, window) {
        // SAFETY: ring 0, interrupts off, mapped one to one.
        Ok(handoff) => unsafe { handoff.enter() },
        Err(error) => report::fail(format_args!("{error}")),
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    report::fail(format_args!("{info}"))
}
