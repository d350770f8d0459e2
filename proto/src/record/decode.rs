//! The host's side: bytes in, events out.

use super::line::{self, Damage, Piece};
use super::row::parse_sync;
use super::sequence::{Sequence, Step, Summary};
use super::terminal::Filter;
use super::view::RawRecord;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use serde_json::Value;

/// Longest line that is kept, in bytes. A record is far below it.
pub const MAX_LINE_BYTES: usize = 4 << 20;

/// What the log says next.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A whole record.
    Record(RawRecord),
    /// The guest waits at a row's edge.
    Sync(u64),
    /// Text between records, without terminal control; never blank.
    Text(String),
    /// Something that starts as a record and is none.
    Damaged {
        /// Its number, if it can be read; it may itself be damaged.
        seq: Option<u64>,
        /// What is wrong.
        why: Damage,
    },
    /// These numbers are missing before the next record.
    Gap(RangeInclusive<u64>),
    /// The next record's number came before, or the guest started anew.
    OutOfOrder {
        /// What was expected.
        expected: u64,
        /// What came.
        found: u64,
    },
    /// The log is of a newer version than this reader. Its records are held back and
    /// counted; a reader of that version is needed.
    TooNew {
        /// The version needed.
        version: u64,
    },
}

/// Reads a serial log, in pieces of any size.
#[derive(Debug, Default)]
pub struct Decoder {
    filter: Filter,
    line: Vec<u8>,
    overlong: bool,
    sequence: Sequence,
    too_new: bool,
    summary: Summary,
}

impl Decoder {
    /// At the start of a log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes and hands on what they complete.
    pub fn feed(&mut self, bytes: &[u8], mut event: impl FnMut(Event)) {
        for &byte in bytes {
            match self.filter.pass(byte) {
                Some(b'\n') => self.end_line(&mut event),
                Some(byte) if self.line.len() < MAX_LINE_BYTES => self.line.push(byte),
                Some(_) => self.overlong = true,
                None => {}
            }
        }
    }

    /// Ends the log: hands on what stands in its last, unfinished line, and the account.
    pub fn finish(mut self, mut event: impl FnMut(Event)) -> Summary {
        self.end_line(&mut event);
        self.summary
    }

    /// The account so far.
    #[must_use]
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    fn end_line(&mut self, event: &mut impl FnMut(Event)) {
        let mut line = core::mem::take(&mut self.line);
        line::pieces(&line, |piece| match piece {
            Piece::Text(range) => text(&line[range], event),
            Piece::Damaged { seq, why } => self.damaged(seq, why, event),
            Piece::Whole { seq, json } => match serde_json::from_slice(&line[json]) {
                Ok(value @ Value::Object(_)) => self.whole(RawRecord { seq, value }, event),
                _ => self.damaged(Some(seq), Damage::Json, event),
            },
        });
        if core::mem::take(&mut self.overlong) {
            self.damaged(None, Damage::TooLong, event);
        }
        line.clear();
        self.line = line;
    }

    fn damaged(&mut self, seq: Option<u64>, why: Damage, event: &mut impl FnMut(Event)) {
        self.summary.damaged += 1;
        event(Event::Damaged { seq, why });
    }

    fn whole(&mut self, record: RawRecord, event: &mut impl FnMut(Event)) {
        let seq = record.seq;
        match self.sequence.step(seq) {
            Step::Next => {}
            Step::Gap(missing) => {
                self.summary.missing.push(missing.clone());
                event(Event::Gap(missing));
            }
            Step::Back(expected) => {
                self.summary.out_of_order += 1;
                event(Event::OutOfOrder {
                    expected,
                    found: seq,
                });
            }
        }
        if let Some(version) = record.newer_version() {
            self.too_new = true;
            event(Event::TooNew { version });
        }
        if self.too_new {
            self.summary.refused += 1;
            return;
        }
        self.summary.records += 1;
        if let Some(kind) = record.unknown_kind() {
            *self
                .summary
                .unknown_kinds
                .entry(String::from(kind))
                .or_default() += 1;
        }
        if let Some(before) = record.promised_records() {
            self.summary.promised = Some(before);
        }
        event(Event::Record(record));
    }
}

fn text(bytes: &[u8], event: &mut impl FnMut(Event)) {
    let text = String::from_utf8_lossy(bytes);
    // Those of two bytes pass the filter, which looks at single ones.
    let text: String = text
        .chars()
        .filter(|&c| c == '\t' || !c.is_control())
        .collect();
    let trimmed = text.trim_end();
    if let Some(n) = parse_sync(trimmed) {
        event(Event::Sync(n));
    } else if !trimmed.trim_start().is_empty() {
        event(Event::Text(String::from(trimmed)));
    }
}
