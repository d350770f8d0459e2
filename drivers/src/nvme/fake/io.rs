//! I/O commands.

use super::FakeNvme;
use super::prp;
use crate::hal::BusAddr;
use alloc::format;
use alloc::vec::Vec;

/// A command out of a submission queue.
#[derive(Clone, Debug)]
pub(super) struct Fetched {
    pub(super) queue: u16,
    pub(super) id: u16,
    pub(super) opcode: u8,
    flags: u8,
    pub(super) nsid: u32,
    pub(super) prp1: u64,
    pub(super) prp2: u64,
    /// CDW10 to CDW15.
    pub(super) cdw: [u32; 6],
    /// Dwords 2 to 5, all reserved or unused here.
    reserved: [u32; 4],
}

impl Fetched {
    pub(super) fn parse(queue: u16, entry: &[u8; 64]) -> Self {
        let word = |at: usize| {
            u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]])
        };
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        Self {
            queue,
            id: (word(0) >> 16) as u16,
            opcode: entry[0],
            flags: entry[1],
            nsid: word(4),
            prp1: long(24),
            prp2: long(32),
            cdw: core::array::from_fn(|index| word(40 + 4 * index)),
            reserved: core::array::from_fn(|index| word(8 + 4 * index)),
        }
    }

    fn lba(&self) -> u64 {
        u64::from(self.cdw[0]) | u64::from(self.cdw[1]) << 32
    }
}

/// An I/O command as the device saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoRecord {
    /// Submission queue, from 1.
    pub queue: u16,
    /// Opcode.
    pub opcode: u8,
    /// Namespace.
    pub nsid: u32,
    /// First block of a read or write; else 0.
    pub lba: u64,
    /// Blocks of a read or write; else 0.
    pub blocks: u32,
    /// FUA of a write.
    pub durable: bool,
    /// PRP list pages that a read or write would pass.
    pub list_pages: u32,
}

/// Status fields with DNR, as QEMU answers.
const INVALID_FIELD: u16 = 0x4002;
const INVALID_OPCODE: u16 = 0x4001;
const LBA_OUT_OF_RANGE: u16 = 0x4080;
const WRITE_PROTECTED: u16 = 0x4020;
/// Internal Error: what QEMU answers there.
const TOO_MANY_PAGES: u16 = 0x4006;

impl FakeNvme {
    pub(super) fn note(&mut self, fetched: &Fetched) {
        if fetched.flags != 0 || fetched.reserved != [0; 4] {
            self.violation(format!("reserved fields of command {:#x} set", fetched.id));
        }
        let transfer = matches!(fetched.opcode, 1 | 2);
        self.transfers += u64::from(transfer);
        let blocks = if transfer {
            (fetched.cdw[2] & 0xffff) + 1
        } else {
            0
        };
        let bytes = u64::from(blocks) << self.block_shift(fetched.nsid);
        let passed = prp::pieces(&self.memory, fetched.prp1, fetched.prp2, bytes);
        self.log.push(IoRecord {
            queue: fetched.queue,
            opcode: fetched.opcode,
            nsid: fetched.nsid,
            lba: if transfer { fetched.lba() } else { 0 },
            blocks,
            durable: fetched.opcode == 1 && fetched.cdw[2] >> 30 & 1 != 0,
            list_pages: passed.map_or(0, |(_, pages)| pages),
        });
    }

    fn block_shift(&self, nsid: u32) -> u8 {
        let namespace = self.namespaces.iter().find(|found| found.nsid == nsid);
        namespace.map_or(9, |found| found.block_shift)
    }

    /// Executes an I/O command and completes it.
    pub(super) fn run(&mut self, fetched: Fetched) {
        let refused = self.faults.take_failure(fetched.opcode).or_else(|| {
            let blocks = u64::from(fetched.cdw[2] & 0xffff) + 1;
            let transfer = matches!(fetched.opcode, 1 | 2);
            (transfer && fetched.nsid == 1)
                .then(|| self.faults.take_bad_block(fetched.lba(), blocks))
                .flatten()
        });
        let status = match refused {
            Some(status) => status,
            None => self.execute(&fetched),
        };
        self.complete(&fetched, status, 0);
    }

    fn execute(&mut self, fetched: &Fetched) -> u16 {
        if fetched.opcode == 0 && fetched.nsid == u32::MAX {
            return 0;
        }
        let nsid = fetched.nsid;
        if !self.namespaces.iter().any(|found| found.nsid == nsid) {
            return self.config.absent_namespace;
        }
        match fetched.opcode {
            0 => 0,
            1 | 2 => self.transfer(fetched),
            9 => self.deallocate(fetched),
            _ => INVALID_OPCODE,
        }
    }

    fn transfer(&mut self, fetched: &Fetched) -> u16 {
        let shift = self.block_shift(fetched.nsid);
        let (lba, blocks) = (fetched.lba(), u64::from(fetched.cdw[2] & 0xffff) + 1);
        let bytes = blocks << shift;
        if self.config.mdts != 0 && bytes > 4096 << self.config.mdts {
            self.violation(format!("{bytes} bytes exceed MDTS"));
            return INVALID_FIELD;
        }
        let pieces = match prp::pieces(&self.memory, fetched.prp1, fetched.prp2, bytes) {
            Ok((pieces, _)) if pieces.len() > self.config.max_pages => return TOO_MANY_PAGES,
            Ok((pieces, _)) => pieces,
            Err(broken) => {
                self.violation(broken.what);
                return broken.status;
            }
        };
        let Some(namespace) = self
            .namespaces
            .iter_mut()
            .find(|found| found.nsid == fetched.nsid)
        else {
            return INVALID_FIELD;
        };
        if lba
            .checked_add(blocks)
            .is_none_or(|end| end > namespace.blocks)
        {
            return LBA_OUT_OF_RANGE;
        }
        let mut data: Vec<u8> = alloc::vec![0; bytes as usize];
        let mut at = 0;
        if fetched.opcode == 2 {
            namespace.store.read(lba, &mut data);
            for (address, len) in pieces {
                self.memory.device_write(address, &data[at..at + len]);
                at += len;
            }
        } else {
            if namespace.read_only || namespace.protection != 0 {
                return WRITE_PROTECTED;
            }
            for (address, len) in pieces {
                self.memory.device_read(address, &mut data[at..at + len]);
                at += len;
            }
            namespace.store.write(lba, &data);
        }
        0
    }

    fn deallocate(&mut self, fetched: &Fetched) -> u16 {
        let ranges = u64::from(fetched.cdw[0] & 0xff) + 1;
        if fetched.cdw[1] >> 2 & 1 == 0 {
            return 0;
        }
        let pieces = match prp::pieces(&self.memory, fetched.prp1, fetched.prp2, 16 * ranges) {
            Ok((pieces, _)) => pieces,
            Err(broken) => {
                self.violation(broken.what);
                return broken.status;
            }
        };
        let mut list = alloc::vec![0; 16 * ranges as usize];
        let mut at = 0;
        for (address, len) in pieces {
            self.memory.device_read(address, &mut list[at..at + len]);
            at += len;
        }
        let Some(namespace) = self
            .namespaces
            .iter_mut()
            .find(|found| found.nsid == fetched.nsid)
        else {
            return INVALID_FIELD;
        };
        for range in list.as_chunks::<16>().0 {
            let word = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| range[at + i]));
            let (blocks, lba) = (word(0) >> 32, word(8));
            if lba
                .checked_add(blocks)
                .is_none_or(|end| end > namespace.blocks)
            {
                return LBA_OUT_OF_RANGE;
            }
            namespace.store.discard(lba, blocks);
        }
        0
    }

    /// Copies admin data to the page that PRP1 names.
    pub(super) fn return_page(&mut self, fetched: &Fetched, page: &[u8; 4096]) -> u16 {
        if !fetched.prp1.is_multiple_of(4096) || fetched.prp2 != 0 {
            self.violation(format!("admin data at {:#x}", fetched.prp1));
            return INVALID_FIELD;
        }
        self.memory.device_write(BusAddr(fetched.prp1), page);
        0
    }
}
