//! Random ranks that favour some blocks: Zipf, Pareto and normal distributions.
//!
//! What is drawn is a rank; [`Scatter`] says which block has it, so that
//! favourites lie all over the region, as with fio.

use super::Rng;
use libm::{ceil, exp, floor, log, pow};

/// 2^-53: one step of a uniform number.
const STEP: f64 = 1.0 / (1u64 << 53) as f64;

/// Uniform over the open interval from 0 to 1.
pub(super) fn unit(rng: &mut Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * STEP
}

/// Draws ranks `0..len`.
#[derive(Clone, Debug)]
pub enum Skew {
    /// Zipf's law.
    Zipf(Zipf),
    /// Pareto's law: `len * u^power` of a uniform u.
    Pareto {
        /// Number of ranks.
        len: u64,
        /// `ln h / ln (1 - h)` of the share h.
        power: f64,
    },
    /// A normal distribution about the middle rank.
    Normal {
        /// Number of ranks.
        len: u64,
        /// Standard deviation in ranks.
        deviation: f64,
    },
}

impl Skew {
    /// The k-th rank comes `1 / k^theta` as often as the first; `theta` above 0.
    #[must_use]
    pub fn zipf(len: u64, theta: f64) -> Self {
        Self::Zipf(Zipf::new(len, theta))
    }

    /// The first `share` of the ranks, between 0 and 1, get the rest of the draws.
    #[must_use]
    pub fn pareto(len: u64, share: f64) -> Self {
        Self::Pareto {
            len,
            power: log(share) / log(1.0 - share),
        }
    }

    /// Ranks lie about the middle with a deviation of `pct` per cent of them all.
    #[must_use]
    pub fn normal(len: u64, pct: f64) -> Self {
        Self::Normal {
            len,
            deviation: len as f64 * pct / 100.0,
        }
    }

    /// The next rank.
    pub fn next_rank(&self, rng: &mut Rng) -> u64 {
        match self {
            Self::Zipf(zipf) => zipf.next_rank(rng),
            Self::Pareto { len, power } => {
                let rank = floor(*len as f64 * pow(unit(rng), *power)) as u64;
                rank.min(len - 1)
            }
            Self::Normal { len, deviation } => loop {
                // Box and Muller (1958), one of the pair.
                let radius = libm::sqrt(-2.0 * log(unit(rng)));
                let angle = libm::cos(core::f64::consts::TAU * unit(rng));
                let rank = *len as f64 / 2.0 + radius * angle * deviation;
                if (0.0..*len as f64).contains(&rank) {
                    return (rank as u64).min(len - 1);
                }
            },
        }
    }
}

/// Zipf's law over any number of ranks without a table, by rejection-inversion
/// (Hörmann and Derflinger, ACM TOMACS 6, 1996).
#[derive(Clone, Debug)]
pub struct Zipf {
    ranks: u64,
    len: f64,
    theta: f64,
    /// Integral of the density up to the first and beyond the last rank.
    first: f64,
    last: f64,
    /// Draws this near to their rank are taken without a look at the density.
    sure: f64,
}

impl Zipf {
    fn new(len: u64, theta: f64) -> Self {
        let mut zipf = Self {
            ranks: len.max(1),
            len: len.max(1) as f64,
            theta,
            first: 0.0,
            last: 0.0,
            sure: 0.0,
        };
        zipf.first = zipf.integral(1.5) - 1.0;
        zipf.last = zipf.integral(zipf.len + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - pow(2.0, -theta));
        zipf
    }

    /// Integral of `x^-theta` from 1.
    fn integral(&self, x: f64) -> f64 {
        let power = 1.0 - self.theta;
        if power.abs() < 1e-9 {
            log(x)
        } else {
            (pow(x, power) - 1.0) / power
        }
    }

    fn inverse(&self, y: f64) -> f64 {
        let power = 1.0 - self.theta;
        if power.abs() < 1e-9 {
            exp(y)
        } else {
            pow((1.0 + y * power).max(0.0), 1.0 / power)
        }
    }

    fn next_rank(&self, rng: &mut Rng) -> u64 {
        loop {
            let y = self.last + unit(rng) * (self.first - self.last);
            let x = self.inverse(y);
            // Not `clamp`, whose message shows its bounds: 14 KiB to write a float.
            let rank = ceil(x - 0.5).max(1.0).min(self.len);
            let density = pow(rank, -self.theta);
            if rank - x <= self.sure || y >= self.integral(rank + 0.5) - density {
                return (rank as u64 - 1).min(self.ranks - 1);
            }
        }
    }
}

/// Which block has a rank: a keyed bijection of `0..len`.
#[derive(Clone, Debug)]
pub struct Scatter {
    len: u64,
    mask: u64,
    shift: u32,
    multipliers: [u64; 2],
    offset: u64,
}

impl Scatter {
    /// Over `0..len`, `len` at least 1.
    #[must_use]
    pub fn new(len: u64, seed: u64) -> Self {
        let len = len.max(1);
        let bits = match len {
            1 => 1,
            _ => (len - 1).ilog2() + 1,
        };
        let mut keys = Rng::new(seed);
        Self {
            len,
            mask: u64::MAX >> (64 - bits),
            shift: bits.div_ceil(2),
            multipliers: [keys.next_u64() | 1, keys.next_u64() | 1],
            offset: keys.next_u64(),
        }
    }

    /// The block of a rank below `len`. Values beyond the end go round again, which
    /// keeps it a bijection.
    #[must_use]
    pub fn block_of(&self, rank: u64) -> u64 {
        let mut value = rank;
        loop {
            value = value.wrapping_add(self.offset) & self.mask;
            for multiplier in self.multipliers {
                value = value.wrapping_mul(multiplier) & self.mask;
                value ^= value >> self.shift;
            }
            if value < self.len {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rng;
    use super::*;
    use proptest::prelude::*;
    use std::vec;
    use std::vec::Vec;

    fn counts(skew: &Skew, len: usize, draws: usize) -> Vec<f64> {
        let mut rng = Rng::new(11);
        let mut counts = vec![0u64; len];
        for _ in 0..draws {
            counts[skew.next_rank(&mut rng) as usize] += 1;
        }
        counts
            .iter()
            .map(|&count| count as f64 / draws as f64)
            .collect()
    }

    #[test]
    fn zipf_meets_its_law() {
        for theta in [0.5, 1.0, 1.2, 2.5] {
            let shares = counts(&Skew::zipf(100, theta), 100, 200_000);
            let whole: f64 = (1..=100).map(|rank| f64::from(rank).powf(-theta)).sum();
            for rank in [1u32, 2, 3, 10, 50] {
                let expected = f64::from(rank).powf(-theta) / whole;
                let found = shares[rank as usize - 1];
                let tolerance = 5.0 * (expected / 200_000.0).sqrt();
                assert!(
                    (found - expected).abs() < tolerance,
                    "{theta} {rank}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn pareto_gives_a_share_of_the_blocks_the_rest_of_the_ios() {
        let shares = counts(&Skew::pareto(1000, 0.2), 1000, 100_000);
        let upper: f64 = shares[..200].iter().sum();
        assert!((upper - 0.8).abs() < 0.01, "{upper}");
    }

    #[test]
    fn normal_has_two_thirds_within_one_deviation() {
        let shares = counts(&Skew::normal(1000, 10.0), 1000, 100_000);
        let within: f64 = shares[400..600].iter().sum();
        assert!((within - 0.6827).abs() < 0.01, "{within}");
        assert!(shares[..10].iter().sum::<f64>() < 0.001);
    }

    #[test]
    fn a_region_of_20_tib_in_blocks_of_4k_is_no_trouble() {
        let len = 20 << 28;
        for skew in [
            Skew::zipf(len, 1.1),
            Skew::pareto(len, 0.3),
            Skew::normal(len, 25.0),
        ] {
            let mut rng = Rng::new(1);
            assert!((0..10_000).all(|_| skew.next_rank(&mut rng) < len));
        }
    }

    proptest! {
        #[test]
        fn every_rank_has_its_own_block(len in 1u64..2000, seed: u64) {
            let scatter = Scatter::new(len, seed);
            let mut blocks: Vec<u64> = (0..len).map(|rank| scatter.block_of(rank)).collect();
            blocks.sort_unstable();
            prop_assert!(blocks.into_iter().eq(0..len));
        }

        #[test]
        fn ranks_stay_in_range(len in 1u64.., theta in 0.01f64..50.0, seed: u64) {
            let mut rng = Rng::new(seed);
            let len = len >> 1 | 1;
            prop_assert!(Skew::zipf(len, theta).next_rank(&mut rng) < len);
            prop_assert!(Skew::pareto(len, (theta / 51.0).min(0.99)).next_rank(&mut rng) < len);
            prop_assert!(Skew::normal(len, theta).next_rank(&mut rng) < len);
        }
    }
}
