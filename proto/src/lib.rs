//! What guest and host must agree on: the job language, the serial records,
//! units, versions and checksums.
//!
//! One parser serves both, so a job that the host accepted is the job that the
//! guest runs; one set of record types serves both, so a figure has one name.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod boot_image;
pub mod crc32c;
pub mod exit;
pub mod job;
pub mod pattern;
pub mod record;
pub mod result;
pub mod scratch;
pub mod units;

/// Version of the tool, the same on both sides of the serial line.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
