//! The kinds of records.

use super::trace::Trace;
use crate::result::{ControllerInfo, DiskInfo, GuestInfo, IgnoredInfo, Run};
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// First record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// [`super::VERSION`].
    pub version: u32,
    /// Tool and version.
    pub tool: String,
    /// Where the job came from: `fw_cfg`, `guestinfo`, `ramdisk`, `builtin`.
    pub job_source: String,
    /// A host listens for `sync` and answers `go`.
    pub row_protocol: bool,
}

/// What will be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Rows, skipped ones included.
    pub rows: u32,
    /// Planned time of all rows in ns, where each has a runtime.
    pub planned_ns: Option<u64>,
}

/// A row waits for the moment at which it shall start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartWait {
    /// Its number, from 0.
    pub row: u32,
    /// Job name.
    pub job: String,
    /// The moment: RFC 3339 in UTC.
    pub start_at: String,
    /// How far it is ahead, in ns.
    pub wait_ns: u64,
}

/// A row starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowBegin {
    /// Its number, from 0.
    pub row: u32,
    /// Job name.
    pub job: String,
    /// Disk id.
    pub disk: String,
    /// Planned time (ramp and window) in ns, where the row has a runtime.
    pub planned_ns: Option<u64>,
}

/// Something a person should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The text.
    pub text: String,
}

/// Bring-up reached a point; for measuring the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// `first_io`, ..
    pub what: String,
    /// Ns since the loader's entry.
    pub at_ns: u64,
}

/// Last record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Records before this one.
    pub records: u64,
    /// Rows that ended ok.
    pub ok: u32,
    /// Rows that failed.
    pub failed: u32,
    /// Rows that were skipped.
    pub skipped: u32,
}

/// Field of a record's JSON that names its kind. Not `kind`: controllers have one.
pub const TAG: &str = "record";

/// One record. Its kind stands in the field [`TAG`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// First.
    Hello(Hello),
    /// The machine.
    Guest(GuestInfo),
    /// A controller.
    Controller(ControllerInfo),
    /// A disk.
    Disk(DiskInfo),
    /// Something that is left alone.
    Ignored(IgnoredInfo),
    /// What will be run.
    Plan(Plan),
    /// A row will start.
    StartWait(StartWait),
    /// A row starts.
    RowBegin(RowBegin),
    /// I/Os of the row that just ended, one by one.
    Trace(Trace),
    /// A row ended.
    Row(alloc::boxed::Box<Run>),
    /// For a person.
    Note(Note),
    /// A point in time.
    Progress(Progress),
    /// The guest gives up: panic, fault, bad job. The text names place and reason.
    Fatal(Note),
    /// Last.
    End(End),
}

impl Record {
    /// The kinds, as they stand in the field [`TAG`].
    pub const KINDS: [&str; 14] = [
        "hello",
        "guest",
        "controller",
        "disk",
        "ignored",
        "plan",
        "start_wait",
        "row_begin",
        "trace",
        "row",
        "note",
        "progress",
        "fatal",
        "end",
    ];
}
