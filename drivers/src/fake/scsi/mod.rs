//! SCSI targets in memory, which the models of all SCSI controllers share.
//!
//! Nothing here is shared with the driver's side: opcodes and layouts are
//! written out again from SPC-4 and SBC-3, so that a slip in one shows against
//! the other.

mod bus;
mod execute;
mod fault;
mod pace;
mod pages;
mod reply;
mod store;
mod unit;

pub use bus::ScsiBus;
pub use fault::{Fault, FaultKind, FaultWhen};
pub use pace::{Completing, Fetching};
pub use reply::{Direction, ScsiReply, sense_fixed};
pub use store::BlockStore;
pub use unit::{Executed, Medium, ScsiUnit, UnitCounts};
