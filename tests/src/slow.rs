//! A reader of the serial line that takes its time.

use super::{Called, call, device, heard, null, raw};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::park_timeout;
use std::time::{Duration, Instant};
use xtask::qemu::install::PROGRAM;
use xtask::serial::Transcript;

/// Rows of one I/O each on one disk, as many as `repeat` says, and then the end.
const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/many-rows.fio");

/// Pieces in which it reads.
const PIECE_BYTES: usize = 256;

/// What a slow reader has in the end.
pub struct Slow {
    /// What was said.
    pub said: Transcript,
    /// How much that was.
    pub bytes: u64,
    /// QEMU's exit code.
    pub code: Option<i32>,
    /// From QEMU's start to its end.
    pub took: Duration,
}

/// QEMU, which does not outlive its reader.
struct Qemu(Child);

impl Drop for Qemu {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Boots an image whose job has `rows` rows, and reads its serial line at
/// `bytes_per_second`. Nobody answers the guest.
///
/// # Panics
/// If QEMU cannot be started.
#[must_use]
pub fn listen_slowly(rows: u32, bytes_per_second: u32) -> Slow {
    let repeat = format!("repeat={rows}");
    let image = call(
        "image",
        &["--format", "raw", "--job", JOB, "--set", &repeat],
    );
    assert_eq!(image.code, 0, "{}", image.err);
    read(&image, bytes_per_second)
}

fn read(image: &Called, bytes_per_second: u32) -> Slow {
    let _alone = call::alone();
    let started = Instant::now();
    let mut qemu = Qemu(start(&image.file("ioprobe.img")));
    let mut line = qemu.0.stdout.take().expect("a pipe");
    let pause = Duration::from_secs(1) * PIECE_BYTES as u32 / bytes_per_second;
    let (mut log, mut piece) = (Vec::new(), [0; PIECE_BYTES]);
    while let Ok(count @ 1..) = line.read(&mut piece) {
        log.extend_from_slice(&piece[..count]);
        // This is the slowness, not a wait for anything.
        park_timeout(pause);
    }
    let code = qemu.0.wait().ok().and_then(|status| status.code());
    Slow {
        said: heard(&String::from_utf8_lossy(&log)),
        bytes: log.len() as u64,
        code,
        took: started.elapsed(),
    }
}

fn start(image: &Path) -> Child {
    let exit = format!(
        "isa-debug-exit,iobase={:#x},iosize=4",
        proto::exit::DEBUG_EXIT_PORT
    );
    let parts = [
        raw("boot", image, true),
        device("virtio-blk-pci,drive=boot,bootindex=0"),
        null("data", 64 << 20),
        device("pvscsi,id=a,addr=7"),
        device("scsi-hd,bus=a.0,drive=data"),
        device(&exit),
        ["-machine", "q35"].map(String::from),
        ["-accel", "tcg"].map(String::from),
        ["-cpu", "max"].map(String::from),
        ["-m", "64"].map(String::from),
        ["-display", "none"].map(String::from),
        ["-serial", "stdio"].map(String::from),
    ];
    Command::new(PROGRAM)
        .args(["-nodefaults", "-no-user-config", "-no-reboot"])
        .args(parts.iter().flatten())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("QEMU starts")
}
