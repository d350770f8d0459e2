//! A machine that a test looks into while its guest works.

use super::{Monitor, MonitorSocket, call, device};
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;
use std::time::Duration;
use xtask::qemu::command::CommandLine;
use xtask::qemu::firmware::find_ovmf;
use xtask::qemu::install::PROGRAM;
use xtask::qemu::process::{Process, Serial};
use xtask::{Console, Interrupt};

/// Longest silence on the serial line.
const PATIENCE: Duration = Duration::from_secs(120);

/// A machine with a serial line that is read, and a monitor. QEMU goes with it.
pub struct Machine {
    process: Process,
    /// QEMU's monitor.
    pub monitor: Monitor,
    /// What was said so far.
    pub log: String,
    _alone: MutexGuard<'static, ()>,
}

impl Machine {
    /// Starts a q35 of these parts.
    ///
    /// # Panics
    /// If QEMU cannot be started.
    #[must_use]
    pub fn start(parts: &[[String; 2]]) -> Self {
        let socket = MonitorSocket::new();
        let exit = format!(
            "isa-debug-exit,iobase={:#x},iosize=4",
            proto::exit::DEBUG_EXIT_PORT
        );
        let mut all = vec![
            ["-machine", "q35"].map(String::from),
            ["-accel", "tcg"].map(String::from),
            ["-cpu", "max,la57=off"].map(String::from),
            ["-display", "none"].map(String::from),
            ["-chardev", "stdio,id=serial0,signal=off"].map(String::from),
            ["-serial", "chardev:serial0"].map(String::from),
            device(&exit),
            socket.argument(),
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
        let alone = call::alone();
        let mut process = Process::start(&line).expect("QEMU starts");
        Self {
            monitor: socket.accept(&mut process),
            process,
            log: String::new(),
            _alone: alone,
        }
    }

    /// Reads more; whether there was more.
    fn read(&mut self) -> bool {
        match self.process.read(PATIENCE) {
            Serial::Bytes(bytes) => {
                self.log.push_str(&String::from_utf8_lossy(&bytes));
                true
            }
            Serial::Quiet => panic!("nothing was said for long: {}", self.log),
            Serial::Closed => false,
        }
    }

    /// Reads until this was said.
    ///
    /// # Panics
    /// If nothing is said for long, or QEMU goes.
    pub fn read_until(&mut self, part: &str) {
        while !self.log.contains(part) {
            assert!(self.read(), "QEMU went: {}", self.log);
        }
    }

    /// Reads to the end; gives QEMU's exit code.
    ///
    /// # Panics
    /// If nothing is said for long.
    pub fn read_to_end(&mut self) -> Option<i32> {
        while self.read() {}
        self.process.finish().and_then(|status| status.code())
    }
}

/// OVMF in flash memory of its own, its variables in `dir`.
///
/// # Panics
/// If there is no OVMF and none can be installed.
#[must_use]
pub fn flash(dir: &Path) -> Vec<[String; 2]> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console::plain(&mut out, &mut err, 80);
    let ovmf = find_ovmf(None, true, &mut console, &Interrupt::default()).expect("OVMF");
    let vars = dir.join("vars");
    std::fs::copy(&ovmf.vars, &vars).expect("a copy of the variables");
    let unit = |number: u8, path: &Path, mode: &str| {
        let path = path.display();
        let drive = format!("if=pflash,format=raw,unit={number},{mode},file={path}");
        ["-drive".into(), drive]
    };
    vec![
        unit(0, &ovmf.code, "readonly=on"),
        unit(1, &vars, "readonly=off"),
    ]
}
