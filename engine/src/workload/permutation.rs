//! Random order without repeats, without a map of what was visited.

use super::Rng;

/// Visits `0..len` in a keyed random order, each once, then anew in another order.
///
/// A Weyl sequence runs over the next power of two and goes through a bijection of
/// that many bits (a xor-shift and an odd multiplier), everything by key;
/// results beyond `len` are skipped, fewer than one for each that is used on
/// average.
#[derive(Clone, Debug)]
pub struct Permutation {
    len: u64,
    mask: u64,
    /// Odd, so that the sequence visits every value once.
    step: u64,
    multiplier: u64,
    shift: u32,
    /// Of this pass.
    first: u64,
    position: u64,
    keys: Rng,
}

impl Permutation {
    /// Over `0..len`, `len` at least 1.
    #[must_use]
    pub fn new(len: u64, seed: u64) -> Self {
        let len = len.max(1);
        let bits = match len {
            1 => 0,
            _ => (len - 1).ilog2() + 1,
        };
        let mut permutation = Self {
            len,
            mask: if bits == 64 {
                u64::MAX
            } else {
                (1 << bits) - 1
            },
            step: 1,
            multiplier: 1,
            shift: (bits / 2).max(1),
            first: 0,
            position: 0,
            keys: Rng::new(seed),
        };
        permutation.rekey();
        permutation
    }

    /// The next position.
    #[inline]
    pub fn next_index(&mut self) -> u64 {
        loop {
            let index = self.scramble(self.position);
            self.position = self.position.wrapping_add(self.step) & self.mask;
            if self.position == self.first {
                self.rekey();
            }
            if index < self.len {
                return index;
            }
        }
    }

    #[inline]
    fn scramble(&self, value: u64) -> u64 {
        let folded = value ^ value >> self.shift;
        folded.wrapping_mul(self.multiplier) & self.mask
    }

    #[cold]
    fn rekey(&mut self) {
        self.step = self.keys.next_u64() & self.mask | 1;
        self.multiplier = self.keys.next_u64() | 1;
        self.first = self.keys.next_u64() & self.mask;
        self.position = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn pass(permutation: &mut Permutation, len: u64) -> Vec<u64> {
        (0..len).map(|_| permutation.next_index()).collect()
    }

    #[test]
    fn neighbours_in_time_are_far_apart_on_the_disk() {
        let len = 1 << 16;
        let order = pass(&mut Permutation::new(len, 1), len);
        let mean_step = order
            .windows(2)
            .map(|pair| pair[0].abs_diff(pair[1]))
            .sum::<u64>()
            / (len - 1);
        // A uniform order has a third of the length.
        assert!(
            (len * 30 / 100..len * 37 / 100).contains(&mean_step),
            "{mean_step}"
        );
        let rising = order.windows(2).filter(|pair| pair[0] < pair[1]).count() as u64;
        assert!(
            (len * 48 / 100..len * 52 / 100).contains(&rising),
            "{rising}"
        );
    }

    #[test]
    fn the_widest_range_has_no_overflow() {
        let mut permutation = Permutation::new(u64::MAX, 5);
        assert_ne!(permutation.next_index(), permutation.next_index());
    }

    proptest! {
        #[test]
        fn each_pass_visits_every_position_once(len in 1u64..3000, seed in any::<u64>()) {
            let mut permutation = Permutation::new(len, seed);
            for _ in 0..3 {
                let mut order = pass(&mut permutation, len);
                order.sort_unstable();
                prop_assert!(order.iter().copied().eq(0..len));
            }
        }

        #[test]
        fn passes_and_seeds_differ(seed in any::<u64>()) {
            let mut permutation = Permutation::new(1000, seed);
            let first = pass(&mut permutation, 1000);
            prop_assert_ne!(&first, &pass(&mut permutation, 1000));
            prop_assert_eq!(&first, &pass(&mut Permutation::new(1000, seed), 1000));
            prop_assert_ne!(&first, &pass(&mut Permutation::new(1000, seed ^ 1), 1000));
        }
    }
}
