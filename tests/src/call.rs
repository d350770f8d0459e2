//! Calling the host tool in this process.

use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;
use xtask::{Console, Interrupt};

/// One QEMU at a time: two would disturb each other's rows.
static QEMU: Mutex<()> = Mutex::new(());

/// Held while a QEMU runs.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    QEMU.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a call left. The folder goes with it.
pub struct Called {
    /// Exit code.
    pub code: u8,
    /// What went to stdout.
    pub out: String,
    /// What went to stderr.
    pub err: String,
    /// The run's folder.
    pub folder: PathBuf,
    dir: Option<TempDir>,
}

impl Called {
    /// result.json of the run.
    ///
    /// # Panics
    /// If it is not there or no JSON.
    #[must_use]
    pub fn result(&self) -> Value {
        let path = self.folder.join("result.json");
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}\n{}", path.display(), self.err));
        serde_json::from_str(&text).expect("result.json is JSON")
    }

    /// The rows in result.json.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn rows(&self) -> Vec<Value> {
        self.result()["runs"].as_array().expect("rows").clone()
    }

    /// The disks in result.json.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn disks(&self) -> Vec<Value> {
        self.result()["disks"].as_array().expect("disks").clone()
    }

    /// The names of the disks, in the order found.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn disk_ids(&self) -> Vec<String> {
        let disks = self.disks();
        let ids = disks
            .iter()
            .map(|disk| disk["id"].as_str().expect("a name"));
        ids.map(str::to_owned).collect()
    }

    /// A file of the run's folder.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Calls `cargo xtask COMMAND FLAGS.. --out FOLDER` with a folder of its own.
///
/// # Panics
/// If no folder can be made.
#[must_use]
pub fn call(command: &str, flags: &[&str]) -> Called {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path().join("run");
    let mut called = call_in(&folder, command, flags);
    called.dir = Some(dir);
    called
}

/// The same with further arguments for QEMU.
#[must_use]
pub fn call_with(command: &str, flags: &[&str], qemu: &[String]) -> Called {
    let qemu: Vec<String> = qemu.iter().map(|arg| format!("--qemu-arg={arg}")).collect();
    let mut all = flags.to_vec();
    all.extend(qemu.iter().map(String::as_str));
    call(command, &all)
}

/// The same with a given folder.
#[must_use]
pub fn call_in(folder: &Path, command: &str, flags: &[&str]) -> Called {
    let mut args: Vec<OsString> = vec!["cargo xtask".into(), command.into()];
    args.extend(flags.iter().map(OsString::from));
    args.extend(["--out".into(), folder.into()]);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = {
        let _alone = alone();
        let mut console = Console::plain(&mut out, &mut err, 80);
        xtask::invoke(args, &mut console, &Interrupt::default())
    };
    Called {
        code,
        out: String::from_utf8_lossy(&out).into_owned(),
        err: String::from_utf8_lossy(&err).into_owned(),
        folder: folder.to_path_buf(),
        dir: None,
    }
}
