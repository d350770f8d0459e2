//! An NVMe controller in memory, which checks its driver as it goes.
//!
//! Nothing here is shared with the driver's side: offsets and layouts are
//! written out again from the base specification 1.4, so that a slip in one
//! shows against the other. What the model could only guess at follows QEMU 7.2:
//! a doorbell schedules work, shadow doorbells are looked at only while working,
//! an abort never aborts, and the number of queues asked for is ignored.

mod admin;
mod config;
mod device;
mod fault;
mod identify;
mod io;
mod namespace;
mod prp;
mod queues;
mod registers;

pub use config::{Found, NvmeConfig};
pub use device::FakeNvme;
pub use fault::{Faults, Lie};
pub use io::IoRecord;
pub use namespace::FakeNamespace;
pub use prp::walk_prps;
