//! Where the I/Os of one direction of one job go, and how long they are.

use super::{Lengths, Rng, Scatter, Skew, Stream};

/// How positions are chosen.
#[derive(Clone, Debug)]
pub enum Places {
    /// Each follows the one before; from the end on it starts over.
    Sequential,
    /// By a stream over units as long as the shortest I/O.
    Stream(Stream),
    /// By ranks of which some are favoured, over such units.
    Skewed {
        /// Draws ranks.
        skew: Skew,
        /// Says where they are.
        scatter: Scatter,
        /// Chance.
        rng: Rng,
    },
}

/// Positions and lengths in logical blocks, counted from the start of a region.
#[derive(Clone, Debug)]
pub struct Course {
    region_blocks: u64,
    places: Places,
    lengths: Lengths,
    unit_blocks: u64,
    /// Share of random positions in per cent, and its chance.
    random_pct: u8,
    rng: Rng,
    /// Where the next I/O goes if it follows.
    follows: u64,
}

impl Course {
    /// Over a region that holds at least the longest I/O. Of a random course,
    /// `random_pct` per cent go to random positions, and the others follow the one
    /// before.
    #[must_use]
    pub fn new(
        region_blocks: u64,
        places: Places,
        lengths: Lengths,
        random_pct: u8,
        seed: u64,
    ) -> Self {
        Self {
            region_blocks,
            unit_blocks: u64::from(lengths.shortest_blocks().max(1)),
            places,
            lengths,
            random_pct,
            rng: Rng::new(seed),
            follows: 0,
        }
    }

    /// Longest I/O in blocks.
    #[must_use]
    pub fn longest_blocks(&self) -> u32 {
        self.lengths.longest_blocks()
    }

    /// The next first block and length. One that would reach beyond the region is
    /// shortened if its place is random, and starts over if it follows.
    #[inline]
    pub fn next_extent(&mut self) -> (u64, u32) {
        let mut blocks = self.lengths.next_blocks();
        let random = self.random_pct >= 100
            || self.random_pct > 0 && self.rng.below(100) < u64::from(self.random_pct);
        let index = match &mut self.places {
            Places::Stream(stream) if random => Some(stream.next_index()),
            Places::Skewed { skew, scatter, rng } if random => {
                Some(scatter.block_of(skew.next_rank(rng)))
            }
            _ => None,
        };
        let at = match index {
            Some(index) => {
                let at = index * self.unit_blocks;
                let room = self.region_blocks - at;
                if u64::from(blocks) > room {
                    blocks = (room / self.unit_blocks * self.unit_blocks) as u32;
                }
                at
            }
            None if self.follows + u64::from(blocks) > self.region_blocks => 0,
            None => self.follows,
        };
        self.follows = at + u64::from(blocks);
        (at, blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Order;
    use super::*;
    use std::vec::Vec;

    fn draw(course: &mut Course, ios: usize) -> Vec<(u64, u32)> {
        (0..ios).map(|_| course.next_extent()).collect()
    }

    #[test]
    fn what_follows_starts_over_where_it_does_not_fit() {
        let mut course = Course::new(20, Places::Sequential, Lengths::Fixed(8), 100, 1);
        assert_eq!(draw(&mut course, 4), [(0, 8), (8, 8), (0, 8), (8, 8)]);
    }

    #[test]
    fn split_lengths_follow_one_another() {
        let lengths = Lengths::split(&[(1, 50), (4, 50)], 1);
        let mut course = Course::new(64, Places::Sequential, lengths, 100, 1);
        let mut at = 0;
        for (lba, blocks) in draw(&mut course, 200) {
            assert!(lba == at || lba == 0 && at + u64::from(blocks) > 64);
            at = lba + u64::from(blocks);
            assert!(at <= 64);
        }
    }

    #[test]
    fn random_places_are_multiples_of_the_shortest_and_end_with_the_region() {
        let lengths = Lengths::split(&[(8, 50), (64, 50)], 1);
        let stream = Stream::new(&Order::Once, 125, 5);
        let mut course = Course::new(1000, Places::Stream(stream), lengths, 100, 1);
        for (lba, blocks) in draw(&mut course, 1000) {
            assert_eq!(lba % 8, 0);
            assert!(blocks > 0 && lba + u64::from(blocks) <= 1000);
        }
    }

    #[test]
    fn a_share_of_the_places_follows() {
        let stream = Stream::new(&Order::Independent, 1 << 40, 5);
        let course = |pct| {
            let places = Places::Stream(stream.clone());
            Course::new(8 << 40, places, Lengths::Fixed(8), pct, 9)
        };
        let following = |pct| {
            let drawn = draw(&mut course(pct), 10_000);
            drawn
                .windows(2)
                .filter(|pair| pair[0].0 + 8 == pair[1].0)
                .count()
        };
        assert_eq!((following(100), following(0)), (0, 9_999));
        assert!((6_800..7_200).contains(&following(30)), "{}", following(30));
    }
}
