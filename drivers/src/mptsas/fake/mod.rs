//! A Fusion-MPT adapter in memory.
//!
//! It shares no constant with the driver: offsets and sizes are written out
//! again, so that a slip in one shows against the other. [`Chip`] makes it a
//! SAS1068 or the parallel 53c1030, [`Quirks`] QEMU's model or what Linux'
//! driver was written for; the rest makes it slow, silent or lying.
//!
//! QEMU's SAS1068 is the one device that was at hand to compare with. The
//! 53c1030, and everything that [`Quirks::firmware`] says, follow drivers and
//! headers alone.

mod commands;
mod doorbell;
mod fifo;
mod messages;
mod model;
mod quirks;
mod tasks;
mod trouble;

pub use crate::fake::scsi::Completing;
pub use model::{MptModel, Seen};
pub use quirks::{Chip, Fetching, Quirks};
