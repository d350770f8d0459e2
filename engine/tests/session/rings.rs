//! The keys `queues` and `doorbell_batch`.

use crate::bench::Shared;
use crate::bench::{adapter, clock, device, job, session, single};
use proto::job::{Params, Rw};
use proto::result::RunStatus;

fn with(queues: u16, doorbell_batch: u32) -> Params {
    Params {
        queues,
        doorbell_batch,
        iodepth: 8,
        iodepth_batch_submit: 8,
        iodepth_batch_complete_min: 8,
        number_ios: Some(80),
        ..job("rings", Rw::RandRead)
    }
}

#[test]
fn a_row_uses_the_queues_that_it_names_and_says_how_each_was_rung() {
    let clock = clock();
    let mut device = device(&clock);
    device.offer_queues(4);
    let jobs = [with(2, 0), with(1, 0), with(4, 1)];
    let (outcome, _) = single(device, &clock, &jobs);
    let rows = outcome.rows();
    assert!(rows.iter().all(|run| run.status == RunStatus::Ok));
    let doorbells = |row: usize, name: &str| rows[row].doorbells.get(name).copied();
    assert_eq!(doorbells(0, "submit"), Some(20));
    assert_eq!(doorbells(0, "submit_queue_0"), Some(10));
    assert_eq!(doorbells(0, "submit_queue_1"), Some(10));
    assert_eq!(doorbells(0, "submit_queue_2"), None);
    assert_eq!(rows[1].doorbells.len(), 1, "there is only one");
    assert_eq!(doorbells(1, "submit"), Some(10));
    assert_eq!(doorbells(2, "submit"), Some(80));
    assert_eq!(doorbells(2, "submit_queue_3"), Some(20));
    let params = &rows[2].params;
    assert_eq!((params.queues, params.doorbell_batch), (4, 1));
    assert_eq!(rows[2].depth.limit, 4 * 64, "of all queues together");
}

#[test]
fn too_few_queues_skip_the_row_and_say_how_many_there_are() {
    for (offered, said) in [
        (1, "queues=5: the controller has 1 request queue to offer"),
        (4, "queues=5: the controller has 4 request queues to offer"),
    ] {
        let clock = clock();
        let mut device = device(&clock);
        device.offer_queues(offered);
        let (outcome, shared) = single(device, &clock, &[with(5, 0)]);
        let run = outcome.rows()[0];
        assert_eq!(run.status, RunStatus::Skipped);
        assert_eq!(run.reason.as_deref(), Some(said));
        assert_eq!(shared.0.borrow().reads(), shared.0.borrow().log.len());
    }
}

#[test]
fn that_posts_have_a_doorbell_each_is_said_once() {
    let clock = clock();
    let mut device = device(&clock);
    device.limits.doorbell_per_request = true;
    let jobs = [with(1, 4), with(1, 1)];
    let (outcome, shared) = single(device, &clock, &jobs);
    let said = |note: &&&str| note.contains("doorbell_batch");
    assert_eq!(outcome.notes().iter().filter(said).count(), 1);
    let runs = outcome.rows();
    assert!(runs.iter().all(|run| run.doorbells["submit"] == 80));
    // Before the rows the disk was looked at.
    assert_eq!(shared.0.borrow().batches[..4], [1, 4, 4, 4]);
}

#[test]
fn several_adapters_have_several_queues_each() {
    let clock = clock();
    let of = |queues| {
        let mut device = device(&clock);
        device.offer_queues(queues);
        Shared::new(device, "pvscsi")
    };
    let (one, other) = (of(2), of(4));
    let adapters = || vec![adapter("00:03.0", &one), adapter("00:04.0", &other)];
    let together = |queues| Params {
        concurrent: true,
        ..with(queues, 0)
    };
    let outcome = session(&clock, adapters(), &[together(2), together(3)]);
    let rows = outcome.rows();
    assert_eq!(rows[0].status, RunStatus::Ok, "{:?}", rows[0].reason);
    assert_eq!(rows[0].read.ios, 80);
    let rung = |shared: &Shared| shared.0.borrow().rung.clone();
    for shared in [&one, &other] {
        let rung = rung(shared);
        let looks = 1;
        assert_eq!(rung[0], rung[1] + looks, "{rung:?}");
        let deepest = shared.0.borrow().deepest.clone();
        assert_eq!(deepest[..2], [2, 2], "a quarter of the depth");
    }
    assert_eq!(rung(&other)[2..], [0, 0]);
    assert_eq!(
        rows[0].doorbells["submit"],
        rows[0].doorbells["submit_queue_0"] + rows[0].doorbells["submit_queue_1"]
    );
    assert_eq!(rows[1].status, RunStatus::Skipped);
    let reason = rows[1].reason.as_deref().unwrap();
    assert!(
        reason.ends_with("the controller has 2 request queues to offer"),
        "{reason}"
    );
}
