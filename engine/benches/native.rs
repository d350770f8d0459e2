//! I/Os per second of the whole loop on one core, against devices that answer at
//! once: what the engine and its bookkeeping can take from a controller, and what
//! engine and driver together can take from an adapter in memory (rows `pvscsi`).
//!
//! `cargo bench -p engine --bench native`; prints, asserts nothing about time.

mod fastest;

use drivers::block::{Controller, DiskId, Options};
use drivers::fake::FakeHal;
use drivers::fake::scsi::ScsiBus;
use drivers::hal::Clock;
use drivers::pvscsi::Pvscsi;
use drivers::pvscsi::fake::PvscsiModel;
use engine::fake::NoCounters;
use engine::row::{self, Env, Kind, Lane, Spec, WaitFor, Workspace};
use engine::session::NoLine;
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
        wait: WaitFor::Look,
        poll_interval_ticks: None,
        stages,
        verify: false,
        extras: Default::default(),
    }
}

/// The driver of PVSCSI on an adapter that completes everything at each kick.
fn pvscsi() -> Pvscsi<FakeHal<PvscsiModel>> {
    let machine = FakeHal::new(|memory| PvscsiModel::new(memory, ScsiBus::with_disk(1 << 40, 512)));
    let driver = Pvscsi::start(machine.clone(), machine.mmio(), &Options::default());
    machine.device().fast = true;
    driver.expect("the adapter in memory works")
}

/// Millions of I/Os per second.
fn measure<C: Controller, K: Clock>(mut device: C, clock: &K, spec: Spec) -> f64 {
    let count = row::buffers_needed(&spec, device.limits());
    device.set_buffers(count, 4096).expect("memory");
    let mut workspace = Workspace::new();
    let env = Env {
        clock,
        counters: &NoCounters,
        line: &mut NoLine,
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
            let timed = median(|| measure(fastest::Device::new(), &tsc, make()));
            let bare = median(|| measure(fastest::Device::new(), &free, make()));
            print_row(name, depth, timed, bare);
        }
        let make = || spec(Kind::Read, depth, false, &Order::Once);
        let timed = median(|| measure(pvscsi(), &tsc, make()));
        let bare = median(|| measure(pvscsi(), &free, make()));
        print_row("pvscsi randread", depth, timed, bare);
    }
}

fn print_row(name: &str, depth: u32, timed: f64, bare: f64) {
    let row = format!("{name}, depth {depth}");
    println!("{row:<34}{timed:>10.2}{bare:>12.2}");
}
