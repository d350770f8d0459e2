//! Disks that take no writes, whether they say so or not.

use crate::bench::{Outcome, clock, job, single};
use crate::guarded::{stamped, write_job};
use core::cell::Cell;
use drivers::block::{Op, Sense, Status};
use engine::fake::Answer;
use proto::exit::GuestExit;
use proto::job::Rw;
use proto::result::{Run, RunStatus};
use std::rc::Rc;

#[test]
fn a_write_protected_disk_skips_writes_and_runs_reads() {
    let clock = clock();
    let mut protected = stamped(&clock, "n1");
    protected.disks[0].read_only = true;
    let mut mixed = write_job();
    mixed.rw = Rw::RandRw;
    let (outcome, shared) = single(protected, &clock, &[write_job(), mixed, job("r", Rw::Read)]);
    let rows = outcome.rows();
    let status: Vec<_> = rows.iter().map(|run| run.status).collect();
    assert_eq!(
        status,
        [RunStatus::Skipped, RunStatus::Skipped, RunStatus::Ok]
    );
    assert!(
        rows[0]
            .reason
            .as_deref()
            .unwrap()
            .contains("write-protected by the device")
    );
    assert_eq!(shared.0.borrow().writes(), 0);
    assert!(outcome.disks()[0].read_only);
}

/// Writes of a session with a writing, a mixed and a reading row on a disk that
/// says nothing of protection and answers writes so, and what came of it.
fn refusing(answers: impl Fn(u64) -> Status + 'static) -> (Outcome, usize) {
    let clock = clock();
    let mut disk = stamped(&clock, "n1");
    disk.plan = Box::new(move |_, request| Answer {
        ticks: 100,
        status: match request.op {
            Op::Write => answers(request.lba.0),
            _ => Status::Ok,
        },
    });
    let mut mixed = write_job();
    mixed.rw = Rw::RandRw;
    let (outcome, shared) = single(disk, &clock, &[write_job(), mixed, job("r", Rw::Read)]);
    let writes = shared.0.borrow().writes();
    (outcome, writes)
}

#[test]
fn a_disk_that_hides_its_write_protection_is_found_out_by_a_write_or_two() {
    let protected = Status::Check(Sense {
        key: 7,
        asc: 0x27,
        ascq: 0,
    });
    let cases = [
        (protected, 1, "block 2048: check condition, sense 7/27/00"),
        (Status::NvmeStatus(0x020), 1, "block 2048: NVMe status 0/20"),
        (
            Status::NvmeStatus(0x280),
            2,
            "block 129023: NVMe status 2/80",
        ),
    ];
    for (answer, tried, said) in cases {
        let (outcome, writes) = refusing(move |_| answer);
        assert_eq!(writes, tried, "{answer}");
        let disk = outcome.disks()[0];
        assert!(disk.read_only && !disk.write_allowed);
        let rows = outcome.rows();
        let status: Vec<_> = rows.iter().map(|run| run.status).collect();
        assert_eq!(
            status,
            [RunStatus::Skipped, RunStatus::Skipped, RunStatus::Ok]
        );
        for row in &rows[..2] {
            let reason = row.reason.as_deref().unwrap();
            assert!(
                reason.contains("write-protected") && reason.contains(said),
                "{reason}"
            );
        }
        assert_eq!(outcome.exit, GuestExit::Skipped);
    }
}

#[test]
fn a_disk_with_bad_blocks_is_not_taken_for_a_protected_one() {
    let medium = Status::Check(Sense {
        key: 3,
        asc: 0x0c,
        ascq: 0,
    });
    type Answers = Box<dyn Fn(u64) -> Status>;
    let cases: [Answers; 2] = [
        Box::new(|lba| match lba {
            2048 => Status::NvmeStatus(0x280),
            _ => Status::Ok,
        }),
        Box::new(move |_| medium),
    ];
    for answers in cases {
        let (outcome, writes) = refusing(answers);
        assert!(writes > 100, "the rows ran");
        assert!(!outcome.disks()[0].read_only);
        assert!(
            outcome
                .rows()
                .iter()
                .all(|row| row.status != RunStatus::Skipped)
        );
    }
}

#[test]
fn a_disk_that_reports_a_change_is_not_written_on_trial() {
    let attention = Status::UnitAttention(Sense {
        key: 6,
        asc: 0x28,
        ascq: 0,
    });
    let tried = Rc::new(Cell::new(0));
    let trials = Rc::clone(&tried);
    let (outcome, _) = refusing(move |_| {
        trials.set(trials.get() + 1);
        if trials.get() == 1 {
            attention
        } else {
            Status::Ok
        }
    });
    // Not sent again; the rows find the disk well and write it.
    assert!(!outcome.disks()[0].read_only);
    assert_eq!(outcome.exit, GuestExit::Pass);
    let written = |rows: &[&Run]| -> u64 {
        rows.iter()
            .map(|row| row.commands.write + row.retries)
            .sum()
    };
    let in_rows = written(&outcome.rows());
    assert_eq!(tried.get(), in_rows + 1);
}
