//! NVMe: QEMU's `nvme`, VMware's virtual NVMe, and any other controller of PCI
//! class 01 08 02.
//!
//! The ladder: [`spec`] names the bits; `regs` and `shadow` move doorbells;
//! `queue` is one ring pair; `prp` lays out data; `admin` runs one command at a
//! time; [`identify`] reads what comes back; `io` is the hot path; `bring_up`
//! and `discover` make a [`Nvme`] of it.

mod admin;
mod bring_up;
mod controller;
mod discover;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
pub mod identify;
mod io;
mod prp;
mod queue;
mod quirks;
mod regs;
mod shadow;
pub mod spec;

#[cfg(test)]
mod tests;

pub use controller::Nvme;
pub use quirks::Quirks;
pub use spec::{BAR_BYTES, CLASS};
