//! A fio command line becomes a job file: one line for each argument, so that the
//! line of an error is the number of the argument.

use super::words::words;
use proto::job::{find_key, is_known};

/// Options of fio's own that have no effect here, and whether each takes a value
/// (fio's HOWTO, "Command line options").
const WITHOUT_EFFECT: [(&str, bool); 20] = [
    ("output", true),
    ("output-format", true),
    ("eta", true),
    ("eta-interval", true),
    ("eta-newline", true),
    ("status-interval", true),
    ("minimal", false),
    ("append-terse", false),
    ("terse-version", true),
    ("bandwidth-log", false),
    ("latency-log", false),
    ("debug", true),
    ("warnings-fatal", false),
    ("max-jobs", true),
    ("alloc-size", true),
    ("inflate-log", true),
    ("idle-prof", true),
    ("aux-path", true),
    ("daemonize", true),
    ("readonly", false),
];

/// Those that make it do something else.
const OTHER_WORK: [(&str, &str); 7] = [
    ("parse-only", "give --dry-run"),
    ("showcmd", "give --dry-run"),
    ("section", "put the wanted jobs alone into a file"),
    ("client", "the job runs in a guest of this machine"),
    ("server", "the job runs in a guest of this machine"),
    ("remote-config", "the job runs in a guest of this machine"),
    ("trigger", "nothing is triggered"),
];

/// Keys that on fio's command line take a value only behind `=`: those that are on by
/// their name alone.
const FLAGS: [&str; 15] = [
    "time_based",
    "group_reporting",
    "new_group",
    "stonewall",
    "wait_for_previous",
    "thread",
    "norandommap",
    "bs_unaligned",
    "blocksize_unaligned",
    "verify_only",
    "exitall",
    "exitall_on_error",
    "zero_buffers",
    "refill_buffers",
    "userspace_reap",
];

/// Text of a job file, and what should be said.
#[derive(Debug, PartialEq, Eq)]
pub struct Converted {
    /// The job file.
    pub text: String,
    /// Remarks.
    pub notes: Vec<String>,
    /// The user forbade writes.
    pub reads_only: bool,
}

/// Reads `--name=a --rw=randread ..`. As with fio, each `--name` starts a job,
/// `--name=global` starts keys for all jobs after it, and what stands before the
/// first `--name` is a job of its own, called `fio`.
///
/// # Errors
/// What is no option.
pub fn convert(args: &str) -> Result<Converted, String> {
    let words = words(args)?;
    let mut words = words.iter().map(String::as_str).peekable();
    if words.peek() == Some(&"fio") {
        words.next();
    }
    let mut converted = Converted {
        text: String::new(),
        notes: Vec::new(),
        reads_only: false,
    };
    let mut open = false;
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            return Err(format!(
                "`{word}` is no option; a job file is given by --job FILE"
            ));
        };
        no_other_line(word)?;
        let (key, value) = match option.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (option, None),
        };
        // fio takes both `--bs=4k` and `--bs 4k`, but a flag's value only with `=`.
        let value = match value {
            None if wants_value(key) => words.next_if(|next| !next.starts_with('-')),
            value => value,
        };
        no_other_line(value.unwrap_or_default())?;
        if let Some((_, instead)) = OTHER_WORK.iter().find(|(name, _)| *name == key) {
            return Err(format!("fio's `--{key}` is not supported: {instead}"));
        }
        if WITHOUT_EFFECT.iter().any(|(name, _)| *name == key) {
            converted.notes.push(match key {
                "readonly" => {
                    converted.reads_only = true;
                    "`--readonly`: no job may write".to_owned()
                }
                _ => format!(
                    "`--{key}` has no effect: --format and --out say what is shown and kept"
                ),
            });
            converted.text.push_str("; \n");
            continue;
        }
        let line = match (key, value) {
            ("name", Some(name)) => format!("[{name}]"),
            (key, Some(value)) => format!("{key}={value}"),
            (key, None) => key.to_owned(),
        };
        if key == "name" {
            open = true;
        } else if !open {
            open = true;
            // On the same line of the file as its first key could not be, so the
            // section stands before: lines are then one more than arguments.
            converted.text.push_str("[fio]\n");
        }
        converted.text.push_str(&line);
        converted.text.push('\n');
    }
    Ok(converted)
}

/// What a job file would take for a comment, a section or another line is refused, as
/// it would be passed over or change its meaning.
fn no_other_line(word: &str) -> Result<(), String> {
    if word.contains(['#', ';']) {
        return Err(format!("`{word}`: `#` and `;` start a comment in a job"));
    }
    if word.trim_start_matches('-').trim_start().starts_with('[') {
        return Err(format!("`{word}` is no option; a job starts with --name"));
    }
    Ok(())
}

fn wants_value(key: &str) -> bool {
    match WITHOUT_EFFECT.iter().find(|(name, _)| *name == key) {
        Some((_, takes_value)) => *takes_value,
        // Our own switches are like fio's.
        None if find_key(key).is_some_and(|key| key.own && key.values == "0 or 1") => false,
        None => is_known(key) && !FLAGS.contains(&key) || key == "section",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::job::{JobFile, Rw};

    fn jobs(args: &str) -> JobFile {
        JobFile::parse("--fio", &convert(args).unwrap().text, &[]).unwrap()
    }

    #[test]
    fn published_command_lines() {
        let file = jobs(
            "--name=seq-write --ioengine=libaio --rw=write --bs=1M --numjobs=4 --size=2G \
             --runtime=5 --group_reporting --filename=fio_test",
        );
        let job = &file.jobs[0];
        assert_eq!(
            (job.name.as_str(), job.rw, job.numjobs),
            ("seq-write", Rw::Write, 4)
        );
        assert_eq!(
            (job.bs.write_bytes, job.runtime_ns),
            (1 << 20, Some(5_000_000_000))
        );
        let file = jobs(
            "fio --name=rand-read --ioengine=libaio --rw=randread --bs=4k --numjobs=4 \
             --iodepth=64 --size=2G --runtime=5 --group_reporting --filename=fio_test",
        );
        assert_eq!((file.jobs[0].rw, file.jobs[0].iodepth), (Rw::RandRead, 64));
    }

    #[test]
    fn names_start_jobs_and_global_is_for_all_after_it() {
        let file =
            jobs("--rw=write --name=global --bs=8k --name=a --name=b --stonewall -iodepth 4");
        let shapes: Vec<_> = file
            .jobs
            .iter()
            .map(|job| (job.name.as_str(), job.rw, job.bs.read_bytes, job.iodepth))
            .collect();
        assert_eq!(
            shapes,
            [
                ("fio", Rw::Write, 4096, 1),
                ("a", Rw::Read, 8192, 1),
                ("b", Rw::Read, 8192, 4)
            ]
        );
    }

    #[test]
    fn values_may_stand_apart_and_flags_take_none() {
        let file = jobs("--name x --rw randrw --time_based --runtime 5 --group_reporting");
        assert_eq!(
            (file.jobs[0].name.as_str(), file.jobs[0].rw),
            ("x", Rw::RandRw)
        );
        assert!(file.jobs[0].time_based);
    }

    #[test]
    fn switches_with_a_value_of_their_own() {
        let file = jobs("--name=x --invalidate 1 --do_verify 0 --direct 1 --concurrent --bs 8k");
        let job = &file.jobs[0];
        assert!(!job.do_verify && job.concurrent);
        assert_eq!(job.bs.read_bytes, 8192);
    }

    #[test]
    fn no_word_becomes_a_comment_a_section_or_a_line() {
        for args in [
            "--name=x --description='a # b'",
            "--name=x --;rw=write",
            "--name=x --[y]",
            "--name=x --description 'a\nrw=write'",
            "--name=x '--description=a\nrw=write'",
        ] {
            assert!(convert(args).is_err(), "{args}");
        }
    }

    #[test]
    fn what_fio_would_do_beside_the_job() {
        let converted = convert("--readonly --status-interval=1 --eta=never --name=x").unwrap();
        assert!(converted.reads_only);
        assert_eq!(converted.notes.len(), 3);
        for other in ["--parse-only", "--section=a", "--client h"] {
            let error = convert(&format!("{other} --name=x")).unwrap_err();
            assert!(error.contains("is not supported"), "{error}");
        }
    }

    #[test]
    fn what_says_how_to_show_is_noted_and_errors_name_the_argument() {
        let converted = convert("--name=x --output-format json --minimal --iodpeth=4").unwrap();
        assert_eq!(converted.notes.len(), 2);
        let error = JobFile::parse("--fio", &converted.text, &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--fio:4: unknown key `iodpeth`; did you mean `iodepth`?"
        );
        let error = convert("job.fio").unwrap_err();
        assert!(error.contains("--job FILE"), "{error}");
    }
}
