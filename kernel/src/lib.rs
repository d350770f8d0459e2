//! The machine: processor, memory, buses, time, console; [`program`] only wires.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod acpi;
pub mod adapters;
pub mod arch;
pub mod bring_up;
pub mod console;
pub mod exit;
pub mod hal;
pub mod hypervisor;
#[cfg(any(test, feature = "inject"))]
pub mod inject;
pub mod interrupts;
pub mod job;
pub mod memory;
pub mod pci;
pub mod program;
pub mod time;
