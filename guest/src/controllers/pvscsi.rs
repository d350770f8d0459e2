//! VMware PVSCSI.

use alloc::boxed::Box;
use drivers::pvscsi::{BAR_BYTES, DEVICE_ID, Pvscsi, VENDOR_ID};
use kernel::adapters::{Driver, Registers};

/// Known by its id alone: QEMU gives it class 01 00, VMware 01 07. Its registers
/// are in the first memory BAR of 32 KiB or more, which is BAR 0 in QEMU and
/// another on VMware.
pub static DRIVER: Driver = Driver {
    kind: "pvscsi",
    drives: |function| (function.vendor, function.device) == (VENDOR_ID, DEVICE_ID),
    registers: Registers::FirstOf(BAR_BYTES as u64),
    start: |_, machine, registers, options| {
        Ok(Box::new(Pvscsi::start(machine, registers, options)?))
    },
};
