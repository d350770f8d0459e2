//! VMware Paravirtual SCSI.
//!
//! One request ring, one completion ring and a page of indices lie in memory;
//! a register write tells the device to look. There is no published
//! specification: `spec` names the public drivers that its layouts follow.
//!
//! 1. The device sees a request only by `ring_doorbell`; `submit` touches the
//!    ring alone.
//! 2. As many commands are in flight as the request ring has slots, and the
//!    completion ring has at least as many, so neither can overflow.
//! 3. No scatter list is ever made: data lie in one contiguous buffer.
//! 4. The rings are set up anew long before an index reaches 2^32.

mod controller;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
mod features;
mod lifecycle;
mod messages;
mod options;
mod port;
mod queue;
mod regs;
mod ring;
mod spec;
mod status;

#[cfg(test)]
mod tests;

pub use controller::Pvscsi;
pub use features::Features;
pub use messages::HotPlug;
pub use spec::{BAR_BYTES, DEVICE_ID, VENDOR_ID};
