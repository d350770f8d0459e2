//! virtio-scsi, modern interface.

use alloc::boxed::Box;
use alloc::vec::Vec;
use drivers::block::ControllerError;
use drivers::virtio_scsi::{DEVICE_IDS, Quirks, Regions, VENDOR_ID, VirtioScsi};
use kernel::adapters::{Driver, Registers};
use kernel::hypervisor::{Hypervisor, Kind};
use kernel::pci::Function;

/// Known by its id, transitional or modern-only. Its capabilities name the BAR of
/// its registers, which in QEMU is the fourth; a device that has none of them
/// offers the legacy interface only, and is refused.
pub static DRIVER: Driver = Driver {
    kind: "virtio-scsi",
    drives: |function| function.vendor == VENDOR_ID && DEVICE_IDS.contains(&function.device),
    registers: Registers::Named(|function| Ok(regions(function)?.bar)),
    start: |function, machine, registers, options| {
        let regions = regions(function).map_err(|_| ControllerError::Unsupported)?;
        let emulated = Hypervisor::detect().kind == Kind::Tcg;
        let quirks = Quirks::with_weak_fences(emulated);
        let started = VirtioScsi::start(machine, registers, regions, quirks, options)?;
        Ok(Box::new(started))
    },
};

fn regions(function: &Function) -> Result<Regions, &'static str> {
    let usable = |number: u8| {
        let mut bars = function.bars.iter();
        bars.any(|bar| bar.index == number && bar.range().is_some())
    };
    let capabilities = function.vendor_capabilities.iter().map(Vec::as_slice);
    Regions::find(capabilities, usable)
}
