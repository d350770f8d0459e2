//! The tool as a process: signals, a closed pipe, an empty PATH.

use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// One QEMU at a time.
static QEMU: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    QEMU.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tool(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A run that takes long enough to be disturbed in its first row.
struct Running {
    child: Child,
    folder: PathBuf,
    _dir: TempDir,
}

impl Running {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("run");
        let out = folder.to_str().unwrap();
        let child = tool(&["run", "--set", "runtime=60", "--out", out])
            .spawn()
            .unwrap();
        Self {
            child,
            folder,
            _dir: dir,
        }
    }

    /// Waits until the serial log holds a whole line with `part`. The guest may have to be built first,
    /// so the patience is long; it is no measure of anything.
    fn until(&mut self, part: &str) {
        let deadline = Instant::now() + Duration::from_secs(900);
        let log = self.folder.join("serial.log");
        let whole = |text: String| {
            let found = text.find(part);
            found.is_some_and(|at| text[at..].contains('\n'))
        };
        while !fs::read_to_string(&log).is_ok_and(whole) {
            assert!(Instant::now() < deadline, "`{part}` never came");
            if let Some(status) = self.child.try_wait().unwrap() {
                let mut err = String::new();
                self.child
                    .stderr
                    .take()
                    .unwrap()
                    .read_to_string(&mut err)
                    .unwrap();
                panic!("ended with {status} before `{part}` came\n{err}");
            }
            sleep(Duration::from_millis(20));
        }
    }

    fn signal(&self, name: &str) {
        let script = format!("kill -{name} {}", self.child.id());
        assert!(
            Command::new("sh")
                .args(["-c", &script])
                .status()
                .unwrap()
                .success()
        );
    }

    fn finish(self) -> (Output, PathBuf, TempDir) {
        (
            self.child.wait_with_output().unwrap(),
            self.folder,
            self._dir,
        )
    }
}

/// Whether a process runs that has `folder` in its command line.
fn in_use(folder: &Path) -> bool {
    let folder = folder.to_str().unwrap();
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(folder)
    })
}

fn interrupted(signals: &[&str]) {
    let _alone = alone();
    let mut running = Running::start();
    running.until("\"row_begin\"");
    for signal in signals {
        running.signal(signal);
    }
    let (output, folder, _dir) = running.finish();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("interrupted while in row 1"), "{err}");
    assert!(
        err.contains("kept: ") && err.contains("row 1 was cut off"),
        "{err}"
    );
    assert!(!in_use(&folder), "QEMU is still there");
    let result = fs::read_to_string(folder.join("result.json")).unwrap();
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["outcome"]["complete"], false);
    assert_eq!(result["outcome"]["exit_code"], 130);
    assert_eq!(
        result["disks"].as_array().unwrap().len(),
        1,
        "whole records are kept"
    );
}

#[test]
fn ctrl_c_ends_in_order() {
    interrupted(&["INT"]);
}

#[test]
fn an_impatient_user_changes_nothing() {
    interrupted(&["INT", "INT", "TERM"]);
}

#[test]
fn qemu_goes_with_a_killed_tool() {
    let _alone = alone();
    let mut running = Running::start();
    running.until("\"row_begin\"");
    assert!(in_use(&running.folder));
    running.signal("KILL");
    let (output, folder, _dir) = running.finish();
    assert_eq!(output.status.code(), None);
    let deadline = Instant::now() + Duration::from_secs(30);
    while in_use(&folder) {
        assert!(Instant::now() < deadline, "QEMU outlives the tool");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_killed_qemu_is_told() {
    let _alone = alone();
    let mut running = Running::start();
    running.until("\"row_begin\"");
    let pid = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .find(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains("isa-debug-exit") && line.contains(running.folder.to_str().unwrap())
        })
        .expect("QEMU runs");
    let script = format!("kill -KILL {}", pid.file_name().to_string_lossy());
    assert!(
        Command::new("sh")
            .args(["-c", &script])
            .status()
            .unwrap()
            .success()
    );
    let (output, folder, _dir) = running.finish();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(
        err.contains("QEMU was killed by signal 9 (SIGKILL) while the guest was in row 1"),
        "{err}"
    );
    assert!(folder.join("result.json").exists());
}

#[test]
fn an_empty_path_is_told_with_the_commands() {
    let output = tool(&["run", "--no-install"])
        .env("PATH", "/nonexistent")
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    for manager in [
        "apt-get install",
        "dnf install",
        "pacman -S",
        "brew install",
    ] {
        assert!(err.contains(manager), "{err}");
    }
    assert!(output.stdout.is_empty());
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = tool(&["run", "--help"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), err.as_ref()), (Some(0), ""));
}

#[test]
fn no_escape_codes_outside_a_terminal() {
    let output = tool(&["run", "--set", "iodpeth=4"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        !output.stderr.contains(&0x1b),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let help = tool(&["run", "--help"]).output().unwrap();
    assert!(!help.stdout.contains(&0x1b));
}
