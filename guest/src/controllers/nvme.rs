//! NVMe.

use alloc::boxed::Box;
use drivers::nvme::{BAR_BYTES, CLASS, Nvme, Quirks};
use kernel::adapters::{Driver, Registers};
use kernel::hypervisor::{Hypervisor, Kind};

/// Known by its class, so that every maker's controller is driven. Its registers
/// are in BAR 0, whose least size is two pages.
pub static DRIVER: Driver = Driver {
    kind: "nvme",
    drives: |function| function.class == CLASS,
    registers: Registers::FirstOf(BAR_BYTES as u64),
    start: |function, machine, registers, options| {
        let emulated = Hypervisor::detect().kind == Kind::Tcg;
        let quirks = Quirks::of(function.vendor, function.device).with_weak_fences(emulated);
        Ok(Box::new(Nvme::start(machine, registers, quirks, options)?))
    },
};
