//! Rows that wait for interrupts: what they ask of the line, and what is said of it.

use crate::bench::{DISK_BYTES, Outcome, Shared, adapter, clock, job, session};
use engine::fake::{Answer, Device, FakeLine, Wire};
use engine::session::Adapter;
use proto::job::{Irq, Params, Rw, Wait};
use proto::result::RunStatus;

/// What a test does to a wire.
type Change = fn(&Wire);

/// A session on one adapter whose line offers these modes.
fn run(jobs: &[Params], offers: &[Irq], change: impl FnOnce(&Wire)) -> (Outcome, Wire) {
    let clock = clock();
    let wire = Wire::default();
    change(&wire);
    // Slow enough for a storm to show between two completions.
    let mut device = Device::new(&clock, 64, DISK_BYTES / 512, 512, 10_000_000);
    device.wire = Some(wire.clone());
    let shared = Shared::new(device, "pvscsi");
    let adapter = Adapter {
        line: Box::new(FakeLine::new(&wire, &clock, offers)),
        ..adapter("00:03.0", &shared)
    };
    (session(&clock, vec![adapter], jobs), wire)
}

fn waiting(wait: Wait, irq: Option<Irq>) -> Params {
    Params {
        wait,
        irq,
        ..job("j", Rw::RandRead)
    }
}

#[test]
fn the_best_mode_is_taken_unless_the_job_names_one_and_the_line_is_closed_again() {
    let jobs = [
        waiting(Wait::Irq, None),
        waiting(Wait::Poll, None),
        waiting(Wait::Hybrid, Some(Irq::Intx)),
    ];
    let (outcome, wire) = run(&jobs, &[Irq::Msi, Irq::Intx], |_| {});
    let rows = outcome.rows();
    let said: Vec<_> = rows
        .iter()
        .map(|run| (run.params.wait.as_str(), run.params.irq.as_deref()))
        .collect();
    let expected = [
        ("irq", Some("msi")),
        ("poll", None),
        ("hybrid", Some("intx")),
    ];
    assert_eq!(said, expected);
    assert!(rows.iter().all(|run| run.status == RunStatus::Ok));
    let wire = wire.0.borrow();
    assert_eq!(
        (&wire.opened[..], wire.closed),
        (&[Irq::Msi, Irq::Intx][..], 2)
    );
    let interrupts = rows[0].interrupts.as_ref().unwrap();
    assert!(interrupts.device > 0);
    assert_eq!(interrupts.lost, 0);
    assert_eq!(rows[1].interrupts, None);
}

#[test]
fn a_mode_that_is_not_offered_skips_the_row_and_names_those_that_are() {
    let jobs = [
        waiting(Wait::Irq, Some(Irq::Msix)),
        waiting(Wait::Irq, None),
    ];
    let (outcome, _) = run(&jobs[..1], &[Irq::Msi, Irq::Intx], |_| {});
    let reason = "the controller does not offer irq=msix; it offers: msi, intx";
    assert_eq!(outcome.rows()[0].status, RunStatus::Skipped);
    assert_eq!(outcome.rows()[0].reason.as_deref(), Some(reason));
    let (outcome, wire) = run(&jobs[1..], &[], |_| {});
    let reason = "the controller offers no interrupt, so it can only be polled";
    assert_eq!(outcome.rows()[0].reason.as_deref(), Some(reason));
    assert!(wire.0.borrow().opened.is_empty());
}

#[test]
fn lost_interrupts_and_storms_fail_the_row_and_not_the_next() {
    let jobs = [waiting(Wait::Irq, None), waiting(Wait::Poll, None)];
    let cases: [(Change, &str); 2] = [
        (
            |wire| wire.0.borrow_mut().lose_every = 1,
            "interrupts get lost: 4 times completions were there and no interrupt came for them",
        ),
        (
            |wire| {
                let mut wire = wire.0.borrow_mut();
                (wire.storm, wire.late_ticks) = (true, u64::MAX);
            },
            "interrupt storm: 10000 interrupts in a row brought no completion, so the \
             controller's interrupt was masked",
        ),
    ];
    for (change, reason) in cases {
        let (outcome, _) = run(&jobs, &[Irq::Msix], change);
        let rows = outcome.rows();
        assert_eq!(rows[0].status, RunStatus::Failed);
        let said = rows[0].reason.as_deref().unwrap();
        assert!(said.starts_with(reason), "{said}");
        assert_eq!(rows[1].status, RunStatus::Ok);
    }
}

#[test]
fn several_jobs_halt_between_any_two_completions() {
    let clock = clock();
    let wire = Wire::default();
    let mut device = Device::new(&clock, 64, DISK_BYTES / 512, 512, 0);
    device.wire = Some(wire.clone());
    // The guard's two looks come first; after the first eight of the row, one
    // completes every 10 us.
    device.plan = Box::new(|number, _| Answer::ok(80_000.min(10_000 * number.saturating_sub(1))));
    let shared = Shared::new(device, "pvscsi");
    let adapter = Adapter {
        line: Box::new(FakeLine::new(&wire, &clock, &[Irq::Msix])),
        ..adapter("00:03.0", &shared)
    };
    let job = Params {
        numjobs: 4,
        iodepth: 2,
        ..waiting(Wait::Irq, None)
    };
    let outcome = session(&clock, vec![adapter], &[job]);
    let run = outcome.rows()[0];
    assert_eq!(run.read.ios, 400);
    let interrupts = run.interrupts.as_ref().unwrap();
    assert_eq!(
        (interrupts.device, interrupts.empty, interrupts.timer),
        (400, 0, 0)
    );
    assert_eq!(run.cpu.empty_polls_per_io, 0.0);
}
