//! The job files that ship.

use super::set;
use crate::job::{Extent, JobFile, Params, Rw, Wait, presets};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

#[test]
fn every_preset_is_good_and_has_nothing_else_to_note_than_what_has_no_effect() {
    for name in presets::names() {
        let file = JobFile::parse(name, presets::get(name).unwrap(), &[]).unwrap();
        let notes = file.notes.iter();
        let others: Vec<&String> = notes
            .filter(|note| !note.contains("has no effect"))
            .collect();
        assert_eq!(others, Vec::<&String>::new(), "{name}");
    }
    assert_eq!(presets::get("no such preset"), None);
    assert_eq!(presets::names().next(), Some("quick"));
}

fn jobs(name: &str) -> Vec<Params> {
    JobFile::parse(name, presets::get(name).unwrap(), &[])
        .unwrap()
        .jobs
}

#[test]
fn the_nine_profiles() {
    let shapes: Vec<_> = jobs("fio-benchmark")
        .into_iter()
        .map(|job| {
            let bs = if job.rw.reads() {
                job.bs.read_bytes
            } else {
                job.bs.write_bytes
            };
            let Some(Extent::Bytes(size)) = job.size else {
                panic!("{}", job.name)
            };
            (
                job.name,
                job.rw.name(),
                bs >> 10,
                job.numjobs,
                job.iodepth,
                size >> 20,
            )
        })
        .collect();
    let expected = [
        ("seqread", "read", 8, 8, 4, 1024),
        ("seqwrite", "write", 32, 4, 4, 2048),
        ("seq128kread", "read", 128, 8, 4, 2048),
        ("seq128kwrite", "write", 128, 4, 4, 2048),
        ("randread", "randread", 8, 16, 8, 1024),
        ("randwrite", "randwrite", 64, 8, 8, 512),
        ("rand4kread", "randread", 4, 16, 8, 1024),
        ("rand4kwrite", "randwrite", 4, 8, 8, 1024),
        ("randrw", "randrw", 16, 8, 8, 1024),
    ];
    assert_eq!(
        shapes,
        expected.map(|(name, rw, bs, jobs, depth, size)| (
            name.to_string(),
            rw,
            bs,
            jobs,
            depth,
            size
        ))
    );
}

#[test]
fn servers_and_sweeps() {
    for (name, rw, bs, read_pct, depth) in [
        ("database", Rw::RandRw, 8 << 10, 70, 16),
        ("mail", Rw::RandRw, 4 << 10, 60, 16),
        ("fileserver", Rw::ReadWrite, 64 << 10, 90, 16),
        ("streaming", Rw::ReadWrite, 5120 << 10, 80, 16),
        ("vdi", Rw::RandRw, 4 << 10, 20, 8),
    ] {
        let job = &jobs(name)[0];
        assert_eq!(
            (job.rw, job.bs.read_bytes, job.rwmixread_pct),
            (rw, bs, read_pct)
        );
        assert_eq!((job.iodepth, job.numjobs), (depth, 8));
    }
    let depths: Vec<u32> = jobs("iodepth-sweep")
        .iter()
        .map(|job| job.iodepth)
        .collect();
    assert_eq!(depths, [1, 2, 4, 8, 16, 32, 64, 128]);
    let shares: Vec<u8> = jobs("mix-sweep")
        .iter()
        .map(|job| 100 - job.rwmixread_pct)
        .collect();
    assert_eq!(shares, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    let sizes: Vec<u64> = jobs("bs-sweep")
        .iter()
        .map(|job| job.bs.write_bytes >> 10)
        .collect();
    assert_eq!(
        sizes[..12],
        [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 5120]
    );
    assert_eq!(sizes.len(), 24);
}

#[test]
fn quick_is_depth_1_and_32_polled_and_by_interrupts_and_under_20_seconds() {
    let file = JobFile::parse("quick", presets::get("quick").unwrap(), &[]).unwrap();
    let rows: Vec<_> = file
        .jobs
        .iter()
        .map(|job| (job.wait, job.iodepth))
        .collect();
    let (poll, irq) = (Wait::Poll, Wait::Irq);
    assert_eq!(rows, [(poll, 1), (poll, 32), (irq, 1), (irq, 32)]);
    let planned_ns: u64 = file
        .jobs
        .iter()
        .map(|job| job.ramp_ns + job.runtime_ns.unwrap())
        .sum();
    // Half of it is left for the start and the end.
    assert!(planned_ns <= 10_000_000_000);
}

#[test]
fn quick_under_one_depth_is_one_job_for_each_wait() {
    let text = presets::get("quick").unwrap();
    let file = JobFile::parse("quick", text, &[set("iodepth", "32")]).unwrap();
    let waits: Vec<Wait> = file.jobs.iter().map(|job| job.wait).collect();
    assert_eq!(waits, [Wait::Poll, Wait::Irq]);
    let both = [set("iodepth", "32"), set("wait", "poll")];
    let file = JobFile::parse("quick", text, &both).unwrap();
    assert_eq!(file.jobs.len(), 1);
    assert_eq!(file.jobs[0].iodepth, 32);
}

#[test]
fn spread_is_one_depth_on_one_two_and_four_adapters() {
    let rows: Vec<_> = jobs("spread")
        .into_iter()
        .map(|job| (job.concurrent, job.adapters, job.iodepth, job.wait))
        .collect();
    let expected = [1, 2, 4].map(|count| (true, Some(count), 64, Wait::Irq));
    assert_eq!(rows, expected);
}
