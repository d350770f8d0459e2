//! VMware's guestinfo: variables of a virtual machine that both the guest and the
//! administrator can read and set (`guestinfo.*` among its configuration).
//!
//! The ladder: `rpc` holds one conversation over the backdoor, `variables` reads
//! and sets variables by it, `run` knows which ones a run uses.

#[cfg(test)]
mod fake;
mod rpc;
mod run;
mod variables;

pub use rpc::{MessagePort, Rpc, RpcError};
pub use run::{GuestInfoJob, read_job, write_summary};
pub use variables::{VariableError, get, set};
