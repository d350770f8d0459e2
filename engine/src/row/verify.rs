//! Comparing what was read with the LBA-keyed pattern.

use super::state::Row;
use alloc::vec::Vec;
use drivers::block::{BufferId, Controller};
use proto::pattern::{FILLER, KEY_BYTES, UNIT_BYTES, key};

/// Differing bytes that are listed one by one.
pub const MISMATCHES_LISTED: usize = 16;

/// A byte that came back wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Byte offset on the disk.
    pub offset_bytes: u64,
    /// What the pattern has there.
    pub expected: u8,
    /// What the disk has.
    pub found: u8,
}

/// What a row compared.
pub(super) struct Verifier {
    pub blocks: u64,
    pub mismatched_bytes: u64,
    pub listed: Vec<Mismatch>,
}

impl Verifier {
    pub fn new() -> Self {
        Self {
            blocks: 0,
            mismatched_bytes: 0,
            listed: Vec::with_capacity(MISMATCHES_LISTED),
        }
    }

    /// Compares one unit that lies at `offset_bytes`.
    pub fn unit(&mut self, offset_bytes: u64, found: &[u8; UNIT_BYTES]) {
        let key = key(offset_bytes);
        if found[..KEY_BYTES] == key && found[KEY_BYTES..] == FILLER[KEY_BYTES..] {
            return;
        }
        self.list(offset_bytes, &key, found);
    }

    #[cold]
    fn list(&mut self, offset_bytes: u64, key: &[u8; KEY_BYTES], found: &[u8; UNIT_BYTES]) {
        let expected = key.iter().chain(&FILLER[KEY_BYTES..]);
        for (at, (&expected, &found)) in expected.zip(found).enumerate() {
            if expected == found {
                continue;
            }
            self.mismatched_bytes += 1;
            if self.listed.len() < MISMATCHES_LISTED {
                self.listed.push(Mismatch {
                    offset_bytes: offset_bytes + at as u64,
                    expected,
                    found,
                });
            }
        }
    }
}

impl Row<'_> {
    /// Compares the whole buffer of a read from `lba`.
    pub fn compare(&mut self, ctl: &dyn Controller, slot: usize, lba: u64) {
        let track = &self.tracks[0];
        let blocks = match self.crew {
            Some(_) => self.table.extra_of(slot).blocks,
            None => track.blocks,
        };
        let bytes = u64::from(blocks) << self.block_shift;
        let offset_bytes = lba << self.block_shift;
        let buffer = BufferId(track.buffer_base + slot as u32);
        let mut unit = [0; UNIT_BYTES];
        let mut at = 0;
        while at < bytes {
            ctl.read_buffer(buffer, at as usize, &mut unit);
            self.verifier.unit(offset_bytes + at, &unit);
            at += UNIT_BYTES as u64;
        }
        self.verifier.blocks += u64::from(blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::pattern::unit;

    #[test]
    fn a_good_unit_passes() {
        let mut verifier = Verifier::new();
        verifier.unit(4096, &unit(4096));
        assert_eq!((verifier.mismatched_bytes, verifier.listed.len()), (0, 0));
    }

    #[test]
    fn one_flipped_bit_is_found_where_it_is() {
        for at in [0, 8, 15, 16, 511] {
            let mut data = unit(4096);
            data[at] ^= 0x40;
            let mut verifier = Verifier::new();
            verifier.unit(4096, &data);
            assert_eq!(verifier.mismatched_bytes, 1);
            assert_eq!(
                verifier.listed,
                [Mismatch {
                    offset_bytes: 4096 + at as u64,
                    expected: data[at] ^ 0x40,
                    found: data[at]
                }]
            );
        }
    }

    #[test]
    fn a_unit_at_a_wrong_place_differs_only_in_its_key() {
        let mut verifier = Verifier::new();
        verifier.unit(512, &unit(1024));
        assert!((1..=16).contains(&verifier.mismatched_bytes));
        assert!(verifier.listed.iter().all(|byte| byte.offset_bytes < 528));
    }

    #[test]
    fn all_are_counted_and_the_first_are_listed() {
        let mut verifier = Verifier::new();
        let mut data = unit(0);
        for byte in &mut data[100..200] {
            *byte ^= 0xff;
        }
        verifier.unit(0, &data);
        assert_eq!(verifier.mismatched_bytes, 100);
        assert_eq!(verifier.listed.len(), MISMATCHES_LISTED);
        assert_eq!(verifier.listed[15].offset_bytes, 115);
    }
}
