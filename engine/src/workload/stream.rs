//! Positions of one direction.

use super::{Permutation, Rng};

/// In which order the blocks of a region are visited.
#[derive(Clone, Debug)]
pub enum Order {
    /// From the first to the last, then again.
    Sequential,
    /// Each once in random order, then anew (fio's default for random).
    Once,
    /// Independent draws (fio `norandommap`).
    Independent,
}

/// Yields block indices `0..blocks` for ever; a block is one I/O long.
#[derive(Clone, Debug)]
pub struct Stream {
    blocks: u64,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Sequential(u64),
    Once(Permutation),
    Independent(Rng),
}

impl Stream {
    /// Over `blocks` blocks, at least 1.
    #[must_use]
    pub fn new(order: &Order, blocks: u64, seed: u64) -> Self {
        let blocks = blocks.max(1);
        let source = match order {
            Order::Sequential => Source::Sequential(0),
            Order::Once => Source::Once(Permutation::new(blocks, seed)),
            Order::Independent => Source::Independent(Rng::new(seed)),
        };
        Self { blocks, source }
    }

    /// Blocks of the region.
    #[must_use]
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Whether a block can come again before all others came.
    #[must_use]
    pub const fn repeats_within_a_pass(&self) -> bool {
        matches!(self.source, Source::Independent(_))
    }

    /// The next block.
    #[inline]
    pub fn next_index(&mut self) -> u64 {
        match &mut self.source {
            Source::Once(permutation) => permutation.next_index(),
            _ => self.next_of_others(),
        }
    }

    /// Out of line, since these have instructions to spare.
    #[inline(never)]
    fn next_of_others(&mut self) -> u64 {
        match &mut self.source {
            Source::Once(permutation) => permutation.next_index(),
            Source::Sequential(next) => {
                let index = *next;
                *next = if index + 1 == self.blocks {
                    0
                } else {
                    index + 1
                };
                index
            }
            Source::Independent(rng) => rng.below(self.blocks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn sequential_wraps_at_the_end() {
        let mut stream = Stream::new(&Order::Sequential, 3, 9);
        let order: Vec<u64> = (0..7).map(|_| stream.next_index()).collect();
        assert_eq!(order, [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn one_block_is_always_the_same() {
        for order in [Order::Sequential, Order::Once, Order::Independent] {
            let mut stream = Stream::new(&order, 1, 9);
            assert_eq!([stream.next_index(), stream.next_index()], [0, 0]);
        }
    }

    #[test]
    fn independent_draws_cover_a_region_of_more_than_32_bits() {
        let blocks = 1 << 40;
        let mut stream = Stream::new(&Order::Independent, blocks, 9);
        let draws: Vec<u64> = (0..1000).map(|_| stream.next_index()).collect();
        let upper = draws.iter().filter(|index| **index >= blocks / 2).count();
        assert!((440..560).contains(&upper), "{upper}");
        assert!(draws.iter().all(|index| *index < blocks));
    }

    #[test]
    fn a_random_map_never_repeats_within_a_pass() {
        let mut stream = Stream::new(&Order::Once, 777, 9);
        let mut pass: Vec<u64> = (0..777).map(|_| stream.next_index()).collect();
        pass.sort_unstable();
        assert!(pass.into_iter().eq(0..777));
    }
}
