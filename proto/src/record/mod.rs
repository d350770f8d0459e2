//! Serial records: one line each, `@ioprobe <seq> <length> <crc32c hex> <json>`.

mod kinds;

pub use kinds::{End, Hello, Note, Plan, Progress, Record, RowBegin};

/// What a record line starts with.
pub const MARK: &str = "@ioprobe ";

/// Version of the record format; the first record carries it.
pub const VERSION: u32 = 1;
