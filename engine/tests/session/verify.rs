//! Write jobs that are read back.

use crate::bench::{REHEARSAL, clock, device, job, single};
use drivers::block::{Op, Sense, Status};
use engine::fake::Answer;
use proto::exit::GuestExit;
use proto::job::{JobFile, Params, Rw, Verify};
use proto::result::{Mismatch, RunStatus};

fn write_and_verify(rw: Rw) -> Params {
    let mut params = job("w", rw);
    params.verify = Verify::Pattern;
    params.allow_write = vec!["pvscsi".into()];
    params
}

#[test]
fn a_write_job_is_read_back_over_what_it_wrote() {
    for (rw, norandommap) in [
        (Rw::Write, false),
        (Rw::RandWrite, false),
        (Rw::RandWrite, true),
        (Rw::RandRw, false),
    ] {
        let clock = clock();
        let mut params = write_and_verify(rw);
        params.norandommap = norandommap;
        let (outcome, shared) = single(device(&clock), &clock, &[params]);
        let rows = outcome.rows();
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (rows[0].status, rows[1].status),
            (RunStatus::Ok, RunStatus::Ok),
            "{:?}",
            rows[1].reason
        );
        assert_eq!(
            (rows[1].job.as_str(), rows[1].params.verify.as_str()),
            ("w-verify", "pattern")
        );
        let writes = rows[0].write.ios;
        assert_eq!(
            (rows[1].read.ios, rows[1].verified_blocks),
            (writes, writes * 8)
        );
        assert_eq!(rows[1].mismatched_bytes, 0);
        // The same places in the same order.
        let places = |op: Op, from: usize| -> Vec<u64> {
            let device = shared.0.borrow();
            let of_op = device.log[from..].iter().filter(|request| request.op == op);
            of_op.map(|request| request.lba.0).collect()
        };
        let first_write = shared
            .0
            .borrow()
            .log
            .iter()
            .position(|r| r.op == Op::Write)
            .unwrap()
            + REHEARSAL;
        let written = places(Op::Write, first_write);
        let all_reads = places(Op::Read, first_write);
        assert_eq!(all_reads[all_reads.len() - written.len()..], written);
        assert_eq!(outcome.exit, GuestExit::Pass);
    }
}

#[test]
fn a_region_that_was_written_twice_is_read_once() {
    let clock = clock();
    let mut params = write_and_verify(Rw::RandWrite);
    params.size = Some(proto::job::Extent::Bytes(64 << 10));
    params.number_ios = None;
    params.time_based = true;
    params.runtime_ns = Some(1_000_000);
    let (outcome, _) = single(device(&clock), &clock, &[params]);
    let rows = outcome.rows();
    assert!(rows[0].write.ios > 100);
    assert_eq!((rows[1].read.ios, rows[1].mismatched_bytes), (16, 0));
}

#[test]
fn a_flipped_byte_is_found_and_fails_the_row() {
    let clock = clock();
    let mut params = job("r", Rw::Read);
    params.verify = Verify::Pattern;
    params.number_ios = Some(2);
    let mut disk = device(&clock);
    for lba in 0..16 {
        disk.media[0].write(lba, &proto::pattern::unit(lba * 512));
    }
    let good = disk.media[0].block(9)[77];
    disk.media[0].write_bytes(9 * 512 + 77, &[!good]);
    let (outcome, _) = single(disk, &clock, &[params]);
    let run = outcome.rows()[0];
    let mismatch = Mismatch {
        offset: 9 * 512 + 77,
        expected: good,
        found: !good,
    };
    assert_eq!(
        (run.mismatched_bytes, &*run.mismatches),
        (1, &[mismatch][..])
    );
    assert_eq!(
        run.reason.as_deref(),
        Some("bytes that differ from the pattern: 1")
    );
    assert_eq!(
        (run.status, run.errors, run.read.ios),
        (RunStatus::Failed, 0, 2)
    );
    assert_eq!(outcome.exit, GuestExit::Failed);
}

fn soak() -> Params {
    let text = "[s]\nverify=pattern\nprefill\nrw=randrw\nbssplit=512/40:3k/30:16k/30\n\
        norandommap\niodepth=16\nsize=1m\noffset=1m\nloops=20\nallow_write=pvscsi\n";
    JobFile::parse("t", text, &[]).unwrap().jobs.remove(0)
}

#[test]
fn reads_of_any_length_among_writes_are_compared_where_all_was_filled() {
    let clock = clock();
    let (outcome, shared) = single(device(&clock), &clock, &[soak()]);
    let rows = outcome.rows();
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert_eq!((row.status, row.mismatched_bytes), (RunStatus::Ok, 0));
    }
    let job = rows[1];
    assert_eq!(job.params.verify, "pattern");
    assert!(job.read.ios > 500 && job.write.ios > 500);
    assert_eq!(job.verified_blocks * 512, job.read.bytes);
    // All of the region at the end, and it is as the host would write it.
    assert_eq!(
        (rows[2].job.as_str(), rows[2].verified_blocks),
        ("s-verify", 2048)
    );
    let device = shared.0.borrow();
    for lba in 2048..4096 {
        assert_eq!(device.media[0].block(lba), proto::pattern::unit(lba * 512));
    }
}

#[test]
fn a_read_of_any_length_finds_a_block_that_belongs_elsewhere() {
    let clock = clock();
    let mut disk = device(&clock);
    // Between prefill and job it takes the data of its neighbour.
    disk.on_refresh = Some(Box::new(|device| {
        let neighbour = proto::pattern::unit(3000 * 512);
        if device.media[0].block(3000) == neighbour {
            device.media[0].write(3001, &neighbour);
        }
    }));
    let mut params = soak();
    params.rwmixread_pct = 100;
    let (outcome, _) = single(disk, &clock, &[params]);
    let run = outcome.rows()[1];
    assert_eq!((run.status, run.write.ios), (RunStatus::Failed, 0));
    assert!(run.mismatched_bytes > 0);
    let at = |mismatch: &Mismatch| mismatch.offset / 512;
    assert!(run.mismatches.iter().all(|mismatch| at(mismatch) == 3001));
    assert_eq!(outcome.exit, GuestExit::Failed);
}

#[test]
fn a_write_row_that_failed_is_not_read_back() {
    let clock = clock();
    let mut disk = device(&clock);
    let medium = Status::Check(Sense {
        key: 3,
        asc: 0x0c,
        ascq: 0,
    });
    disk.plan = Box::new(move |_, request| Answer {
        ticks: 20_000,
        status: if request.op == Op::Write {
            medium
        } else {
            Status::Ok
        },
    });
    let (outcome, _) = single(disk, &clock, &[write_and_verify(Rw::Write)]);
    let rows = outcome.rows();
    assert_eq!(
        (rows[0].status, rows[1].status),
        (RunStatus::Failed, RunStatus::Skipped)
    );
    assert_eq!(
        rows[1].reason.as_deref(),
        Some("the row that writes what this one reads did not end well")
    );
}

#[test]
fn without_do_verify_there_is_no_second_row() {
    let clock = clock();
    let mut params = write_and_verify(Rw::Write);
    params.do_verify = false;
    let (outcome, _) = single(device(&clock), &clock, &[params]);
    assert_eq!(outcome.rows().len(), 1);
}
