//! The LBA-keyed pattern that writes carry and `verify=pattern` expects.
//!
//! Every 512-byte unit of a disk has its own contents, a function of its byte
//! offset alone: 8 bytes offset (little-endian), 8 bytes [`check_word`], then a
//! filler that is the same for all units and does not compress. A block that
//! lands at a wrong place, or a byte that changes, is therefore found; and a
//! buffer that holds the filler needs only 16 bytes a unit to be made ready.

/// Length of a unit in bytes: the smallest logical block.
pub const UNIT_BYTES: usize = 512;

/// Length of the part that depends on the position.
pub const KEY_BYTES: usize = 16;

/// Second word of a unit: the offset mixed so that near offsets differ in many bits.
#[must_use]
pub const fn check_word(offset_bytes: u64) -> u64 {
    mix(offset_bytes ^ 0x696f_7072_6f62_6531)
}

/// The key of the unit at a byte offset.
#[must_use]
pub const fn key(offset_bytes: u64) -> [u8; KEY_BYTES] {
    let offset = offset_bytes.to_le_bytes();
    let check = check_word(offset_bytes).to_le_bytes();
    let mut bytes = [0; KEY_BYTES];
    let mut at = 0;
    while at < 8 {
        bytes[at] = offset[at];
        bytes[at + 8] = check[at];
        at += 1;
    }
    bytes
}

/// A whole unit with offset 0 as its key: what buffers are prepared with.
pub const FILLER: [u8; UNIT_BYTES] = filler();

/// The unit at a byte offset.
#[must_use]
pub fn unit(offset_bytes: u64) -> [u8; UNIT_BYTES] {
    let mut bytes = FILLER;
    bytes[..KEY_BYTES].copy_from_slice(&key(offset_bytes));
    bytes
}

const fn filler() -> [u8; UNIT_BYTES] {
    let mut bytes = [0; UNIT_BYTES];
    let mut at = 0;
    while at < UNIT_BYTES {
        let word = if at == 0 {
            0
        } else if at == 8 {
            check_word(0)
        } else {
            mix(at as u64)
        }
        .to_le_bytes();
        let mut i = 0;
        while i < 8 {
            bytes[at + i] = word[i];
            i += 1;
        }
        at += 8;
    }
    bytes
}

/// SplitMix64's finaliser (Steele, Lea, Flood 2014).
const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use proptest::prelude::*;

    /// Values computed apart from this code, so that a changed pattern is seen: disks
    /// written by one version must verify under the next.
    #[test]
    fn the_pattern_is_fixed() {
        let unit = unit(0x1234_5678_9abc_de00);
        assert_eq!(unit[..8], 0x1234_5678_9abc_de00u64.to_le_bytes());
        assert_eq!(unit[8..16], CHECK_OF_1234.to_le_bytes());
        assert_eq!(unit[16..24], MIX_OF_16.to_le_bytes());
        assert_eq!(unit[504..], MIX_OF_504.to_le_bytes());
    }

    const CHECK_OF_1234: u64 = 0xbb12_d18e_982f_6df2;
    const MIX_OF_16: u64 = 0x5de1_86dc_ba77_9207;
    const MIX_OF_504: u64 = 0x8568_0608_4265_8c86;

    #[test]
    fn a_prepared_buffer_is_the_unit_at_offset_0() {
        assert_eq!(FILLER, unit(0));
        assert_eq!(FILLER[..KEY_BYTES], key(0));
    }

    #[test]
    fn the_filler_repeats_no_word_and_is_never_zero() {
        let words: BTreeSet<&[u8]> = FILLER[8..].chunks(8).collect();
        assert_eq!(words.len(), UNIT_BYTES / 8 - 1);
        assert!(!words.contains(&[0; 8][..]));
    }

    proptest! {
        #[test]
        fn units_at_different_offsets_differ(a: u64, b: u64) {
            prop_assume!(a != b);
            prop_assert_ne!(unit(a)[..8].to_vec(), unit(b)[..8].to_vec());
            prop_assert_ne!(check_word(a), check_word(b));
        }

        #[test]
        fn only_the_key_depends_on_the_offset(offset: u64) {
            let unit = unit(offset);
            prop_assert_eq!(&unit[..KEY_BYTES], &key(offset)[..]);
            prop_assert_eq!(&unit[KEY_BYTES..], &FILLER[KEY_BYTES..]);
        }

        #[test]
        fn near_offsets_differ_in_many_bits(block in 0u64..1 << 40) {
            let (a, b) = (check_word(block * 512), check_word((block + 1) * 512));
            prop_assert!((a ^ b).count_ones() >= 8);
        }

        #[test]
        fn one_changed_byte_is_seen(offset: u64, at in 0..UNIT_BYTES, by in 1u8..) {
            let mut damaged = unit(offset);
            damaged[at] ^= by;
            prop_assert_ne!(damaged.to_vec(), unit(offset).to_vec());
        }
    }
}
