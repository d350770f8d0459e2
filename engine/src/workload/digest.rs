//! A fingerprint of what was asked, in order of issue.

use super::Direction;

/// A 64-bit fingerprint that two runs share if they issued the same I/Os in the
/// same order.
///
/// It starts at 0. Each I/O turns it left by 29 bits, takes in its message by
/// exclusive or, and multiplies it by 0x5bd1e995, modulo 2^64. The message is the
/// address of the first block, exclusive or 0x5bd1e995 times a number: twice the
/// blocks, plus one for a write.
///
/// Each step is a bijection of both what was there and what comes, so sequences
/// that differ in a single I/O never share a fingerprint. It is no protection
/// against intent.
#[derive(Clone, Debug)]
pub struct Digest {
    state: u64,
    keys: [u64; 2],
}

/// Odd, of 31 bits: one instruction takes it as it is.
const MULTIPLIER: u64 = 0x5bd1_e995;
const TURN: u32 = 29;

impl Digest {
    /// For I/Os of these lengths in blocks.
    #[must_use]
    pub fn new(read_blocks: u32, write_blocks: u32) -> Self {
        let key = |blocks: u32, direction: Direction| {
            (u64::from(blocks) << 1 | direction as u64).wrapping_mul(MULTIPLIER)
        };
        Self {
            state: 0,
            keys: [
                key(read_blocks, Direction::Read),
                key(write_blocks, Direction::Write),
            ],
        }
    }

    /// Adds one I/O by the address of its first block.
    #[inline]
    pub fn add(&mut self, direction: Direction, lba: u64) {
        let message = lba ^ self.keys[direction as usize & 1];
        self.state = (self.state.rotate_left(TURN) ^ message).wrapping_mul(MULTIPLIER);
    }

    /// Adds one I/O whose length is its own.
    #[inline]
    pub fn add_of(&mut self, direction: Direction, lba: u64, blocks: u32) {
        let key = (u64::from(blocks) << 1 | direction as u64).wrapping_mul(MULTIPLIER);
        self.state = (self.state.rotate_left(TURN) ^ lba ^ key).wrapping_mul(MULTIPLIER);
    }

    /// The fingerprint so far.
    #[must_use]
    pub const fn value(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn of(blocks: [u32; 2], ios: &[(bool, u64)]) -> u64 {
        let mut digest = Digest::new(blocks[0], blocks[1]);
        for &(write, lba) in ios {
            let direction = if write {
                Direction::Write
            } else {
                Direction::Read
            };
            digest.add(direction, lba);
        }
        digest.value()
    }

    #[test]
    fn two_reads_by_hand() {
        assert_eq!(of([8, 8], &[]), 0);
        let key = 16u64.wrapping_mul(MULTIPLIER);
        let first = (5 ^ key).wrapping_mul(MULTIPLIER);
        assert_eq!(of([8, 8], &[(false, 5)]), first);
        let second = first.rotate_left(29) ^ 9 ^ key;
        let second = second.wrapping_mul(MULTIPLIER);
        assert_eq!(of([8, 8], &[(false, 5), (false, 9)]), second);
    }

    #[test]
    fn direction_and_length_count() {
        assert_ne!(of([8, 8], &[(false, 5)]), of([8, 8], &[(true, 5)]));
        assert_ne!(of([8, 8], &[(false, 5)]), of([16, 8], &[(false, 5)]));
        assert_eq!(of([8, 8], &[(false, 5)]), of([8, 16], &[(false, 5)]));
    }

    proptest! {
        #[test]
        fn one_io_elsewhere_or_two_in_another_order_are_noticed(lbas in proptest::collection::vec(0u64..1 << 40, 2..20), at: usize, other in 0u64..1 << 40) {
            let ios: Vec<(bool, u64)> = lbas.iter().map(|lba| (false, *lba)).collect();
            let at = at % (ios.len() - 1);
            let mut moved = ios.clone();
            moved[at].1 = other;
            prop_assert_eq!(moved == ios, of([8, 8], &moved) == of([8, 8], &ios));
            let mut swapped = ios.clone();
            swapped.swap(at, at + 1);
            prop_assert_eq!(swapped == ios, of([8, 8], &swapped) == of([8, 8], &ios));
        }
    }
}
