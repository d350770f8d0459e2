//! What the fuzz targets do with their bytes: one function each, which panics where
//! a property does not hold. `fuzz/` calls them with what a fuzzer makes up, and
//! tests/fuzz.rs with the seeds and with damaged seeds.

use proto::job::{JobFile, Place};
use proto::record::{Decoder, Event, Summary};
use xtask::job::{Source, compose};

/// One of them.
pub type Target = fn(&[u8]);

/// All of them, by the names of their folders in `fuzz/seeds`.
pub const TARGETS: [(&str, Target); 4] = [
    ("job_text", job_text),
    ("fio_line", fio_line),
    ("diskspd_line", diskspd_line),
    ("serial_log", serial_log),
];

/// What parts a job file from overrides, one `KEY=VALUE` a line.
const OVERRIDES: &str = "\n--set\n";

/// A job file: it is refused with places that are there, or its canonical text is the
/// same job.
pub fn job_text(bytes: &[u8]) {
    let whole = String::from_utf8_lossy(bytes);
    let (text, set) = whole.split_once(OVERRIDES).unwrap_or((&whole, ""));
    let overrides: Vec<(String, String)> = set
        .lines()
        .map(|line| line.split_once('=').unwrap_or((line, "1")))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    match JobFile::parse("t", text, &overrides) {
        Ok(file) => is_stable(&file),
        Err(errors) => {
            assert!(!errors.0.is_empty());
            for error in &errors.0 {
                assert!(!error.message.is_empty());
                is_one_line(&error.message);
                match &error.place {
                    Place::Line { line, .. } => {
                        assert!((1..=text.split('\n').count()).contains(line), "{error}");
                    }
                    Place::Override { key } => {
                        assert!(overrides.iter().any(|(name, _)| name == key), "{error}");
                    }
                    Place::File(_) => assert!(error.message.contains("no job"), "{error}"),
                }
            }
        }
    }
}

/// A fio command line.
pub fn fio_line(bytes: &[u8]) {
    let line = String::from_utf8_lossy(bytes);
    let source = Source {
        fio: Some(&line),
        ..Source::default()
    };
    command_line("--fio", &source, line.chars().count());
}

/// A diskspd command line.
pub fn diskspd_line(bytes: &[u8]) {
    let line = String::from_utf8_lossy(bytes);
    let source = Source {
        diskspd: Some(&line),
        ..Source::default()
    };
    command_line("--diskspd", &source, line.chars().count());
}

fn command_line(tool: &str, source: &Source<'_>, letters: usize) {
    match compose(source) {
        Ok(job) => {
            assert_eq!(job.text, job.file.to_text());
            is_stable(&job.file);
        }
        Err(failure) => {
            assert_eq!(failure.code(), 2, "{failure}");
            for line in failure.message().split('\n') {
                is_one_line(line);
                let rest = line.strip_prefix(tool);
                let rest = rest.unwrap_or_else(|| panic!("no place in `{line}`"));
                // The number of an argument, or the whole line quoted.
                let number = rest.strip_prefix(':').map(|rest| {
                    let digits = rest.split(':').next().unwrap_or_default();
                    digits.parse::<usize>()
                });
                match number {
                    Some(Ok(number)) => assert!(number <= letters + 20, "{line}"),
                    Some(Err(_)) => assert!(rest.starts_with(": "), "{line}"),
                    None => assert!(rest.starts_with(" \""), "{line}"),
                }
            }
        }
    }
}

/// A job that was accepted: its canonical text says the same, and says it the same way.
fn is_stable(file: &JobFile) {
    assert!(!file.jobs.is_empty());
    for note in &file.notes {
        is_one_line(note);
    }
    for job in &file.jobs {
        assert!(job.buffer_bytes() > 0);
        assert!(!job.keys().contains_key("scratch"));
    }
    let text = file.to_text();
    let again = JobFile::parse("t", &text, &[]);
    let again = again.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(again.jobs, file.jobs, "{text}");
    assert_eq!(again.to_text(), text);
}

/// What goes to a terminal as one line moves no cursor.
fn is_one_line(text: &str) {
    let control = |letter: char| letter.is_control() && letter != '\t';
    assert!(!text.contains(control), "{text:?}");
}

/// A serial log: what it says does not depend on how it is cut, and the account of it
/// is what was handed on.
pub fn serial_log(bytes: &[u8]) {
    let whole = decoded(&[bytes]);
    let singles: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(decoded(&singles), whole);
    let step = bytes.first().map_or(1, |&byte| usize::from(byte) % 61 + 2);
    let pieces: Vec<&[u8]> = bytes.chunks(step).collect();
    assert_eq!(decoded(&pieces), whole);
    let (events, summary) = whole;
    let count = |is: fn(&Event) -> bool| events.iter().filter(|event| is(event)).count() as u64;
    assert_eq!(
        count(|event| matches!(event, Event::Record(_))),
        summary.records
    );
    assert_eq!(
        count(|event| matches!(event, Event::Damaged { .. })),
        summary.damaged
    );
    assert_eq!(
        count(|event| matches!(event, Event::Gap(_))),
        summary.missing.len() as u64
    );
    for event in &events {
        match event {
            Event::Text(text) => {
                is_one_line(text);
                assert!(!text.trim().is_empty());
            }
            Event::Record(record) => drop(record.view()),
            Event::Gap(missing) => assert!(missing.start() <= missing.end()),
            _ => {}
        }
    }
    let mut transcript = xtask::serial::Transcript::default();
    transcript.feed(bytes);
    transcript.close();
    assert_eq!(transcript.summary(), &summary);
    assert!(!transcript.kept().is_empty());
}

fn decoded(pieces: &[&[u8]]) -> (Vec<Event>, Summary) {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    for piece in pieces {
        decoder.feed(piece, |event| events.push(event));
    }
    let summary = decoder.finish(|event| events.push(event));
    (events, summary)
}
