//! The scratch stamp: how a disk says that it holds nothing of value.
//!
//! The first and the last block of a scratch disk start with the line
//! `IOPROBE-SCRATCH <nonce>\n`. The nonce, given in the job, ties the stamp to
//! this user's intent.

use alloc::string::String;

/// What a stamp starts with.
pub const MARK: &str = "IOPROBE-SCRATCH ";

/// Longest nonce in bytes.
pub const MAX_NONCE_BYTES: usize = 64;

/// The bytes at the start of a stamped block.
#[must_use]
pub fn stamp(nonce: &str) -> String {
    alloc::format!("{MARK}{nonce}\n")
}

/// The nonce of a stamped block, if it is one.
#[must_use]
pub fn nonce_of(block: &[u8]) -> Option<&str> {
    let rest = block.strip_prefix(MARK.as_bytes())?;
    let end = rest
        .iter()
        .take(MAX_NONCE_BYTES + 1)
        .position(|&byte| byte == b'\n')?;
    core::str::from_utf8(&rest[..end])
        .ok()
        .filter(|nonce| !nonce.is_empty())
}

/// Largest logical block whose place at the end of a disk is stamped by
/// [`stamp_offsets`].
const LARGEST_BLOCK_BYTES: u64 = 4096;

/// Where to write stamps on a disk of `disk_bytes`, whatever its logical block
/// size will be: the start of the first block, and of the last one of 4096 and of
/// 512 bytes. In a last block of 4096 bytes the second stamp stands behind the
/// first.
#[must_use]
pub const fn stamp_offsets(disk_bytes: u64) -> [u64; 3] {
    [
        0,
        disk_bytes.saturating_sub(LARGEST_BLOCK_BYTES),
        disk_bytes.saturating_sub(512),
    ]
}

/// Bytes kept free of any workload at each end of a stamped disk: 1 MiB, so that
/// large blocks stay aligned; 4 KiB where the disk is below 16 MiB.
#[must_use]
pub const fn margin_bytes(disk_bytes: u64) -> u64 {
    if disk_bytes >= 16 << 20 {
        1 << 20
    } else {
        4096
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn block(text: &[u8]) -> Vec<u8> {
        let mut block = text.to_vec();
        block.resize(512, 0);
        block
    }

    #[test]
    fn the_stamp_is_as_documented() {
        assert_eq!(stamp("a1b2"), "IOPROBE-SCRATCH a1b2\n");
        assert_eq!(nonce_of(&block(b"IOPROBE-SCRATCH a1b2\n")), Some("a1b2"));
    }

    #[test]
    fn the_last_block_starts_with_a_stamp_whatever_its_size() {
        let offsets = stamp_offsets(1 << 20);
        for block_bytes in [512, 4096] {
            assert!(offsets.contains(&((1 << 20) - block_bytes)));
        }
        assert_eq!(stamp_offsets(512), [0, 0, 0]);
    }

    #[test]
    fn what_is_no_stamp() {
        let longest = "n".repeat(MAX_NONCE_BYTES);
        assert_eq!(
            nonce_of(&block(stamp(&longest).as_bytes())),
            Some(&*longest)
        );
        let too_long = "n".repeat(MAX_NONCE_BYTES + 1);
        for text in [
            stamp(&too_long).as_bytes(),
            b"",
            b"IOPROBE-SCRATCH a1b2 without a line feed",
            b"IOPROBE-SCRATCH \n",
            b"IOPROBE-SCRATCHa1b2\n",
            b"ioprobe-scratch a1b2\n",
            b" IOPROBE-SCRATCH a1b2\n",
            b"IOPROBE-SCRATCH \xff\xfe\n",
        ] {
            assert_eq!(nonce_of(&block(text)), None, "{text:?}");
        }
        assert_eq!(nonce_of(b"IOPROBE-SCR"), None);
    }

    #[test]
    fn margins_keep_large_blocks_aligned() {
        assert_eq!(margin_bytes(16 << 20), 1 << 20);
        assert_eq!(margin_bytes((16 << 20) - 1), 4096);
        assert_eq!(margin_bytes(0), 4096);
        assert_eq!(margin_bytes(u64::MAX), 1 << 20);
    }

    proptest! {
        #[test]
        fn a_stamped_block_gives_its_nonce_back(nonce in "[!-~]{1,64}") {
            let block = block(stamp(&nonce).as_bytes());
            prop_assert_eq!(nonce_of(&block), Some(&*nonce));
        }

        #[test]
        fn any_block_is_answered(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            prop_assert_eq!(nonce_of(&bytes), None);
        }
    }
}
