//! LSI Logic SAS: Fusion-MPT over SAS.

use alloc::boxed::Box;
use drivers::mptsas::{BAR_BYTES, Mptsas, SAS_DEVICE_IDS, VENDOR_ID};
use kernel::adapters::{Driver, Registers};

/// Known by its id: QEMU gives it class 01 00, VMware 01 07. Its registers are
/// in the first memory BAR; BAR 0 has them as I/O ports. The parallel sibling is
/// left alone, because its driver has met no such device.
pub static DRIVER: Driver = Driver {
    kind: "lsisas",
    drives: |function| function.vendor == VENDOR_ID && SAS_DEVICE_IDS.contains(&function.device),
    registers: Registers::FirstOf(BAR_BYTES as u64),
    start: |_, machine, registers, options| {
        Ok(Box::new(Mptsas::start(machine, registers, options)?))
    },
};
