//! LSI Fusion-MPT (MPI 1.5): SAS1068, which VMware offers as "LSI Logic SAS".
//!
//! Requests are frames in memory, each posted by a register write; replies come
//! out of a register, as the request's context where all went well, else as the
//! address of a reply frame. The parallel sibling 53c1030 ("LSI Logic
//! Parallel") speaks the same language; it is not run on any device but the
//! model in `fake`.
//!
//! The ladder: `spec` names the bits; `regs` moves them; `handshake` passes
//! messages and changes states through the doorbell; `facts` asks and tells at
//! the start; `frames` is the shared memory; `queue` makes requests of it;
//! `management` is for aborts and resets; `errors` and `replies` read what comes
//! back; `controller` is the hot path; `lifecycle` and `scan` make it one.
//!
//! 1. Commands in flight are one fewer than the adapter's credits and than its
//!    reply frames: task management always finds room for both.
//! 2. A context is a tag, never zero and below 2^28; bit 28 marks management.
//! 3. A reply frame is copied, marked as not written, and given back before
//!    anything in it is looked at.
//! 4. The doorbell is not read during a handshake but for the reply.

mod controller;
mod errors;
mod facts;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
mod frames;
mod handshake;
mod lifecycle;
mod management;
mod queue;
mod regs;
mod replies;
mod scan;
mod spec;

#[cfg(test)]
mod tests;

pub use controller::Mptsas;
pub use facts::Facts;
pub use spec::{BAR_BYTES, PARALLEL_DEVICE_ID, SAS_DEVICE_IDS, VENDOR_ID};
