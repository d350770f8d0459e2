//! Booting a boot image without the host tool's `run`, as a virtual machine on
//! another hypervisor boots it: no job from outside, nobody who answers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xtask::Interrupt;
use xtask::qemu::command::CommandLine;
use xtask::qemu::install::PROGRAM;
use xtask::qemu::process::Process;
use xtask::serial::{Followed, Limits, Line, Sampler, follow};

/// `-blockdev` of a raw file.
#[must_use]
pub fn raw(node: &str, path: &Path, read_only: bool) -> [String; 2] {
    let read_only = if read_only { "on" } else { "off" };
    let path = path.display();
    [
        "-blockdev".into(),
        format!(
            "driver=raw,node-name={node},read-only={read_only},file.driver=file,file.filename={path}"
        ),
    ]
}

/// `-blockdev` of a disk that holds zeros and keeps nothing.
#[must_use]
pub fn null(node: &str, bytes: u64) -> [String; 2] {
    [
        "-blockdev".into(),
        format!("driver=null-co,node-name={node},size={bytes},read-zeroes=on"),
    ]
}

/// `-device`.
#[must_use]
pub fn device(what: &str) -> [String; 2] {
    ["-device".into(), what.into()]
}

/// Boots a machine of these parts to its end.
///
/// # Panics
/// If QEMU cannot be started.
#[must_use]
pub fn boot(parts: &[[String; 2]]) -> Followed {
    let mut args: Vec<OsString> = ["-nodefaults", "-no-user-config", "-no-reboot"]
        .map(OsString::from)
        .to_vec();
    let exit = format!(
        "isa-debug-exit,iobase={:#x},iosize=4",
        proto::exit::DEBUG_EXIT_PORT
    );
    let fixed = [
        ["-machine", "q35"],
        ["-accel", "tcg"],
        ["-cpu", "max"],
        ["-m", "64"],
        ["-display", "none"],
        ["-device", &exit],
        ["-chardev", "stdio,id=serial0,signal=off"],
        ["-serial", "chardev:serial0"],
    ];
    args.extend(fixed.iter().flatten().map(OsString::from));
    args.extend(parts.iter().flatten().map(OsString::from));
    let line = CommandLine {
        program: PathBuf::from(PROGRAM),
        args,
    };
    let _alone = super::call::alone();
    let mut process = Process::start(&line).expect("QEMU starts");
    let mut log = Vec::new();
    let line = Line {
        sampler: Sampler::new(process.id(), PathBuf::new()),
        started: Instant::now(),
        process: &mut process,
        log: &mut log,
    };
    follow(line, &Limits::default(), &Interrupt::default(), |_| {}).expect("a log in memory")
}
