//! A machine that is reset while its guest works, and boots again.

use super::{Machine, Monitor, device, raw};
use serde_json::json;
use std::path::Path;
use xtask::serial::Transcript;

/// What starts the first record of a boot, and that of a row.
const HELLO: &str = "{\"record\":\"hello\"";
const ROW_BEGIN: &str = "{\"record\":\"row_begin\"";

/// Reads after which the row is under way: more than a look at the disks makes.
const UNDER_WAY: u64 = 10_000;

/// Reads that QEMU's block devices have done.
fn reads(monitor: &mut Monitor) -> u64 {
    let stats = monitor.execute("query-blockstats", &json!({}));
    let devices = stats.as_array().into_iter().flatten();
    devices
        .filter_map(|device| device["stats"]["rd_operations"].as_u64())
        .sum()
}

/// Boots `image` as a disk of a machine with these parts; in the middle of the first
/// row the keyboard controller is told to pulse the reset line. Gives what was said
/// before and after, and QEMU's exit code.
///
/// # Panics
/// If QEMU cannot be started, goes before the reset, or says nothing for long.
#[must_use]
pub fn reset_in_a_row(image: &Path, parts: &[[String; 2]]) -> ([Transcript; 2], Option<i32>) {
    let mut all = vec![
        ["-m", "64"].map(String::from),
        raw("boot", image, true),
        device("virtio-blk-pci,drive=boot,bootindex=0"),
    ];
    all.extend_from_slice(parts);
    let mut machine = Machine::start(&all);
    machine.read_until(ROW_BEGIN);
    while reads(&mut machine.monitor) < UNDER_WAY {}
    let _ = machine.monitor.human("o /b 0x64 0xfe");
    assert_eq!(machine.monitor.wait("RESET")["reason"], "guest-reset");
    let code = machine.read_to_end();
    let log = &machine.log;
    let second = log.rmatch_indices(HELLO).next().map(|(at, _)| at);
    let second = log[..second.unwrap_or(0)].rfind('\n').unwrap_or(0);
    ([heard(&log[..second]), heard(&log[second..])], code)
}

/// What was said.
#[must_use]
pub fn heard(log: &str) -> Transcript {
    let mut said = Transcript::default();
    let _ = said.feed(log.as_bytes());
    said.close();
    said
}
