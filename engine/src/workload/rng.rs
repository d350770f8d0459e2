//! Pseudo-random numbers: fast, seeded, good enough for positions.

/// wyrand (Wang Yi, public domain): one 128-bit product per number.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Starts from a seed; any seed is as good as any other.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number, uniform over 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0xa076_1d64_78bd_642f);
        let product = u128::from(self.state) * u128::from(self.state ^ 0xe703_7ed1_a0b4_28db);
        (product >> 64) as u64 ^ product as u64
    }

    /// Uniform over `0..bound`, without modulo bias (Lemire 2019); 0 for a bound of 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            product = self.reject(product, bound);
        }
        (product >> 64) as u64
    }

    #[cold]
    fn reject(&mut self, mut product: u128, bound: u64) -> u128 {
        if bound > 0 {
            let unfair = bound.wrapping_neg() % bound;
            while (product as u64) < unfair {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_another_differs() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            [rng.next_u64(), rng.next_u64(), rng.next_u64()]
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_ne!(draw(0)[0], draw(0)[1]);
    }

    #[test]
    fn a_bound_near_two_thirds_of_the_range_is_uniform() {
        // With a plain modulo the lower third would be drawn twice as often.
        let bound = (1u64 << 63) + (1 << 62);
        let mut rng = Rng::new(7);
        let mut thirds = [0u32; 3];
        for _ in 0..30_000 {
            let value = rng.below(bound);
            assert!(value < bound);
            thirds[(value / (1 << 62)) as usize] += 1;
        }
        for third in thirds {
            assert!((9_600..10_400).contains(&third), "{thirds:?}");
        }
    }

    #[test]
    fn small_bounds() {
        let mut rng = Rng::new(3);
        assert_eq!(rng.below(1), 0);
        assert_eq!(rng.below(0), 0);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[rng.below(5) as usize] = true;
        }
        assert_eq!(seen, [true; 5]);
    }
}
