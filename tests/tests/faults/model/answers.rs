//! The disk answers something else than success.

use super::bench::{Bench, ELSEWHERE, FAULTY, IOS};
use super::rig::{Refusal, Rig};
use proto::job::Rw;
use proto::result::RunStatus;

/// A block each of three I/Os.
const BLOCKS: [u64; 3] = [80, 803, 2407];
/// A block of one.
const BLOCK: [u64; 1] = [803];
/// Times that BUSY is sent again before it is an error.
const BUSY_RETRIES: u64 = 20;

pub fn eio<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).refusing(Refusal::Medium, &BLOCKS, u32::MAX);
    let outcome = bench.run().failed_saying("failed I/Os: 3").counts(3, 0);
    assert_eq!(outcome.faulty().errors_by_kind.values().sum::<u64>(), 3);
    outcome.others_unharmed();
}

pub fn enospc<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Write).refusing(Refusal::Space, &BLOCKS, u32::MAX);
    let outcome = bench.run().failed_saying("failed I/Os: 3").counts(3, 0);
    outcome.others_unharmed();
}

fn once<R: Rig>(how: Refusal) {
    let bench = Bench::<R>::new(Rw::Read).refusing(how, &BLOCKS, 1);
    bench.run().well_in_the_end().counts(0, 3).others_unharmed();
}

fn always<R: Rig>(how: Refusal) {
    let bench = Bench::<R>::new(Rw::Read).refusing(how, &BLOCK, u32::MAX);
    let outcome = bench.run().failed_saying("failed I/Os: 1");
    outcome.counts(1, BUSY_RETRIES).others_unharmed();
}

pub fn busy_once<R: Rig>() {
    once::<R>(Refusal::Busy);
}

pub fn busy_always<R: Rig>() {
    always::<R>(Refusal::Busy);
}

pub fn task_set_full_once<R: Rig>() {
    once::<R>(Refusal::TaskSetFull);
}

pub fn task_set_full_always<R: Rig>() {
    always::<R>(Refusal::TaskSetFull);
}

pub fn short<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).refusing(Refusal::Short, &BLOCKS, u32::MAX);
    let outcome = bench.run().failed_saying("failed I/Os: 3").counts(3, 0);
    assert_eq!(outcome.faulty().errors_by_kind["short transfer"], 3);
    outcome.others_unharmed();
}

/// Nothing tells which of the two is true, so none of it is a success.
pub fn wrong_residual<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).at_start(|hal| R::understate(&mut hal.device()));
    let outcome = bench.run().failed_saying("failed I/Os: 400").counts(IOS, 0);
    assert_eq!(outcome.faulty().errors_by_kind["short transfer"], IOS);
    outcome.others_unharmed();
}

pub fn write_protected<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Write);
    R::protect(&mut bench.hal().device());
    let outcome = bench.run();
    // All rows of that disk.
    for at in [0, FAULTY, 6] {
        let row = &outcome.rows[at];
        assert_eq!(row.status, RunStatus::Skipped, "{:?}", row.reason);
        let reason = row.reason.as_deref().unwrap_or_default();
        assert!(reason.contains("write-protected"), "{reason}");
        assert_eq!(outcome.fetched[at], 0);
    }
    outcome.others_unharmed_but(&[0, 6]);

    // Reading it is another matter.
    let bench = Bench::<R>::new(Rw::Read);
    R::protect(&mut bench.hal().device());
    bench.run().well_in_the_end().counts(0, 0).others_unharmed();
}

/// Every command says so; the first one is reason enough to end the row.
pub fn medium_removed<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).after(200, |hal| {
        R::refuse(&mut hal.device(), Refusal::NoMedium, None, u32::MAX);
    });
    let outcome = bench.run().failed_saying("gone").fetched_all().lost(0);
    assert!(outcome.done() > 100 && outcome.commands() < 250);
    assert!((1..=8).contains(&outcome.faulty().errors));
    outcome.well(ELSEWHERE);
    outcome.others_unharmed();
}
