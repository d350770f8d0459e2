//! How much memory a job needs.

use proto::job::Params;

/// Kernel, page tables, heap, rings, histograms and what the firmware keeps.
///
/// Measured: `quick` passes in 8 MiB; the rest is for controllers and disks to come.
const BASE_MIB: u64 = 14;

/// Guest memory in MiB for these jobs: every I/O in flight has a buffer of its
/// own, and a mix has buffers of its larger block size.
#[must_use]
pub fn memory_mib(jobs: &[Params]) -> u32 {
    let buffers = jobs.iter().map(buffer_bytes).max().unwrap_or(0);
    let mib = BASE_MIB + buffers.saturating_mul(9).div_ceil(8 << 20);
    // Even, and never so much that QEMU's own arithmetic breaks.
    u32::try_from(mib.next_multiple_of(2)).unwrap_or(1 << 30)
}

fn buffer_bytes(job: &Params) -> u64 {
    let block = job
        .bs
        .read_bytes
        .max(job.bs.write_bytes)
        .next_multiple_of(4096);
    block.saturating_mul(u64::from(job.iodepth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_job_decides() {
        let small = Params::new("small");
        let mut large = Params::new("large");
        large.bs.write_bytes = 5 << 20;
        large.iodepth = 32;
        assert_eq!(memory_mib(&[]), 14);
        assert_eq!(memory_mib(std::slice::from_ref(&small)), 16);
        assert_eq!(memory_mib(&[small, large]), 14 + 180);
    }
}
