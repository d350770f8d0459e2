//! A job and a disk become a row's [`Spec`].

use super::crew;
use crate::region::Region;
use crate::row::{Extras, Kind, Lane, MAX_PIECES, RingSpec, Spec, WaitFor};
use crate::time::Timebase;
use crate::workload::{Mix, Stream};
use alloc::format;
use alloc::string::String;
use drivers::block::{Disk, DiskId, Limits};
use proto::job::{Params, Verify};

/// A command that takes longer than this is given up.
const COMMAND_TIMEOUT_NS: u64 = 60_000_000_000;

/// What a row reads back: the writes of the row before it.
#[derive(Clone, Debug)]
pub struct Written {
    /// Where they went, from the start.
    pub stream: Stream,
    /// How many.
    pub ios: u64,
}

/// A disk that a job runs on.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The disk.
    pub disk: &'a Disk,
    /// Its index at its controller.
    pub id: DiskId,
    /// A region for each of `numjobs`.
    pub regions: &'a [Region],
}

/// The spec of a job on a disk; with `concurrent`, on several that are those of a
/// group of adapters with these limits.
///
/// # Errors
/// Why it cannot run there.
pub fn spec(
    params: &Params,
    places: &[Place<'_>],
    limits: &Limits,
    timebase: &Timebase,
) -> Result<Spec, String> {
    let first = places.first().ok_or("the job has no disk")?;
    let block = u64::from(first.disk.block_size_bytes);
    let region = first.regions.first().ok_or("the job has no region")?;
    let other_block = |place: &&Place<'_>| u64::from(place.disk.block_size_bytes) != block;
    if let Some(other) = places.iter().find(other_block) {
        return Err(format!(
            "one disk has blocks of {block} B and another of {} B",
            other.disk.block_size_bytes
        ));
    }
    crew::check_deal(params, places.len())?;
    let disks = places.iter().map(|place| place.disk.max_transfer_bytes);
    let longest = limits.max_transfer_bytes.min(disks.min().unwrap_or(0));
    let command_bytes = (longest / block * block).max(block);
    let order = crew::order(params);
    let lane = |lane: usize, seed: u64| {
        let bs_bytes = crew::longest_bytes(params, lane);
        Lane {
            stream: Stream::new(&order, region.len_bytes / bs_bytes.max(1), seed),
            bs_bytes,
            // A trim moves nothing that would bound its length.
            command_bytes: match params.rw.trims() {
                true => command_bytes.max(bs_bytes),
                false => command_bytes,
            },
        }
    };
    let kind = match (params.rw.reads(), params.rw.writes()) {
        (_, false) => Kind::Read,
        (false, true) => Kind::Write,
        (true, true) => Kind::Mix,
    };
    let read_pct = match kind {
        Kind::Read => 100,
        Kind::Write => 0,
        Kind::Mix => params.rwmixread_pct,
    };
    if params.rw.trims() && places.iter().any(|place| !place.disk.trim) {
        return Err(String::from("the disk takes no trims"));
    }
    let depth = params.iodepth.saturating_mul(params.numjobs);
    let device_depth = params.device_depth.unwrap_or(u32::MAX);
    let depth = depth.min(device_depth.saturating_mul(places.len() as u32));
    let with_crew = crew::is_needed(params);
    let time_based = params.time_based && params.runtime_ns.is_some();
    let spec = Spec {
        disk: match params.concurrent {
            true => DiskId(0),
            false => first.id,
        },
        block_size_bytes: first.disk.block_size_bytes,
        region_start_bytes: region.start_bytes,
        kind,
        read: lane(0, params.randseed),
        write: lane(1, params.randseed.wrapping_add(1)),
        mix: Mix::new(read_pct, params.randseed.wrapping_add(2)),
        depth,
        batch_submit: params.iodepth_batch_submit,
        batch_complete_min: params.iodepth_batch_complete_min,
        ramp_ticks: timebase.ticks(params.ramp_ns),
        runtime_ticks: params.runtime_ns.map_or(u64::MAX, |ns| timebase.ticks(ns)),
        // A crew knows itself when it is done.
        quota_ios: if time_based || with_crew {
            u64::MAX
        } else {
            quota(params, region, read_pct).saturating_mul(params.loops)
        },
        timeout_ticks: timebase.ticks(COMMAND_TIMEOUT_NS),
        wait: WaitFor::Look,
        poll_interval_ticks: params.poll_interval_ns.map(|ns| timebase.ticks(ns)),
        stages: params.stages,
        verify: compares(params),
        extras: Extras {
            crew: with_crew.then(|| crew::crew(params, places, read_pct, timebase)),
            durable: crew::is_durable(params, places),
            data: crew::data(params),
            trace_ios: params.trace,
            start_delay_ticks: timebase.ticks(params.startdelay_ns),
            // Only who knows the wall clock can tell.
            start_at_ticks: 0,
            steady: crew::steady(params, timebase),
            search: crew::search(params, depth, timebase),
            rings: RingSpec {
                queues: params.queues,
                doorbell_batch: params.doorbell_batch,
            },
        },
    };
    if spec.pieces() > MAX_PIECES {
        return Err(format!(
            "an I/O would take {} commands of {command_bytes} B, and {MAX_PIECES} are the most",
            spec.pieces()
        ));
    }
    Ok(spec)
}

/// Whether what a job reads is compared: it is where all of its region carries the
/// pattern, whatever is written beside.
pub fn compares(params: &Params) -> bool {
    let keyed = params.prefill || !params.rw.writes();
    params.verify == Verify::Pattern && params.rw.reads() && keyed
}

/// The spec of a row that reads back what `written` wrote, block by block and to
/// its end.
pub fn read_back(write: Spec, written: Written) -> Spec {
    Spec {
        kind: Kind::Read,
        read: Lane {
            stream: written.stream,
            ..write.write.clone()
        },
        mix: Mix::new(100, 0),
        ramp_ticks: 0,
        runtime_ticks: u64::MAX,
        quota_ios: written.ios,
        wait: WaitFor::Look,
        verify: true,
        extras: Extras::default(),
        ..write
    }
}

/// I/Os until `size` bytes are done, or `number_ios` if that is sooner. With two
/// block sizes, `size` is reached within one hundred I/Os, by the mix.
fn quota(params: &Params, region: &Region, read_pct: u8) -> u64 {
    let reads = u128::from(read_pct.min(100));
    let hundred = reads * u128::from(params.bs.read_bytes)
        + (100 - reads) * u128::from(params.bs.write_bytes);
    let by_size = u128::from(region.len_bytes) * 100 / hundred.max(1);
    let by_size = u64::try_from(by_size).unwrap_or(u64::MAX).max(1);
    by_size.min(params.number_ios.unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Device, HandClock};
    use drivers::block::Controller;
    use proto::job::Rw;

    fn of(params: &Params) -> Spec {
        let clock = HandClock::new(0, 1, 1);
        let device = Device::new(&clock, 64, 131_072, 512, 1);
        let disk = &device.disks[0];
        let regions = [Region::resolve(params, disk, false).unwrap()];
        let timebase = Timebase::new(2_000_000_000);
        let id = DiskId(0);
        let regions = &regions;
        let place = Place { disk, id, regions };
        spec(params, &[place], device.limits(), &timebase).unwrap()
    }

    #[test]
    fn size_ends_a_row_that_time_does_not() {
        let mut params = Params::new("job");
        assert_eq!(of(&params).quota_ios, 16_384);
        assert_eq!(of(&params).runtime_ticks, u64::MAX);
        params.number_ios = Some(100);
        assert_eq!(of(&params).quota_ios, 100);
        params.runtime_ns = Some(1_000_000_000);
        assert_eq!(
            (of(&params).quota_ios, of(&params).runtime_ticks),
            (100, 2_000_000_000)
        );
        params.time_based = true;
        assert_eq!(of(&params).quota_ios, u64::MAX);
        params.runtime_ns = None;
        assert_eq!(of(&params).quota_ios, 100, "time_based needs a runtime");
    }

    #[test]
    fn a_mix_of_block_sizes_ends_near_its_size() {
        let mut params = Params::new("job");
        params.rw = Rw::RandRw;
        params.rwmixread_pct = 70;
        params.bs.write_bytes = 65_536;
        let ios = of(&params).quota_ios;
        let bytes = ios * (70 * 4096 + 30 * 65_536) / 100;
        assert!((bytes as i64 - (64 << 20)).abs() < 65_536, "{bytes}");
    }

    #[test]
    fn seeds_of_the_three_choices_differ_and_repeat() {
        let mut params = Params::new("job");
        params.rw = Rw::RandRw;
        let draw = |params: &Params| {
            let mut spec = of(params);
            let reads: alloc::vec::Vec<u64> =
                (0..8).map(|_| spec.read.stream.next_index()).collect();
            let writes: alloc::vec::Vec<u64> =
                (0..8).map(|_| spec.write.stream.next_index()).collect();
            (reads, writes)
        };
        let (reads, writes) = draw(&params);
        assert_ne!(reads, writes);
        assert_eq!(draw(&params), (reads.clone(), writes));
        params.randseed += 1_000;
        assert_ne!(draw(&params).0, reads);
    }

    #[test]
    fn commands_are_whole_blocks_within_both_limits() {
        let clock = HandClock::new(0, 1, 1);
        let mut device = Device::new(&clock, 64, 131_072, 512, 1);
        device.limits.max_transfer_bytes = 1000;
        let mut params = Params::new("job");
        params.bs.read_bytes = 5 << 20;
        let regions = &[Region::resolve(&params, &device.disks[0], false).unwrap()];
        let id = DiskId(0);
        let timebase = Timebase::new(1_000_000_000);
        let disk = &device.disks[0];
        let place = Place { disk, id, regions };
        let made = spec(&params, &[place], device.limits(), &timebase);
        assert_eq!(made.unwrap().read.command_bytes, 512);
        device.disks[0].max_transfer_bytes = 1 << 16;
        device.limits.max_transfer_bytes = 1 << 20;
        let disk = &device.disks[0];
        let place = Place { disk, id, regions };
        let made = spec(&params, &[place], device.limits(), &timebase);
        assert_eq!(made.unwrap().pieces(), 80);
    }
}
