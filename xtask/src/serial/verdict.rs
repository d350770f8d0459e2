//! How a run ended: one answer from all that is known.
//!
//! Success needs two signals that do not depend on each other: the last record
//! with the right count, and QEMU's exit status. Anything else has a message of
//! its own.

use super::transcript::Transcript;
use crate::failure::Failure;
use proto::exit::GuestExit;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// How QEMU itself ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this status.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It closed the serial port and had to be killed.
    Stuck,
}

impl From<Option<ExitStatus>> for Exit {
    fn from(status: Option<ExitStatus>) -> Self {
        let Some(status) = status else {
            return Self::Stuck;
        };
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Stuck,
        }
    }
}

/// Why following stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// QEMU ended.
    Ended(Exit),
    /// The firmware said that it does not start the image; QEMU was killed.
    Refused,
    /// The phase took longer than this; QEMU was killed.
    PhaseTimeout(Duration),
    /// The whole took longer than `--timeout`; QEMU was killed.
    TotalTimeout(Duration),
    /// Somebody asked to stop; QEMU was killed.
    Interrupted,
}

/// Last lines of QEMU's own that a message shows.
const STDERR_LINES: usize = 6;

/// The guest's own verdict, if the run came to its end.
///
/// # Errors
/// Why it did not, with the last that QEMU itself said.
pub fn verdict(stop: &Stop, said: &Transcript, stderr: &str) -> Result<GuestExit, Failure> {
    judged(stop, said).map_err(|failure| with_last_words(failure, stderr))
}

/// The message with QEMU's last lines below it.
fn with_last_words(failure: Failure, stderr: &str) -> Failure {
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(STDERR_LINES)..];
    let add = |message: String| match last.is_empty() {
        true => message,
        false => format!("{message}\nQEMU said:\n{}", last.join("\n")),
    };
    match failure {
        Failure::Guest(message) => Failure::Guest(add(message)),
        Failure::Environment(message) => Failure::Environment(add(message)),
        other => other,
    }
}

fn judged(stop: &Stop, said: &Transcript) -> Result<GuestExit, Failure> {
    let phase = &said.phase;
    match stop {
        Stop::Interrupted => Err(Failure::Interrupted(format!("interrupted while {phase}"))),
        // A guest that said why it gives up is told by that, however QEMU ended.
        _ if said.fatal.is_some() => Err(gave_up(stop, said)),
        Stop::Refused => {
            let why = said
                .refused
                .as_deref()
                .unwrap_or("the firmware does not boot the image");
            Err(Failure::Environment(why.to_owned()))
        }
        Stop::PhaseTimeout(limit) => Err(Failure::Guest(format!(
            "the guest hangs: nothing came for {} s while {phase}; QEMU was killed",
            seconds(*limit)
        ))),
        Stop::TotalTimeout(limit) => Err(Failure::Guest(format!(
            "the run did not end within --timeout {} s: the guest was {phase}; QEMU was killed",
            seconds(*limit)
        ))),
        Stop::Ended(Exit::Signal(signal)) => Err(Failure::Guest(format!(
            "QEMU was killed by signal {signal}{} while the guest was {phase}",
            signal_name(*signal)
        ))),
        Stop::Ended(Exit::Stuck) => Err(Failure::Guest(format!(
            "QEMU closed the serial port and did not exit while the guest was {phase}; it was killed"
        ))),
        Stop::Ended(Exit::Code(code)) => exited(*code, said),
    }
}

fn exited(code: i32, said: &Transcript) -> Result<GuestExit, Failure> {
    let phase = &said.phase;
    let guest = GuestExit::from_qemu_status(code);
    let summary = said.summary();
    match (guest, &said.end) {
        (None, _) if summary.records == 0 && code != 0 => Err(Failure::Environment(format!(
            "QEMU refused to start (exit status {code})"
        ))),
        (Some(GuestExit::Panic), _) => Err(Failure::Guest(format!(
            "the guest panicked while {phase} and could not say why"
        ))),
        (Some(GuestExit::Fault), _) => Err(Failure::Guest(format!(
            "the guest took a processor fault while {phase} and could not say which"
        ))),
        (Some(GuestExit::BadJob), _) => Err(Failure::Guest(
            "the guest did not understand the job".into(),
        )),
        (None, _) if code == 0 => Err(Failure::Guest(format!(
            "the machine reset or powered off while the guest was {phase}"
        ))),
        (None, _) => Err(Failure::Guest(format!(
            "QEMU ended by itself (exit status {code}) while the guest was {phase}"
        ))),
        (Some(exit), None) => Err(Failure::Guest(format!(
            "the guest ended early: QEMU's exit status says {exit:?}, but the last record is \
             missing; the guest was {phase}"
        ))),
        (Some(exit), Some(end)) => {
            if !summary.is_whole() {
                return Err(Failure::Guest(format!(
                    "the guest ended, but its records are not whole: the last one promises {} \
                     before it, {} came; {}",
                    end.records,
                    summary.records.saturating_sub(1),
                    said.trouble.join("; ")
                )));
            }
            let agreed = match exit {
                GuestExit::Pass => end.failed == 0 && end.skipped == 0,
                GuestExit::Skipped => end.failed == 0 && end.skipped > 0,
                _ => true,
            };
            if agreed {
                Ok(exit)
            } else {
                Err(Failure::Guest(format!(
                    "the guest contradicts itself: its exit status says {exit:?}, its last record \
                     {} failed and {} skipped rows",
                    end.failed, end.skipped
                )))
            }
        }
    }
}

fn gave_up(stop: &Stop, said: &Transcript) -> Failure {
    let reason = said.fatal.as_deref().unwrap_or_default();
    let how = match stop {
        Stop::Ended(Exit::Code(code)) => match GuestExit::from_qemu_status(*code) {
            Some(GuestExit::Panic) => "panicked",
            Some(GuestExit::Fault) => "took a processor fault",
            Some(GuestExit::BadJob) => "refused the job",
            _ => "gave up",
        },
        _ => "gave up and did not end",
    };
    Failure::Guest(format!("the guest {how} while {}: {reason}", said.phase))
}

fn seconds(limit: Duration) -> String {
    // Whole seconds where they are whole: `2`, not `2.0`.
    format!("{}", limit.as_secs_f64())
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        6 => " (SIGABRT)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::record::{End, Hello, Note, Plan, Record, RowBegin, encode};

    fn hello() -> Record {
        Record::Hello(Hello {
            version: proto::record::VERSION,
            tool: "t".into(),
            job_source: "fw_cfg".into(),
            row_protocol: true,
        })
    }

    fn in_row() -> Vec<Record> {
        let plan = Plan {
            rows: 2,
            planned_ns: None,
        };
        let begin = RowBegin {
            row: 1,
            job: "j".into(),
            disk: "d".into(),
            planned_ns: None,
        };
        vec![hello(), Record::Plan(plan), Record::RowBegin(begin)]
    }

    fn end(records: u64, failed: u32) -> Record {
        Record::End(End {
            records,
            ok: 1,
            failed,
            skipped: 0,
        })
    }

    fn said(records: &[Record]) -> Transcript {
        let mut said = Transcript::default();
        for (seq, record) in records.iter().enumerate() {
            said.feed(encode(seq as u64, record).as_bytes());
        }
        said.close();
        said
    }

    fn exit(code: i32) -> Stop {
        Stop::Ended(Exit::Code(code))
    }

    fn failure(stop: &Stop, records: &[Record]) -> (u8, String) {
        let failure = verdict(stop, &said(records), "stderr text").unwrap_err();
        (failure.code(), failure.message().to_owned())
    }

    #[test]
    fn success_needs_both_signals() {
        let pass = exit(GuestExit::Pass.qemu_status());
        let whole = [hello(), end(1, 0)];
        assert_eq!(verdict(&pass, &said(&whole), "").unwrap(), GuestExit::Pass);
        let (code, message) = failure(&pass, &in_row());
        assert_eq!(code, 4);
        assert!(
            message.contains("ended early") && message.contains("in row 2"),
            "{message}"
        );
        let (code, message) = failure(&exit(0), &whole);
        assert_eq!(code, 4);
        assert!(message.contains("reset or powered off"), "{message}");
    }

    #[test]
    fn a_wrong_record_count_is_no_success() {
        let pass = exit(GuestExit::Pass.qemu_status());
        let (code, message) = failure(&pass, &[hello(), end(2, 0)]);
        assert_eq!(
            (code, message.contains("not whole")),
            (4, true),
            "{message}"
        );
        assert!(message.contains("promises 2"), "{message}");
    }

    #[test]
    fn contradictions_are_told() {
        let pass = exit(GuestExit::Pass.qemu_status());
        let (code, message) = failure(&pass, &[hello(), end(1, 1)]);
        assert_eq!(
            (code, message.contains("contradicts")),
            (4, true),
            "{message}"
        );
    }

    #[test]
    fn each_end_has_a_message_of_its_own() {
        let two = Duration::from_secs(2);
        let stops = [
            (exit(1), "ended by itself (exit status 1)", 4),
            (exit(GuestExit::Panic.qemu_status()), "panicked", 4),
            (exit(GuestExit::Fault.qemu_status()), "processor fault", 4),
            (
                exit(GuestExit::BadJob.qemu_status()),
                "did not understand",
                4,
            ),
            (Stop::Ended(Exit::Signal(9)), "signal 9 (SIGKILL)", 4),
            (Stop::Ended(Exit::Stuck), "did not exit", 4),
            (Stop::PhaseTimeout(two), "hangs: nothing came for 2 s", 4),
            (Stop::TotalTimeout(two), "--timeout 2 s", 4),
            (Stop::Interrupted, "interrupted while in row 2", 130),
        ];
        for (stop, part, expected) in stops {
            let (code, message) = failure(&stop, &in_row());
            assert!(message.contains(part), "{message}");
            assert_eq!(code, expected, "{message}");
            let told = message.ends_with("\nQEMU said:\nstderr text");
            assert_eq!(told, stop != Stop::Interrupted, "{message}");
        }
    }

    #[test]
    fn of_much_that_qemu_said_the_end_is_shown() {
        let stderr: String = (1..=100).map(|line| format!("line {line}\n\n")).collect();
        let failure = verdict(&exit(1), &said(&in_row()), &stderr).unwrap_err();
        let end = "QEMU said:\nline 95\nline 96\nline 97\nline 98\nline 99\nline 100";
        assert!(failure.message().ends_with(end), "{failure}");
        let failure = verdict(&exit(1), &said(&in_row()), "").unwrap_err();
        assert!(!failure.message().contains("QEMU said"), "{failure}");
    }

    #[test]
    fn a_refusal_shows_what_qemu_said() {
        let (code, message) = failure(&exit(1), &[]);
        assert_eq!(code, 3);
        assert!(message.contains("refused to start") && message.contains("stderr text"));
    }

    #[test]
    fn a_panic_is_told_by_its_own_words() {
        let mut records = in_row();
        let text = "src/x.rs:1: boom".to_owned();
        records.push(Record::Fatal(Note { text }));
        let (code, message) = failure(&exit(GuestExit::Panic.qemu_status()), &records);
        assert_eq!(code, 4);
        assert_eq!(
            message,
            "the guest panicked while in row 2 (j on d): src/x.rs:1: boom\nQEMU said:\nstderr text"
        );
        let (_, message) = failure(&Stop::PhaseTimeout(Duration::ZERO), &records);
        assert!(message.contains("gave up and did not end"), "{message}");
    }
}
