//! Latency histograms in fio's bucket geometry, extended to 137 s.
//!
//! 64 buckets for each power of two, so a bucket is at most 1/64 of its lower
//! bound wide. 32 groups hold values below 2^37 ns; longer ones are counted as
//! overflow, and still enter min, max, mean and deviation exactly.

mod buckets;
mod moments;
mod percentile;

pub use buckets::{GROUPS, OVERFLOW_NS, PER_GROUP, index_of, lower_bound_ns, upper_bound_ns};
pub use moments::Moments;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use buckets::{CELL_MASK, CELLS, IN_RANGE};

/// Samples of one direction.
#[derive(Clone, Debug)]
pub struct Histogram {
    cells: Box<[u64; CELLS]>,
    moments: Moments,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Without samples. Allocates; no other method but `bins` does.
    #[must_use]
    pub fn new() -> Self {
        let cells: Box<[u64]> = vec![0; CELLS].into_boxed_slice();
        let Ok(cells) = cells.try_into() else {
            unreachable!("the length is CELLS")
        };
        Self {
            cells,
            moments: Moments::EMPTY,
        }
    }

    /// Adds one sample.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.cells[index_of(ns) & CELL_MASK] += 1;
        self.moments.add(ns);
    }

    /// Drops all samples.
    pub fn clear(&mut self) {
        self.cells.fill(0);
        self.moments = Moments::EMPTY;
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (cell, more) in self.cells.iter_mut().zip(other.cells.iter()) {
            *cell += more;
        }
        self.moments.merge(&other.moments);
    }

    /// Samples, overflow included.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.cells.iter().sum()
    }

    /// Samples of [`OVERFLOW_NS`] or more.
    #[must_use]
    pub fn overflow(&self) -> u64 {
        self.cells[IN_RANGE..].iter().sum()
    }

    /// Samples in buckets above the one that holds `ns`: those of its own bucket, at
    /// most 1/64 larger, are not among them.
    #[must_use]
    pub fn count_above(&self, ns: u64) -> u64 {
        self.cells[(index_of(ns) & CELL_MASK) + 1..].iter().sum()
    }

    /// Smallest sample.
    #[must_use]
    pub fn min(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.moments.min_ns())
    }

    /// Largest sample.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.moments.max_ns())
    }

    /// Arithmetic mean.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        self.moments.mean(self.count())
    }

    /// Population standard deviation.
    #[must_use]
    pub fn stddev(&self) -> Option<f64> {
        self.moments.stddev(self.count())
    }

    /// Filled buckets below the overflow: lower bound in ns, count.
    #[must_use]
    pub fn bins(&self) -> Vec<(u64, u64)> {
        self.cells[..IN_RANGE]
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(index, count)| (lower_bound_ns(index), *count))
            .collect()
    }
}

#[cfg(test)]
mod tests;
