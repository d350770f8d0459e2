//! The job language: fio job files, in fio's meaning, plus keys that only a
//! probe can set. docs/jobs.md is its description for users.
//!
//! A file is read in layers: `ini` cuts it into sections and entries, `table` names every
//! key and `set` and `get` are what it means, `resolve` applies the keys in fio's order,
//! `file` is the result.

mod bytes;
mod chance;
mod decimal;
mod direction;
mod draft;
mod error;
mod file;
pub mod foreign;
mod get;
mod ini;
mod keys;
mod load;
mod nearest;
mod params;
pub mod presets;
mod resolve;
mod select;
mod set;
mod sweep;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use chance::percentile_text;
pub use error::{JobError, JobErrors, Place};
pub use file::JobFile;
pub use keys::{Key, find_key, is_known};
pub use load::{
    ByDirection, Distribution, LatencyTarget, Millionths, RateProcess, Split, SteadyFigure,
    SteadyLimit, SteadyState, Sweep, WriteData,
};
pub use params::{
    AtEnd, BlockSizes, DEFAULT_BS_BYTES, DEFAULT_RANDSEED, Extent, Irq, MAX_IN_FLIGHT, MAX_QUEUES,
    PREFILL_BYTES, PREFILL_DEPTH, Params, Rw, TRACE_IO_BYTES, Verify, Wait,
};
pub use select::DiskNames;
pub use table::KEYS;
pub use value::{
    CONTROLLERS, MAX_ADAPTERS, MAX_BS_BYTES, MAX_IODEPTH, MAX_NUMJOBS, MAX_RING_PAGES,
    MAX_TRACE_IOS,
};
