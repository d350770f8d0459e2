//! A fio command line becomes a job file: one line for each argument, so that the
//! line of an error is the number of the argument.

use super::words::words;
use proto::job::{Effect, find_key};

/// Options of fio's that say how it shows results, which is `--format` here.
const SHOWN_OTHERWISE: [&str; 7] = [
    "output",
    "output-format",
    "eta",
    "eta-newline",
    "minimal",
    "append-terse",
    "terse-version",
];

/// Of these, those that take a value.
const WITHOUT_VALUE: [&str; 2] = ["minimal", "append-terse"];

/// Text of a job file, and what should be said.
#[derive(Debug, PartialEq, Eq)]
pub struct Converted {
    /// The job file.
    pub text: String,
    /// Remarks.
    pub notes: Vec<String>,
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
    };
    let mut open = false;
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            return Err(format!(
                "`{word}` is no option; a job file is given by --job FILE"
            ));
        };
        let (key, value) = match option.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (option, None),
        };
        // fio takes both `--bs=4k` and `--bs 4k`, but a flag's value only with `=`.
        let value = match value {
            None if wants_value(key) => words.next_if(|next| !next.starts_with('-')),
            value => value,
        };
        if SHOWN_OTHERWISE.contains(&key) {
            converted.notes.push(format!(
                "`--{key}` has no effect: --format and --out say how results are shown"
            ));
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

fn wants_value(key: &str) -> bool {
    if SHOWN_OTHERWISE.contains(&key) {
        return !WITHOUT_VALUE.contains(&key);
    }
    let flags = [
        "time_based",
        "group_reporting",
        "stonewall",
        "wait_for_previous",
        "thread",
        "norandommap",
        "do_verify",
        "stages",
        "zero_buffers",
        "refill_buffers",
        "prefill",
        "invalidate",
        "disk_util",
    ];
    find_key(key).is_some_and(|known| known.effect() != Effect::Refused) && !flags.contains(&key)
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
