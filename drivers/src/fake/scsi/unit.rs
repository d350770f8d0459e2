//! One logical unit: what it is and what state it is in.

use super::fault::Fault;
use super::store::BlockStore;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What kind of unit it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A disk.
    Disk,
    /// A CD-ROM drive with a disc.
    CdRom,
    /// A CD-ROM drive without one.
    EmptyCdRom,
}

/// Commands executed so far, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitCounts {
    /// Reads.
    pub reads: u64,
    /// Writes, durable ones included.
    pub writes: u64,
    /// Writes with FUA.
    pub durable_writes: u64,
    /// Cache flushes.
    pub flushes: u64,
    /// Unmaps.
    pub unmaps: u64,
    /// Everything else.
    pub others: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

/// One executed command, in the order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Operation code.
    pub opcode: u8,
    /// First block, of a read or write.
    pub lba: u64,
    /// Blocks, of a read or write.
    pub blocks: u32,
}

/// A logical unit in memory. Its fields may be changed between commands.
pub struct ScsiUnit {
    /// What it is.
    pub medium: Medium,
    /// Capacity in blocks; 0 makes it answer READ CAPACITY with NOT READY, as QEMU does.
    pub blocks: u64,
    /// Logical block size in bytes.
    pub block_bytes: u32,
    /// Physical block size as a power of two of logical ones.
    pub physical_exponent: u8,
    /// Refuses writes and says so in MODE SENSE.
    pub write_protected: bool,
    /// Takes FUA and says so in MODE SENSE.
    pub dpo_fua: bool,
    /// Takes UNMAP and says so.
    pub unmap: bool,
    /// Answers READ CAPACITY(16); else only (10).
    pub capacity_16: bool,
    /// Answers VPD pages.
    pub vpd: bool,
    /// Longest transfer that the block limits page states, in blocks; 0 states none.
    pub max_transfer_blocks: u32,
    /// Vendor, at most 8 characters.
    pub vendor: String,
    /// Product, at most 16 characters.
    pub product: String,
    /// Unit serial number; empty for none.
    pub serial: String,
    /// NAA identifier; 0 for none.
    pub naa: u64,
    /// UNIT ATTENTION conditions still to be reported, first one first: (code, qualifier).
    pub attentions: Vec<(u8, u8)>,
    /// Faults still to strike.
    pub faults: Vec<Fault>,
    /// The data.
    pub store: BlockStore,
    /// What was executed.
    pub counts: UnitCounts,
    /// Every executed command, if [`keep_log`](Self::keep_log).
    pub log: Vec<Executed>,
    /// Whether `log` is kept.
    pub keep_log: bool,
}

impl ScsiUnit {
    /// A disk of `blocks` blocks of `block_bytes`, which reports UNIT ATTENTION
    /// (power on, 29/00) to its first command.
    #[must_use]
    pub fn disk(blocks: u64, block_bytes: u32) -> Self {
        Self {
            medium: Medium::Disk,
            blocks,
            block_bytes,
            physical_exponent: 0,
            write_protected: false,
            dpo_fua: true,
            unmap: false,
            capacity_16: true,
            vpd: true,
            max_transfer_blocks: 0,
            vendor: "QEMU".to_string(),
            product: "QEMU HARDDISK".to_string(),
            serial: String::new(),
            naa: 0,
            attentions: alloc::vec![(0x29, 0)],
            faults: Vec::new(),
            store: BlockStore::new(block_bytes as usize),
            counts: UnitCounts::default(),
            log: Vec::new(),
            keep_log: true,
        }
    }

    /// A CD-ROM drive, with a disc of `blocks` blocks of 2 KiB unless that is 0.
    #[must_use]
    pub fn cd_rom(blocks: u64) -> Self {
        Self {
            medium: if blocks == 0 {
                Medium::EmptyCdRom
            } else {
                Medium::CdRom
            },
            product: "QEMU CD-ROM".to_string(),
            ..Self::disk(blocks, 2048)
        }
    }

    /// Plants a fault.
    pub fn plant(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Power on or bus reset: UNIT ATTENTION with code 29 and this qualifier.
    pub fn reset(&mut self, qualifier: u8) {
        self.attentions = alloc::vec![(0x29, qualifier)];
    }
}
