//! Tests of the job language.

mod documentation;
mod errors;
mod examples;
mod finer;
mod foreign;
mod layers;
mod presets;
mod properties;
mod traced;
mod values;

use super::{JobFile, Params};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The jobs and notes of a text that must be good.
fn parsed(text: &str) -> JobFile {
    JobFile::parse("t.fio", text, &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The one job that these lines make.
fn job(lines: &str) -> Params {
    let mut file = parsed(&format!("[j]\n{lines}"));
    assert_eq!(file.jobs.len(), 1);
    file.jobs.remove(0)
}

/// The errors of a text that must be bad, one line each.
fn errors(text: &str) -> Vec<String> {
    lines_of(JobFile::parse("t.fio", text, &[]))
}

fn lines_of(outcome: Result<JobFile, super::JobErrors>) -> Vec<String> {
    let errors = outcome.expect_err("must be refused");
    errors.to_string().lines().map(String::from).collect()
}

/// The one error that these lines make in a job, without its place.
fn refusal(lines: &str) -> String {
    let all = errors(&format!("[j]\n{lines}"));
    let [one] = &all[..] else { panic!("{all:?}") };
    let (place, message) = one.split_once(": ").unwrap();
    assert_eq!(place, "t.fio:2");
    message.to_string()
}

fn set(key: &str, value: &str) -> (String, String) {
    (key.to_string(), value.to_string())
}
