//! Command descriptor blocks, built as words because rings hold words.

use super::spec::{FUA, SERVICE_READ_CAPACITY_16, opcode};
use crate::block::Lba;

/// A command descriptor block of at most 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cdb {
    /// Its bytes as two little-endian words, zero behind the length.
    pub words: [u64; 2],
    /// Length in bytes: 6, 10, 12 or 16.
    pub len_bytes: u8,
}

/// The first two bytes of a READ or WRITE, in its 10-byte and 16-byte form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferCode {
    short: u64,
    long: u64,
}

impl TransferCode {
    /// READ.
    pub const READ: Self = Self::new(opcode::READ_10, opcode::READ_16, 0);
    /// WRITE.
    pub const WRITE: Self = Self::new(opcode::WRITE_10, opcode::WRITE_16, 0);
    /// WRITE with FUA.
    pub const WRITE_DURABLE: Self = Self::new(opcode::WRITE_10, opcode::WRITE_16, FUA);

    const fn new(short: u8, long: u8, flags: u8) -> Self {
        Self {
            short: short as u64 | (flags as u64) << 8,
            long: long as u64 | (flags as u64) << 8,
        }
    }
}

/// READ or WRITE of a fixed number of blocks: all of the command but the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferCdb {
    words: [u64; 2],
    long: bool,
}

impl TransferCdb {
    /// A command that does nothing.
    pub const NONE: Self = Self {
        words: [0; 2],
        long: false,
    };

    /// Of `blocks` blocks from `last` or before: in the 10-byte form, which all
    /// disks have, where `last` and the number fit into it, else in the 16-byte form.
    #[must_use]
    pub const fn new(code: TransferCode, last: Lba, blocks: u32) -> Self {
        let long = (last.0 | (blocks as u64) << 16) >> 32 != 0;
        let words = if long {
            [code.long, (blocks.swap_bytes() as u64) << 16]
        } else {
            let count = (blocks as u16).swap_bytes() as u64;
            [code.short | count << 56, count >> 8]
        };
        Self { words, long }
    }

    /// Length of the command in bytes.
    #[must_use]
    pub const fn len_bytes(&self) -> u8 {
        if self.long { 16 } else { 10 }
    }

    /// Its words from `lba`, which is at most the `last` of [`new`](Self::new).
    #[inline(always)]
    #[must_use]
    pub const fn at(&self, lba: Lba) -> [u64; 2] {
        let [first, second] = self.words;
        if self.long {
            let address = lba.0.swap_bytes();
            [first | address << 16, second | address >> 48]
        } else {
            let address = (lba.0 as u32).swap_bytes() as u64;
            [first | address << 16, second]
        }
    }
}

/// Length of the parameter list of an UNMAP of one range, in bytes.
pub const UNMAP_LIST_BYTES: usize = 24;

/// The parameter list of an UNMAP of one range, as little-endian words
/// (SBC-3 5.28.2): UNMAP DATA LENGTH 22, BLOCK DESCRIPTOR DATA LENGTH 16.
#[must_use]
pub const fn unmap_list(lba: Lba, blocks: u32) -> [u64; 3] {
    [
        (22u16.swap_bytes() as u64) | (16u16.swap_bytes() as u64) << 16,
        lba.0.swap_bytes(),
        blocks.swap_bytes() as u64,
    ]
}

impl Cdb {
    const fn from_bytes(bytes: &[u8]) -> Self {
        let mut words = [0u64; 2];
        let mut index = 0;
        while index < bytes.len() {
            words[index / 8] |= (bytes[index] as u64) << (index % 8 * 8);
            index += 1;
        }
        Self {
            words,
            len_bytes: bytes.len() as u8,
        }
    }

    /// Its name, for a person to read.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.words[0] as u8 {
            opcode::TEST_UNIT_READY => "TEST UNIT READY",
            opcode::INQUIRY => "INQUIRY",
            opcode::MODE_SENSE_6 => "MODE SENSE",
            opcode::READ_CAPACITY_10 | opcode::SERVICE_ACTION_IN_16 => "READ CAPACITY",
            opcode::REPORT_LUNS => "REPORT LUNS",
            opcode::READ_10 | opcode::READ_16 => "READ",
            opcode::WRITE_10 | opcode::WRITE_16 => "WRITE",
            opcode::SYNCHRONIZE_CACHE_10 => "SYNCHRONIZE CACHE",
            opcode::UNMAP => "UNMAP",
            _ => "a SCSI command",
        }
    }

    /// Its bytes; those behind the length are zero.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        (self.words[0] as u128 | (self.words[1] as u128) << 64).to_le_bytes()
    }

    /// READ of `blocks` from `lba`.
    #[inline]
    #[must_use]
    pub const fn read(lba: Lba, blocks: u32) -> Self {
        Self::transfer(TransferCode::READ, lba, blocks)
    }

    /// WRITE of `blocks` from `lba`; durable when it ends, if so asked.
    #[inline]
    #[must_use]
    pub const fn write(lba: Lba, blocks: u32, durable: bool) -> Self {
        let code = if durable {
            TransferCode::WRITE_DURABLE
        } else {
            TransferCode::WRITE
        };
        Self::transfer(code, lba, blocks)
    }

    /// The 10-byte form where address and count fit into it, as all disks have
    /// it; else the 16-byte form.
    #[inline]
    #[must_use]
    pub const fn transfer(code: TransferCode, lba: Lba, blocks: u32) -> Self {
        let cdb = TransferCdb::new(code, lba, blocks);
        Self {
            words: cdb.at(lba),
            len_bytes: cdb.len_bytes(),
        }
    }

    /// SYNCHRONIZE CACHE of the whole disk.
    #[must_use]
    pub const fn flush() -> Self {
        Self::from_bytes(&[opcode::SYNCHRONIZE_CACHE_10, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    /// UNMAP with a parameter list of [`UNMAP_LIST_BYTES`].
    #[must_use]
    pub const fn unmap() -> Self {
        let list = (UNMAP_LIST_BYTES as u16).to_be_bytes();
        Self::from_bytes(&[opcode::UNMAP, 0, 0, 0, 0, 0, 0, list[0], list[1], 0])
    }

    /// TEST UNIT READY.
    #[must_use]
    pub const fn test_unit_ready() -> Self {
        Self::from_bytes(&[opcode::TEST_UNIT_READY, 0, 0, 0, 0, 0])
    }

    /// Standard INQUIRY with room for `room_bytes`.
    #[must_use]
    pub const fn inquiry(room_bytes: u16) -> Self {
        let room = room_bytes.to_be_bytes();
        Self::from_bytes(&[opcode::INQUIRY, 0, 0, room[0], room[1], 0])
    }

    /// INQUIRY of a page of vital product data.
    #[must_use]
    pub const fn inquiry_page(page: u8, room_bytes: u16) -> Self {
        let room = room_bytes.to_be_bytes();
        Self::from_bytes(&[opcode::INQUIRY, 1, page, room[0], room[1], 0])
    }

    /// MODE SENSE(6) of a page, without block descriptors.
    #[must_use]
    pub const fn mode_sense(page: u8, room_bytes: u8) -> Self {
        Self::from_bytes(&[opcode::MODE_SENSE_6, 8, page, 0, room_bytes, 0])
    }

    /// READ CAPACITY(10).
    #[must_use]
    pub const fn read_capacity_10() -> Self {
        Self::from_bytes(&[opcode::READ_CAPACITY_10, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    /// READ CAPACITY(16) with room for `room_bytes`.
    #[must_use]
    pub const fn read_capacity_16(room_bytes: u8) -> Self {
        let mut bytes = [0; 16];
        bytes[0] = opcode::SERVICE_ACTION_IN_16;
        bytes[1] = SERVICE_READ_CAPACITY_16;
        bytes[13] = room_bytes;
        Self::from_bytes(&bytes)
    }

    /// REPORT LUNS with room for `room_bytes`, at least 16.
    #[must_use]
    pub const fn report_luns(room_bytes: u32) -> Self {
        let room = room_bytes.to_be_bytes();
        let mut bytes = [0; 12];
        bytes[0] = opcode::REPORT_LUNS;
        bytes[6] = room[0];
        bytes[7] = room[1];
        bytes[8] = room[2];
        bytes[9] = room[3];
        Self::from_bytes(&bytes)
    }
}
