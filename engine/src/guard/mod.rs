//! Which disks may be written.
//!
//! 1. A disk whose first and last block carry a scratch stamp with a nonce that
//!    the job gives.
//! 2. A disk that `allow_write` names, if its first and last MiB and 256 sampled
//!    blocks hold nothing, or nothing but our own data.
//! 3. A disk that `allow_write` names together with what was found on it.
//!
//! A boot image of ioprobe is no target at all, not even of reads: what a machine
//! was started from lies on one, on whatever bus, and is left as it is.
//!
//! Nothing else is ever written; there is no way to say "all disks".

mod decide;
mod look;
mod reader;
mod rehearsal;
mod signature;
mod token;

pub use decide::{Verdict, decide, no_target};
pub use look::{Contents, Look, look, look_at_stamps};
pub use reader::{ReadError, Reader};
pub use rehearsal::rehearse;
pub use signature::UNKNOWN;
pub use token::{Token, tokens_for};

#[cfg(test)]
mod tests;
