//! Under what the figures were made: the line above a table, and columns of CSV.

use super::names::kinds;
use crate::result::Document;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// What a saved table must say of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Name of the preset or job file.
    pub preset: String,
    /// Kinds of the controllers that rows ran on.
    pub controllers: String,
    /// What lies behind the disks.
    pub backend: String,
    /// QEMU's version.
    pub qemu_version: String,
    /// `tcg` or `kvm`.
    pub accel: String,
    /// The hypervisor that the guest sees; empty if it said nothing.
    pub hypervisor: String,
    /// Where the guest's clock has its rate from; empty if it said nothing.
    pub clock_source: String,
    /// When the run started, RFC 3339 to the second.
    pub started: String,
    /// This tool and its version.
    pub tool: String,
}

impl Head {
    /// Of a result.
    #[must_use]
    pub fn of(document: &Document) -> Self {
        let mut ids: Vec<&str> = Vec::new();
        for row in &document.rows {
            let new = row.controller.split('+').filter(|id| !ids.contains(id));
            let new: Vec<&str> = new.collect();
            ids.extend(new);
        }
        let host = document.host();
        Self {
            preset: host.job.clone(),
            controllers: match ids[..] {
                [] => "no controller".into(),
                _ => kinds(&ids.join("+")).replace('+', ", "),
            },
            backend: host.backend.clone(),
            qemu_version: host.qemu_version.clone(),
            accel: host.accel.clone(),
            hypervisor: document.guest_text("hypervisor"),
            clock_source: document.guest_text("tsc_source"),
            started: to_the_second(document.started()),
            tool: document.tool().to_owned(),
        }
    }

    /// One line for a person.
    #[must_use]
    pub fn line(&self) -> String {
        let Self {
            preset,
            controllers,
            backend,
            qemu_version,
            accel,
            hypervisor,
            clock_source,
            started,
            tool,
        } = self;
        format!(
            "{preset} on {controllers}, backend {backend}; QEMU {qemu_version}, accelerator {accel}, \
             hypervisor {hypervisor}, clock {clock_source}; {started}; {tool}"
        )
    }
}

fn to_the_second(rfc3339: &str) -> String {
    let time = OffsetDateTime::parse(rfc3339, &Rfc3339).ok();
    let whole = time.and_then(|time| time.replace_nanosecond(0).ok());
    let text = whole.and_then(|time| time.format(&Rfc3339).ok());
    text.unwrap_or_else(|| rfc3339.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::sample::{document, row};
    use super::*;

    #[test]
    fn a_saved_table_says_how_it_was_made() {
        let mut other = row(1);
        other.controller = "nvme@00:04.0".into();
        let line = Head::of(&document(vec![row(0), other, row(2)])).line();
        assert_eq!(
            line,
            format!(
                "quick on pvscsi, nvme, backend null; QEMU 7.2.22, accelerator tcg, hypervisor tcg, \
                 clock acpi-pm-timer; 2025-03-04T05:06:07+05:45; ioprobe {}",
                proto::VERSION
            )
        );
    }
}
