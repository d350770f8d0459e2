//! Rings at their ends.

use super::bench::{Bench, FAULTY};
use super::rig::Rig;
use proto::job::Rw;
use proto::result::RunStatus;

/// Several times around a ring of NVMe, whose indices go no further than that.
const MANY: u64 = 8_000;

/// Every index that a row of many I/Os moves passes its end.
pub fn index_wrap<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).change(|job| {
        job.number_ios = Some(MANY);
        job.norandommap = true;
        job.rw = Rw::RandRead;
    });
    let outcome = bench.run_with(R::start_at_the_end).fetched_all();
    let row = outcome.faulty();
    assert_eq!(row.status, RunStatus::Ok, "{:?}", row.reason);
    assert_eq!((row.read.ios, outcome.commands()), (MANY, MANY));
    outcome.others_unharmed();
}

/// More is asked than the controller has room for: the depth is less, and said.
pub fn queue_full<R: Rig>() {
    let bench = Bench::<R>::new(Rw::Read).change(|job| {
        job.iodepth = 4096;
        job.number_ios = Some(10_000);
        job.norandommap = true;
        job.rw = Rw::RandRead;
    });
    let outcome = bench.run().fetched_all();
    let row = outcome.faulty();
    assert_eq!(row.status, RunStatus::Ok, "{:?}", row.reason);
    assert_eq!((row.read.ios, row.retries), (10_000, 0));
    assert_eq!(row.depth.asked, 4096);
    assert!(row.depth.limit < 4096, "{:?}", row.depth);
    assert_eq!(outcome.fetched[FAULTY], 10_000);
    outcome.others_unharmed();
}
