//! Which part of a disk a job works on, and whether its blocks fit.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use drivers::block::Disk;
use proto::job::{Extent, Params};
use proto::scratch;

/// A stretch of a disk in bytes, a multiple of the logical block size at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First byte.
    pub start_bytes: u64,
    /// Length.
    pub len_bytes: u64,
}

/// Longest I/O that a request can describe.
const MAX_BS_BYTES: u64 = 1 << 30;

impl Region {
    /// The region of a job on a disk. Offsets and percentages are of the whole
    /// disk; a region that would reach beyond it ends with it. Of a `stamped`
    /// disk, [`scratch::margin_bytes`] at each end belong to no region.
    ///
    /// # Errors
    /// Why the job cannot run on this disk, for a person to read.
    pub fn resolve(params: &Params, disk: &Disk, stamped: bool) -> Result<Self, String> {
        let block = u64::from(disk.block_size_bytes);
        let disk_bytes = disk.blocks.saturating_mul(block);
        let margin = if stamped {
            scratch::margin_bytes(disk_bytes).next_multiple_of(block)
        } else {
            0
        };
        for bs in block_sizes(params) {
            check_bs(bs, block)?;
        }
        let offset = bytes_of(params.offset, disk_bytes, block);
        if !offset.is_multiple_of(block) {
            return Err(format!(
                "offset={offset} is no multiple of the disk's {block} B blocks"
            ));
        }
        let hole = params.rw_hole_bytes;
        if !hole.is_multiple_of(block) {
            return Err(format!(
                "rw={}:{hole} leaves out no multiple of the disk's {block} B blocks",
                params.rw.name()
            ));
        }
        let usable_end = disk_bytes.saturating_sub(margin);
        let start_bytes = offset.max(margin);
        let room = usable_end.saturating_sub(start_bytes);
        let wanted = match params.size {
            None => room,
            Some(size) => bytes_of(size, disk_bytes, block) / block * block,
        };
        let len_bytes = wanted.min(room);
        let longest = block_sizes(params).max().unwrap_or(block);
        if len_bytes < longest {
            return Err(format!(
                "the region holds {len_bytes} B (disk {disk_bytes} B, kept free {margin} B at each end) \
                 and so not one block of {longest} B"
            ));
        }
        Ok(Self {
            start_bytes,
            len_bytes,
        })
    }

    /// The regions of all of `numjobs`: each starts `offset_increment` after the one
    /// before.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve), for the first that has none.
    pub fn of_all(params: &Params, disk: &Disk, stamped: bool) -> Result<Vec<Self>, String> {
        let block = u64::from(disk.block_size_bytes);
        let disk_bytes = disk.blocks.saturating_mul(block);
        let step = bytes_of(params.offset_increment, disk_bytes, block);
        let first = bytes_of(params.offset, disk_bytes, block);
        (0..u64::from(params.numjobs))
            .map(|number| {
                if number == 0 || step == 0 {
                    return Self::resolve(params, disk, stamped);
                }
                let offset = first.saturating_add(step.saturating_mul(number));
                let moved = Params {
                    offset: Extent::Bytes(offset),
                    ..params.clone()
                };
                Self::resolve(&moved, disk, stamped)
                    .map_err(|why| format!("job {number} of numjobs, from 0: {why}"))
            })
            .collect()
    }

    /// Whether I/Os of the job straddle physical blocks of the disk, which then
    /// reads, modifies and writes on its own.
    #[must_use]
    pub fn is_misaligned(&self, params: &Params, disk: &Disk) -> bool {
        let physical = u64::from(disk.physical_block_bytes.max(1));
        !self.start_bytes.is_multiple_of(physical)
            || block_sizes(params).any(|bs| !bs.is_multiple_of(physical))
    }
}

/// Block sizes of the directions that the job issues.
fn block_sizes(params: &Params) -> impl Iterator<Item = u64> {
    let trims = params.rw.trims();
    let read = (&params.bssplit.read, params.bs.read_bytes);
    let change = match trims {
        true => (&params.bssplit.trim, params.bs.trim_bytes),
        false => (&params.bssplit.write, params.bs.write_bytes),
    };
    let used = [(params.rw.reads(), read), (params.rw.writes(), change)];
    used.into_iter()
        .filter(|(used, _)| *used)
        .flat_map(|(_, (splits, bytes))| {
            let plain = splits.is_empty().then_some(bytes);
            plain
                .into_iter()
                .chain(splits.iter().map(|split| split.bytes))
        })
}

fn check_bs(bs: u64, block: u64) -> Result<(), String> {
    if bs == 0 || !bs.is_multiple_of(block) {
        return Err(format!(
            "bs={bs} is no multiple of the disk's {block} B blocks"
        ));
    }
    if bs > MAX_BS_BYTES {
        return Err(format!("bs={bs} is above {MAX_BS_BYTES} B"));
    }
    Ok(())
}

fn bytes_of(extent: Extent, disk_bytes: u64, block: u64) -> u64 {
    match extent {
        Extent::Bytes(bytes) => bytes,
        Extent::Percent(pct) => {
            let bytes = u128::from(disk_bytes) * u128::from(pct.min(100)) / 100;
            // Of a disk of up to 2^64 bytes, so it fits.
            bytes as u64 / block * block
        }
    }
}

#[cfg(test)]
mod tests;
