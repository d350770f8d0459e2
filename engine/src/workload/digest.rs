//! A checksum over what was asked, in order of issue.

use super::Direction;

/// CRC-32C over one 16-byte message per I/O, little-endian: byte offset on the
/// disk (8 bytes), length in bytes (4), direction (4; 0 read, 1 write).
///
/// A CRC is linear, so the part of a message that does not change (length and
/// direction) is worked out once, and an I/O costs five table look-ups below
/// 1 TiB and eight above.
#[derive(Clone, Debug)]
pub struct Digest {
    crc: u32,
    tails: [u32; 2],
}

/// `TABLES[n][byte]`: what `byte` contributes when `n` bytes follow it.
static TABLES: [[u32; 256]; 16] = tables();

const POLYNOMIAL: u32 = 0x82f6_3b78;

impl Digest {
    /// For I/Os of these lengths in bytes.
    #[must_use]
    pub fn new(read_bytes: u64, write_bytes: u64) -> Self {
        let tail = |length: u64, direction: Direction| {
            let bits = u64::from(length as u32) | (direction as u64) << 32;
            fold(bits, 0)
        };
        Self {
            crc: u32::MAX,
            tails: [
                tail(read_bytes, Direction::Read),
                tail(write_bytes, Direction::Write),
            ],
        }
    }

    /// Adds one I/O.
    #[inline]
    pub fn add(&mut self, direction: Direction, offset_bytes: u64) {
        let bits = offset_bytes ^ u64::from(self.crc);
        // Leading bytes that are zero contribute nothing.
        let head = if bits < 1 << 40 {
            fold_bytes::<5>(bits, 8)
        } else {
            fold(bits, 8)
        };
        self.crc = head ^ self.tails[direction as usize & 1];
    }

    /// The checksum so far.
    #[must_use]
    pub const fn value(&self) -> u32 {
        !self.crc
    }
}

/// What eight bytes contribute when `following` bytes come after them.
fn fold(bits: u64, following: usize) -> u32 {
    fold_bytes::<8>(bits, following)
}

/// The same, where the bytes from `N` on are zero.
#[inline]
fn fold_bytes<const N: usize>(bits: u64, following: usize) -> u32 {
    let bytes = bits.to_le_bytes();
    let mut crc = 0;
    for (at, byte) in bytes.into_iter().take(N).enumerate() {
        crc ^= TABLES[(following + 7 - at) & 15][usize::from(byte)];
    }
    crc
}

const fn tables() -> [[u32; 256]; 16] {
    let mut tables = [[0u32; 256]; 16];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut following = 1;
    while following < 16 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[following - 1][byte];
            tables[following][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        following += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    /// CRC-32C bit by bit (RFC 3720 B.4).
    fn reference(message: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for &byte in message {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = crc >> 1 ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            }
        }
        !crc
    }

    #[test]
    fn the_reference_is_crc32c() {
        assert_eq!(reference(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn nothing_issued_is_the_crc_of_nothing() {
        assert_eq!(Digest::new(4096, 4096).value(), 0);
    }

    /// Offsets on disks of every size.
    fn offset() -> impl Strategy<Value = u64> {
        (any::<u64>(), 0u32..64).prop_map(|(offset, shift)| offset >> shift)
    }

    proptest! {
        #[test]
        fn equals_the_plain_crc_of_all_messages(ios in proptest::collection::vec((any::<bool>(), offset()), 0..20), read in 1u32.., write in 1u32..) {
            let mut digest = Digest::new(u64::from(read), u64::from(write));
            let mut message = Vec::new();
            for (is_write, offset) in ios {
                let (direction, length) = if is_write { (Direction::Write, write) } else { (Direction::Read, read) };
                digest.add(direction, offset);
                message.extend_from_slice(&offset.to_le_bytes());
                message.extend_from_slice(&length.to_le_bytes());
                message.extend_from_slice(&u32::from(is_write).to_le_bytes());
            }
            prop_assert_eq!(digest.value(), reference(&message));
        }
    }
}
