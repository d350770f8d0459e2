//! What writes carry.

use super::state::Row;
use crate::workload::Rng;
use alloc::vec::Vec;
use drivers::block::{BufferId, Controller};
use proto::pattern::{FILLER, KEY_BYTES, UNIT_BYTES};

/// Contents of write buffers.
#[derive(Clone, Debug, Default)]
pub enum Data {
    /// The pattern that is keyed by position: [`proto::pattern`].
    #[default]
    Keyed,
    /// Zeros.
    Zero,
    /// These bytes over and over, from the start of each I/O.
    Repeat(Vec<u8>),
    /// Keys, random bytes, and then zeros, in every unit.
    Random {
        /// Zero bytes at the end of each unit.
        zero_bytes: usize,
        /// New ones for each write.
        refill: bool,
        /// Chance.
        rng: Rng,
    },
}

impl Data {
    /// Whether each unit says where it belongs.
    pub const fn is_keyed(&self) -> bool {
        matches!(self, Self::Keyed | Self::Random { .. })
    }

    /// Whether each write gets new contents.
    pub const fn is_refilled(&self) -> bool {
        matches!(self, Self::Random { refill: true, .. })
    }

    /// The unit at `at` bytes from the start of a buffer, keys apart.
    fn unit(&mut self, at: usize, unit: &mut [u8; UNIT_BYTES]) {
        match self {
            Self::Keyed => *unit = FILLER,
            Self::Zero => unit.fill(0),
            Self::Repeat(bytes) => {
                for (byte, position) in unit.iter_mut().zip(at..) {
                    *byte = bytes[position % bytes.len().max(1)];
                }
            }
            Self::Random {
                zero_bytes, rng, ..
            } => {
                let zeros = (*zero_bytes).min(UNIT_BYTES - KEY_BYTES);
                let (random, rest) = unit.split_at_mut(UNIT_BYTES - zeros);
                for word in random.chunks_mut(8) {
                    word.copy_from_slice(&rng.next_u64().to_le_bytes()[..word.len()]);
                }
                rest.fill(0);
            }
        }
    }

    /// Fills the first `bytes` of a buffer, a multiple of a unit.
    pub fn fill(&mut self, ctl: &mut dyn Controller, buffer: BufferId, bytes: u64) {
        let mut unit = [0; UNIT_BYTES];
        for at in (0..bytes as usize).step_by(UNIT_BYTES) {
            self.unit(at, &mut unit);
            ctl.fill_buffer(buffer, at, &unit);
        }
    }
}

impl Row<'_> {
    /// Makes the buffer of a write ready.
    pub fn make_data(&mut self, ctl: &mut dyn Controller, slot: usize, lba: u64, blocks: u32) {
        let buffer = BufferId(self.tracks[1].buffer_base + slot as u32);
        let bytes = u64::from(blocks) << self.block_shift;
        if self.data.is_refilled() {
            self.data.fill(ctl, buffer, bytes);
        }
        if self.data.is_keyed() {
            super::issue::stamp_keys(ctl, buffer, lba << self.block_shift, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(data: &mut Data, at: usize) -> [u8; UNIT_BYTES] {
        let mut unit = [0xaa; UNIT_BYTES];
        data.unit(at, &mut unit);
        unit
    }

    #[test]
    fn kinds_of_contents() {
        assert_eq!(unit(&mut Data::Keyed, 512), FILLER);
        assert_eq!(unit(&mut Data::Zero, 512), [0; UNIT_BYTES]);
        let repeated = unit(&mut Data::Repeat(alloc::vec![1, 2, 3]), 512);
        assert_eq!(repeated[..4], [3, 1, 2, 3]);
    }

    #[test]
    fn random_units_differ_and_have_their_share_of_zeros() {
        let mut data = Data::Random {
            zero_bytes: 256,
            refill: false,
            rng: Rng::new(1),
        };
        let (first, second) = (unit(&mut data, 0), unit(&mut data, 512));
        assert_ne!(first[..256], second[..256]);
        assert_eq!(first[256..], [0; 256]);
        assert!(first[..256].iter().filter(|&&byte| byte == 0).count() < 10);
        let mut all_zero = Data::Random {
            zero_bytes: 512,
            refill: false,
            rng: Rng::new(1),
        };
        assert_eq!(
            unit(&mut all_zero, 0)[KEY_BYTES..],
            [0; UNIT_BYTES - KEY_BYTES]
        );
    }
}
