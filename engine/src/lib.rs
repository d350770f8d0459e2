//! The measuring engine: positions, the in-flight table, the clocks of an I/O,
//! histograms, rows and sessions.
//!
//! It knows controllers only by the trait, and runs on the host against a fake
//! one. The hot loop is instantiated per controller type; between submit and
//! reap nothing is allocated, locked or formatted.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(any(test, feature = "fake"))]
pub mod fake;
pub mod group;
pub mod guard;
pub mod histogram;
pub mod region;
pub mod row;
pub mod session;
pub mod time;
pub mod workload;
