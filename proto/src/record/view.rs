//! A record as it came, and as far as this version understands it.

use super::kinds::{Record, TAG};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use serde::Deserialize;
use serde_json::Value;

/// A whole record: every field is kept, those of newer versions too.
#[derive(Clone, Debug, PartialEq)]
pub struct RawRecord {
    /// Its number.
    pub seq: u64,
    /// Its JSON text, read.
    pub value: Value,
}

/// What this version makes of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// A kind that is known. Fields that are not are still in [`RawRecord::value`].
    Known(Box<Record>),
    /// A kind from a newer version.
    UnknownKind(String),
    /// A known kind whose fields do not fit; why.
    Unfit(String),
}

impl RawRecord {
    /// The kind; empty where the record has none.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.value
            .get(TAG)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The typed view.
    #[must_use]
    pub fn view(&self) -> View {
        match Record::deserialize(&self.value) {
            Ok(record) => View::Known(Box::new(record)),
            Err(_) if self.unknown_kind().is_some() => View::UnknownKind(self.kind().to_string()),
            Err(why) => View::Unfit(why.to_string()),
        }
    }

    /// The kind, where this version does not know it.
    #[must_use]
    pub fn unknown_kind(&self) -> Option<&str> {
        Some(self.kind()).filter(|kind| !Record::KINDS.contains(kind))
    }

    /// The version of the log, where this is its first record and the version is too new.
    pub(super) fn newer_version(&self) -> Option<u64> {
        self.number_of("hello", "version")
            .filter(|&version| version > u64::from(super::VERSION))
    }

    /// What the last record promises before it.
    pub(super) fn promised_records(&self) -> Option<u64> {
        self.number_of("end", "records")
    }

    fn number_of(&self, kind: &str, field: &str) -> Option<u64> {
        let value = self.value.get(field).filter(|_| self.kind() == kind)?;
        value.as_u64()
    }
}
