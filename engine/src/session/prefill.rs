//! The row that writes what a job will read.

use crate::region::Region;
use alloc::string::String;
use drivers::block::Disk;
use proto::job::{ByDirection, Distribution, Extent, LatencyTarget, Params, Rw, Verify, WriteData};

/// Longest I/O of a prefill in bytes.
const LONGEST_BYTES: u64 = proto::job::PREFILL_BYTES;

/// The job that fills for another: in order, once, and as fast as it goes.
pub fn params(job: &Params) -> Params {
    let plain = Params::new("");
    let shortest = if job.rw.reads() {
        let splits = job.bssplit.read.iter().map(|split| split.bytes);
        splits.min().unwrap_or(job.bs.read_bytes)
    } else {
        job.bs.write_bytes
    };
    let mut bs = job.bs;
    bs.write_bytes = shortest;
    Params {
        rw: Rw::Write,
        bs,
        iodepth: proto::job::PREFILL_DEPTH,
        iodepth_batch_submit: 1,
        iodepth_batch_complete_min: 1,
        doorbell_batch: 0,
        runtime_ns: None,
        time_based: false,
        ramp_ns: 0,
        startdelay_ns: 0,
        start_at_ns: None,
        number_ios: None,
        loops: 1,
        bssplit: ByDirection::default(),
        percentage_random: plain.percentage_random,
        distribution: Distribution::Random,
        rate_iops: ByDirection::default(),
        thinktime_ns: 0,
        latency_target: LatencyTarget::NONE,
        steadystate: None,
        percentile_list: plain.percentile_list,
        fsync: 0,
        fdatasync: 0,
        sync: false,
        verify: Verify::None,
        write_data: match job.verify {
            Verify::Pattern => WriteData::KEYED,
            // Nothing that a store could take for one repeated block.
            Verify::None => WriteData {
                refill: true,
                ..job.write_data.clone()
            },
        },
        stages: false,
        trace: 0,
        wait: plain.wait,
        irq: plain.irq,
        poll_interval_ns: None,
        prefill: true,
        concurrent: false,
        adapters: None,
        ..job.clone()
    }
}

/// The job that reads all of it back and compares, where a job wrote here and there
/// in what was filled before.
pub fn read_back(job: &Params) -> Params {
    let fill = params(job);
    Params {
        rw: Rw::Read,
        verify: Verify::Pattern,
        ..fill
    }
}

/// The same over all that the job's members will read on a disk, in the longest
/// blocks that fill it to its last I/O.
///
/// # Errors
/// Why the job has no region there.
pub fn whole(job: &Params, disk: &Disk, stamped: bool) -> Result<Params, String> {
    let regions = Region::of_all(job, disk, stamped)?;
    let start = regions.iter().map(|region| region.start_bytes).min();
    let end = regions
        .iter()
        .map(|region| region.start_bytes + region.len_bytes);
    let (start, end) = (start.unwrap_or(0), end.max().unwrap_or(0));
    let unit = job.bs.write_bytes;
    let units = (end - start) / unit;
    let mut bs = job.bs;
    while bs.write_bytes * 2 <= LONGEST_BYTES && (units * unit).is_multiple_of(bs.write_bytes * 2) {
        bs.write_bytes *= 2;
    }
    bs.read_bytes = bs.write_bytes;
    Ok(Params {
        bs,
        numjobs: 1,
        offset: Extent::Bytes(start),
        offset_increment: Extent::Bytes(0),
        size: Some(Extent::Bytes(units * unit)),
        ..job.clone()
    })
}
