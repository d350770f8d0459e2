//! The finer properties of a job become a crew.

use super::resolve::Place;
use crate::region::Region;
use crate::row::{CrewSpec, Data, SearchSpec, Seat, SteadySpec};
use crate::time::Timebase;
use crate::workload::{
    Arrival, Course, Lengths, Mix, Order, Places, Rng, Scatter, Skew, Stream, Worker,
};
use alloc::vec::Vec;
use drivers::block::{Disk, DiskId, Op};
use proto::job::{
    ByDirection, Distribution, Params, RateProcess, Split, SteadyFigure, SteadyLimit, WriteData,
};
use proto::pattern::UNIT_BYTES;

/// Distance of the seeds of two members.
const SEED_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a job asks of one direction: 0 reads, 1 writes or trims.
pub fn of_lane<T: Clone>(params: &Params, by: &ByDirection<T>, lane: usize) -> T {
    match lane {
        0 => by.read.clone(),
        _ if params.rw.trims() => by.trim.clone(),
        _ => by.write.clone(),
    }
}

/// Block size of one direction where all its I/Os are alike.
pub const fn bs_bytes(params: &Params, lane: usize) -> u64 {
    match lane {
        0 => params.bs.read_bytes,
        _ if params.rw.trims() => params.bs.trim_bytes,
        _ => params.bs.write_bytes,
    }
}

/// Longest I/O of one direction in bytes.
pub fn longest_bytes(params: &Params, lane: usize) -> u64 {
    let splits = of_lane(params, &params.bssplit, lane);
    let longest = splits.iter().map(|split| split.bytes).max();
    longest.unwrap_or(bs_bytes(params, lane))
}

/// In which order a job visits the blocks of its region.
pub const fn order(params: &Params) -> Order {
    match (params.rw.is_random(), params.norandommap) {
        (false, _) => Order::Sequential,
        (true, false) => Order::Once,
        (true, true) => Order::Independent,
    }
}

/// Whether the plain loop cannot do what a job asks.
pub fn is_needed(params: &Params) -> bool {
    let writes = params.rw.writes();
    params.concurrent
        || params.numjobs > 1
        || params.rw_run > 1
        || params.rw_hole_bytes > 0
        || params.rw.trims()
        || params.bssplit != ByDirection::default()
        || params.rate_iops != ByDirection::default()
        || params.rw.is_random() && params.percentage_random != ByDirection::all(100)
        || params.rw.is_random() && params.distribution != Distribution::Random
        || params.thinktime_ns > 0
        || params.latency_target.target_ns > 0
        || writes && (params.fsync > 0 || params.fdatasync > 0)
        || writes && params.write_data != WriteData::KEYED
}

/// The crew of a job on these places, each of which has a region for each of
/// `numjobs`.
pub fn crew(params: &Params, places: &[Place<'_>], read_pct: u8, timebase: &Timebase) -> CrewSpec {
    let mut seats = Vec::new();
    for job in 0..params.numjobs {
        for (at, part) in dealt(params, job, places.len() as u32) {
            let place = &places[at];
            let region = &place.regions[job as usize % place.regions.len()];
            let number = seats.len() as u64;
            seats.push(Seat {
                worker: worker(&part, place.disk, region, number, read_pct, timebase),
                depth: part.iodepth,
                numjob: job as u16,
                disk: match params.concurrent {
                    true => DiskId(at as u16),
                    false => place.id,
                },
            });
        }
    }
    let changing_op = if params.rw.trims() {
        Op::Trim
    } else if is_durable(params, places) {
        Op::WriteDurable
    } else {
        Op::Write
    };
    CrewSpec {
        seats,
        disks: params.concurrent.then_some(places.len() as u16),
        changing_op,
        flush_every: match params.rw.trims() {
            true => [0; 2],
            false => [params.fsync, params.fdatasync],
        },
        think_ticks: timebase.ticks(params.thinktime_ns),
        think_ios: params.thinktime_blocks,
    }
}

/// Whether each write is durable when it completes, on all disks.
pub fn is_durable(params: &Params, places: &[Place<'_>]) -> bool {
    params.sync && places.iter().all(|place| place.disk.durable_writes)
}

/// What each disk has of one of `numjobs`: depth, rate and number of I/Os are dealt
/// out. What does not divide goes on from disk to disk over the jobs, so that the
/// disks' sums differ by one at most. Disks without depth have no part.
fn dealt(params: &Params, job: u32, disks: u32) -> Vec<(usize, Params)> {
    if disks == 1 {
        return alloc::vec![(0, params.clone())];
    }
    let deal = |total: u64, number: u32, among: u32| {
        total / u64::from(among) + u64::from(u64::from(number) < total % u64::from(among))
    };
    let depth = u64::from(params.iodepth);
    let rest = params.iodepth % disks;
    let first = (u64::from(job) * u64::from(rest) % u64::from(disks)) as u32;
    let active = params.iodepth.min(disks);
    let rate = |rate: u32, number: u32| deal(u64::from(rate), number, active) as u32;
    (0..active)
        .map(|number| {
            let rates = &params.rate_iops;
            let part = Params {
                iodepth: deal(depth, number, disks) as u32,
                number_ios: params.number_ios.map(|ios| deal(ios, number, active)),
                rate_iops: ByDirection {
                    read: rate(rates.read, number),
                    write: rate(rates.write, number),
                    trim: rate(rates.trim, number),
                },
                ..params.clone()
            };
            (((first + number) % disks) as usize, part)
        })
        .collect()
}

/// Why a job cannot be dealt out to so many disks.
///
/// # Errors
/// The depth, or a rate, that is too small.
pub fn check_deal(params: &Params, disks: usize) -> Result<(), alloc::string::String> {
    let depth = params.iodepth.saturating_mul(params.numjobs) as usize;
    if depth < disks {
        return Err(alloc::format!(
            "a depth of {depth} is less than one I/O for each of {disks} adapters"
        ));
    }
    let rates = &params.rate_iops;
    let active = (params.iodepth as usize).min(disks);
    for rate in [rates.read, rates.write, rates.trim] {
        if rate > 0 && (rate as usize) < active {
            return Err(alloc::format!(
                "rate_iops={rate} is less than one for each of {active} adapters"
            ));
        }
    }
    Ok(())
}

fn worker(
    params: &Params,
    disk: &Disk,
    region: &Region,
    number: u64,
    read_pct: u8,
    timebase: &Timebase,
) -> Worker {
    let block = u64::from(disk.block_size_bytes);
    // The first member's seeds are those of a job without a crew.
    let seed = params.randseed.wrapping_add(number.wrapping_mul(SEED_STEP));
    let region_blocks = region.len_bytes / block;
    let course = |lane: usize| {
        let seed = seed.wrapping_add(lane as u64);
        course(params, lane, region_blocks, block, seed)
    };
    let arrival = |lane: usize| {
        let rate = of_lane(params, &params.rate_iops, lane);
        let chance = Rng::new(seed.wrapping_add(16 + lane as u64));
        let poisson = params.rate_process == RateProcess::Poisson;
        (rate > 0).then(|| Arrival::new(rate, timebase.rate(), poisson.then_some(chance)))
    };
    let shortest = (0..2)
        .filter(|&lane| {
            if lane == 0 {
                read_pct > 0
            } else {
                read_pct < 100
            }
        })
        .map(|lane| lengths(params, lane, block, 0).shortest_blocks())
        .min()
        .unwrap_or(1);
    let shortest = u64::from(shortest.max(1));
    let timed = params.time_based && params.runtime_ns.is_some();
    let quota_blocks = (region_blocks / shortest * shortest).saturating_mul(params.loops);
    let ios = params.number_ios.unwrap_or(u64::MAX);
    Worker {
        start_lba: region.start_bytes / block,
        courses: [course(0), course(1)],
        mix: Mix::new(read_pct, seed.wrapping_add(2)),
        quota_ios: if timed {
            u64::MAX
        } else {
            ios.saturating_mul(params.loops)
        },
        quota_blocks: if timed { u64::MAX } else { quota_blocks },
        arrivals: [arrival(0), arrival(1)],
    }
}

fn lengths(params: &Params, lane: usize, block: u64, seed: u64) -> Lengths {
    let splits: Vec<Split> = of_lane(params, &params.bssplit, lane);
    if splits.is_empty() {
        return Lengths::Fixed((bs_bytes(params, lane) / block) as u32);
    }
    let parts: Vec<(u32, u8)> = splits
        .iter()
        .map(|split| ((split.bytes / block) as u32, split.pct))
        .collect();
    Lengths::split(&parts, seed)
}

fn course(params: &Params, lane: usize, region_blocks: u64, block: u64, seed: u64) -> Course {
    let lengths = lengths(params, lane, block, seed.wrapping_add(8));
    let units = (region_blocks / u64::from(lengths.shortest_blocks().max(1))).max(1);
    let skewed = |skew: Skew| Places::Skewed {
        skew,
        scatter: Scatter::new(units, seed.wrapping_add(10)),
        rng: Rng::new(seed),
    };
    let places = match params.distribution {
        _ if !params.rw.is_random() => Places::Sequential,
        Distribution::Random => Places::Stream(Stream::new(&order(params), units, seed)),
        Distribution::Zipf(theta) => skewed(Skew::zipf(units, theta.value())),
        Distribution::Pareto(share) => skewed(Skew::pareto(units, share.value())),
        Distribution::Normal(pct) => skewed(Skew::normal(units, pct.value())),
    };
    let random_pct = of_lane(params, &params.percentage_random, lane);
    let chance = seed.wrapping_add(12);
    let course = Course::new(region_blocks, places, lengths, random_pct, chance);
    course.with_steps(
        params.rw_run,
        params.rw_identical,
        params.rw_hole_bytes / block,
    )
}

/// What writes carry.
pub fn data(params: &Params) -> Data {
    let WriteData {
        zero,
        refill,
        compress_pct,
        pattern,
    } = &params.write_data;
    if *zero {
        Data::Zero
    } else if !pattern.is_empty() {
        Data::Repeat(pattern.clone())
    } else if *refill || compress_pct.is_some() {
        let pct = usize::from(compress_pct.unwrap_or(0).min(100));
        Data::Random {
            zero_bytes: UNIT_BYTES * pct / 100,
            refill: *refill,
            rng: Rng::new(params.randseed.wrapping_add(32)),
        }
    } else {
        Data::Keyed
    }
}

/// When a job ends for being steady.
pub fn steady(params: &Params, timebase: &Timebase) -> Option<SteadySpec> {
    let steady = params.steadystate?;
    let seconds = params.steadystate_duration_ns / 1_000_000_000;
    let (percent, limit) = match steady.limit {
        SteadyLimit::Absolute(limit) => (false, limit as f64),
        SteadyLimit::Percent(limit) => (true, limit.value()),
    };
    (seconds > 0).then(|| SteadySpec {
        bytes: steady.figure == SteadyFigure::Bandwidth,
        slope: steady.slope,
        percent,
        limit,
        samples: u32::try_from(seconds).unwrap_or(u32::MAX).min(3_600),
        ramp_ticks: timebase.ticks(params.steadystate_ramp_ns),
    })
}

/// The depth that a job seeks.
pub fn search(params: &Params, most: u32, timebase: &Timebase) -> Option<SearchSpec> {
    let target = params.latency_target;
    (target.target_ns > 0).then(|| SearchSpec {
        target_ns: target.target_ns,
        window_ticks: timebase.ticks(target.window_ns),
        milli_pct: target.percentile_milli_pct,
        most,
    })
}
