//! A device, a clock and a row to run on them.

use drivers::block::{Controller, DiskId};
use drivers::hal::Clock;
use engine::fake::{Device, HandClock, NoCounters};
use engine::row::{self, Env, Kind, Lane, Spec, Stats, Tally, WaitFor, Workspace};
use engine::session::{Halt, NoLine};
use engine::time::Timebase;
use engine::workload::{Mix, Order, Stream};
use proto::record::TraceIo;

/// Everything that a row left.
pub struct Outcome {
    pub tally: Tally,
    pub stats: Stats,
    /// What it kept one by one, with stages where it takes them.
    pub trace: Vec<TraceIo>,
}

impl Outcome {
    pub fn reads(&self) -> u64 {
        self.stats.latency[0].count()
    }

    pub fn writes(&self) -> u64 {
        self.stats.latency[1].count()
    }

    /// Time-weighted commands owned by the device.
    pub fn effective_depth(&self) -> f64 {
        self.stats.depth_integral as f64 / self.tally.window_ticks as f64
    }
}

/// A clock whose every look costs `look` ns, and each idle turn 100 ns.
pub fn clock(look: u64) -> HandClock {
    HandClock::new(1_000_000, look, 100)
}

/// A clock for waits of seconds: looks are free, each idle turn takes 20 us.
pub fn coarse_clock() -> HandClock {
    HandClock::new(1_000_000, 0, 20_000)
}

/// 4 KiB random reads over 1000 blocks at depth 1, `ios` of them.
pub fn spec(ios: u64) -> Spec {
    let lane = |seed| Lane {
        stream: Stream::new(&Order::Once, 1000, seed),
        bs_bytes: 4096,
        command_bytes: 1 << 20,
    };
    Spec {
        disk: DiskId(0),
        block_size_bytes: 512,
        region_start_bytes: 8192,
        kind: Kind::Read,
        read: lane(1),
        write: lane(2),
        mix: Mix::new(100, 3),
        depth: 1,
        batch_submit: 1,
        batch_complete_min: 1,
        ramp_ticks: 0,
        runtime_ticks: u64::MAX,
        quota_ios: ios,
        timeout_ticks: 1_000_000_000,
        wait: WaitFor::Look,
        poll_interval_ticks: None,
        stages: false,
        verify: false,
        extras: Default::default(),
    }
}

/// A disk of 32 MiB with 512-byte blocks.
pub fn device(clock: &HandClock, slots: u16, ticks: u64) -> Device {
    Device::new(clock, slots, 65_536, 512, ticks)
}

pub fn run(device: &mut Device, clock: &HandClock, spec: Spec) -> Outcome {
    run_with(device, clock, spec, &mut |_| Ok(()))
}

pub fn run_with(
    device: &mut Device,
    clock: &HandClock,
    spec: Spec,
    recheck: &mut row::Recheck<'_>,
) -> Outcome {
    run_all(device, clock, spec, &mut NoLine, recheck)
}

/// Runs with the device's interrupts open on that line.
pub fn run_on_line(
    device: &mut Device,
    clock: &HandClock,
    spec: Spec,
    line: &mut dyn Halt,
) -> Outcome {
    run_all(device, clock, spec, line, &mut |_| Ok(()))
}

fn run_all(
    device: &mut Device,
    clock: &HandClock,
    spec: Spec,
    line: &mut dyn Halt,
    recheck: &mut row::Recheck<'_>,
) -> Outcome {
    let buffers = row::buffers_needed(&spec, device.limits());
    let bytes = row::buffer_bytes(&spec) as usize;
    device.set_buffers(buffers, bytes).unwrap();
    let mut workspace = Workspace::new();
    assert!(workspace.trace.reserve(spec.extras.trace_ios));
    let stages = spec.stages;
    let env = Env {
        clock,
        counters: &NoCounters,
        line,
        workspace: &mut workspace,
        recheck,
    };
    let tally = row::run(device, env, spec);
    assert_eq!(device.in_flight(), 0, "a row leaves nothing in flight");
    let timebase = Timebase::new(clock.ticks_per_second());
    Outcome {
        tally,
        trace: workspace.trace.ios(0, usize::MAX, stages, &timebase),
        stats: workspace.stats,
    }
}
