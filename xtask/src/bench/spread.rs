//! Repeated measurements of one figure.

use serde::Serialize;

/// The samples of one figure, in the order they were taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Median; of an even number of samples the mean of the middle two.
    pub median: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// All of them.
    pub samples: Vec<f64>,
}

impl Spread {
    /// The spread of `samples`; `None` if there are none.
    #[must_use]
    pub fn of(samples: Vec<f64>) -> Option<Self> {
        let mut sorted = samples.clone();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        Some(Self {
            median,
            min,
            max,
            samples,
        })
    }

    /// The spread of a figure that was taken once or does not vary.
    #[must_use]
    pub fn single(value: f64) -> Self {
        Self {
            median: value,
            min: value,
            max: value,
            samples: vec![value],
        }
    }

    /// The spread of the quotients of two interleaved series, pair by pair: what
    /// disturbs the machine for long disturbs both halves of a pair.
    #[must_use]
    pub fn of_ratios(numerators: &[f64], denominators: &[f64]) -> Option<Self> {
        let pairs = numerators.iter().zip(denominators);
        Self::of(pairs.map(|(above, below)| above / below).collect())
    }

    /// Half the range over the median: how far the samples are apart.
    #[must_use]
    pub fn relative_half_range(&self) -> f64 {
        (self.max - self.min) / 2.0 / self.median
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_odd_and_even_numbers_of_samples() {
        let odd = Spread::of(vec![3.0, 1.0, 9.0]).unwrap();
        assert_eq!((odd.median, odd.min, odd.max), (3.0, 1.0, 9.0));
        assert_eq!(odd.samples, [3.0, 1.0, 9.0]);
        let even = Spread::of(vec![4.0, 1.0, 9.0, 2.0]).unwrap();
        assert_eq!((even.median, even.min, even.max), (3.0, 1.0, 9.0));
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn ratios_are_taken_pair_by_pair() {
        let ratios = Spread::of_ratios(&[10.0, 40.0, 9.0], &[10.0, 50.0, 10.0]).unwrap();
        assert_eq!(ratios.samples, [1.0, 0.8, 0.9]);
        assert_eq!(ratios.median, 0.9);
    }

    #[test]
    fn the_range_is_relative_to_the_median() {
        let spread = Spread::of(vec![99.0, 100.0, 101.0]).unwrap();
        assert_eq!(spread.relative_half_range(), 0.01);
    }
}
