//! `ioprobe-kernel`: the program that is booted.
#![no_std]
#![no_main]

use bootloader_api::BootInfo;
use guest::controllers::DRIVERS;

kernel::guest!(main);

fn main(info: &'static mut BootInfo) -> ! {
    kernel::program::run(info, &DRIVERS)
}
