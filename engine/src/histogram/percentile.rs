//! Percentiles by exact integer rank.

use super::Histogram;
use super::buckets::{IN_RANGE, upper_bound_ns};

/// Samples that must lie beyond a percentile before it is shown.
const NEEDED_BEYOND: u64 = 10;

impl Histogram {
    /// The value at `milli_pct`, in thousandths of a per cent (99,900 is
    /// p99.9): the upper bound of the bucket that holds the sample of nearest
    /// rank `ceil(n * p)`, clamped to what was seen. `None` without samples.
    #[must_use]
    pub fn quantile(&self, milli_pct: u32) -> Option<u64> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let rank = rank(count, milli_pct);
        let mut seen = 0;
        for (index, cell) in self.cells[..IN_RANGE].iter().enumerate() {
            seen += cell;
            if seen >= rank {
                let (min, max) = (self.moments.min_ns(), self.moments.max_ns());
                return Some(upper_bound_ns(index).clamp(min, max));
            }
        }
        Some(self.moments.max_ns())
    }

    /// As [`Self::quantile`], but `None` where fewer than 10 samples lie beyond.
    #[must_use]
    pub fn percentile(&self, milli_pct: u32) -> Option<u64> {
        let count = self.count();
        let beyond = count
            - if count == 0 {
                0
            } else {
                rank(count, milli_pct)
            };
        (beyond >= NEEDED_BEYOND)
            .then(|| self.quantile(milli_pct))
            .flatten()
    }
}

/// Nearest rank, from 1; a percentile of 0 is the first sample.
fn rank(count: u64, milli_pct: u32) -> u64 {
    let wanted = u128::from(count) * u128::from(milli_pct.min(100_000));
    (wanted.div_ceil(100_000) as u64).max(1)
}
