//! Which I/O is a read and which a write.

use super::{Direction, Rng};

/// A mix with a fixed share of reads: random order within each hundred, but
/// exactly the asked number of reads in it, so that the share is met at any
/// length and 0 and 100 per cent never send the other kind.
#[derive(Clone, Debug)]
pub struct Mix {
    rng: Rng,
    read_pct: u8,
    reads_left: u32,
    left: u32,
}

impl Mix {
    /// `read_pct` above 100 is taken as 100.
    #[must_use]
    pub const fn new(read_pct: u8, seed: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            read_pct: if read_pct > 100 { 100 } else { read_pct },
            reads_left: 0,
            left: 0,
        }
    }

    /// Whether reads and whether writes ever come.
    #[must_use]
    pub const fn directions(&self) -> [bool; 2] {
        [self.read_pct > 0, self.read_pct < 100]
    }

    /// The direction that [`next_direction`](Self::next_direction) will give.
    #[must_use]
    pub fn peek(&self) -> Direction {
        match self.directions() {
            [true, false] => Direction::Read,
            [false, true] => Direction::Write,
            _ => self.clone().next_direction(),
        }
    }

    /// Direction of the next I/O.
    #[inline]
    pub fn next_direction(&mut self) -> Direction {
        if self.left == 0 {
            self.left = 100;
            self.reads_left = u32::from(self.read_pct);
        }
        // Selection sampling: each remaining place is a read with the chance
        // that the remaining reads have among them.
        let draw = ((self.rng.next_u64() >> 32) * u64::from(self.left)) >> 32;
        let read = draw < u64::from(self.reads_left);
        self.left -= 1;
        self.reads_left -= u32::from(read);
        if read {
            Direction::Read
        } else {
            Direction::Write
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(pct: u8, ios: u32) -> u32 {
        let mut mix = Mix::new(pct, 42);
        (0..ios)
            .filter(|_| mix.next_direction() == Direction::Read)
            .count() as u32
    }

    #[test]
    fn the_share_is_exact_in_each_hundred() {
        for pct in [0u8, 1, 30, 50, 70, 99, 100] {
            assert_eq!(reads(pct, 100), u32::from(pct));
            assert_eq!(reads(pct, 100_000), u32::from(pct) * 1000);
        }
    }

    #[test]
    fn the_order_within_a_hundred_is_not_a_pattern() {
        let mut mix = Mix::new(50, 42);
        let mut longest = 0;
        let mut run = 0;
        let mut before = Direction::Read;
        for _ in 0..10_000 {
            let now = mix.next_direction();
            run = if now == before { run + 1 } else { 1 };
            before = now;
            longest = longest.max(run);
        }
        // Strict alternation would give 1; ten thousand coin tosses give about 13.
        assert!((8..25).contains(&longest), "{longest}");
    }
}
