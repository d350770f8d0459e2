//! The first disk behind a SCSI controller.

use crate::start::{Shape, StartError};

/// Opcode of READ(10), whose LBA is in bytes 2..6, big-endian, and whose number
/// of blocks in bytes 7 and 8 (SBC-3, 5.11).
pub const READ_10: u8 = 0x28;

/// Bytes of the answer to READ CAPACITY(10).
pub const CAPACITY_BYTES: usize = 8;

/// READ CAPACITY(10) (SBC-3, 5.15).
pub const READ_CAPACITY: [u8; 10] = [0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0];

const TEST_UNIT_READY: [u8; 6] = [0; 6];

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// GOOD.
    Good,
    /// Any other SCSI status: the first commands after a reset meet UNIT ATTENTION.
    Bad,
    /// The controller found nobody there.
    Absent,
}

/// READ(10) of `blocks` blocks at 0.
#[must_use]
pub const fn read_10(blocks: u8) -> [u8; 10] {
    [READ_10, 0, 0, 0, 0, 0, 0, 0, blocks, 0]
}

/// The first eight bytes of a READ(10) at `lba`, of less than 256 blocks.
#[inline(always)]
#[must_use]
pub const fn read_10_word(lba: u32) -> u64 {
    READ_10 as u64 | (lba.swap_bytes() as u64) << 16
}

/// The first of `targets` that is ready. `execute` runs a CDB without data.
///
/// # Errors
/// [`StartError::NoDisk`], and whatever `execute` fails with.
pub fn first_ready(
    targets: u8,
    mut execute: impl FnMut(u8, &[u8]) -> Result<Answer, StartError>,
) -> Result<u8, StartError> {
    for target in 0..targets {
        for _ in 0..8 {
            match execute(target, &TEST_UNIT_READY)? {
                Answer::Good => return Ok(target),
                Answer::Absent => break,
                Answer::Bad => {}
            }
        }
    }
    Err(StartError::NoDisk)
}

/// What READ CAPACITY(10) told: the last block and the block size, big-endian.
///
/// # Errors
/// [`StartError::BadDisk`].
pub fn shape(answer: [u8; CAPACITY_BYTES]) -> Result<Shape, StartError> {
    let word = u64::from_be_bytes(answer);
    Shape::new((word >> 32) + 1, word & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_the_start_of_the_whole() {
        let mut cdb = read_10(8);
        cdb[2..6].copy_from_slice(&0x1234_5678_u32.to_be_bytes());
        assert_eq!(cdb[..8], read_10_word(0x1234_5678).to_le_bytes());
        assert_eq!(cdb[8..], [8, 0]);
    }

    #[test]
    fn a_target_is_asked_until_it_is_ready_or_absent() {
        let mut asked = std::vec::Vec::new();
        let found = first_ready(5, |target, _| {
            asked.push(target);
            Ok(match (target, asked.len()) {
                (0, _) => Answer::Absent,
                (2, 12) => Answer::Good,
                _ => Answer::Bad,
            })
        });
        assert_eq!(found, Ok(2));
        assert_eq!(asked, [0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2]);
        let nobody = first_ready(5, |_, _| Ok(Answer::Absent));
        assert_eq!(nobody, Err(StartError::NoDisk));
    }
}
