//! Rows that start at a moment of the wall clock.

use crate::bench::{Line, Outcome, Shared, adapter, device, job, session, session_at};
use engine::fake::{HandClock, HandWall};
use engine::session::Inject;
use proto::job::{Params, Rw};
use proto::record::Record;
use proto::result::RunStatus;

/// 2026-12-01T10:00:00Z is what the wall clock shows at tick 0.
const ZERO_S: u64 = 1_796_119_200;
const SECOND_NS: u64 = 1_000_000_000;

/// 5 ms after tick 0; a turn of a waiting loop takes 100 us.
fn clock() -> HandClock {
    HandClock::new(5_000_000, 10, 100_000)
}

fn at(seconds: u64) -> Params {
    let mut params = job("a", Rw::RandRead);
    params.start_at_ns = Some((ZERO_S + seconds) * SECOND_NS);
    params
}

fn on(clock: &HandClock, jobs: &[Params], disks: usize) -> (Outcome, HandWall) {
    let shared: Vec<Shared> = (0..disks)
        .map(|_| Shared::new(device(clock), "pvscsi"))
        .collect();
    let adapters = shared
        .iter()
        .enumerate()
        .map(|(number, shared)| adapter(&format!("00:0{}.0", 3 + number), shared))
        .collect();
    let mut wall = HandWall::new(clock, ZERO_S);
    let outcome = session_at(clock, adapters, jobs, Inject::None, &mut wall);
    (outcome, wall)
}

#[test]
fn a_moment_ahead_is_waited_for_and_not_undercut() {
    let clock = clock();
    let mut params = at(4);
    params.runtime_ns = Some(SECOND_NS);
    params.number_ios = None;
    params.time_based = true;
    let (outcome, wall) = on(&clock, &[params], 1);
    let row = outcome.rows()[0];
    assert_eq!(row.status, RunStatus::Ok);
    let skew_ns = row.start_skew_ns.unwrap();
    assert!(skew_ns < 100_020, "{skew_ns}");
    let started = row.started_at.as_deref().unwrap();
    assert!(started.starts_with("2026-12-01T10:00:04"), "{started}");
    assert_eq!(wall.ties, 1);
    assert_eq!(outcome.notes(), [""; 0]);
    // It is announced, with its time, before the row; both are counted.
    let mut records = outcome.records();
    let wait = records.find_map(|record| match record {
        Record::StartWait(wait) => Some(wait.clone()),
        _ => None,
    });
    let wait = wait.unwrap();
    assert_eq!((wait.row, wait.job.as_str()), (0, "a"));
    assert_eq!(wait.start_at, "2026-12-01T10:00:04Z");
    assert_eq!(wait.wait_ns, 3 * SECOND_NS);
    let Some(Record::RowBegin(begin)) = records.next() else {
        panic!("the row follows");
    };
    let planned = begin.planned_ns.unwrap();
    assert!(
        (3_900_000_000..=4 * SECOND_NS).contains(&planned),
        "{planned}"
    );
    let Some(Record::End(end)) = outcome.records().last() else {
        panic!("no end");
    };
    assert_eq!(end.records, outcome.records().count() as u64 - 1 + 2);
    // The window is the job's own second.
    assert!(row.window_ns < SECOND_NS + 1_000_000);
}

#[test]
fn after_a_long_wait_the_clocks_are_tied_anew() {
    let clock = clock();
    let (outcome, wall) = on(&clock, &[at(60)], 1);
    assert_eq!(wall.ties, 2);
    let row = outcome.rows()[0];
    assert!(row.start_skew_ns.unwrap() < 100_020, "{:?}", row.started_at);
    assert!(
        row.started_at
            .as_deref()
            .unwrap()
            .starts_with("2026-12-01T10:01:00")
    );
}

#[test]
fn a_moment_that_has_passed_is_noted_and_the_row_starts_at_once() {
    let clock = clock();
    clock.advance(100 * SECOND_NS);
    let (outcome, _) = on(&clock, &[at(90)], 1);
    let row = outcome.rows()[0];
    assert_eq!((row.status, row.read.ios), (RunStatus::Ok, 100));
    // Tied at the edge of the next second.
    let skew_ns = row.start_skew_ns.unwrap();
    assert!(
        (11 * SECOND_NS..11 * SECOND_NS + 1_000_000).contains(&skew_ns),
        "{skew_ns}"
    );
    assert_eq!(
        outcome.notes(),
        ["row 1: start_at=2026-12-01T10:01:30Z was missed by 11s"]
    );
    let waits = |record: &&Record| matches!(record, Record::StartWait(_));
    assert_eq!(outcome.records().filter(waits).count(), 0);
}

#[test]
fn a_moment_too_far_ahead_skips_the_row_and_tells_the_guests_time() {
    let clock = clock();
    let other = job("b", Rw::Read);
    let (outcome, _) = on(&clock, &[at(86_402), other], 1);
    let rows = outcome.rows();
    assert_eq!(rows[0].status, RunStatus::Skipped);
    assert_eq!(
        rows[0].reason.as_deref().unwrap(),
        "start_at=2026-12-02T10:00:02Z is more than 24 h ahead: the guest's clock says \
         2026-12-01T10:00:01Z"
    );
    assert_eq!(
        (rows[1].status, rows[1].started_at.clone()),
        (RunStatus::Ok, None)
    );
}

#[test]
fn rows_of_one_moment_follow_its_first() {
    let clock = clock();
    let mut params = at(4);
    params.repeat = 2;
    let (outcome, wall) = on(&clock, &[params], 2);
    let rows = outcome.rows();
    assert_eq!((rows.len(), wall.ties), (4, 1));
    assert!(rows[0].start_skew_ns.is_some());
    for row in &rows[1..] {
        assert_eq!((row.status, row.start_skew_ns), (RunStatus::Ok, None));
        let started = row.started_at.as_deref().unwrap();
        assert!(started.starts_with("2026-12-01T10:00:04."), "{started}");
    }
    assert_eq!(outcome.notes(), [""; 0]);
}

#[test]
fn a_row_that_is_skipped_leaves_the_moment_to_the_next() {
    let clock = clock();
    let mut first = at(4);
    first.bs.read_bytes = 1 << 30;
    let (outcome, _) = on(&clock, &[first, at(4)], 1);
    let rows = outcome.rows();
    assert_eq!(
        (rows[0].status, rows[0].start_skew_ns),
        (RunStatus::Skipped, None)
    );
    assert!(rows[1].start_skew_ns.unwrap() < 100_020);
}

#[test]
fn without_a_wall_clock_no_row_starts_at_a_moment_and_others_do_not_ask_for_it() {
    let clock = clock();
    let shared = Shared::new(device(&clock), "pvscsi");
    let outcome = session(&clock, vec![adapter("00:03.0", &shared)], &[at(4)]);
    assert_eq!(
        outcome.rows()[0].reason.as_deref().unwrap(),
        "start_at=2026-12-01T10:00:04Z: the machine has no wall clock"
    );
    let (outcome, wall) = on(&clock, &[job("b", Rw::Read)], 1);
    assert_eq!((outcome.rows()[0].status, wall.ties), (RunStatus::Ok, 0));
}

#[test]
fn a_prefill_does_not_wait() {
    let clock = clock();
    let mut params = at(30);
    params.prefill = true;
    params.size = Some(proto::job::Extent::Bytes(1 << 20));
    params.allow_write = vec!["pvscsi@00:03.0:0:0".into()];
    let (outcome, _) = on(&clock, &[params], 1);
    let order: Vec<&str> = outcome
        .lines
        .iter()
        .filter_map(|line| match line {
            Line::Record(Record::StartWait(_)) => Some("wait"),
            Line::Record(Record::Row(run)) => Some(if run.job == "a" { "job" } else { "fill" }),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["fill", "wait", "job"]);
}
