//! Commands that do not end by themselves, and controllers that do.

use super::bench::{Bench, ELSEWHERE, FAULTY, Outcome};
use super::rig::{Refusal, Rig};
use proto::job::Rw;
use proto::result::RunStatus;

const TIMED_OUT: &str = "did not complete in 60";

/// The row has at most `most` failed or lost I/Os, and at least one.
fn few_missing(outcome: Outcome, most: u64) -> Outcome {
    let missing = outcome.commands() - outcome.done() - outcome.faulty().retries;
    assert!((1..=most).contains(&missing), "{:?}", outcome.faulty());
    outcome
}

/// The disk takes commands and answers none.
pub fn stall<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).waits_long();
    let bench = bench.after(200, |hal| R::hold(&mut hal.device(), true));
    let outcome = few_missing(bench.run().failed_saying(TIMED_OUT).fetched_all(), 8);
    outcome.others_unharmed();
}

/// One command is forgotten.
pub fn never<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).waits_long();
    let outcome = bench.refusing(Refusal::Lost, &[1600], 1).run();
    let outcome = outcome.failed_saying(TIMED_OUT).fetched_all();
    few_missing(outcome, 1).others_unharmed();
}

/// Commands in flight end by it, one way or another.
pub fn reset_in_flight<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).waits_long();
    let outcome = bench.after(200, |hal| R::reset(&mut hal.device())).run();
    let outcome = few_missing(outcome.failed_saying(""), 8);
    assert!(!outcome.reason().is_empty());
    // The driver goes on with queues that it does not know to be gone.
    outcome.excusing("which does not exist").others_unharmed();
}

/// The controller is pulled.
pub fn all_ones<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).waits_long();
    let bench = bench.after(200, drivers::fake::FakeHal::unplug);
    let outcome = few_missing(bench.run().failed_saying(""), 8);
    // Nobody could see more commands than were in flight.
    assert!(outcome.commands() <= outcome.fetched[FAULTY] + 8);
    // All later rows on it say why they are not run.
    for at in [FAULTY + 1, FAULTY + 3, FAULTY + 4] {
        let row = &outcome.rows[at];
        assert_eq!(row.status, RunStatus::Skipped);
        let reason = row.reason.as_deref().unwrap_or_default();
        assert!(reason.contains("cannot be used any more"), "{reason}");
    }
    outcome.well(ELSEWHERE);
    outcome.well([0, 1]);
    assert_eq!(outcome.broken_rules, [""; 0]);
}

/// The controller says that it is broken, and takes part again after a reset.
pub fn controller_fault<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).waits_long();
    let outcome = bench
        .after(200, |hal| R::break_down(&mut hal.device()))
        .run();
    let outcome = few_missing(outcome.failed_saying("fault"), 8);
    outcome.others_unharmed();
}
