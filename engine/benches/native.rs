//! I/Os per second of the whole loop on one core, against a device that answers
//! at once: what the engine and its bookkeeping can take from a controller.
//!
//! `cargo bench -p engine --bench native`; prints, asserts nothing about time.

mod fastest;

use drivers::block::{Controller, DiskId};
use drivers::hal::Clock;
use engine::fake::NoCounters;
use engine::row::{self, Env, Kind, Lane, Spec, Workspace};
use engine::workload::{Mix, Order, Stream};
use fastest::{FreeClock, Instant, TscClock};
use std::cell::Cell;

const IOS: u64 = 2_000_000;

fn spec(kind: Kind, depth: u32, stages: bool, order: &Order) -> Spec {
    let lane = |seed| Lane {
        stream: Stream::new(order, 50_000_000, seed),
        bs_bytes: 4096,
        command_bytes: 1 << 20,
    };
    Spec {
        disk: DiskId(0),
        block_size_bytes: 512,
        region_start_bytes: 0,
        kind,
        read: lane(1),
        write: lane(2),
        mix: Mix::new(if kind == Kind::Read { 100 } else { 50 }, 3),
        depth,
        batch_submit: 1,
        batch_complete_min: 1,
        ramp_ticks: 0,
        runtime_ticks: u64::MAX,
        quota_ios: IOS,
        timeout_ticks: u64::MAX,
        stages,
        verify: false,
    }
}

/// Millions of I/Os per second.
fn measure<K: Clock>(clock: &K, spec: Spec) -> f64 {
    let mut device = fastest::Device::new();
    let count = row::buffers_needed(&spec, device.limits());
    device.set_buffers(count, 4096).expect("memory");
    let mut workspace = Workspace::new();
    let env = Env {
        clock,
        counters: &NoCounters,
        workspace: &mut workspace,
        recheck: &mut |_| Ok(()),
    };
    let start = Instant::now();
    let tally = row::run(&mut device, env, spec);
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(tally.issued[0] + tally.issued[1], IOS);
    IOS as f64 / seconds / 1e6
}

fn median(mut of: impl FnMut() -> f64) -> f64 {
    let mut runs: Vec<f64> = (0..5).map(|_| of()).collect();
    runs.sort_by(f64::total_cmp);
    runs[runs.len() / 2]
}

fn main() {
    let tsc = TscClock::new();
    let free = FreeClock(Cell::new(0));
    println!("millions of I/Os per second, median of 5; 'free clock': stamps cost nothing");
    println!("{:<34}{:>10}{:>12}", "row", "TSC clock", "free clock");
    for depth in [1, 32, 128] {
        for (name, kind, stages, order) in [
            ("randread", Kind::Read, false, Order::Once),
            ("randread stages=1", Kind::Read, true, Order::Once),
            (
                "randread norandommap",
                Kind::Read,
                false,
                Order::Independent,
            ),
            ("read", Kind::Read, false, Order::Sequential),
            ("randrw 50 %", Kind::Mix, false, Order::Once),
        ] {
            let make = || spec(kind, depth, stages, &order);
            let timed = median(|| measure(&tsc, make()));
            let bare = median(|| measure(&free, make()));
            println!(
                "{:<34}{timed:>10.2}{bare:>12.2}",
                format!("{name}, depth {depth}")
            );
        }
    }
}
