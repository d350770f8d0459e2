//! `ioprobe-kernel`: wires the machine to the engine.
#![no_std]
#![no_main]

extern crate alloc;

use bootloader_api::BootInfo;
use kernel::boot_note::BootNote;
use kernel::hal::cpu;
use kernel::{arch, console, exit, memory, println};
use proto::exit::GuestExit;

kernel::guest!(main);

fn main(info: &'static mut BootInfo) -> ! {
    let start_tsc = cpu::tsc_after_loads();
    arch::init();
    console::init();
    memory::init(info).expect("the loader keeps its contract");
    let (mapped, guards) = memory::guard::audit().expect("page rights are as promised");
    let note = BootNote::find(&info.memory_regions);
    println!("mapped {mapped:?}, {guards} guards, {note:?}, now {start_tsc}");
    exit::leave(GuestExit::NothingToDo)
}
