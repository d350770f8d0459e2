//! What all SCSI controllers share: commands, answers, and how disks are found.
//!
//! A controller's driver implements [`ScsiPort`], one command at a time, and
//! [`scan`] finds its disks through that. On the hot path a driver takes its
//! commands from [`Cdb`] and turns status and sense into
//! [`Status`](crate::block::Status) by [`status::decode`].

pub mod capacity;
mod cdb;
pub mod identity;
pub mod luns;
pub mod mode;
mod port;
mod probe;
mod scan;
pub mod sense;
pub mod spec;
pub mod status;
pub mod transfer;
mod units;

#[cfg(test)]
pub(crate) mod kit;
#[cfg(test)]
mod tests;

pub use cdb::{Cdb, TransferCdb, TransferCode, UNMAP_LIST_BYTES, unmap_list};
pub use port::{PORT_BYTES, ScsiAddress, ScsiPort};
pub use probe::{Probe, look_again, probe, settle};
pub use scan::{Found, scan};
pub use transfer::Transfer;
pub use units::{Other, Units, Wire};
