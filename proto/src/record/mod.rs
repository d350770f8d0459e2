//! Serial records: one line each, `@ioprobe <seq> <length> <crc32c hex> <json>`.
//!
//! `seq` counts from 0, `length` is the bytes of the JSON text and the checksum is over
//! them. Between records stands whatever firmware and people print. The guest writes
//! with [`Writer`]; the host feeds bytes to a [`Decoder`] and gets [`Event`]s.

mod decode;
mod kinds;
mod line;
mod row;
mod sequence;
mod terminal;
#[cfg(test)]
mod tests;
mod trace;
mod view;
mod write;

pub use decode::{Decoder, Event, MAX_LINE_BYTES};
pub use kinds::{End, Hello, Note, Plan, Progress, Record, RowBegin, StartWait, TAG};
pub use line::{Damage, MARK};
pub use row::{
    GO_TIMEOUT_MS, go_line, parse_go, parse_sync, row_note, row_number, split_row_note, sync_line,
};
pub use sequence::Summary;
pub use trace::{TRACE_CHUNK_IOS, TRACE_DIRECTIONS, Trace, TraceIo};
pub use view::{RawRecord, View};
pub use write::{Writer, encode};

/// Version of the record format; the first record carries it. A decoder refuses a higher one.
pub const VERSION: u32 = 1;
