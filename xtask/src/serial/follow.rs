//! The loop that reads the serial port, answers it, and never waits too long.

use super::phase::{Limits, Phase};
use super::sample::{Idle, Sample, Sampler};
use super::transcript::Transcript;
use super::verdict::{Exit, Stop};
use crate::child::TICK;
use crate::interrupt::Interrupt;
use crate::qemu::process::{Process, Serial};
use std::collections::BTreeMap;
use std::io::Write;
use std::mem::discriminant;
use std::time::{Duration, Instant};

/// How long a guest that has nothing to do is watched. Not before the first row, so
/// that the first I/O is not held up, and well below the guest's patience.
const IDLE_TIME: Duration = Duration::from_millis(250);

/// What following gave.
pub struct Followed {
    /// What the guest said.
    pub said: Transcript,
    /// Samples by `sync` number.
    pub samples: BTreeMap<u64, Sample>,
    /// What the guest's polling costs, measured after the first row.
    pub idle: Option<Idle>,
    /// Why it stopped.
    pub stop: Stop,
    /// What QEMU wrote to stderr.
    pub stderr: String,
    /// QEMU's start to the arrival of the first record.
    pub first_record: Option<Duration>,
    /// QEMU's start to the arrival of the first row's end, before the host looks at
    /// anything.
    pub first_row_end: Option<Duration>,
}

/// The guest's line: the process, its log and its sampler.
pub struct Line<'a> {
    /// QEMU.
    pub process: &'a mut Process,
    /// Takes everything that comes, as it comes.
    pub log: &'a mut dyn Write,
    /// Looks at QEMU at each row's edge.
    pub sampler: Sampler,
    /// When QEMU was started.
    pub started: Instant,
}

/// Follows a guest to its end; when this returns, QEMU is gone.
///
/// `watch` sees the transcript after each change and each tick.
///
/// # Errors
/// If the log cannot be written; QEMU is still running then.
pub fn follow(
    line: Line<'_>,
    limits: &Limits,
    interrupt: &Interrupt,
    mut watch: impl FnMut(&Transcript),
) -> std::io::Result<Followed> {
    let Line {
        process,
        log,
        mut sampler,
        started,
    } = line;
    let mut said = Transcript::default();
    let mut samples = BTreeMap::new();
    let mut idle = None;
    let mut first_record = None;
    let mut first_row_end = None;
    let mut phase_start = started;
    let stop = loop {
        if interrupt.raised() {
            process.kill();
            break Stop::Interrupted;
        }
        match process.read(TICK) {
            Serial::Bytes(bytes) => {
                log.write_all(&bytes)?;
                let before = said.phase.clone();
                for number in said.feed(&bytes) {
                    if is_end_of_row(number) {
                        first_row_end.get_or_insert_with(|| started.elapsed());
                    }
                    let sample = sampler.sample();
                    // The guest polls for the answer, and nothing else: between the
                    // first row and the second this shows what polling itself takes.
                    if idle.is_none() && is_end_of_row(number) {
                        std::thread::sleep(IDLE_TIME);
                        idle = Idle::between(&sample, &sampler.sample());
                    }
                    samples.insert(number, sample);
                    process.write(&proto::record::go_line(number));
                }
                if is_new(&before, &said.phase) {
                    phase_start = Instant::now();
                }
                if first_record.is_none() && said.summary().records > 0 {
                    first_record = Some(started.elapsed());
                }
            }
            Serial::Quiet => {}
            Serial::Closed => break Stop::Ended(Exit::from(process.finish())),
        }
        watch(&said);
        if said.refused.is_some() {
            process.kill();
            break Stop::Refused;
        }
        if let Some(stop) = overdue(limits, &said, started, phase_start) {
            process.kill();
            break stop;
        }
    };
    drain(process, log, &mut said)?;
    Ok(Followed {
        said,
        samples,
        idle,
        stop,
        stderr: process.stderr(),
        first_record,
        first_row_end,
    })
}

/// Takes what was in the pipe when QEMU went, so that every whole record is kept.
fn drain(process: &mut Process, log: &mut dyn Write, said: &mut Transcript) -> std::io::Result<()> {
    let deadline = Instant::now() + TICK * 4;
    while Instant::now() < deadline {
        match process.read(TICK) {
            Serial::Bytes(bytes) => {
                log.write_all(&bytes)?;
                said.feed(&bytes);
            }
            Serial::Quiet => {}
            Serial::Closed => break,
        }
    }
    said.close();
    log.flush()
}

/// Whether a sync comes after a row, and not before it.
const fn is_end_of_row(sync: u64) -> bool {
    sync % 2 == 1
}

/// Whether the guest moved on: to another phase or to another row.
fn is_new(before: &Phase, after: &Phase) -> bool {
    match (before, after) {
        (Phase::Row(before), Phase::Row(after)) => before.row != after.row,
        // Each of its records counts: a slow reader gets all the time that it needs.
        (Phase::Trace(..), Phase::Trace(..)) => before != after,
        _ => discriminant(before) != discriminant(after),
    }
}

/// Rows that waited for their moments have that time on top of `--timeout`.
fn overdue(limits: &Limits, said: &Transcript, started: Instant, since: Instant) -> Option<Stop> {
    let waited = said.start_waits;
    let late = |total: &Duration| started.elapsed() > total.saturating_add(waited);
    if let Some(total) = limits.total.filter(late) {
        return Some(Stop::TotalTimeout(total));
    }
    let limit = limits.of(&said.phase);
    (since.elapsed() > limit).then_some(Stop::PhaseTimeout(limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qemu::command::CommandLine;
    use proto::record::{Note, Record, StartWait, encode};
    use std::path::Path;

    /// Follows a shell script that stands in for QEMU.
    fn run(script: &str, limits: &Limits, interrupt: &Interrupt) -> (Followed, String, u32) {
        let mut process = Process::start(&CommandLine {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
        })
        .unwrap();
        let pid = process.id();
        let mut log = Vec::new();
        let line = Line {
            sampler: Sampler::new(pid, "/nonexistent/qmp".into()),
            started: Instant::now(),
            process: &mut process,
            log: &mut log,
        };
        let followed = follow(line, limits, interrupt, |_| {}).unwrap();
        (followed, String::from_utf8(log).unwrap(), pid)
    }

    fn record(text: &str) -> String {
        let text = text.to_owned();
        encode(0, &Record::Note(Note { text }))
            .trim_end()
            .to_owned()
    }

    #[test]
    fn answers_syncs_and_keeps_the_log() {
        let script = "echo hello; echo sync 3; read a; test \"$a\" = 'go 3' && exit 33; exit 9";
        let (followed, log, _) = run(script, &Limits::default(), &Interrupt::default());
        assert_eq!(followed.stop, Stop::Ended(Exit::Code(33)));
        assert_eq!(log, "hello\nsync 3\n");
        assert_eq!(followed.said.text, ["hello"]);
        // There was no QMP to ask, which is said instead of a figure.
        assert!(
            followed.samples[&3]
                .stats
                .as_ref()
                .unwrap_err()
                .contains("QMP")
        );
    }

    #[test]
    fn a_killed_program_is_told_from_one_that_ends() {
        let (followed, ..) = run("kill -9 $$", &Limits::default(), &Interrupt::default());
        assert_eq!(followed.stop, Stop::Ended(Exit::Signal(9)));
    }

    #[test]
    fn a_firmware_that_refuses_is_not_waited_for() {
        let denial = "BdsDxe: failed to load Boot0001 from PciRoot(0x0): Access Denied";
        let script = format!("echo '{denial}'; exec sleep 600");
        let (followed, ..) = run(&script, &Limits::default(), &Interrupt::default());
        assert_eq!(followed.stop, Stop::Refused);
        let failure = super::super::verdict(&followed.stop, &followed.said, "").unwrap_err();
        assert_eq!(failure.code(), 3);
        assert!(failure.message().contains("secure boot"), "{failure}");
    }

    #[test]
    fn a_hanging_program_is_killed_and_its_records_kept() {
        let limits = Limits {
            boot: Duration::from_millis(300),
            ..Limits::default()
        };
        let script = format!("printf '%s' '{}'; exec sleep 600", record("kept"));
        let (followed, _, pid) = run(&script, &limits, &Interrupt::default());
        assert_eq!(followed.stop, Stop::PhaseTimeout(limits.boot));
        assert_eq!(followed.said.notes, ["kept"]);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }

    #[test]
    fn total_time_is_a_limit_of_its_own() {
        let limits = Limits {
            total: Some(Duration::from_millis(200)),
            ..Limits::default()
        };
        let (followed, ..) = run("exec sleep 600", &limits, &Interrupt::default());
        assert_eq!(
            followed.stop,
            Stop::TotalTimeout(Duration::from_millis(200))
        );
    }

    #[test]
    fn the_wait_for_a_moment_is_on_top_of_the_total_time() {
        let limits = Limits {
            total: Some(Duration::from_millis(100)),
            ..Limits::default()
        };
        let wait = Record::StartWait(StartWait {
            row: 0,
            job: "j".into(),
            start_at: "2026-12-01T10:00:00Z".into(),
            wait_ns: 600_000_000_000,
        });
        // It ends by itself, long after the total time and long before the moment.
        let script = format!("echo '{}'; sleep 1; exit 33", encode(0, &wait).trim_end());
        let (followed, ..) = run(&script, &limits, &Interrupt::default());
        assert_eq!(followed.stop, Stop::Ended(Exit::Code(33)));
        assert_eq!(followed.said.start_waits, Duration::from_secs(600));
    }

    #[test]
    fn an_interrupt_ends_it() {
        let interrupt = Interrupt::default();
        interrupt.raise();
        let (followed, _, pid) = run("exec sleep 600", &Limits::default(), &interrupt);
        assert_eq!(followed.stop, Stop::Interrupted);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }
}
