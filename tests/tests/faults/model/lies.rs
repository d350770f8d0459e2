//! Completions that are not true.

use super::bench::{Bench, Outcome};
use super::rig::Rig;
use core::cell::Cell;
use proto::job::Rw;
use std::rc::Rc;

/// The row fails, says that the controller lies, and nothing else suffers.
fn told(outcome: Outcome) {
    let outcome = outcome.failed_saying("breaks its protocol");
    let missing = outcome.commands() - outcome.done() - outcome.faulty().retries;
    assert!(missing <= 16, "{:?}", outcome.faulty());
    outcome.others_unharmed();
}

pub fn doubled<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).waits_long();
    told(bench.after(200, |hal| R::double(&mut hal.device())).run());
}

pub fn unknown<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).waits_long();
    told(bench.after(200, |hal| R::unknown(&mut hal.device())).run());
}

/// A completion of a command that ended long ago, in whose slot another one is.
pub fn late<R: Rig>() {
    let kept = Rc::new(Cell::new(0));
    let keep = Rc::clone(&kept);
    let bench = Bench::<R>::new(Rw::Read)
        .waits_long()
        .after(100, move |hal| keep.set(R::remember(&hal.device())))
        .after(200, move |hal| R::late(&mut hal.device(), kept.get()));
    told(bench.run());
}
