//! What gives away that a disk holds something: magic numbers by place.

/// The word for data that no signature explains.
pub const UNKNOWN: &str = "unknown";

/// Where a magic number stands.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// Bytes from the start of the disk.
    Start(u64),
    /// Bytes from the start of the second block.
    SecondBlock(u64),
    /// Bytes from the start of the last block.
    LastBlock(u64),
    /// Bytes before the end of the disk.
    End(u64),
    /// Bytes before the last multiple of the second number.
    BeforeMultiple(u64, u64),
}

impl At {
    /// Byte offset on a disk; `None` where the disk is too small.
    #[must_use]
    pub const fn offset_bytes(self, disk_bytes: u64, block_bytes: u64) -> Option<u64> {
        match self {
            Self::Start(at) => Some(at),
            Self::SecondBlock(at) => block_bytes.checked_add(at),
            Self::LastBlock(at) => match disk_bytes.checked_sub(block_bytes) {
                Some(start) => start.checked_add(at),
                None => None,
            },
            Self::End(back) => disk_bytes.checked_sub(back),
            Self::BeforeMultiple(back, unit) => (disk_bytes / unit * unit).checked_sub(back),
        }
    }
}

/// A magic number and what it means.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The word that `allow_write` must repeat.
    pub name: &'static str,
    /// Where it stands.
    pub at: At,
    /// The bytes.
    pub magic: &'static [u8],
}

const fn at(name: &'static str, at: At, magic: &'static [u8]) -> Signature {
    Signature { name, at, magic }
}

use At::{BeforeMultiple, End, LastBlock, SecondBlock, Start};

/// Signatures, the more telling first: a GPT disk has an MBR too, and an NTFS
/// boot block ends like one. Places and values as the formats' own headers and
/// the kernel's `include/uapi/linux/magic.h` have them.
pub const SIGNATURES: &[Signature] = &[
    at("gpt", SecondBlock(0), b"EFI PART"),
    at("gpt", Start(512), b"EFI PART"),
    at("gpt", Start(4096), b"EFI PART"),
    at("gpt", LastBlock(0), b"EFI PART"),
    at("luks", Start(0), b"LUKS\xba\xbe"),
    at("bitlocker", Start(3), b"-FVE-FS-"),
    at("ntfs", Start(3), b"NTFS    "),
    at("exfat", Start(3), b"EXFAT   "),
    at("refs", Start(3), b"ReFS\0\0\0\0"),
    at("fat", Start(82), b"FAT32   "),
    at("fat", Start(54), b"FAT16   "),
    at("fat", Start(54), b"FAT12   "),
    at("xfs", Start(0), b"XFSB"),
    at("ext", Start(1024 + 56), b"\x53\xef"),
    at("btrfs", Start(0x1_0040), b"_BHRfS_M"),
    at("apfs", Start(32), b"NXSB"),
    at("hfsplus", Start(1024), b"H+\0\x04"),
    at("vmfs", Start(0x10_0000), b"\x0d\xd0\x01\xc0"),
    at("vmfs", Start(0x20_0000), b"\x5e\xf1\xab\x2f"),
    at("lvm", Start(512), b"LABELONE"),
    at("lvm", Start(0), b"LABELONE"),
    at("lvm", Start(1024), b"LABELONE"),
    at("lvm", Start(1536), b"LABELONE"),
    at("swap", Start(4096 - 10), b"SWAPSPACE2"),
    at("swap", Start(16_384 - 10), b"SWAPSPACE2"),
    at("swap", Start(65_536 - 10), b"SWAPSPACE2"),
    at("md", Start(0), b"\xfc\x4e\x2b\xa9"),
    at("md", Start(4096), b"\xfc\x4e\x2b\xa9"),
    at("md", BeforeMultiple(8192, 4096), b"\xfc\x4e\x2b\xa9"),
    at("md", BeforeMultiple(65_536, 65_536), b"\xfc\x4e\x2b\xa9"),
    at("zfs", Start(0x2_0000), b"\x0c\xb1\xba\0\0\0\0\0"),
    at("zfs", Start(0x6_0000), b"\x0c\xb1\xba\0\0\0\0\0"),
    at("asm", Start(32), b"ORCLDISK"),
    at("bluestore", Start(0), b"bluestore block device"),
    at("f2fs", Start(1024), b"\x10\x20\xf5\xf2"),
    at("iso9660", Start(0x8001), b"CD001"),
    at("squashfs", Start(0), b"hsqs"),
    at("qcow2", Start(0), b"QFI\xfb"),
    at("vhd", End(512), b"conectix"),
    at("vmdk", Start(0), b"KDMV"),
    at("mbr", Start(510), b"\x55\xaa"),
];

/// The name of an ext file system by the features in its super block, which
/// starts 1 KiB into the disk; `start` are the first bytes of the disk.
#[must_use]
pub fn ext_name(start: &[u8]) -> &'static str {
    const HAS_JOURNAL: u32 = 0x4;
    // Extents, 64-bit, flexible groups, meta_csum's inline data and others that
    // only ext4 has.
    const EXT4_INCOMPATIBLE: u32 = 0x40 | 0x80 | 0x200 | 0x400 | 0x1000 | 0x8000;
    let word = |at: usize| {
        let bytes = start.get(1024 + at..1024 + at + 4);
        bytes.map_or(0, |bytes| {
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        })
    };
    if word(0x60) & EXT4_INCOMPATIBLE != 0 {
        "ext4"
    } else if word(0x5c) & HAS_JOURNAL != 0 {
        "ext3"
    } else {
        "ext2"
    }
}
