//! A whole job file.

use super::error::{JobErrors, Place};
use super::ini;
use super::params::{AtEnd, Params};
use super::resolve::Reader;
use super::table::KEYS;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The jobs of a file with every key resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFile {
    /// In the order of the file; at least one.
    pub jobs: Vec<Params>,
    /// What a person should know, each said once with its first place: keys that have no
    /// effect, and where fio would do something else.
    pub notes: Vec<String>,
}

impl JobFile {
    /// Reads the text of a job file. `name` is what errors call the file.
    ///
    /// Overrides, as pairs of key and value, apply to every job after its own keys. Jobs
    /// that differ in the file and no longer do under the overrides run once.
    ///
    /// # Errors
    /// All faults at once, each with its place: unknown keys with the nearest known one,
    /// values that are out of range with the range, keys that are not supported yet.
    pub fn parse(
        name: &str,
        text: &str,
        overrides: &[(String, String)],
    ) -> Result<Self, JobErrors> {
        let mut reader = Reader::new(name);
        let mut faults = Vec::new();
        let sections = ini::sections(text, |line, message| faults.push((line, message)));
        for (line, message) in faults {
            reader.error(reader.line(line), message);
        }
        let jobs = reader.jobs(&sections, overrides);
        if jobs.is_empty() && reader.errors.is_empty() {
            let message = "there is no job in it; start one with [name]".to_string();
            reader.error(Place::File(name.to_string()), message);
        }
        if !reader.errors.is_empty() {
            reader.errors.sort_by_key(|error| match error.place {
                Place::Line { line, .. } => line,
                Place::File(_) | Place::Override { .. } => usize::MAX,
            });
            return Err(JobErrors(reader.errors));
        }
        let mut file = Self {
            jobs: Vec::new(),
            notes: reader.notes,
        };
        // What the jobs are without overrides tells whether they were meant to be alike.
        let plain = Reader::new(name).jobs(&sections, &[]);
        let jobs = jobs
            .into_iter()
            .filter_map(|(section, job)| Some((section, job?)));
        file.keep_distinct(jobs, &plain);
        file.note_order();
        Ok(file)
    }

    /// The canonical text: reading it gives the same jobs. Defaults are left out, and so
    /// is everything that has no effect.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for job in &self.jobs {
            text.push_str(&format!("[{}]\n", job.name));
            text.extend(KEYS.iter().filter_map(|key| key.line(job)));
        }
        text
    }

    /// What the machine does after the last job: the first wish among all jobs.
    #[must_use]
    pub fn at_end(&self) -> AtEnd {
        let mut wishes = self.jobs.iter().map(|job| job.at_end);
        wishes.find(|&wish| wish != AtEnd::Stay).unwrap_or_default()
    }

    fn keep_distinct(
        &mut self,
        jobs: impl Iterator<Item = (usize, Params)>,
        plain: &[(usize, Option<Params>)],
    ) {
        let of = |section: usize| {
            let all = plain.iter().filter(move |(number, _)| *number == section);
            all.map(|(_, job)| job)
        };
        let mut kept: Vec<usize> = Vec::new();
        for (section, job) in jobs {
            let twin = (0..).zip(&kept).find(|&(place, &other)| {
                other != section
                    && same_work(&self.jobs[place], &job)
                    && of(other).zip(of(section)).any(|(a, b)| differ(a, b))
            });
            if let Some((place, _)) = twin {
                let (first, second) = (&self.jobs[place].name, &job.name);
                self.notes.push(format!(
                    "jobs `{first}` and `{second}` are the same under --set; `{first}` runs"
                ));
                continue;
            }
            kept.push(section);
            self.jobs.push(job);
        }
    }

    fn note_order(&mut self) {
        if let Some(job) = self.jobs.iter().skip(1).find(|job| !job.stonewall) {
            let name = &job.name;
            self.notes.push(format!(
                "job `{name}` has no `stonewall`: fio would start it beside the job before; \
                 here jobs run one after another"
            ));
        }
    }
}

/// Whether two jobs do the same, whatever they are called.
fn same_work(a: &Params, b: &Params) -> bool {
    let work = |params: &Params| Params {
        name: String::new(),
        description: String::new(),
        stonewall: false,
        at_end: AtEnd::Stay,
        ..params.clone()
    };
    work(a) == work(b)
}

fn differ(a: &Option<Params>, b: &Option<Params>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => !same_work(a, b),
        _ => true,
    }
}
