//! What is said about a file that is wrong.

use super::{errors, lines_of, refusal, set};
use crate::job::{JobFile, Place};
use alloc::format;
use alloc::string::ToString;

#[test]
fn an_unknown_key_names_file_line_key_and_the_nearest() {
    let text = "# head\n[global]\nrw=randread\n\n[a]\nbs=4k\niodpeth=4\n";
    let errors = JobFile::parse("quick.fio", text, &[]).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "quick.fio:7: unknown key `iodpeth`; did you mean `iodepth`?"
    );
    assert_eq!(
        errors.0[0].place,
        Place::Line {
            file: "quick.fio".to_string(),
            line: 7
        }
    );
}

#[test]
fn nearest_keys() {
    for (typed, near) in [
        ("blocksise", "blocksize"),
        ("runtme", "runtime"),
        ("rampt_ime", "ramp_time"),
        ("ring_page", "ring_pages"),
        ("RW", "rw"),
        ("allow-write", "allow_write"),
    ] {
        let message = format!("unknown key `{typed}`; did you mean `{near}`?");
        assert_eq!(refusal(&format!("{typed}=1")), message);
    }
    for far in ["xyzzy_plugh", "depth", "rwmixreads_and_more"] {
        assert_eq!(refusal(&format!("{far}=1")), format!("unknown key `{far}`"));
    }
}

#[test]
fn all_errors_come_at_once_in_the_order_of_the_file() {
    let text = "bs=4k\n[global\nrw=bad\n[a]\niodepth=0\n=5\n[]\ninclude other.fio\nqueues=0\n";
    assert_eq!(
        errors(text),
        [
            "t.fio:1: `bs` stands before any section; start with [global] or [name]",
            "t.fio:2: section header `[global` does not end in `]`",
            "t.fio:3: `rw=bad`: allowed are read, write, randread, randwrite, rw, \
             randrw, trim, randtrim",
            "t.fio:5: `iodepth=0`: out of range; allowed are 1 to 65535",
            "t.fio:6: `=5` has no key before `=`",
            "t.fio:7: a section needs a name: [name]",
            "t.fio:8: `include` is not supported: the guest that runs the job has no files; \
             put the lines here",
            "t.fio:9: `queues=0`: out of range; allowed are 1 to 64",
        ]
    );
}

#[test]
fn a_file_without_a_job_is_refused() {
    for text in ["", "\n; nothing\n", "[global]\nbs=4k\n"] {
        assert_eq!(
            errors(text),
            ["t.fio: there is no job in it; start one with [name]"]
        );
    }
}

#[test]
fn an_error_of_a_global_section_comes_once() {
    let text = "[global]\nbs=1\n[a]\n[b]\n[c]\n";
    assert_eq!(errors(text).len(), 1);
}

#[test]
fn time_based_needs_a_runtime() {
    let text = "[global]\ntime_based\n[a]\nruntime=1\n[b]\nstonewall\n";
    assert_eq!(
        errors(text),
        ["t.fio:5: job `b`: `time_based` needs a `runtime` above 0"]
    );
}

#[test]
fn errors_of_overrides_name_them_and_come_once() {
    let text = "[a]\n[b]\nstonewall\n";
    let overrides = [set("iodpeth", "4"), set("bs", "4.5k"), set("numjobs", "0")];
    assert_eq!(
        lines_of(JobFile::parse("t.fio", text, &overrides)),
        [
            "--set iodpeth: unknown key `iodpeth`; did you mean `iodepth`?",
            "--set bs: `bs=4.5k`: `4.5k` is not a size: fractions are not taken; \
             use the next smaller unit",
            "--set numjobs: `numjobs=0`: out of range; allowed are 1 to 1024",
        ]
    );
}

#[test]
fn an_override_cannot_smuggle_in_a_line_or_a_comment() {
    for (value, why) in [
        (
            "a # b",
            "`a # b`: `#` and `;` start a comment in a job file",
        ),
        (
            "a\u{2} # b",
            "`a\\u{2} # b`: control characters are not allowed",
        ),
        (
            "a\nrw=write",
            "`a\\nrw=write`: control characters are not allowed",
        ),
    ] {
        let overrides = [set("description", value)];
        assert_eq!(
            lines_of(JobFile::parse("t.fio", "[a]", &overrides)),
            [format!("--set description: {why}")]
        );
    }
    assert_eq!(
        lines_of(JobFile::parse("t.fio", "[a]", &[set("b\u{1}s", "4k")])),
        ["--set b\\u{1}s: `b\\u{1}s`: control characters are not allowed"]
    );
}

#[test]
fn what_fio_would_fill_in_is_refused() {
    assert_eq!(
        refusal("size=${SIZE}"),
        "`${SIZE}`: variables of the environment are not filled in"
    );
}

#[test]
fn control_characters_are_refused_where_they_stand() {
    assert_eq!(
        errors("[a]\ndescription=a\u{1b}[1mb\n"),
        ["t.fio:2: control character 0x1b in the line"]
    );
    assert_eq!(
        errors(&format!("[{}]", "n".repeat(256))),
        ["t.fio:1: the section name has 256 bytes; at most 255 are allowed"]
    );
}
