//! Applies sections in fio's order: a job starts from the global sections above it,
//! then come its own keys, then the overrides.

use super::draft::Draft;
use super::error::{JobError, Place};
use super::ini::{MAX_NAME_BYTES, Section};
use super::keys::{self, find_key};
use super::load::{ByDirection, Distribution, Sweep};
use super::params::{Params, Verify};
use super::sweep::combinations;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
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

    /// Resolves all jobs, in order, each with the number of its section; `None` stands
    /// for one with an error.
    pub fn jobs(
        &mut self,
        sections: &[Section<'_>],
        overrides: &[(String, String)],
    ) -> Vec<(usize, Option<Params>)> {
        let mut global = Draft::new();
        let mut jobs = Vec::new();
        for (number, section) in sections.iter().enumerate() {
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
            if draft.params.name.is_empty() {
                draft.params.name = section.name.to_string();
            }
            let errors_before = self.errors.len();
            self.apply(&mut draft, section, overrides);
            let made = self.sweep(section, draft, overrides);
            for job in made {
                let job = job.and_then(|job| self.finish(section, job));
                let sound = self.errors.len() == errors_before;
                jobs.push((number, job.filter(|_| sound)));
            }
        }
        jobs
    }

    /// The jobs that a section's sweeps make of it. A sweep over a key that is set
    /// once more, by an override, is none.
    fn sweep(
        &mut self,
        section: &Section<'_>,
        mut draft: Draft,
        overrides: &[(String, String)],
    ) -> Vec<Option<Params>> {
        let place = self.line(section.line);
        let fixed = |sweep: &Sweep| set_after_all(&sweep.key, overrides);
        for sweep in draft.sweeps.iter().filter(|sweep| fixed(sweep)) {
            let key = &sweep.key;
            self.note(
                &place,
                &format!("`{key}` is set for all jobs, so it is not swept"),
            );
        }
        draft.sweeps.retain(|sweep| !fixed(sweep));
        let sweeps = core::mem::take(&mut draft.sweeps);
        let combinations = match combinations(&sweeps) {
            Ok(combinations) => combinations,
            Err(why) => {
                let name = &section.name;
                self.error(place, format!("job `{name}`: {why}"));
                return vec![None];
            }
        };
        let mut jobs = Vec::new();
        for settings in combinations {
            let mut draft = draft.clone();
            // Jobs of one sweep wait for each other; fio has no meaning for them.
            draft.params.stonewall |= !jobs.is_empty();
            for (key, value) in settings {
                let shown = key.name_value(&draft, value);
                draft
                    .params
                    .name
                    .push_str(&format!("/{}={shown}", key.name));
                let outcome =
                    check_text(Some(value)).and_then(|()| key.apply(&mut draft, Some(value)));
                if let Err(message) = outcome {
                    self.error(place.clone(), format!("sweep: {message}"));
                }
                for remark in draft.remarks.drain(..) {
                    self.note(&place, &remark);
                }
            }
            if draft.params.name.len() > MAX_NAME_BYTES {
                let name = &draft.params.name;
                self.error(
                    place.clone(),
                    format!("the name `{name}` has more than {MAX_NAME_BYTES} bytes"),
                );
            }
            jobs.push(Some(draft.params));
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
        let outcome = check_text(Some(key))
            .and_then(|()| check_text(value))
            .and_then(|()| keys::apply(draft, key, value));
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
        if let Some(why) = contradiction(&params) {
            let name = &params.name;
            self.error(self.line(section.line), format!("job `{name}`: {why}"));
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

/// Whether the last override that speaks of a key gives it one value for all jobs.
fn set_after_all(key: &str, overrides: &[(String, String)]) -> bool {
    let canonical = |name: &str| find_key(name.trim()).map(|key| key.name);
    let last = overrides.iter().rev().find_map(|(name, value)| {
        let name = canonical(name)?;
        let swept = canonical(value.split(':').next().unwrap_or_default());
        match name {
            "sweep" if swept == Some(key) => Some(false),
            _ if name == key => Some(true),
            _ => None,
        }
    });
    last.unwrap_or(false)
}

/// What two keys cannot both ask for.
fn contradiction(params: &Params) -> Option<String> {
    let data = &params.write_data;
    let plain = params.verify == Verify::None;
    let own_data =
        data.zero || data.refill || data.compress_pct.is_some() || !data.pattern.is_empty();
    let in_turn = params.rw_run == 1 && params.rw_hole_bytes == 0;
    let in_place = params.percentage_random == ByDirection::all(100)
        && params.distribution == Distribution::Random;
    // Nobody keeps account of what such writes left unwritten.
    let scattered = params.bssplit != ByDirection::default()
        || params.numjobs > 1
        || params.concurrent
        || !in_turn
        || params.rw.is_random() && !in_place;
    let target = params.latency_target;
    let why = if own_data && !plain {
        "`verify=pattern` compares with the pattern of positions, so writes cannot carry other data"
    } else if params.rw.trims() && !plain {
        "what was trimmed cannot be verified"
    } else if !plain && params.rw.writes() && !params.prefill && scattered {
        "`verify` of writes of several sizes (`bssplit`), of several jobs (`numjobs`) or adapters (`concurrent`), with a modifier of `rw`, or to favoured places needs `prefill=1`, so that all of the region carries the pattern"
    } else if params.rw_run > 1 && params.percentage_random != ByDirection::all(100) {
        "`percentage_random` and a modifier of `rw` both say which I/Os follow; give one of them"
    } else if params.adapters.is_some() && !params.concurrent {
        "`adapters` has a meaning with `concurrent=1` only"
    } else if params.start_at_ns.is_some() && params.startdelay_ns > 0 {
        "`start_at` and `startdelay` both say when it starts; give one of them"
    } else if target.target_ns > 0 && target.window_ns == 0 {
        "`latency_target` needs a `latency_window`"
    } else {
        return None;
    };
    Some(String::from(why))
}

/// Refuses what a job file could not hold, or would hold in another meaning.
fn check_text(value: Option<&str>) -> Result<(), String> {
    let value = value.unwrap_or_default();
    if value.contains(|c: char| c.is_control() && c != '\t') {
        return Err(format!(
            "`{}`: control characters are not allowed",
            value.escape_debug()
        ));
    }
    if value.contains(['#', ';']) {
        return Err(format!(
            "`{value}`: `#` and `;` start a comment in a job file"
        ));
    }
    if value.contains("${") {
        return Err(format!(
            "`{value}`: variables of the environment are not filled in"
        ));
    }
    Ok(())
}
