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
    /// I/Os until the next random position, and how many of them are left.
    run_ios: u32,
    run_left: u32,
    /// Those between go where the last one went.
    identical: bool,
    /// Blocks that are left out before an I/O that follows.
    hole_blocks: u64,
    /// Where the last I/O went, and where the next goes if it follows.
    last: u64,
    follows: u64,
}

/// How the next position comes about.
enum Step {
    Random,
    Same,
    Follow,
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
            run_ios: 1,
            run_left: 0,
            identical: false,
            hole_blocks: 0,
            last: 0,
            follows: 0,
        }
    }

    /// With fio's modifiers of `rw`: a new random position every `run_ios`, between
    /// which the position is `identical` or follows, or holes between all I/Os.
    #[must_use]
    pub fn with_steps(self, run_ios: u32, identical: bool, hole_blocks: u64) -> Self {
        Self {
            run_ios: run_ios.max(1),
            identical,
            hole_blocks,
            ..self
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
        let fits = self.follows + u64::from(blocks) <= self.region_blocks;
        let place = match self.next_step(fits) {
            Step::Same => Some(self.last),
            Step::Follow => None,
            Step::Random => self.next_unit().map(|unit| unit * self.unit_blocks),
        };
        let at = match place {
            Some(at) => {
                let room = self.region_blocks - at;
                if u64::from(blocks) > room {
                    blocks = (room / self.unit_blocks * self.unit_blocks) as u32;
                }
                at
            }
            None if fits => self.follows,
            None => 0,
        };
        self.last = at;
        self.follows = at + u64::from(blocks) + self.hole_blocks;
        (at, blocks)
    }

    /// Of a run, an I/O that does not fit goes to a random place, as in fio.
    fn next_step(&mut self, fits: bool) -> Step {
        if self.run_ios > 1 {
            let in_run = self.run_left > 0;
            self.run_left = if in_run { self.run_left } else { self.run_ios } - 1;
            return match (in_run, self.identical) {
                (true, true) => Step::Same,
                (true, false) if fits => Step::Follow,
                _ => Step::Random,
            };
        }
        let random = self.random_pct >= 100
            || self.random_pct > 0 && self.rng.below(100) < u64::from(self.random_pct);
        match random {
            true => Step::Random,
            false => Step::Follow,
        }
    }

    /// A random place; `None` where all places follow.
    fn next_unit(&mut self) -> Option<u64> {
        match &mut self.places {
            Places::Sequential => None,
            Places::Stream(stream) => Some(stream.next_index()),
            Places::Skewed { skew, scatter, rng } => Some(scatter.block_of(skew.next_rank(rng))),
        }
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

    #[test]
    fn a_run_follows_or_stays_until_the_next_random_place() {
        let random = Stream::new(&Order::Once, 125, 5);
        let firsts: Vec<u64> = {
            let mut stream = random.clone();
            (0..10).map(|_| stream.next_index() * 8).collect()
        };
        let course = |identical| {
            let places = Places::Stream(random.clone());
            Course::new(1000, places, Lengths::Fixed(8), 100, 1).with_steps(4, identical, 0)
        };
        let same: Vec<u64> = draw(&mut course(true), 40)
            .into_iter()
            .map(|io| io.0)
            .collect();
        let expected = firsts.iter().flat_map(|&first| [first; 4]);
        assert_eq!(same, expected.collect::<Vec<u64>>());
        let runs = draw(&mut course(false), 4);
        let first = firsts[0];
        assert!(first + 32 <= 1000, "the first run fits");
        let expected = [0, 8, 16, 24].map(|further| (first + further, 8));
        assert_eq!(runs, expected);
        // At the end of the region, a run goes on elsewhere.
        for (at, blocks) in draw(&mut course(false), 400) {
            assert!(at + u64::from(blocks) <= 1000 && blocks == 8);
        }
    }

    #[test]
    fn holes_are_left_out() {
        let mut course =
            Course::new(40, Places::Sequential, Lengths::Fixed(8), 100, 1).with_steps(1, false, 4);
        assert_eq!(
            draw(&mut course, 5),
            [(0, 8), (12, 8), (24, 8), (0, 8), (12, 8)]
        );
    }
}
