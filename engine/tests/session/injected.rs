//! Planted faults are the faults they say, in the row they name.

use crate::bench::{Line, Shared, adapter, clock, device, job, session_with};
use engine::session::Inject;
use proto::exit::GuestExit;
use proto::job::Rw;
use proto::record::Record;

fn with(inject: Inject) -> crate::bench::Outcome {
    let clock = clock();
    let shared = Shared::new(device(&clock), "pvscsi");
    let jobs = [job("a", Rw::Read), job("b", Rw::Read)];
    session_with(&clock, vec![adapter("00:03.0", &shared)], &jobs, inject)
}

#[test]
fn a_miscount_is_of_one_read_in_one_row() {
    let outcome = with(Inject::Miscount(1));
    let counts: Vec<_> = outcome
        .rows()
        .iter()
        .map(|run| (run.commands.read, run.read.ios))
        .collect();
    assert_eq!(counts, [(100, 100), (101, 101)]);
    assert_eq!(outcome.exit, GuestExit::Pass);
}

#[test]
fn an_early_exit_claims_success_without_an_end() {
    let outcome = with(Inject::ExitEarly(1));
    assert_eq!(outcome.exit, GuestExit::Pass);
    assert_eq!(outcome.rows().len(), 1);
    assert!(
        !outcome
            .records()
            .any(|record| matches!(record, Record::End(_)))
    );
}

#[test]
#[should_panic(expected = "injected panic in row 2")]
fn a_panic_comes_in_its_row() {
    with(Inject::Panic(1));
}

#[test]
fn a_row_that_is_not_there_changes_nothing() {
    let outcome = with(Inject::Panic(7));
    assert_eq!(outcome.rows().len(), 2);
    assert!(matches!(
        outcome.lines.last(),
        Some(Line::Record(Record::End(_)))
    ));
}
