//! What a guest said, record by record.
//!
//! Records are kept as they came, so that fields of newer guests survive; the
//! typed view is what this version works with.

use super::firmware::refusal;
use super::phase::Phase;
use proto::record::{
    Decoder, End, Event, Hello, Plan, Progress, RawRecord, Record, Summary, View, row_number,
};
use proto::result::{DiskInfo, Run};
use serde_json::Value;
use std::time::Duration;

/// One row.
#[derive(Clone, Debug)]
pub struct Row {
    /// As it came.
    pub value: Value,
    /// As this version understands it.
    pub run: Run,
}

/// Everything that was said so far.
#[derive(Default)]
pub struct Transcript {
    decoder: Decoder,
    /// The first record.
    pub hello: Option<Hello>,
    /// The machine.
    pub guest: Option<Value>,
    /// Controllers.
    pub controllers: Vec<Value>,
    /// Disks as they came.
    pub disks: Vec<Value>,
    /// Disks.
    pub disk_infos: Vec<DiskInfo>,
    /// What was left alone.
    pub ignored: Vec<Value>,
    /// What will be run.
    pub plan: Option<Plan>,
    /// How long rows waited for their moments, all together.
    pub start_waits: Duration,
    /// I/Os that rows kept one by one; they stay in the log.
    pub traced_ios: u64,
    /// Rows that ended.
    pub rows: Vec<Row>,
    /// Notes for a person.
    pub notes: Vec<String>,
    /// Points of bring-up.
    pub progress: Vec<Progress>,
    /// Why the guest gave up.
    pub fatal: Option<String>,
    /// Why the firmware will never start the guest.
    pub refused: Option<String>,
    /// The last record.
    pub end: Option<End>,
    /// Damage and records that could not be used, for a person.
    pub trouble: Vec<String>,
    /// Last lines that are no records.
    pub text: Vec<String>,
    /// Where the guest is.
    pub phase: Phase,
}

/// Lines of text that are kept.
const TEXT_LINES: usize = 20;

impl Transcript {
    /// Takes serial output; returns the numbers of the `sync` lines in it, each of
    /// which wants a `go`.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u64> {
        let mut events = Vec::new();
        self.decoder.feed(bytes, |event| events.push(event));
        let mut syncs = Vec::new();
        for event in events {
            self.event(event, &mut syncs);
        }
        syncs
    }

    /// Takes what stands in the last, unfinished line, once nothing more can come.
    pub fn close(&mut self) {
        // A line feed ends the line just as `Decoder::finish` would.
        self.feed(b"\n");
    }

    /// The account of the records.
    #[must_use]
    pub const fn summary(&self) -> &Summary {
        self.decoder.summary()
    }

    /// What is kept, for the message after a run that was cut off.
    #[must_use]
    pub fn kept(&self) -> String {
        let planned = self
            .plan
            .as_ref()
            .map_or("?".into(), |plan| plan.rows.to_string());
        let at = match &self.phase {
            Phase::Row(row) | Phase::Trace(row, _) => {
                format!("; row {} was cut off", row_number(row.row))
            }
            _ => String::new(),
        };
        format!(
            "{} whole records, {} of {planned} rows{at}",
            self.summary().records,
            self.rows.len()
        )
    }

    fn event(&mut self, event: Event, syncs: &mut Vec<u64>) {
        match event {
            Event::Record(raw) => self.record(raw),
            Event::Sync(number) => syncs.push(number),
            Event::Text(line) => {
                if self.refused.is_none() && self.phase == Phase::Boot {
                    self.refused = refusal(&line);
                }
                if self.text.len() == TEXT_LINES {
                    self.text.remove(0);
                }
                self.text.push(line);
            }
            Event::Damaged { seq, why } => {
                let which = seq.map_or("a record".into(), |seq| format!("record {seq}"));
                self.trouble.push(format!("{which} is damaged: {why}"));
            }
            Event::Gap(missing) => {
                let (first, last) = (missing.start(), missing.end());
                self.trouble.push(if first == last {
                    format!("record {first} is missing")
                } else {
                    format!("records {first} to {last} are missing")
                });
            }
            Event::OutOfOrder { expected, found } => {
                self.trouble
                    .push(format!("record {found} came where {expected} was expected"));
            }
            Event::TooNew { version } => {
                self.trouble.push(format!(
                    "the records have version {version}, this tool reads {}: use a newer ioprobe",
                    proto::record::VERSION
                ));
            }
        }
    }

    fn record(&mut self, raw: RawRecord) {
        match raw.view() {
            View::Known(record) => self.known(*record, raw.value),
            View::UnknownKind(kind) => {
                self.trouble
                    .push(format!("a record of unknown kind `{kind}` was left out"));
            }
            View::Unfit(why) => {
                let (seq, kind) = (raw.seq, raw.kind());
                self.trouble
                    .push(format!("record {seq} ({kind}) cannot be used: {why}"));
            }
        }
    }

    fn known(&mut self, record: Record, mut value: Value) {
        if let Some(object) = value.as_object_mut() {
            object.shift_remove(proto::record::TAG);
        }
        match record {
            Record::Hello(hello) => {
                self.hello = Some(hello);
                self.phase = Phase::Inventory;
            }
            Record::Guest(_) => self.guest = Some(value),
            Record::Controller(_) => self.controllers.push(value),
            Record::Disk(disk) => {
                self.disks.push(value);
                self.disk_infos.push(disk);
            }
            Record::Ignored(_) => self.ignored.push(value),
            Record::Plan(plan) => {
                self.plan = Some(plan);
                self.phase = Phase::Between;
            }
            Record::StartWait(wait) => {
                let ahead = Duration::from_nanos(wait.wait_ns);
                self.start_waits = self.start_waits.saturating_add(ahead);
                self.phase = Phase::StartWait(wait);
            }
            Record::RowBegin(begin) => self.phase = Phase::Row(begin),
            Record::Trace(trace) => {
                self.traced_ios += trace.ios;
                if let Phase::Row(row) | Phase::Trace(row, _) = &self.phase {
                    self.phase = Phase::Trace(row.clone(), trace.first);
                }
            }
            Record::Row(run) => {
                self.rows.push(Row { value, run: *run });
                self.phase = Phase::Between;
            }
            Record::Note(note) => self.notes.push(note.text),
            Record::Progress(progress) => self.progress.push(progress),
            Record::Fatal(note) => {
                // The first reason is the cause; a second panic only follows from it.
                self.fatal.get_or_insert(note.text);
                if !matches!(self.phase, Phase::Dying(_)) {
                    let last = std::mem::take(&mut self.phase);
                    self.phase = Phase::Dying(Box::new(last));
                }
            }
            Record::End(end) => {
                self.end = Some(end);
                self.phase = Phase::Ending;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::record::{Note, RowBegin, Trace, TraceIo, encode};

    fn note(text: &str) -> Record {
        Record::Note(Note { text: text.into() })
    }

    #[test]
    fn syncs_come_out_of_any_split() {
        let mut said = Transcript::default();
        assert_eq!(said.feed(b"boo\r\nsyn"), [0_u64; 0]);
        assert_eq!(said.feed(b"c 4\nsync 5\n"), [4, 5]);
        assert_eq!(said.text, ["boo"]);
    }

    #[test]
    fn damage_is_named_and_the_rest_is_kept() {
        let mut said = Transcript::default();
        let damaged = encode(1, &note("b")).replace("\"b\"", "\"x\"");
        let text = [encode(0, &note("a")), damaged, encode(2, &note("c"))].concat();
        said.feed(text.as_bytes());
        assert_eq!(said.notes, ["a", "c"]);
        assert_eq!(said.trouble.len(), 2, "{:?}", said.trouble);
        assert!(said.trouble[0].contains("record 1 is damaged"));
        assert_eq!(said.trouble[1], "record 1 is missing");
    }

    #[test]
    fn traces_are_counted_and_each_of_their_records_is_a_step() {
        let begin = RowBegin {
            row: 1,
            job: "j".into(),
            disk: "d".into(),
            planned_ns: None,
        };
        let ios = [TraceIo::default(); 3];
        let trace = |first| Record::Trace(Trace::new(1, "j", &["c".into()], first, &ios));
        let mut said = Transcript::default();
        said.feed(encode(0, &Record::RowBegin(begin.clone())).as_bytes());
        for (seq, first) in [(1, 0), (2, 3)] {
            said.feed(encode(seq, &trace(first)).as_bytes());
            assert_eq!(said.phase, Phase::Trace(begin.clone(), first));
        }
        assert_eq!(said.traced_ios, 6);
        assert!(
            said.kept().ends_with("row 2 was cut off"),
            "{}",
            said.kept()
        );
        assert_eq!(said.trouble, [""; 0]);
    }

    #[test]
    fn an_unfinished_last_line_is_read_at_the_close() {
        let mut said = Transcript::default();
        said.feed(encode(0, &note("a")).trim_end().as_bytes());
        assert_eq!(said.notes, [""; 0]);
        said.close();
        assert_eq!(said.notes, ["a"]);
    }

    #[test]
    fn the_first_reason_counts() {
        let mut said = Transcript::default();
        for (seq, text) in [(0, "first"), (1, "second")] {
            let text = text.to_owned();
            said.feed(encode(seq, &Record::Fatal(Note { text })).as_bytes());
        }
        assert_eq!(said.fatal.as_deref(), Some("first"));
        assert_eq!(said.phase, Phase::Dying(Box::new(Phase::Boot)));
    }
}
