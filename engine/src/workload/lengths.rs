//! How long each I/O is.

use super::Rng;
use alloc::vec::Vec;

/// Yields lengths in logical blocks.
#[derive(Clone, Debug)]
pub enum Lengths {
    /// All the same.
    Fixed(u32),
    /// Several with their shares (fio `bssplit`).
    Split(Split),
}

/// Lengths by shares: in random order within each hundred, but exactly the asked
/// number of each in it.
#[derive(Clone, Debug)]
pub struct Split {
    /// Blocks, share, and how many of it are left in this hundred.
    parts: Vec<(u32, u8, u8)>,
    left: u32,
    rng: Rng,
}

impl Lengths {
    /// By pairs of blocks and per cent, which make 100.
    #[must_use]
    pub fn split(parts: &[(u32, u8)], seed: u64) -> Self {
        Self::Split(Split {
            parts: parts
                .iter()
                .map(|&(blocks, pct)| (blocks, pct, 0))
                .collect(),
            left: 0,
            rng: Rng::new(seed),
        })
    }

    /// The longest.
    #[must_use]
    pub fn longest_blocks(&self) -> u32 {
        match self {
            Self::Fixed(blocks) => *blocks,
            Self::Split(split) => split.extreme(|a, b| a.max(b)),
        }
    }

    /// The shortest.
    #[must_use]
    pub fn shortest_blocks(&self) -> u32 {
        match self {
            Self::Fixed(blocks) => *blocks,
            Self::Split(split) => split.extreme(|a, b| a.min(b)),
        }
    }

    /// The next.
    #[inline]
    pub fn next_blocks(&mut self) -> u32 {
        match self {
            Self::Fixed(blocks) => *blocks,
            Self::Split(split) => split.next_blocks(),
        }
    }
}

impl Split {
    fn extreme(&self, pick: fn(u32, u32) -> u32) -> u32 {
        let lengths = self.parts.iter().map(|part| part.0);
        lengths.reduce(pick).unwrap_or(1)
    }

    fn next_blocks(&mut self) -> u32 {
        if self.left == 0 {
            for part in &mut self.parts {
                part.2 = part.1;
                self.left += u32::from(part.1);
            }
        }
        let mut draw = self.rng.below(u64::from(self.left)) as u32;
        self.left = self.left.saturating_sub(1);
        for part in &mut self.parts {
            if draw < u32::from(part.2) {
                part.2 -= 1;
                return part.0;
            }
            draw -= u32::from(part.2);
        }
        self.parts.first().map_or(1, |part| part.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_in_each_hundred() {
        let mut lengths = Lengths::split(&[(8, 10), (128, 50), (64, 40)], 3);
        assert_eq!(
            (lengths.shortest_blocks(), lengths.longest_blocks()),
            (8, 128)
        );
        for _ in 0..3 {
            let drawn: Vec<u32> = (0..100).map(|_| lengths.next_blocks()).collect();
            let of = |blocks| drawn.iter().filter(|&&one| one == blocks).count();
            assert_eq!((of(8), of(128), of(64)), (10, 50, 40));
            assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]));
        }
    }

    #[test]
    fn one_length_is_always_that() {
        let mut lengths = Lengths::Fixed(7);
        assert_eq!([lengths.next_blocks(), lengths.next_blocks()], [7, 7]);
    }
}
