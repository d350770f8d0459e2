//! The one virtual machine that all guests of a call are measured on.

use crate::backend::null_blockdev;
use crate::build::Guest;
use crate::failure::Failure;
use crate::qemu::command::{Boot, CommandLine, Machine};
use crate::qemu::controllers::Controller;
use crate::qemu::install::Qemu;
use std::path::{Path, PathBuf};

/// Guest memory in MiB where memory is not what is measured.
pub const MEMORY_MIB: u32 = 64;

/// What does not change during a call.
pub struct Bench {
    /// QEMU.
    pub qemu: Qemu,
    /// `tcg` or `kvm`.
    pub accel: &'static str,
    /// The controller, with one null disk.
    pub controller: Controller,
    /// For sockets, jobs and logs.
    pub folder: PathBuf,
    /// The probe.
    pub probe: Guest,
    /// The ceiling loop.
    pub ceiling: Guest,
}

/// What one start of QEMU changes.
pub struct Start<'a> {
    /// The image to boot.
    pub image: &'a Path,
    /// The job, as the probe reads it.
    pub job: &'a Path,
    /// Guest memory in MiB.
    pub memory_mib: u32,
    /// Further QEMU arguments.
    pub extra: &'a [String],
}

impl Bench {
    /// The socket for QMP.
    #[must_use]
    pub fn qmp_socket(&self) -> PathBuf {
        self.folder.join("qmp")
    }

    /// Writes a job file and gives its path.
    ///
    /// # Errors
    /// [`Failure::Environment`] if it cannot be written.
    pub fn job_file(&self, text: &str) -> Result<PathBuf, Failure> {
        let path = self.folder.join("job.fio");
        std::fs::write(&path, text).map_err(|error| Failure::io(path.display(), &error))?;
        Ok(path)
    }

    /// The command line of one start.
    #[must_use]
    pub fn command_line(&self, start: &Start<'_>) -> CommandLine {
        Machine {
            qemu: &self.qemu.path,
            accel: self.accel,
            memory_mib: start.memory_mib,
            smp: 1,
            boot: Boot::Pvh(start.image),
            job: start.job,
            inject: None,
            qmp_socket: &self.qmp_socket(),
            blockdevs: &[null_blockdev("node0", 0)],
            devices: &[
                self.controller.device(&[], 1),
                self.controller.disk_device(0, "node0", &[]),
            ],
            extra: start.extra,
        }
        .command_line()
    }
}
