//! From PCI functions to running controllers.
//!
//! Each kind of controller has one file that says which functions it drives and
//! how it is brought up; everything else is the same for all.

mod driver;
mod lsisas;
mod nvme;
mod pvscsi;
mod virtio_scsi;

pub use driver::{Failure, StartError, Started, start_all};
