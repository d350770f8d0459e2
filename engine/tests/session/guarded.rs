//! Writes through the guard.

use crate::bench::{DISK_BYTES, REHEARSAL, Shared, adapter, clock, device, job, session, single};
use drivers::block::{Op, Sense, Status};
use engine::fake::{Answer, Device, HandClock};
use proto::boot_image;
use proto::exit::GuestExit;
use proto::job::{Params, Rw};
use proto::record::Record;
use proto::result::RunStatus;
use proto::scratch;

const ID: &str = "pvscsi@00:03.0:0:0";

pub fn stamped(clock: &HandClock, nonce: &str) -> Device {
    let mut device = device(clock);
    for at in [0, DISK_BYTES - 512] {
        device.media[0].write_bytes(at, scratch::stamp(nonce).as_bytes());
    }
    device
}

pub fn write_job() -> Params {
    let mut params = job("w", Rw::RandWrite);
    params.scratch = vec!["n1".into()];
    params
}

#[test]
fn a_stamped_disk_is_written_and_its_ends_are_left_alone() {
    let clock = clock();
    let mut params = write_job();
    params.rw = Rw::Write;
    params.bs.write_bytes = 1 << 20;
    params.number_ios = Some(100);
    let (outcome, shared) = single(stamped(&clock, "n1"), &clock, &[params]);
    let run = outcome.rows()[0];
    assert_eq!(
        (run.status, run.write.ios),
        (RunStatus::Ok, 62),
        "size ends it before number_ios"
    );
    assert_eq!(
        (run.params.region_start, run.params.region_bytes),
        (1 << 20, 62 << 20)
    );
    assert!(outcome.disks()[0].write_allowed);
    assert_eq!(outcome.disks()[0].write_reason, "stamped as scratch");
    let device = shared.0.borrow();
    for lba in [0, DISK_BYTES / 512 - 1] {
        assert!(
            device.media[0]
                .block(lba)
                .starts_with(scratch::stamp("n1").as_bytes())
        );
    }
    let written = device.media[0].written();
    assert_eq!(written.len(), 2 + (62 << 11));
}

#[test]
fn what_is_refused_is_not_touched_and_says_what_to_do() {
    let clock = clock();
    let mut disk = device(&clock);
    disk.media[0].write_bytes(1080, b"\x53\xef");
    disk.media[0].write_bytes(1024 + 0x60, &[0x40, 2, 0, 0]);
    let mut params = write_job();
    params.allow_write = vec![ID.into()];
    let (outcome, shared) = single(disk, &clock, &[params, job("r", Rw::Read)]);
    let rows = outcome.rows();
    assert_eq!(rows[0].status, RunStatus::Skipped);
    assert_eq!(
        rows[0].reason.as_deref(),
        Some(
            "pvscsi@00:03.0:0:0 must not be written: holds ext4; to overwrite it all the same, \
             give --allow-write pvscsi@00:03.0:0:0:ext4"
        )
    );
    assert_eq!(rows[1].status, RunStatus::Ok, "reading is not writing");
    assert_eq!(shared.0.borrow().writes(), 0);
    assert!(!outcome.disks()[0].write_allowed);
    assert_eq!(outcome.exit, GuestExit::Skipped);
}

#[test]
fn a_boot_medium_is_named_and_neither_written_nor_measured() {
    const BUILD: &str = "0f6f1a52-32c5-5d84-9f0a-6a1f4f3a5c11";
    let clock = clock();
    let mut boot = stamped(&clock, "n1");
    let label = boot_image::label(BUILD);
    boot.media[0].write_bytes(boot_image::LABEL.start as u64, label.as_bytes());
    let boot = Shared::new(boot, "pvscsi");
    let data = Shared::new(stamped(&clock, "n1"), "pvscsi");
    let adapters = vec![adapter("00:03.0", &boot), adapter("00:07.0", &data)];
    let mut write = write_job();
    write.allow_write = vec![ID.into(), format!("{ID}:gpt"), format!("{ID}:unknown")];
    let outcome = session(&clock, adapters, &[write, job("r", Rw::Read)]);
    let ignored: Vec<_> = outcome
        .records()
        .filter_map(|record| match record {
            Record::Ignored(ignored) => Some(ignored),
            _ => None,
        })
        .collect();
    assert_eq!(ignored.len(), 1);
    assert_eq!(ignored[0].id, ID);
    assert!(ignored[0].reason.contains(BUILD), "{}", ignored[0].reason);
    let rows: Vec<_> = outcome.rows().iter().map(|row| row.disk.clone()).collect();
    assert_eq!(rows, ["pvscsi@00:07.0:0:0"; 2]);
    assert_eq!(boot.0.borrow().writes(), 0);
    assert_eq!(data.0.borrow().writes(), REHEARSAL + 100);
}

#[test]
fn with_the_second_word_it_is_written() {
    let clock = clock();
    let mut disk = device(&clock);
    disk.media[0].write_bytes(0, b"XFSB");
    let mut params = write_job();
    params.allow_write = vec![format!("{ID}:xfs")];
    let (outcome, shared) = single(disk, &clock, &[params]);
    assert_eq!(outcome.rows()[0].status, RunStatus::Ok);
    assert_eq!(shared.0.borrow().writes(), REHEARSAL + 100);
}

#[test]
fn a_mixed_job_needs_the_guard_too() {
    let clock = clock();
    let mut params = job("m", Rw::RandRw);
    params.rwmixread_pct = 99;
    let (outcome, shared) = single(device(&clock), &clock, &[params]);
    assert_eq!(outcome.rows()[0].status, RunStatus::Skipped);
    assert_eq!(shared.0.borrow().writes(), 0);
}

#[test]
fn a_token_of_one_job_does_not_serve_another() {
    let clock = clock();
    let mut with = job("with", Rw::Write);
    with.allow_write = vec![ID.into()];
    let (outcome, _) = single(device(&clock), &clock, &[with, job("without", Rw::Write)]);
    let status: Vec<_> = outcome.rows().iter().map(|run| run.status).collect();
    assert_eq!(status, [RunStatus::Ok, RunStatus::Skipped]);
}

#[test]
fn a_name_that_fits_two_disks_writes_neither() {
    let clock = clock();
    let mut two = device(&clock);
    two.add_disk(DISK_BYTES / 512, 512);
    let mut params = job("w", Rw::Write);
    params.allow_write = vec!["pvscsi".into()];
    let (outcome, shared) = single(two, &clock, &[params]);
    for run in outcome.rows() {
        assert_eq!(run.status, RunStatus::Skipped);
        let reason = run.reason.as_deref().unwrap();
        assert!(
            reason.contains("pvscsi@00:03.0:0:0, pvscsi@00:03.0:1:0"),
            "{reason}"
        );
    }
    assert_eq!(shared.0.borrow().writes(), 0);
}

#[test]
fn a_disk_that_cannot_be_looked_at_is_not_written() {
    let clock = clock();
    let mut broken = stamped(&clock, "n1");
    let medium = Status::Check(Sense {
        key: 3,
        asc: 0x11,
        ascq: 0,
    });
    broken.plan = Box::new(move |_, _| Answer {
        ticks: 100,
        status: medium,
    });
    let (outcome, shared) = single(broken, &clock, &[write_job()]);
    let reason = outcome.rows()[0].reason.as_deref().unwrap();
    assert!(
        reason.contains("the guard could not look at it: reading block 0 failed"),
        "{reason}"
    );
    assert_eq!(shared.0.borrow().writes(), 0);
}

fn attention_in_a_write_row(change: fn(&mut Device)) -> (crate::bench::Outcome, Shared) {
    let clock = clock();
    let mut disk = stamped(&clock, "n1");
    let changed = Status::UnitAttention(Sense {
        key: 6,
        asc: 0x3f,
        ascq: 0x0e,
    });
    let mut writes = 0;
    disk.plan = Box::new(move |_, request| {
        let write = request.op == Op::Write;
        writes += u32::from(write);
        let now = write && writes == 20;
        Answer {
            ticks: 20_000,
            status: if now { changed } else { Status::Ok },
        }
    });
    // The first refresh is before the row, the second after the attention.
    disk.on_refresh = Some(Box::new(move |device| {
        if device.calls[1] == 2 {
            change(device);
        }
    }));
    single(disk, &clock, &[write_job()])
}

#[test]
fn a_disk_that_changed_between_rows_is_not_written() {
    let clock = clock();
    let mut disk = stamped(&clock, "n1");
    // The attention goes to the refresh before the second row.
    disk.on_refresh = Some(Box::new(|device| {
        if device.calls[1] == 2 {
            device.media[0] = engine::fake::Media::new(512);
            device.media[0].write_bytes(0, b"XFSB");
        }
    }));
    let (outcome, shared) = single(disk, &clock, &[write_job(), write_job()]);
    let rows = outcome.rows();
    assert_eq!(
        (rows[0].status, rows[1].status),
        (RunStatus::Ok, RunStatus::Skipped)
    );
    let reason = rows[1].reason.as_deref().unwrap();
    assert!(
        reason.contains("must not be written: holds xfs"),
        "{reason}"
    );
    assert_eq!(shared.0.borrow().writes(), REHEARSAL + 100);
}

#[test]
fn after_an_attention_the_same_disk_is_written_on() {
    let (outcome, shared) = attention_in_a_write_row(|_| {});
    let run = outcome.rows()[0];
    assert_eq!(
        (run.status, run.write.ios, run.retries),
        (RunStatus::Ok, 100, 1)
    );
    // What the guard read in the row is among the row's commands.
    let device = shared.0.borrow();
    let before_the_row = 2 + 16 + 16 + 256;
    assert!(run.commands.read > 256 && (run.commands.read as usize) < device.reads());
    assert!(device.reads() - run.commands.read as usize >= before_the_row);
    assert_eq!(run.commands.write as usize + REHEARSAL, device.writes());
    let rehearsed = 1 << 11;
    for lba in device.media[0].written() {
        let block = device.media[0].block(lba);
        if lba == rehearsed && block == [0; 512] {
            continue;
        }
        if !block.starts_with(b"IOPROBE-SCRATCH") {
            assert_eq!(block, proto::pattern::unit(lba * 512));
        }
    }
}

#[test]
fn after_an_attention_another_disk_is_left_alone() {
    type Change = fn(&mut Device);
    let cases: [(&str, Change); 3] = [
        ("holds ntfs", |device| {
            device.media[0].write_bytes(0, b"\xeb\x52\x90NTFS    \0\0\0\0\0\0")
        }),
        ("it has 4096 blocks", |device| device.disks[0].blocks = 4096),
        ("another disk now", |device| {
            device.disks[0].serial = "other".into()
        }),
    ];
    for (reason, change) in cases {
        let (outcome, shared) = attention_in_a_write_row(change);
        let run = outcome.rows()[0];
        assert_eq!(run.status, RunStatus::Failed);
        let said = run.reason.as_deref().unwrap();
        assert!(said.contains(reason), "{said}");
        assert!(shared.0.borrow().writes() < 30);
    }
}

#[test]
fn two_adapters_keep_their_disks_by_address() {
    let clock = clock();
    let stamped_disk = Shared::new(stamped(&clock, "n1"), "pvscsi");
    let boot = Shared::new(device(&clock), "pvscsi");
    let adapters = vec![adapter("00:03.0", &boot), adapter("00:07.0", &stamped_disk)];
    let outcome = session(&clock, adapters, &[write_job()]);
    let rows: Vec<_> = outcome
        .rows()
        .iter()
        .map(|run| (run.disk.clone(), run.status))
        .collect();
    assert_eq!(
        rows,
        [
            ("pvscsi@00:03.0:0:0".to_string(), RunStatus::Skipped),
            ("pvscsi@00:07.0:0:0".to_string(), RunStatus::Ok)
        ]
    );
    assert_eq!(
        (boot.0.borrow().writes(), stamped_disk.0.borrow().writes()),
        (0, REHEARSAL + 100)
    );
}
