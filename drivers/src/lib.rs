//! Drivers for virtual storage controllers, free of `unsafe` and of any machine.
//!
//! Everything that can be wrong in a driver is decided by code that runs on the
//! host: a driver touches registers, shared memory and time only through the
//! traits of [`hal`], so a test gives it a device model in memory instead.
//!
//! Inside a driver the files form a ladder, each knowing only those below it:
//! `controller -> ring -> regs -> spec`. No controller knows another, and none
//! knows what a workload is.
//!
//! 1. A controller that exists is ready: bring-up happens in `start`.
//! 2. A driver never panics on what a device says and never trusts memory that
//!    the device can write; it keeps shadows of its own indices.
//! 3. Every wait has a deadline, and all-ones from a register means gone.
//! 4. A slot in flight is untouched until it is reaped.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod block;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
pub mod hal;
pub mod mptsas;
pub mod nvme;
pub mod pvscsi;
pub mod scsi;
pub mod virtio_scsi;
