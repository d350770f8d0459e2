//! Random positions, as cheaply as they can be had.

/// Marsaglia's xorshift64, scaled to blocks by a multiplication.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    state: u64,
    slots: u64,
    shift: u32,
}

impl Positions {
    /// Positions of transfers of `1 << transfer_shift` blocks on a disk of
    /// `blocks` blocks, each aligned to its size. Only the first 2^32 blocks are
    /// used: a 10-byte CDB reaches no further.
    ///
    /// # Panics
    /// If the disk is smaller than one transfer.
    #[must_use]
    pub fn new(blocks: u64, transfer_shift: u32) -> Self {
        let slots = blocks.min(1 << 32) >> transfer_shift;
        assert!(slots > 0, "the disk is smaller than one transfer");
        Self {
            state: 0x9e37_79b9_7f4a_7c15,
            slots,
            shift: transfer_shift,
        }
    }

    /// First block of the next transfer.
    #[inline(always)]
    #[must_use]
    pub fn next_lba(&mut self) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((((self.state >> 32) * self.slots) >> 32) << self.shift) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_aligned_inside_and_spread() {
        let mut positions = Positions::new(1003, 3);
        let mut seen = [false; 125];
        for _ in 0..10_000 {
            let lba = positions.next_lba();
            assert_eq!(lba % 8, 0);
            seen[lba as usize / 8] = true;
        }
        assert_eq!(seen, [true; 125]);
    }

    #[test]
    fn a_disk_beyond_32_bits_of_blocks_is_used_up_to_there() {
        let mut positions = Positions::new(1 << 40, 3);
        let highest = (0..10_000).map(|_| positions.next_lba()).max();
        assert!(highest > Some(0xff00_0000));
    }
}
