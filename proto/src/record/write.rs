//! The guest's side: numbering and encoding.

use super::kinds::{End, Record};
use super::line::MARK;
use crate::crc32c;
use alloc::string::String;

/// The line of one record, line feed included.
#[must_use]
pub fn encode(seq: u64, record: &Record) -> String {
    // A record holds only maps with text keys, so serialising it cannot fail; if a new
    // kind ever broke that, an unreadable record is found by the reader.
    let json = serde_json::to_string(record).unwrap_or_default();
    let (length, crc) = (json.len(), crc32c::of(json.as_bytes()));
    alloc::format!("{MARK}{seq} {length} {crc:08x} {json}\n")
}

/// Numbers records and hands their lines to a sink.
#[derive(Debug)]
pub struct Writer<S: FnMut(&[u8])> {
    sink: S,
    next_seq: u64,
}

impl<S: FnMut(&[u8])> Writer<S> {
    /// Starts at sequence number 0.
    pub const fn new(sink: S) -> Self {
        Self { sink, next_seq: 0 }
    }

    /// Writes one record.
    pub fn record(&mut self, record: &Record) {
        (self.sink)(encode(self.next_seq, record).as_bytes());
        self.next_seq += 1;
    }

    /// Writes the last record, which counts those before it.
    pub fn end(&mut self, ok: u32, failed: u32, skipped: u32) {
        self.record(&Record::End(End {
            records: self.next_seq,
            ok,
            failed,
            skipped,
        }));
    }

    /// Writes text for a person between the records; a line feed is added.
    pub fn text(&mut self, text: &str) {
        (self.sink)(text.as_bytes());
        (self.sink)(b"\n");
    }

    /// Records written so far.
    #[must_use]
    pub const fn written(&self) -> u64 {
        self.next_seq
    }
}
