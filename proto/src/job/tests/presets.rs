//! The job files that ship.

use super::set;
use crate::job::{JobFile, Wait, presets};
use alloc::string::String;
use alloc::vec::Vec;

#[test]
fn every_preset_is_good_and_has_nothing_to_note() {
    for name in presets::names() {
        let file = JobFile::parse(name, presets::get(name).unwrap(), &[]).unwrap();
        assert_eq!(file.notes, Vec::<String>::new(), "{name}");
    }
    assert_eq!(presets::get("no such preset"), None);
    assert_eq!(presets::names().next(), Some("quick"));
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
