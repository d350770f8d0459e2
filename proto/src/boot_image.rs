//! How a boot image of ioprobe is known, on whatever medium it lies.
//!
//! The first block carries the label `IOPROBE-IMAGE <build UUID>` behind the boot
//! code, where nothing that partitions a disk writes. The UUID names the build: it
//! follows from what the image holds.

use alloc::string::String;
use core::ops::Range;

/// Where the label lies in the first block, in bytes. The boot code ends before;
/// the disk signature and the partition table of a PC follow, from byte 440 on.
pub const LABEL: Range<usize> = 384..434;

const MARK: &str = "IOPROBE-IMAGE ";
/// Places of the hyphens in a UUID (RFC 9562, 4).
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
const UUID_CHARS: usize = 36;

const _: () = assert!(LABEL.end - LABEL.start == MARK.len() + UUID_CHARS);

/// The label of a build, whose UUID has the usual form with hyphens.
#[must_use]
pub fn label(build: &str) -> String {
    alloc::format!("{MARK}{build}")
}

/// The build that the first block of a medium names, if it is that of an image.
#[must_use]
pub fn build_of(first_block: &[u8]) -> Option<&str> {
    let uuid = first_block.get(LABEL)?.strip_prefix(MARK.as_bytes())?;
    let right = |(at, byte): (usize, &u8)| match *byte {
        b'-' => HYPHENS.contains(&at),
        digit => digit.is_ascii_hexdigit() && !HYPHENS.contains(&at),
    };
    uuid.iter().enumerate().all(right).then_some(())?;
    core::str::from_utf8(uuid).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const BUILD: &str = "0f6f1a52-32c5-5d84-9f0a-6a1f4f3a5c11";

    fn block(label: &str) -> Vec<u8> {
        let mut block = std::vec![0xfa; 512];
        block[LABEL.start..LABEL.start + label.len()].copy_from_slice(label.as_bytes());
        block
    }

    #[test]
    fn a_label_names_its_build() {
        let block = block(&label(BUILD));
        assert_eq!(build_of(&block), Some(BUILD));
        assert_eq!(build_of(&block[..433]), None);
    }

    #[test]
    fn anything_else_is_no_label() {
        for wrong in [
            "IOPROBE-IMAGE 0f6f1a52-32c5-5d84-9f0a-6a1f4f3a5c1g",
            "IOPROBE-IMAGE 0f6f1a5232-c5-5d84-9f0a-6a1f4f3a5c11",
            "IOPROBE-SCRATCH 0f6f1a52-32c5-5d84-9f0a-6a1f4f3a5c",
            "IOPROBE-IMAGE ",
        ] {
            assert_eq!(build_of(&block(wrong)), None, "{wrong}");
        }
        assert_eq!(build_of(&[]), None);
    }
}
