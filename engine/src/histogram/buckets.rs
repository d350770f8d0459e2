//! Which bucket holds a value, and what a bucket stands for.
//!
//! fio's geometry (`stat.h`, `plat_val_to_idx`): values below 128 have a bucket
//! each; above, the 6 bits after the highest set one select the bucket.

const BITS: u32 = 6;

/// Buckets for each power of two.
pub const PER_GROUP: usize = 1 << BITS;

/// Groups in range; fio has 29.
pub const GROUPS: usize = 32;

/// Buckets in range.
pub(super) const IN_RANGE: usize = GROUPS * PER_GROUP;

/// First value that is out of range: 2^37 ns, 137 s.
pub const OVERFLOW_NS: u64 = 1 << (GROUPS as u32 - 1 + BITS);

/// Cells that are kept: every index a 64-bit value can have, so that counting
/// needs no bounds check; those from [`IN_RANGE`] on are the overflow.
pub(super) const CELLS: usize = 4096;
pub(super) const CELL_MASK: usize = CELLS - 1;

const _: () = assert!(index_of(u64::MAX) < CELLS);
const _: () = assert!(index_of(OVERFLOW_NS) == IN_RANGE);
const _: () = assert!(index_of(OVERFLOW_NS - 1) == IN_RANGE - 1);

/// The bucket of a value; `GROUPS * PER_GROUP` or more is out of range.
#[inline]
#[must_use]
pub const fn index_of(ns: u64) -> usize {
    // Bit 6 is set without changing the bucket of a value that has a higher bit,
    // and gives all values below 128 the shift 0.
    let shift = (ns | 1 << BITS).ilog2() - BITS;
    ((shift as usize) << BITS) + (ns >> shift) as usize
}

/// Smallest value of a bucket.
#[must_use]
pub const fn lower_bound_ns(index: usize) -> u64 {
    let group = index >> BITS;
    if group < 2 {
        return index as u64;
    }
    let shift = group as u32 - 1;
    (((index & (PER_GROUP - 1)) | PER_GROUP) as u64) << shift
}

/// Largest value of a bucket.
#[must_use]
pub const fn upper_bound_ns(index: usize) -> u64 {
    let group = index >> BITS;
    let width = if group < 2 {
        1
    } else {
        1 << (group as u32 - 1)
    };
    lower_bound_ns(index) + (width - 1)
}
