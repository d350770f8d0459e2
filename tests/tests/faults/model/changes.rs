//! Disks that go and come.

use super::bench::{Bench, FAULTY};
use super::rig::Rig;
use proto::job::Rw;
use proto::result::RunStatus;

pub fn unplug<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).after(200, |hal| R::pull(&mut hal.device()));
    let outcome = bench.run().failed_saying("gone").fetched_all().lost(0);
    // What was asked before the disk went, and what was then in flight.
    assert!(
        (200..=216).contains(&outcome.commands()),
        "{}",
        outcome.commands()
    );
    assert!((1..=8).contains(&outcome.faulty().errors));
    // Its later row is not run.
    let later = &outcome.rows[FAULTY + 3];
    assert_eq!(later.status, RunStatus::Skipped, "{:?}", later.reason);
    let reason = later.reason.as_deref().unwrap_or_default();
    assert!(reason.contains("does not answer"), "{reason}");
    assert_eq!(outcome.fetched[FAULTY + 3], 0);
    outcome.others_unharmed_but(&[FAULTY + 3]);
}

/// A new disk is none of those that were planned for.
pub fn hot_add<R: Rig>() {
    for rw in [Rw::Read, Rw::Write] {
        let bench = Bench::<R>::new(rw).after(200, |hal| R::add(&mut hal.device()));
        let outcome = bench.run().well_in_the_end();
        assert_eq!(outcome.faulty().errors, 0);
        let noted = outcome
            .notes
            .iter()
            .filter(|note| note.contains("came or went"));
        assert_eq!(noted.count(), 1, "{:?}", outcome.notes);
        outcome.others_unharmed();
    }
}
