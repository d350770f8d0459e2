//! virtio-scsi over PCI: KVM's paravirtual controller, modern interface only.
//!
//! The ladder: `spec` names the bits; `regions` finds the registers by the
//! function's capabilities and `regs` moves them; `ring` is one split virtqueue;
//! `queue` makes requests of it, `control` task management and `events` notices;
//! `features` and `options` say what device and job agree on; `controller` is
//! the hot path; `set_up`, `lifecycle` and `port` make a [`VirtioScsi`] of it.
//!
//! 1. The device sees a request only by `ring_doorbell`; `submit` touches memory
//!    alone.
//! 2. All descriptors are written once, when a queue is made, but for the three
//!    lengths and the data address that differ from one command to the next.
//! 3. A response is marked as not written before its command is published, so a
//!    completion without one is caught.
//! 4. Data lie in one contiguous buffer, hence in one segment.

mod control;
mod controller;
mod events;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
mod features;
mod lifecycle;
mod options;
mod port;
mod queue;
mod quirks;
mod regions;
mod regs;
mod ring;
mod set_up;
mod spec;
mod status;

#[cfg(test)]
mod tests;

pub use controller::VirtioScsi;
pub use events::Event;
pub use features::Features;
pub use quirks::Quirks;
pub use regions::Regions;
pub use spec::{DEVICE_IDS, VENDOR_ID};
