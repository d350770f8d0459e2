//! What the host saw of a row.

use crate::qemu::blockstats::BlockStats;
use crate::qemu::cpu;
use crate::serial::{Idle, Sample};
use proto::result::Run;
use serde::Serialize;
use std::collections::BTreeMap;

/// The host's part of a row in result.json.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HostRun {
    /// Time between the row's edges in seconds: ramp, window, drain.
    pub wall_s: f64,
    /// Processor seconds of all of QEMU's threads in that time.
    pub cpu_s: Option<f64>,
    /// The part of the virtual processors' threads.
    pub vcpu_s: Option<f64>,
    /// The part of all other threads: main loop, I/O threads, workers.
    pub device_s: Option<f64>,
    /// `cpu_s` per command of the row, in us.
    pub cpu_us_per_io: Option<f64>,
    /// Processor seconds by the name of the thread; threads of one name are summed.
    pub threads: BTreeMap<String, f64>,
    /// What a guest that polls uses in that time with nothing to do, measured in the
    /// same boot; 0 for a row that halts.
    pub idle_cpu_s: Option<f64>,
    /// `cpu_s` without that.
    pub net_cpu_s: Option<f64>,
    /// `net_cpu_s` per command of the row, in us.
    pub net_cpu_us_per_io: Option<f64>,
    /// QEMU's counts for the row's disk, or for all its disks together.
    pub blockstats: Option<BlockStats>,
}

/// Computes a row's host part, and the block statistics of each of its disks for the
/// checks, or why there are none. `nodes` maps the guest's disk names to block nodes.
pub fn host_run(
    run: &Run,
    nodes: &BTreeMap<String, String>,
    samples: &BTreeMap<u64, Sample>,
    idle: Option<&Idle>,
) -> (Option<HostRun>, Result<Vec<BlockStats>, String>) {
    let edge = |number: u64| {
        samples
            .get(&number)
            .ok_or_else(|| format!("no `sync {number}` came"))
    };
    let row = u64::from(run.row);
    let (before, after) = match (edge(2 * row), edge(2 * row + 1)) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(why), _) | (_, Err(why)) => return (None, Err(why)),
    };
    let disks = disks(run).into_iter();
    let stats: Result<Vec<BlockStats>, String> = disks
        .map(|disk| difference(nodes.get(disk).map(String::as_str), disk, before, after))
        .collect();
    let used = cpu::used(&before.threads, &after.threads);
    let commands = run.commands.read + run.commands.write;
    let cpu_s = used.map(|(vcpu, device)| vcpu + device);
    let wall_s = after.at.duration_since(before.at).as_secs_f64();
    let idle_cpu_s = if run.params.wait == "poll" {
        idle.map(|idle| idle.cpu_s_per_s * wall_s)
    } else {
        Some(0.0)
    };
    let net_cpu_s = cpu_s.zip(idle_cpu_s).map(|(all, idle)| all - idle);
    let per_io = |seconds: Option<f64>| {
        seconds
            .filter(|_| commands > 0)
            .map(|seconds| seconds * 1e6 / commands as f64)
    };
    let host = HostRun {
        wall_s,
        cpu_s,
        vcpu_s: used.map(|(vcpu, _)| vcpu),
        device_s: used.map(|(_, device)| device),
        cpu_us_per_io: per_io(cpu_s),
        threads: cpu::used_by_name(&before.threads, &after.threads),
        idle_cpu_s,
        net_cpu_s,
        net_cpu_us_per_io: per_io(net_cpu_s),
        blockstats: stats.as_ref().ok().map(|each| BlockStats::sum(each)),
    };
    (Some(host), stats)
}

/// The disks of a row.
fn disks(run: &Run) -> Vec<&str> {
    if run.shares.is_empty() {
        return vec![&run.disk];
    }
    run.shares.iter().map(|share| share.disk.as_str()).collect()
}

fn difference(
    node: Option<&str>,
    disk: &str,
    before: &Sample,
    after: &Sample,
) -> Result<BlockStats, String> {
    let node = node.ok_or_else(|| format!("{disk} is no disk that this tool attached"))?;
    let of = |sample: &Sample| {
        let stats = sample.stats.as_ref().map_err(Clone::clone)?;
        let missing = || format!("QEMU has no block statistics for {node}");
        stats.get(node).copied().ok_or_else(missing)
    };
    let (before, after) = (of(before)?, of(after)?);
    after
        .since(&before)
        .ok_or_else(|| format!("QEMU's block statistics for {node} went back"))
}
