//! Applies sections in fio's order: a job starts from the global sections above it,
//! then come its own keys, then the overrides.

use super::draft::Draft;
use super::error::{JobError, Place};
use super::ini::Section;
use super::keys::{find_key, unknown};
use super::params::Params;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What reading a job file yields beside its jobs.
#[derive(Debug)]
pub(super) struct Reader<'n> {
    pub file: &'n str,
    pub errors: Vec<JobError>,
    pub notes: Vec<String>,
}

impl<'n> Reader<'n> {
    pub const fn new(file: &'n str) -> Self {
        Self {
            file,
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Resolves all jobs, in order; `None` stands for one with an error.
    pub fn jobs(
        &mut self,
        sections: &[Section<'_>],
        overrides: &[(String, String)],
    ) -> Vec<Option<Params>> {
        let mut global = Draft::new();
        let mut jobs = Vec::new();
        for section in sections {
            // fio takes every name that starts so for a global section.
            if section.name.starts_with("global") {
                if section.name != "global" {
                    let name = section.name;
                    self.note(
                        &self.line(section.line),
                        &format!("[{name}] is a global section, as its name starts with `global`"),
                    );
                }
                self.apply(&mut global, section, &[]);
                continue;
            }
            let mut draft = global.clone();
            draft.params.name = section.name.to_string();
            let errors_before = self.errors.len();
            self.apply(&mut draft, section, overrides);
            let job = self.finish(section, draft.params);
            jobs.push(job.filter(|_| self.errors.len() == errors_before));
        }
        jobs
    }

    fn apply(&mut self, draft: &mut Draft, section: &Section<'_>, overrides: &[(String, String)]) {
        let file = self.file;
        let own = section.entries.iter().map(|entry| {
            let place = Place::Line {
                file: file.to_string(),
                line: entry.line,
            };
            (place, entry.key, entry.value)
        });
        let set = overrides.iter().map(|(key, value)| {
            let place = Place::Override { key: key.clone() };
            (place, key.trim(), Some(value.trim()))
        });
        let settings: Vec<_> = own.chain(set).collect();
        // As in fio, the base of sizes holds for the section, wherever it stands.
        let (first, rest): (Vec<_>, Vec<_>) = settings
            .into_iter()
            .partition(|(_, key, _)| *key == "kb_base");
        for (place, key, value) in first.into_iter().chain(rest) {
            self.apply_one(draft, place, key, value);
        }
    }

    fn apply_one(&mut self, draft: &mut Draft, place: Place, key: &str, value: Option<&str>) {
        let outcome = check_text(value)
            .and_then(|()| find_key(key).ok_or_else(|| unknown(key)))
            .and_then(|key| key.apply(draft, value));
        if let Err(message) = outcome {
            self.error(place.clone(), message);
        }
        for remark in draft.remarks.drain(..) {
            self.note(&place, &remark);
        }
    }

    /// Checks what one key alone cannot, and bounds as fio does.
    fn finish(&mut self, section: &Section<'_>, mut params: Params) -> Option<Params> {
        if params.time_based && params.runtime_ns.is_none() {
            let name = &params.name;
            self.error(
                self.line(section.line),
                format!("job `{name}`: `time_based` needs a `runtime` above 0"),
            );
            return None;
        }
        let depth = params.iodepth;
        params.iodepth_batch_submit = match params.iodepth_batch_submit {
            0 => depth,
            batch => batch.min(depth),
        };
        params.iodepth_batch_complete_min = params.iodepth_batch_complete_min.clamp(1, depth);
        Some(params)
    }

    pub fn line(&self, line: usize) -> Place {
        Place::Line {
            file: self.file.to_string(),
            line,
        }
    }

    /// Keeps an error; an override's comes up for every job and is said once.
    pub fn error(&mut self, place: Place, message: String) {
        let error = JobError { place, message };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// Keeps a note with its first place; the same is said once.
    fn note(&mut self, place: &Place, text: &str) {
        if !self.notes.iter().any(|note| note.ends_with(text)) {
            self.notes.push(format!("{place}: {text}"));
        }
    }
}

/// Refuses what a job file could not hold, or would hold in another meaning.
fn check_text(value: Option<&str>) -> Result<(), String> {
    let value = value.unwrap_or_default();
    if value.contains(['#', ';']) {
        return Err(format!(
            "`{value}`: `#` and `;` start a comment in a job file"
        ));
    }
    if value.contains(|c: char| c.is_control() && c != '\t') {
        return Err(format!(
            "`{}`: control characters are not allowed",
            value.escape_debug()
        ));
    }
    if value.contains("${") {
        return Err(format!(
            "`{value}`: variables of the environment are not filled in"
        ));
    }
    Ok(())
}
