//! Sizes and times as people write them: one table of spellings for job files,
//! command lines and overrides.
//!
//! Sizes follow fio with its default `kb_base=1024`: `k`, `K`, `kb`, `kB` and `KB` are
//! all 1024 bytes. A suffix with an `i` is 1024 everywhere, as its name says. fio itself
//! is of two minds there: its manual makes `4Ki` and `4KiB` 4000 bytes, its parser
//! (3.33) makes them 4096 and 4000. 4000 bytes are no block of any disk, so the
//! standard meaning was taken; [`Size::in_fio_bytes`] tells where fio differs, and the
//! job parser says so. Case never matters, and `b` is a byte.

mod error;
mod moment;
mod number;
mod size;
#[cfg(test)]
mod tests;
mod time;

pub use error::{UnitError, UnitFault};
pub use moment::{DateTime, moment_ns, moment_text};
pub use size::{KbBase, SIZE_SUFFIXES, Size, SizeFamily, SizeSuffix, size, size_bytes, size_text};
pub use time::{TIME_SUFFIXES, TimeSuffix, time_ns, time_text};
