//! What the host reads at a row's edges, while nothing is in flight.

use crate::qemu::blockstats::{self, ByNode};
use crate::qemu::cpu::{self, ThreadSeconds};
use crate::qemu::qmp::Qmp;
use std::path::PathBuf;
use std::time::Instant;

/// One look at QEMU.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Block statistics, or why there are none.
    pub stats: Result<ByNode, String>,
    /// Processor time of QEMU's threads.
    pub threads: ThreadSeconds,
    /// When.
    pub at: Instant,
}

/// Takes samples; connects when it first needs to.
pub struct Sampler {
    pid: u32,
    socket: PathBuf,
    qmp: Option<Result<Qmp, String>>,
}

impl Sampler {
    /// For the QEMU with this process id and QMP socket.
    #[must_use]
    pub const fn new(pid: u32, socket: PathBuf) -> Self {
        Self {
            pid,
            socket,
            qmp: None,
        }
    }

    /// Looks.
    pub fn sample(&mut self) -> Sample {
        let qmp = self.qmp.get_or_insert_with(|| Qmp::connect(&self.socket));
        let stats = match qmp {
            Ok(qmp) => qmp.execute("query-blockstats").and_then(blockstats::parse),
            Err(error) => Err(error.clone()),
        };
        Sample {
            stats,
            threads: cpu::sample(self.pid),
            at: Instant::now(),
        }
    }
}
