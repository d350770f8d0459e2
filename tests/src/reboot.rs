//! A machine that is reset while its guest works, and boots again.

use super::{Monitor, MonitorSocket, call, device, raw};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xtask::qemu::command::CommandLine;
use xtask::qemu::install::PROGRAM;
use xtask::qemu::process::{Process, Serial};
use xtask::serial::Transcript;

/// Longest silence on the serial line.
const PATIENCE: Duration = Duration::from_secs(120);
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
    let socket = MonitorSocket::new();
    let exit = format!(
        "isa-debug-exit,iobase={:#x},iosize=4",
        proto::exit::DEBUG_EXIT_PORT
    );
    let mut all = vec![
        ["-machine", "q35"].map(String::from),
        ["-accel", "tcg"].map(String::from),
        ["-cpu", "max"].map(String::from),
        ["-m", "64"].map(String::from),
        ["-display", "none"].map(String::from),
        ["-chardev", "stdio,id=serial0,signal=off"].map(String::from),
        ["-serial", "chardev:serial0"].map(String::from),
        device(&exit),
        socket.argument(),
        raw("boot", image, true),
        device("virtio-blk-pci,drive=boot,bootindex=0"),
    ];
    all.extend_from_slice(parts);
    let flags = ["-nodefaults", "-no-user-config"].map(Into::into);
    let line = CommandLine {
        program: PathBuf::from(PROGRAM),
        args: flags
            .into_iter()
            .chain(all.into_iter().flatten().map(Into::into))
            .collect(),
    };
    let _alone = call::alone();
    let mut process = Process::start(&line).expect("QEMU starts");
    let mut monitor = socket.accept();
    let mut log = String::new();
    let read = |process: &mut Process, log: &mut String| match process.read(PATIENCE) {
        Serial::Bytes(bytes) => {
            log.push_str(&String::from_utf8_lossy(&bytes));
            true
        }
        Serial::Quiet => panic!("nothing was said for long: {log}"),
        Serial::Closed => false,
    };
    while !log.contains(ROW_BEGIN) {
        assert!(read(&mut process, &mut log), "QEMU went: {log}");
    }
    while reads(&mut monitor) < UNDER_WAY {}
    let _ = monitor.human("o /b 0x64 0xfe");
    assert_eq!(monitor.wait("RESET")["reason"], "guest-reset");
    while read(&mut process, &mut log) {}
    let code = process.finish().and_then(|status| status.code());
    let second = log.rmatch_indices(HELLO).next().map(|(at, _)| at);
    let second = log[..second.unwrap_or(0)].rfind('\n').unwrap_or(0);
    let said = [&log[..second], &log[second..]].map(|text| {
        let mut said = Transcript::default();
        let _ = said.feed(text.as_bytes());
        said.close();
        said
    });
    (said, code)
}
