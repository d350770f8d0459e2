//! `start_at`: a row begins at a moment of the guest's clock.

use proto::units::{moment_ns, moment_text};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tests::{Called, call};

const SECOND_NS: u64 = 1_000_000_000;

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or(Duration::ZERO).as_nanos() as u64
}

fn started(ahead_s: i64) -> (u64, Called) {
    let now_s = now_ns() / SECOND_NS;
    let asked_ns = now_s.saturating_add_signed(ahead_s) * SECOND_NS;
    let start_at = format!("--set=start_at={}", moment_text(asked_ns));
    let job = "--fio=--name=a --rw=randread --bs=4k --iodepth=4 --number_ios=500";
    (asked_ns, call("run", &[job, &start_at, "--timeout=600"]))
}

#[test]
fn a_row_starts_at_its_moment() {
    // What is built is built before the moment is chosen.
    assert_eq!(
        call("run", &["--fio=--name=b --rw=read --number_ios=1"]).code,
        0
    );
    let (asked_ns, called) = started(10);
    let ended_ns = now_ns();
    assert_eq!(called.code, 0, "{}", called.err);
    let row = &called.rows()[0];
    let skew_ns = row["start_skew_ns"].as_u64().expect("a skew");
    let started_at = row["started_at"].as_str().expect("a moment");
    assert_eq!(moment_ns(started_at), Ok(asked_ns + skew_ns));
    // On a host that is at leisure it is some microseconds.
    assert!(skew_ns < 2 * SECOND_NS, "{skew_ns}");
    // The guest's clock follows the host's, and is late by less than a second.
    assert!(ended_ns >= asked_ns, "it did not wait");
    assert!(called.out.contains("ms after start_at"), "{}", called.out);
    assert!(called.file("job.fio").exists());
}

#[test]
fn a_moment_that_has_passed_is_noted() {
    let (asked_ns, called) = started(-100);
    assert_eq!(called.code, 0, "{}", called.err);
    let missed = format!("start_at={} was missed by ", moment_text(asked_ns));
    assert!(called.err.contains(&missed), "{}", called.err);
    let skew_ns = called.rows()[0]["start_skew_ns"].as_u64().expect("a skew");
    assert!(skew_ns > 99 * SECOND_NS, "{skew_ns}");
}

#[test]
fn a_moment_too_far_ahead_skips_the_row() {
    let (_, called) = started(90_000);
    assert_eq!(called.code, 1, "{}", called.err);
    let row = &called.rows()[0];
    assert_eq!(row["status"], "skipped");
    let reason = row["reason"].as_str().expect("a reason");
    let (_, shown) = reason.split_once("the guest's clock says ").expect(reason);
    let off_ns = moment_ns(shown).expect("a moment").abs_diff(now_ns());
    assert!(
        off_ns < 60 * SECOND_NS,
        "the guest's clock is the host's: {reason}"
    );
}
