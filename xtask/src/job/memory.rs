//! How much memory a job needs.

use proto::job::Params;

/// Kernel, page tables, heap, rings, histograms and what the firmware keeps.
///
/// Measured: `quick` passes in 8 MiB; the rest is for controllers and disks to come.
const BASE_MIB: u64 = 14;

/// Adapters that have room in [`BASE_MIB`].
const BASE_ADAPTERS: usize = 4;
/// What each further one needs. Its rings are less, but with 16 adapters QEMU's firmware
/// does not come as far as the guest in 32 MiB.
const ADAPTER_MIB: u64 = 3;

/// Of a queue with 1,024 slots.
const QUEUE_KIB: u64 = 128;

/// Guest memory in MiB for these jobs on so many adapters: every I/O in flight has a
/// buffer of its own, so has every one that is kept, and every adapter has rings.
#[must_use]
pub fn memory_mib(jobs: &[Params], adapters: usize) -> u32 {
    let each = jobs
        .iter()
        .map(|job| job.buffer_bytes().saturating_add(job.trace_bytes()));
    let row = each.max().unwrap_or(0);
    let more = adapters.saturating_sub(BASE_ADAPTERS) as u64;
    let queues = jobs.iter().map(further_queues_kib).max().unwrap_or(0) * adapters as u64;
    let mib = BASE_MIB
        + more * ADAPTER_MIB
        + queues.div_ceil(1 << 10)
        + row.saturating_mul(9).div_ceil(8 << 20);
    // Even, and never so much that QEMU's own arithmetic breaks.
    u32::try_from(mib.next_multiple_of(2)).unwrap_or(1 << 30)
}

/// What the queues of an adapter beyond the first take.
fn further_queues_kib(job: &Params) -> u64 {
    let thousands = u64::from(job.queue_size.unwrap_or(1)).div_ceil(1 << 10);
    u64::from(job.queues - 1) * thousands * QUEUE_KIB
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::job::Rw;

    #[test]
    fn the_largest_job_decides() {
        let small = Params::new("small");
        let mut large = Params::new("large");
        large.bs.write_bytes = 5 << 20;
        large.iodepth = 32;
        assert_eq!(memory_mib(&[], 4), 14);
        assert_eq!(memory_mib(&[], 1), 14);
        assert_eq!(memory_mib(&[], 28), 14 + 72);
        assert_eq!(memory_mib(std::slice::from_ref(&small), 4), 16);
        assert_eq!(memory_mib(std::slice::from_ref(&large), 4), 16);
        large.rw = Rw::Write;
        assert_eq!(memory_mib(&[small.clone(), large.clone()], 4), 14 + 180);
        // Reads and writes have buffers of their own, and so has each of several jobs.
        large.rw = Rw::RandRw;
        assert_eq!(memory_mib(std::slice::from_ref(&large), 4), 14 + 360);
        large.numjobs = 2;
        assert_eq!(memory_mib(&[large], 4), 14 + 720);
        let mut wide = small.clone();
        wide.queues = 64;
        assert_eq!(memory_mib(std::slice::from_ref(&wide), 1), 14 + 10);
        wide.queue_size = Some(4096);
        assert_eq!(memory_mib(&[wide], 2), 14 + 64);
        let kept = Params {
            trace: 65_536,
            ..small.clone()
        };
        assert_eq!(memory_mib(&[kept], 4), 14 + 6);
        let mut deep = small;
        deep.iodepth = 65_535;
        assert_eq!(
            memory_mib(&[deep], 4),
            14 + 10,
            "no more than 2,048 are in flight"
        );
    }
}
