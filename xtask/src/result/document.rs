//! result.json, schema `ioprobe-result/1`.

use super::host::host_run;
use super::row::Row;
use super::together::row_checks;
use crate::serial::Followed;
use proto::result::{Check, CheckStatus, Run, RunStatus, SCHEMA};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// What only the host knows of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostInfo {
    /// Name of the preset or of the job file, without its ending.
    pub job: String,
    /// QEMU's version.
    pub qemu_version: String,
    /// `tcg` or `kvm`.
    pub accel: String,
    /// Why this accelerator.
    pub accel_reason: String,
    /// What lies behind the disks.
    pub backend: String,
    /// QEMU's command line, as a shell would take it.
    pub command_line: String,
    /// QEMU's start to the arrival of the first record, in seconds.
    pub first_record_s: Option<f64>,
}

/// How the run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// It came to its end, whatever its rows were.
    pub complete: bool,
    /// The exit code of the command.
    pub exit_code: u8,
    /// What a person was told; empty where all went well.
    pub message: String,
    /// Whole records received.
    pub records: u64,
    /// What is damaged or missing in the log.
    pub trouble: Vec<String>,
}

/// The whole document.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    schema: &'static str,
    tool: String,
    started: String,
    ended: String,
    /// How it ended.
    pub outcome: Outcome,
    host: HostInfo,
    guest: Option<Value>,
    controllers: Vec<Value>,
    disks: Vec<Value>,
    ignored: Vec<Value>,
    notes: Vec<String>,
    progress: Vec<proto::record::Progress>,
    /// Rows as they came, with the host's part added.
    runs: Vec<Value>,
    /// The same as this version understands them.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

impl Document {
    /// Puts together what the guest said and what the host saw. `nodes` maps the
    /// guest's disk names to block nodes.
    #[must_use]
    pub fn new(
        followed: &Followed,
        nodes: &BTreeMap<String, String>,
        host: HostInfo,
        started: OffsetDateTime,
        ended: OffsetDateTime,
    ) -> Self {
        let said = &followed.said;
        let (rows, runs) = said
            .rows
            .iter()
            .map(|row| {
                let mut run = row.run.clone();
                let mut value = row.value.clone();
                let (host, stats) =
                    host_run(&run, nodes, &followed.samples, followed.idle.as_ref());
                if run.status != RunStatus::Skipped {
                    let each = stats.as_deref().map_err(String::as_str);
                    let made = row_checks(&run, each);
                    run.checks.extend(made);
                }
                if let Some(object) = value.as_object_mut() {
                    let json = |part| serde_json::to_value(part).unwrap_or_default();
                    object.insert(
                        "host".into(),
                        serde_json::to_value(&host).unwrap_or_default(),
                    );
                    object.insert("checks".into(), json(&run.checks));
                }
                (Row { run, host }, value)
            })
            .unzip();
        Self {
            schema: SCHEMA,
            tool: format!("ioprobe {}", proto::VERSION),
            started: rfc3339(started),
            ended: rfc3339(ended),
            outcome: Outcome {
                complete: false,
                exit_code: 0,
                message: String::new(),
                records: said.summary().records,
                trouble: said.trouble.clone(),
            },
            host: HostInfo {
                first_record_s: followed.first_record.map(|time| time.as_secs_f64()),
                ..host
            },
            guest: said.guest.clone(),
            controllers: said.controllers.clone(),
            disks: said.disks.clone(),
            ignored: said.ignored.clone(),
            notes: said.notes.clone(),
            progress: said.progress.clone(),
            runs,
            rows,
        }
    }

    /// What only the host knows.
    #[must_use]
    pub const fn host(&self) -> &HostInfo {
        &self.host
    }

    /// This tool and its version.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// When the run started, RFC 3339.
    #[must_use]
    pub fn started(&self) -> &str {
        &self.started
    }

    /// Notes of the guest, in order.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Replaces the guest's notes.
    #[cfg(test)]
    pub fn set_notes(&mut self, notes: Vec<String>) {
        self.notes = notes;
    }

    /// A text of the guest's record of its machine; empty if there is none.
    #[must_use]
    pub fn guest_text(&self, name: &str) -> String {
        let text = self.guest.as_ref().and_then(|guest| guest[name].as_str());
        text.unwrap_or_default().to_owned()
    }

    /// Bytes of a disk's logical blocks, if the guest named the disk.
    #[must_use]
    pub fn block_size(&self, disk: &str) -> Option<u64> {
        let known = self.disks.iter().find(|known| known["id"] == disk);
        known?["block_size"].as_u64()
    }

    /// Checks that failed, with their rows.
    pub fn failed_checks(&self) -> impl Iterator<Item = (&Run, &Check)> {
        self.rows.iter().flat_map(|run| {
            let failed = |check: &&Check| check.status == CheckStatus::Failed;
            let run = &run.run;
            run.checks
                .iter()
                .filter(failed)
                .map(move |check| (run, check))
        })
    }

    /// The JSON text, with a line feed at its end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn rfc3339(time: OffsetDateTime) -> String {
    time.format(&Rfc3339).unwrap_or_default()
}
