//! Figures of a row as its record carries them.

use crate::histogram::Histogram;
use crate::row::{Spec, Stats, Tally, Waits};
use crate::time::Timebase;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use drivers::block::Op;
use proto::job::percentile_text;
use proto::result::{
    Accesses, Commands, Cpu, Depth, Direction, ExitsBounds, Gaps, Interrupts, Late, LatencyNs,
    OpenAtEnd, PerIo, StagesNs,
};

/// `figure / ios`; 0 without I/Os, never NaN.
fn per(figure: f64, ios: u64) -> f64 {
    if ios == 0 { 0.0 } else { figure / ios as f64 }
}

/// Reads, and writes or trims.
pub fn directions(spec: &Spec, stats: &Stats, list: &[u32], window_ns: u64) -> [Direction; 2] {
    let bytes = |lane: usize, bs_bytes: u64| match spec.extras.crew {
        Some(_) => stats.bytes[lane],
        None => stats.latency[lane].count().saturating_mul(bs_bytes),
    };
    [(0, &spec.read), (1, &spec.write)].map(|(lane, of)| {
        let bytes = bytes(lane, of.bs_bytes);
        direction(&stats.latency[lane], bytes, list, window_ns)
    })
}

/// Flushes, where the job asks for some.
pub fn flushes(spec: &Spec, stats: &Stats, list: &[u32], window_ns: u64) -> Option<Direction> {
    let crew = spec.extras.crew.as_ref()?;
    let asked = crew.flush_every.iter().any(|every| *every > 0);
    asked.then(|| direction(&stats.flush, 0, list, window_ns))
}

/// How I/Os of a fixed rate kept to it.
pub fn late(spec: &Spec, stats: &Stats, ios: u64, timebase: &Timebase) -> Option<Late> {
    let crew = spec.extras.crew.as_ref()?;
    let arrivals = crew.seats.iter().flat_map(|seat| &seat.worker.arrivals);
    arrivals.flatten().next()?;
    Some(Late {
        mean_ns: per(stats.late_ticks as f64 * 1e9 / timebase.rate() as f64, ios),
        lat_intended_ns: latencies(&stats.intended),
        bins: stats.intended.bins(),
    })
}

/// One direction over a window of `window_ns`.
fn direction(latency: &Histogram, bytes: u64, list: &[u32], window_ns: u64) -> Direction {
    let ios = latency.count();
    let rate = |count: u64| {
        if window_ns == 0 {
            0.0
        } else {
            count as f64 * 1e9 / window_ns as f64
        }
    };
    let mut percentiles = BTreeMap::new();
    percentiles.extend(
        list.iter()
            .map(|&one| (percentile_text(one), latency.percentile(one))),
    );
    Direction {
        ios,
        bytes,
        iops: rate(ios),
        bw_bytes: rate(bytes),
        lat_ns: latencies(latency),
        percentiles,
        bins: latency.bins(),
        overflow: latency.overflow(),
    }
}

fn latencies(latency: &Histogram) -> LatencyNs {
    LatencyNs {
        min: latency.min(),
        mean: latency.mean(),
        stddev: latency.stddev(),
        max: latency.max(),
        p50: latency.percentile(50_000),
        p90: latency.percentile(90_000),
        p95: latency.percentile(95_000),
        p99: latency.percentile(99_000),
        p99_9: latency.percentile(99_900),
        p99_99: latency.percentile(99_990),
    }
}

/// Commands over the whole row.
pub fn commands(spec: &Spec, tally: &Tally) -> Commands {
    let [read, change] = tally.commands;
    let trims = spec.trims();
    let crew = spec.extras.crew.as_ref();
    let durable = crew.map_or(spec.extras.durable, |crew| {
        crew.changing_op == Op::WriteDurable
    });
    Commands {
        durable: if durable { change } else { 0 },
        read,
        write: if trims { 0 } else { change },
        flush: tally.flushes,
        unmap: if trims { change } else { 0 },
        failed: tally.failed_commands,
        read_bytes: tally.moved_bytes[0],
        write_bytes: if trims { 0 } else { tally.moved_bytes[1] },
    }
}

/// What was open when the window closed; censored if the oldest is older than
/// the 99th percentile of all that completed.
pub fn open_at_end(tally: &Tally, stats: &Stats, timebase: &Timebase) -> OpenAtEnd {
    let oldest_ns = timebase.ns(tally.oldest_open_ticks);
    let mut all = stats.latency[0].clone();
    all.merge(&stats.latency[1]);
    let censored = tally.open_at_end > 0 && all.quantile(99_000).is_none_or(|p99| oldest_ns > p99);
    OpenAtEnd {
        count: tally.open_at_end,
        oldest_ns,
        censored,
    }
}

/// What the one processor that measures paid.
pub fn cpu(tally: &Tally, stats: &Stats, ios: u64, iops: f64, timebase: &Timebase) -> Cpu {
    let window = tally.window_ticks;
    let busy = window.saturating_sub(tally.window_machine.halted_ticks);
    let handler = tally.window_machine.handler_ticks;
    let busy_pct = if window == 0 {
        0.0
    } else {
        busy as f64 * 100.0 / window as f64
    };
    Cpu {
        busy_pct,
        busy_cpu_s: busy as f64 / timebase.rate() as f64,
        work_cycles_per_io: per((stats.work_ticks() + handler) as f64, ios),
        submit_cycles_per_io: per(stats.submit_ticks as f64, ios),
        doorbell_cycles_per_io: per(stats.doorbell_ticks as f64, ios),
        reap_cycles_per_io: per(stats.reap_ticks as f64, ios),
        handler_cycles_per_io: per(handler as f64, ios),
        empty_polls_per_io: per(stats.empty_polls as f64, ios),
        iops_per_cpu_pct: if busy_pct > 0.0 { iops / busy_pct } else { 0.0 },
    }
}

/// Accesses in the window.
pub fn accesses(tally: &Tally) -> Accesses {
    let driver = &tally.window_accesses;
    Accesses {
        doorbell_writes: driver.submit_doorbells + driver.completion_doorbells,
        mmio_reads: driver.mmio.reads,
        mmio_writes: driver.mmio.writes,
        pio: tally.window_machine.pio,
        interrupts: tally.window_machine.interrupts,
        halts: tally.window_machine.halts,
        eois: tally.window_machine.eois,
        timer_writes: tally.window_machine.timer_writes,
    }
}

/// Interrupts of a row that waits for them.
pub fn interrupts(waits: &Waits) -> Interrupts {
    Interrupts {
        device: waits.device,
        empty: waits.empty,
        timer: waits.timer,
        spurious: waits.spurious,
        lost: waits.lost,
        completions: waits.completions_per_interrupt().collect(),
    }
}

/// Exits per I/O for these accesses. Every access to a device and every HLT is
/// one; interrupts, their ends and the timer are where the hypervisor has no
/// hardware for them.
pub fn exits_bounds(accesses: &Accesses, ios: u64) -> ExitsBounds {
    let min = accesses.mmio_reads + accesses.mmio_writes + accesses.pio + accesses.halts;
    let apic = accesses.interrupts + accesses.eois + accesses.timer_writes;
    ExitsBounds {
        min: per(min as f64, ios),
        max: per((min + apic) as f64, ios),
    }
}

/// The same per I/O.
pub fn per_io(accesses: &Accesses, ios: u64) -> PerIo {
    let all = accesses.mmio_reads + accesses.mmio_writes + accesses.pio + accesses.halts;
    PerIo {
        accesses: per(all as f64, ios),
        doorbells: per(accesses.doorbell_writes as f64, ios),
        interrupts: per(accesses.interrupts as f64, ios),
    }
}

/// Doorbells over the whole row; of several queues, those of each too.
pub fn doorbells(tally: &Tally) -> BTreeMap<String, u64> {
    let driver = &tally.row_accesses;
    let mut map = BTreeMap::new();
    map.insert("submit".to_string(), driver.submit_doorbells);
    if driver.completion_doorbells > 0 {
        map.insert("completion".to_string(), driver.completion_doorbells);
    }
    for (at, queue) in tally.queue_doorbells.iter().enumerate() {
        map.insert(format!("submit_queue_{at}"), queue.submit);
        if queue.completion > 0 {
            map.insert(format!("completion_queue_{at}"), queue.completion);
        }
    }
    map
}

/// Depth.
pub fn depth(asked: u32, limit: u32, tally: &Tally, stats: &Stats) -> Depth {
    let effective = match tally.window_ticks {
        0 => 0.0,
        ticks => stats.depth_integral as f64 / ticks as f64,
    };
    Depth {
        asked,
        effective,
        limit,
    }
}

/// Mean stages of `ios` I/Os.
pub fn stages(stats: &Stats, ios: u64, timebase: &Timebase) -> StagesNs {
    let ns = |ticks: u64| per(ticks as f64 * 1e9 / timebase.rate() as f64, ios);
    let sums = &stats.stages;
    StagesNs {
        build: ns(sums.build),
        batch: ns(sums.batch),
        doorbell: ns(sums.doorbell),
        in_flight: ns(sums.in_flight),
        reap: ns(sums.reap),
        clamped: sums.clamped,
    }
}

/// Gaps.
pub fn gaps(tally: &Tally, stats: &Stats, timebase: &Timebase) -> Gaps {
    Gaps {
        count: stats.gaps,
        longest_ns: timebase.ns(stats.longest_gap_ticks),
        threshold_ns: timebase.ns(tally.gap_limit_ticks),
        long_doorbells: stats.long_doorbells,
        longest_doorbell_ns: timebase.ns(stats.longest_doorbell_ticks),
    }
}

/// Errors by kind, in words.
pub fn errors_by_kind(tally: &Tally) -> BTreeMap<String, u64> {
    let mut map: BTreeMap<String, u64> = BTreeMap::new();
    for (status, count) in tally.errors.iter() {
        *map.entry(status.to_string()).or_default() += count;
    }
    if tally.errors.others > 0 {
        map.insert("others".to_string(), tally.errors.others);
    }
    map
}

/// The digest in hexadecimal.
pub fn digest(tally: &Tally) -> String {
    format!("{:016x}", tally.digest)
}
