//! Execution of a command by a unit.

use super::fault::FaultKind;
use super::pages;
use super::reply::{ScsiReply, sense_descriptor, sense_fixed};
use super::unit::{Executed, Medium, ScsiUnit};
use alloc::vec::Vec;

/// First block and block count of a read or write.
fn block_range(cdb: &[u8]) -> Option<(u64, u64)> {
    let be = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
    };
    match cdb[0] {
        0x28 | 0x2a => Some((be(&cdb[2..6]), be(&cdb[7..9]))),
        0x88 | 0x8a => Some((be(&cdb[2..10]), be(&cdb[10..14]))),
        _ => None,
    }
}

/// Length that the operation code prescribes (SPC-4 4.3.3).
fn cdb_length(opcode: u8) -> usize {
    match opcode >> 5 {
        0 => 6,
        1 | 2 => 10,
        4 => 16,
        _ => 12,
    }
}

impl ScsiUnit {
    /// Executes a command.
    ///
    /// As in QEMU, a read or write moves as much as the initiator's buffer says,
    /// not as much as the CDB says, so a driver whose two lengths differ reads or
    /// overwrites neighbouring blocks; what moved beside the CDB shows in the data.
    pub fn execute(&mut self, cdb: &[u8], data_out: &[u8], room_bytes: usize) -> ScsiReply {
        let opcode = cdb[0];
        if cdb.len() != cdb_length(opcode) {
            return ScsiReply::check(5, 0x20, 0);
        }
        let range = block_range(cdb);
        let struck = self.faults.iter_mut().find(|f| f.strikes(opcode, range));
        let fault = struck.map(|fault| {
            fault.times -= 1;
            fault.kind
        });
        let limit_bytes = match fault {
            Some(FaultKind::Short(bytes)) => bytes,
            Some(kind) => return refuse(kind),
            None => u64::MAX,
        };
        if !matches!(opcode, 0x03 | 0x12) && !self.attentions.is_empty() {
            let (code, qualifier) = self.attentions.remove(0);
            return ScsiReply::check(6, code, qualifier);
        }
        self.count(opcode, range);
        match range {
            Some((lba, blocks)) => {
                self.transfer(cdb, lba, blocks, data_out, room_bytes, limit_bytes)
            }
            None => self.describe(cdb, data_out, room_bytes),
        }
    }

    fn count(&mut self, opcode: u8, range: Option<(u64, u64)>) {
        match opcode {
            0x28 | 0x88 => self.counts.reads += 1,
            0x2a | 0x8a => self.counts.writes += 1,
            0x35 | 0x91 => self.counts.flushes += 1,
            0x42 => self.counts.unmaps += 1,
            _ => self.counts.others += 1,
        }
        if self.keep_log {
            let (lba, blocks) = range.unwrap_or_default();
            let blocks = blocks as u32;
            self.log.push(Executed {
                opcode,
                lba,
                blocks,
            });
        }
    }

    fn transfer(
        &mut self,
        cdb: &[u8],
        lba: u64,
        blocks: u64,
        data_out: &[u8],
        room_bytes: usize,
        limit_bytes: u64,
    ) -> ScsiReply {
        let is_write = matches!(cdb[0], 0x2a | 0x8a);
        if self.medium == Medium::EmptyCdRom {
            return ScsiReply::check(2, 0x3a, 0);
        }
        if lba.checked_add(blocks).is_none_or(|end| end > self.blocks) {
            return ScsiReply::check(5, 0x21, 0);
        }
        let fua = cdb[1] & 8 != 0;
        if fua && !self.dpo_fua {
            return ScsiReply::check(5, 0x24, 0);
        }
        if is_write && self.write_protected {
            return ScsiReply::check(7, 0x27, 0);
        }
        let mut reply = ScsiReply::good();
        if is_write {
            let len = (data_out.len() as u64).min(limit_bytes) as usize;
            self.store.write(lba, &data_out[..len]);
            self.counts.written_bytes += len as u64;
            self.counts.durable_writes += u64::from(fua);
            reply.moved_bytes = len as u64;
        } else {
            let len = (room_bytes as u64).min(limit_bytes) as usize;
            reply.data = alloc::vec![0; len];
            self.store.read(lba, &mut reply.data);
            self.counts.read_bytes += len as u64;
            reply.moved_bytes = len as u64;
        }
        reply
    }

    fn describe(&mut self, cdb: &[u8], data_out: &[u8], room_bytes: usize) -> ScsiReply {
        let not_ready = match self.medium {
            Medium::EmptyCdRom => Some(ScsiReply::check(2, 0x3a, 0)),
            _ if self.blocks == 0 => Some(ScsiReply::check(2, 0x04, 3)),
            _ => None,
        };
        let answer =
            |data: Vec<u8>, allocation: usize| ScsiReply::data(data, allocation.min(room_bytes));
        let long = |at: usize| usize::from(u16::from_be_bytes([cdb[at], cdb[at + 1]]));
        match cdb[0] {
            // TEST UNIT READY: a disk of no blocks is ready, as in QEMU.
            0x00 if self.medium == Medium::EmptyCdRom => ScsiReply::check(2, 0x3a, 0),
            0x00 => ScsiReply::good(),
            0x03 => answer(sense_fixed(0, 0, 0), usize::from(cdb[4])),
            0x12 if cdb[1] & 1 == 0 => answer(pages::inquiry(self), long(3)),
            0x12 => match pages::vital_product_data(self, cdb[2]) {
                Some(page) if self.vpd => answer(page, long(3)),
                _ => ScsiReply::check(5, 0x24, 0),
            },
            0x1a => {
                let header = alloc::vec![3, 0, pages::mode_device_byte(self), 0];
                answer(header, usize::from(cdb[4]))
            }
            0x25 => not_ready.unwrap_or_else(|| answer(pages::capacity_10(self), 8)),
            0x9e if self.capacity_16 && cdb[1] & 0x1f == 0x10 => not_ready.unwrap_or_else(|| {
                let allocation = u32::from_be_bytes([cdb[10], cdb[11], cdb[12], cdb[13]]);
                answer(pages::capacity_16(self), allocation as usize)
            }),
            0x35 | 0x91 => ScsiReply::good(),
            0x42 if self.unmap => self.unmap_blocks(data_out, long(7)),
            _ => ScsiReply::check(5, 0x20, 0),
        }
    }

    /// UNMAP with its parameter list (SBC-3 5.28).
    fn unmap_blocks(&mut self, list: &[u8], list_bytes: usize) -> ScsiReply {
        let descriptors = list.get(8..list_bytes).unwrap_or_default();
        let stated = usize::from(u16::from_be_bytes([
            *list.get(2).unwrap_or(&0),
            *list.get(3).unwrap_or(&0),
        ]));
        if descriptors.is_empty() || stated != descriptors.len() || list.len() != list_bytes {
            return ScsiReply::check(5, 0x26, 0);
        }
        for entry in descriptors.chunks_exact(16) {
            let be = |bytes: &[u8]| {
                bytes
                    .iter()
                    .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
            };
            let (lba, blocks) = (be(&entry[..8]), be(&entry[8..12]));
            if lba.checked_add(blocks).is_none_or(|end| end > self.blocks) {
                return ScsiReply::check(5, 0x21, 0);
            }
            self.store.discard(lba, blocks);
        }
        ScsiReply {
            moved_bytes: list_bytes as u64,
            ..ScsiReply::good()
        }
    }
}

fn refuse(kind: FaultKind) -> ScsiReply {
    match kind {
        FaultKind::Status(status) => ScsiReply::status(status),
        FaultKind::Check(key, code, qualifier) => ScsiReply::check(key, code, qualifier),
        FaultKind::CheckDescriptor(key, code, qualifier) => ScsiReply {
            sense: sense_descriptor(key, code, qualifier),
            ..ScsiReply::check(key, code, qualifier)
        },
        FaultKind::Transport(code) => ScsiReply {
            transport: Some(code),
            ..ScsiReply::good()
        },
        FaultKind::Lost => ScsiReply {
            lost: true,
            ..ScsiReply::good()
        },
        FaultKind::Short(_) => ScsiReply::good(),
    }
}
