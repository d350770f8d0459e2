//! From `--job`, `--profile` and `--set` to the text that the guest gets.
//!
//! The parser that the guest uses reads it here first, so a faulty job never
//! boots anything.

use super::diskspd;
use super::fio_args::{self, Converted};
use crate::failure::Failure;
use proto::job::{JobFile, presets};
use std::path::Path;

/// The profile where the user names none.
const DEFAULT_PROFILE: &str = "quick";

/// One block of each disk is read: the least that a job can be.
const INVENTORY: &str = "[inventory]\nrw=read\nbs=4k\nnumber_ios=1\n";

/// What the user named.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source<'a> {
    /// `--job`.
    pub file: Option<&'a Path>,
    /// `--profile`.
    pub profile: Option<&'a str>,
    /// `--fio`.
    pub fio: Option<&'a str>,
    /// `--diskspd`.
    pub diskspd: Option<&'a str>,
    /// `--set`, in order.
    pub set: &'a [String],
    /// `--sweep`, in order.
    pub sweep: &'a [String],
    /// `--repeat`.
    pub repeat: Option<u32>,
}

/// A job that the parser accepted.
#[derive(Clone, Debug)]
pub struct Job {
    /// Name, for the run's folder.
    pub name: String,
    /// What the parser made of it.
    pub file: JobFile,
    /// Its text, in the parser's own canonical form.
    pub text: String,
}

/// What the guest's guard is told beside what the user's job says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Nonces of scratch stamps.
    pub scratch: Vec<String>,
    /// Disks as `DISK` or `DISK:SIGNATURE`.
    pub allow_write: Vec<String>,
}

/// Reads and checks a job.
///
/// # Errors
/// [`Failure::Usage`] that names file, line and key of every fault.
pub fn compose(source: &Source<'_>) -> Result<Job, Failure> {
    let set = source
        .set
        .iter()
        .map(|setting| split(setting))
        .chain(source.sweep.iter().map(|sweep| {
            let (key, list) = split_at("sweep", "KEY=LIST", sweep)?;
            Ok(("sweep".to_owned(), format!("{key}:{list}")))
        }))
        .chain(
            source
                .repeat
                .map(|repeat| Ok(("repeat".to_owned(), repeat.to_string()))),
        )
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(args) = source.fio {
        return converted("fio", args, fio_args::convert(args), &set);
    }
    if let Some(args) = source.diskspd {
        return converted("diskspd", args, diskspd::convert(args), &set);
    }
    if let Some(path) = source.file {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::Usage(format!("--job {shown}: {error}")))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        return parse(&stem, &shown, &text, &set);
    }
    let profile = source.profile.unwrap_or(DEFAULT_PROFILE);
    let text = presets::get(profile).ok_or_else(|| {
        let known: Vec<&str> = presets::names().collect();
        Failure::Usage(format!(
            "--profile {profile}: known are {}",
            known.join(", ")
        ))
    })?;
    parse(profile, profile, text, &set)
}

fn split(setting: &str) -> Result<(String, String), Failure> {
    split_at("set", "KEY=VALUE", setting)
}

fn split_at(flag: &str, form: &str, setting: &str) -> Result<(String, String), Failure> {
    let (key, value) = setting
        .split_once('=')
        .ok_or_else(|| Failure::Usage(format!("--{flag} {setting}: give {form}")))?;
    Ok((key.to_owned(), value.to_owned()))
}

/// A job from another tool's command line. Of an error, the line is the argument's
/// number.
fn converted(
    tool: &str,
    args: &str,
    converted: Result<Converted, String>,
    set: &[(String, String)],
) -> Result<Job, Failure> {
    let shown = format!("--{tool}");
    let args = args.escape_debug();
    let converted =
        converted.map_err(|why| Failure::Usage(format!("{shown} \"{args}\": {why}")))?;
    let mut job = parse(tool, &shown, &converted.text, set)?;
    if converted.reads_only
        && let Some(writer) = job.file.jobs.iter().find(|job| job.changes_data())
    {
        let name = &writer.name;
        return Err(Failure::Usage(format!(
            "{shown} \"{args}\": `--readonly` allows no writes, and job `{name}` writes"
        )));
    }
    job.file.notes.splice(0..0, converted.notes);
    Ok(job)
}

fn parse(name: &str, shown: &str, text: &str, set: &[(String, String)]) -> Result<Job, Failure> {
    let file =
        JobFile::parse(shown, text, set).map_err(|errors| Failure::Job(errors.to_string()))?;
    Ok(Job {
        name: name.to_owned(),
        text: file.to_text(),
        file,
    })
}

impl Job {
    /// A job that changes nothing and measures next to nothing.
    ///
    /// # Errors
    /// None: the text is a constant that the tests parse.
    pub fn inventory() -> Result<Self, Failure> {
        parse("identify", "inventory", INVENTORY, &[])
    }

    /// The text with tokens added to every section.
    #[must_use]
    pub fn text_with(&self, tokens: &Tokens) -> String {
        let mut file = self.file.clone();
        for job in &mut file.jobs {
            add(&mut job.scratch, &tokens.scratch);
            add(&mut job.allow_write, &tokens.allow_write);
        }
        file.to_text()
    }
}

fn add(to: &mut Vec<String>, more: &[String]) {
    for one in more {
        if !to.contains(one) {
            to.push(one.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job_file(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mine.fio");
        std::fs::write(&path, text).unwrap();
        (dir, path)
    }

    #[test]
    fn quick_is_what_runs_unasked() {
        let job = compose(&Source::default()).unwrap();
        assert_eq!(job.name, "quick");
        let depths: Vec<u32> = job.file.jobs.iter().map(|job| job.iodepth).collect();
        assert_eq!(depths, [1, 32, 1, 32]);
    }

    #[test]
    fn settings_reach_every_section() {
        let set = ["bs=8k".to_owned(), "rw=randwrite".to_owned()];
        let source = Source {
            set: &set,
            ..Source::default()
        };
        let job = compose(&source).unwrap();
        assert!(job.file.jobs.iter().all(|job| job.bs.write_bytes == 8192));
        assert_eq!(job.text.matches("rw=randwrite").count(), 4, "{}", job.text);
    }

    #[test]
    fn a_typing_error_is_told_with_its_place() {
        let (_dir, path) = job_file("[a]\nrw=read\niodpeth=4\n");
        let source = Source {
            file: Some(&path),
            ..Source::default()
        };
        let failure = compose(&source).unwrap_err();
        assert_eq!(failure.code(), 2);
        let message = failure.message();
        assert!(
            message.contains("mine.fio:3") && message.contains("`iodepth`"),
            "{message}"
        );
        let set = ["iodpeth=4".to_owned()];
        let source = Source {
            set: &set,
            ..Source::default()
        };
        let message = compose(&source).unwrap_err().to_string();
        assert!(
            message.contains("--set iodpeth") && message.contains("`iodepth`"),
            "{message}"
        );
    }

    #[test]
    fn tokens_are_added_to_the_users_own() {
        let (_dir, path) = job_file("[a]\nallow_write=x\n[b]\nstonewall\n");
        let source = Source {
            file: Some(&path),
            ..Source::default()
        };
        let tokens = Tokens {
            scratch: vec!["n".into()],
            allow_write: vec!["pvscsi@00:03.0:0:0:ext4".into()],
        };
        let text = compose(&source).unwrap().text_with(&tokens);
        let jobs = JobFile::parse("t", &text, &[]).unwrap().jobs;
        assert_eq!(jobs[0].allow_write, ["x", "pvscsi@00:03.0:0:0:ext4"]);
        assert_eq!(jobs[1].allow_write, ["pvscsi@00:03.0:0:0:ext4"]);
        assert!(jobs.iter().all(|job| job.scratch == ["n"]));
    }

    #[test]
    fn what_is_no_setting_or_profile_is_refused() {
        let set = ["bs".to_owned()];
        let source = Source {
            set: &set,
            ..Source::default()
        };
        assert!(
            compose(&source)
                .unwrap_err()
                .message()
                .contains("KEY=VALUE")
        );
        let source = Source {
            profile: Some("quik"),
            ..Source::default()
        };
        assert!(
            compose(&source)
                .unwrap_err()
                .message()
                .contains("known are quick")
        );
    }

    #[test]
    fn readonly_is_obeyed() {
        let of = |args| {
            compose(&Source {
                fio: Some(args),
                ..Source::default()
            })
        };
        assert!(of("--readonly --name=x --rw=randread").is_ok());
        let failure = of("--readonly --name=x --rw=randwrite").unwrap_err();
        assert_eq!(failure.code(), 2);
        assert!(failure.message().contains("job `x` writes"), "{failure}");
    }

    #[test]
    fn inventory_parses() {
        assert_eq!(Job::inventory().unwrap().file.jobs.len(), 1);
    }
}
