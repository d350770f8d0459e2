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

/// What QEMU uses while the guest polls with nothing to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Idle {
    /// Processor seconds of all threads per second.
    pub cpu_s_per_s: f64,
}

impl Idle {
    /// From two samples between which there was no row.
    #[must_use]
    pub fn between(before: &Sample, after: &Sample) -> Option<Self> {
        let seconds = after.at.duration_since(before.at).as_secs_f64();
        let (vcpu, device) = cpu::used(&before.threads, &after.threads)?;
        (seconds > 0.0).then(|| Self {
            cpu_s_per_s: (vcpu + device) / seconds,
        })
    }
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
