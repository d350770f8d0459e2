//! Sums that give min, max, mean and deviation exactly.

/// Running sums over samples in ns. 128 bits hold the squares of 2^64 samples
/// of a minute each, so nothing is rounded before the last step.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    sum_ns: u128,
    sum_ns2: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Moments {
    /// No samples.
    pub const EMPTY: Self = Self {
        sum_ns: 0,
        sum_ns2: 0,
        min_ns: u64::MAX,
        max_ns: 0,
    };

    /// Adds one sample.
    #[inline]
    pub fn add(&mut self, ns: u64) {
        self.sum_ns += u128::from(ns);
        self.sum_ns2 = self.sum_ns2.wrapping_add(u128::from(ns) * u128::from(ns));
        // A new extreme is rare, so a branch is cheaper than two selections.
        if ns < self.min_ns {
            self.lower_min(ns);
        }
        if ns > self.max_ns {
            self.raise_max(ns);
        }
    }

    #[cold]
    fn lower_min(&mut self, ns: u64) {
        self.min_ns = ns;
    }

    #[cold]
    fn raise_max(&mut self, ns: u64) {
        self.max_ns = ns;
    }

    /// Adds the samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.sum_ns += other.sum_ns;
        self.sum_ns2 = self.sum_ns2.wrapping_add(other.sum_ns2);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Smallest; `u64::MAX` without samples.
    #[must_use]
    pub const fn min_ns(&self) -> u64 {
        self.min_ns
    }

    /// Largest; 0 without samples.
    #[must_use]
    pub const fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Mean of `count` samples.
    #[must_use]
    pub fn mean(&self, count: u64) -> Option<f64> {
        (count > 0).then(|| self.sum_ns as f64 / count as f64)
    }

    /// Population standard deviation of `count` samples: the root of
    /// `(n * sum of squares - square of the sum) / n^2`, whose numerator is an
    /// exact integer as long as it fits, so that near values do not cancel.
    #[must_use]
    pub fn stddev(&self, count: u64) -> Option<f64> {
        if count == 0 {
            return None;
        }
        let n = u128::from(count);
        let exact = n
            .checked_mul(self.sum_ns2)
            .zip(self.sum_ns.checked_mul(self.sum_ns))
            .map(|(left, right)| left.saturating_sub(right) as f64 / (count as f64 * count as f64));
        let variance = exact.unwrap_or_else(|| self.variance_about_mean(n));
        Some(sqrt(variance))
    }

    /// Where n * sum2 needs more than 128 bits: sums about the integer mean m,
    /// `sum2 - 2 m sum + n m^2`, which are smaller by the squared mean.
    fn variance_about_mean(&self, n: u128) -> f64 {
        let mean = self.sum_ns / n;
        let rest = self.sum_ns - mean * n;
        // sum2 - 2 m (m n + r) + n m^2 = sum2 - n m^2 - 2 m r
        let about = self
            .sum_ns2
            .saturating_sub(n * mean * mean)
            .saturating_sub(2 * mean * rest);
        let shift = rest as f64 / n as f64;
        (about as f64 / n as f64 - shift * shift).max(0.0)
    }
}

/// Square root by Newton's method: `core` has none for floats.
fn sqrt(value: f64) -> f64 {
    if value.is_nan() || value <= 0.0 {
        return 0.0;
    }
    // Halving the exponent is a first guess within a factor of two.
    let mut root = f64::from_bits((value.to_bits() >> 1) + (1023 << 51));
    for _ in 0..6 {
        root = 0.5 * (root + value / root);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(samples: &[u64]) -> Moments {
        let mut moments = Moments::EMPTY;
        for &sample in samples {
            moments.add(sample);
        }
        moments
    }

    #[test]
    fn a_small_set_by_hand() {
        let moments = of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!(moments.mean(8), Some(5.0));
        assert_eq!(moments.stddev(8), Some(2.0));
        assert_eq!((moments.min_ns(), moments.max_ns()), (2, 9));
    }

    #[test]
    fn equal_long_samples_have_no_deviation() {
        let moments = of(&[30_000_000_001; 1000]);
        assert_eq!(moments.stddev(1000), Some(0.0));
        assert_eq!(moments.mean(1000), Some(30_000_000_001.0));
    }

    #[test]
    fn sums_beyond_128_bits_still_give_a_deviation() {
        // 2^40 samples, half 10^11 ns, half 10^11 + 2000 ns: deviation 1000.
        let half = 1u128 << 39;
        let (a, b) = (100_000_000_000u128, 100_000_002_000u128);
        let moments = Moments {
            sum_ns: half * (a + b),
            sum_ns2: half * (a * a + b * b),
            min_ns: a as u64,
            max_ns: b as u64,
        };
        assert_eq!(moments.stddev(1 << 40), Some(1000.0));
    }

    proptest! {
        #[test]
        fn root_squared_is_the_value(value in 1e-6f64..1e30) {
            let root = sqrt(value);
            prop_assert!((root * root / value - 1.0).abs() < 1e-14);
        }

        #[test]
        fn both_ways_to_the_variance_agree(samples in proptest::collection::vec(1u64..1 << 40, 1..50)) {
            let moments = of(&samples);
            let n = samples.len() as u64;
            let exact = moments.stddev(n).unwrap();
            let other = sqrt(moments.variance_about_mean(u128::from(n)));
            prop_assert!((exact - other).abs() <= 1e-6 * exact.max(1.0));
        }
    }
}
