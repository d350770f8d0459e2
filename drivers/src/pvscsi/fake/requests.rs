//! Requests: fetch, execute, complete.

use super::{Completing, PvscsiModel};
use crate::fake::scsi::{Direction, ScsiReply};
use crate::hal::BusAddr;
use alloc::vec::Vec;

/// A request that was fetched.
#[derive(Clone)]
pub(super) struct Pending {
    words: [u64; 16],
    steps_left: u32,
}

impl Pending {
    fn context(&self) -> u64 {
        self.words[0]
    }
    fn data_bytes(&self) -> u64 {
        self.words[2]
    }
    fn sense_bytes(&self) -> usize {
        self.words[4] as u32 as usize
    }
    fn flags(&self) -> u32 {
        (self.words[4] >> 32) as u32
    }
    fn bytes(&self) -> [u8; 128] {
        let mut bytes = [0; 128];
        for (place, word) in bytes.chunks_exact_mut(8).zip(self.words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
    fn cdb(&self) -> Vec<u8> {
        let bytes = self.bytes();
        bytes[0x28..0x28 + usize::from(bytes[0x38]).min(16)].to_vec()
    }
    fn target(&self) -> u16 {
        u16::from(self.bytes()[0x43])
    }
    /// The LUN in byte 1 of its field; `None` if any other byte is set.
    fn lun(&self) -> Option<u16> {
        let bytes = self.bytes();
        let field = &bytes[0x39..0x41];
        let others = field
            .iter()
            .enumerate()
            .any(|(at, byte)| at != 1 && *byte != 0);
        (!others).then(|| u16::from(field[1]))
    }
}

/// How a request ended: host status, SCSI status, sense length, bytes moved.
struct Ending {
    host: u16,
    scsi: u8,
    sense_bytes: usize,
    moved_bytes: u64,
}

fn direction_of(cdb: &[u8]) -> Direction {
    match cdb.first() {
        Some(0x00 | 0x35 | 0x91) | None => Direction::None,
        Some(0x2a | 0x8a | 0x42) => Direction::Out,
        Some(_) => Direction::In,
    }
}

/// Blocks of a read or write.
fn blocks_of(cdb: &[u8]) -> Option<u64> {
    match cdb.first() {
        Some(0x28 | 0x2a) => Some(u64::from(u16::from_be_bytes([cdb[7], cdb[8]]))),
        Some(0x88 | 0x8a) => {
            let count = u32::from_be_bytes([cdb[10], cdb[11], cdb[12], cdb[13]]);
            Some(u64::from(count))
        }
        _ => None,
    }
}

impl PvscsiModel {
    pub(super) fn fetch(&mut self, count: usize) {
        for _ in 0..count {
            let Some(words) = self.next_request() else {
                break;
            };
            if words[0] == 0 || words[0] > u64::from(u32::MAX) {
                self.seen.bad_contexts += 1;
            }
            let steps_left = match self.completing {
                Completing::AfterSteps(steps) => steps,
                Completing::AtOnce | Completing::ByHand => 0,
            };
            let pending = Pending { words, steps_left };
            self.seen.transfers += u64::from(blocks_of(&pending.cdb()).is_some());
            self.in_flight.push_back(pending);
        }
    }

    /// Completes what has waited long enough.
    pub(super) fn complete_ripe(&mut self) {
        let mut index = 0;
        while let Some(pending) = self.in_flight.get_mut(index) {
            if pending.steps_left == 0 {
                self.complete(index);
            } else {
                pending.steps_left -= 1;
                index += 1;
            }
        }
    }

    /// Executes and completes the `index`th open command, in order of their
    /// arrival; whether there was one.
    pub fn complete(&mut self, index: usize) -> bool {
        let Some(pending) = self.in_flight.remove(index) else {
            return false;
        };
        if let Some(ending) = self.execute(&pending) {
            self.end(&pending, &ending);
        }
        true
    }

    fn end(&mut self, pending: &Pending, ending: &Ending) {
        let stated = self.quirks.states_lengths;
        let status =
            ending.sense_bytes as u64 | u64::from(ending.host) << 32 | u64::from(ending.scsi) << 48;
        let moved_bytes = if stated {
            ending.moved_bytes.saturating_sub(self.unstated_bytes)
        } else {
            0
        };
        self.post([pending.context(), moved_bytes, status, 0]);
    }

    /// Ends open commands that `chosen` picks by context and target.
    pub(super) fn abort_where(&mut self, chosen: impl Fn(u64, u16) -> bool, host: u16) {
        let open = core::mem::take(&mut self.in_flight);
        for pending in open {
            if chosen(pending.context(), pending.target()) {
                let ending = Ending {
                    host,
                    scsi: 0,
                    sense_bytes: 0,
                    moved_bytes: 0,
                };
                self.end(&pending, &ending);
            } else {
                self.in_flight.push_back(pending);
            }
        }
    }

    /// Where the data lies, as (address, length) in order.
    fn segments(&mut self, pending: &Pending) -> Vec<(BusAddr, usize)> {
        let mut left = pending.data_bytes() as usize;
        if left == 0 {
            return Vec::new();
        }
        if pending.flags() & 1 == 0 {
            return alloc::vec![(BusAddr(pending.words[1]), left)];
        }
        self.seen.lists += 1;
        let mut segments = Vec::new();
        let mut at = BusAddr(pending.words[1]);
        while left > 0 {
            let mut element = [0; 16];
            self.memory.device_read(at, &mut element);
            let word = |start: usize| {
                u64::from_le_bytes(core::array::from_fn(|index| element[start + index]))
            };
            // As in QEMU, the chain flag in the upper half is not looked at.
            let (address, len) = (word(0), (word(8) as u32 as usize).min(left));
            if len == 0 {
                self.seen.empty_elements += 1;
                break;
            }
            segments.push((BusAddr(address), len));
            left -= len;
            at = at.add(16);
        }
        segments
    }

    fn note_length(&mut self, pending: &Pending, cdb: &[u8]) {
        self.seen.longest_bytes = self.seen.longest_bytes.max(pending.data_bytes());
        let at = (pending.target(), pending.lun().unwrap_or(0));
        if let (Some(blocks), Some(block_bytes)) = (blocks_of(cdb), self.bus.block_bytes(at))
            && blocks * u64::from(block_bytes) != pending.data_bytes()
        {
            self.seen.wrong_lengths += 1;
        }
    }

    /// `None` if the command is never answered.
    fn execute(&mut self, pending: &Pending) -> Option<Ending> {
        let cdb = pending.cdb();
        self.note_length(pending, &cdb);
        let flags = pending.flags();
        let direction = direction_of(&cdb);
        let wrong_way = match direction {
            Direction::In => flags & 16 != 0,
            Direction::Out => flags & 8 != 0,
            Direction::None => false,
        };
        if wrong_way {
            self.seen.lost += 1;
            return None;
        }
        let segments = self.segments(pending);
        let mut data_out = Vec::new();
        if direction == Direction::Out {
            for (address, len) in &segments {
                let mut piece = alloc::vec![0; *len];
                self.memory.device_read(*address, &mut piece);
                data_out.extend_from_slice(&piece);
            }
        }
        let room = pending.data_bytes() as usize;
        let reply = pending.lun().and_then(|lun| {
            self.bus
                .execute(pending.target(), lun, &cdb, &data_out, room)
        });
        let Some(reply) = reply else {
            return Some(Ending {
                host: 0x11,
                scsi: 0,
                sense_bytes: 0,
                moved_bytes: 0,
            });
        };
        (!reply.lost).then(|| self.deliver(pending, &segments, &reply))
    }

    fn deliver(
        &self,
        pending: &Pending,
        segments: &[(BusAddr, usize)],
        reply: &ScsiReply,
    ) -> Ending {
        let mut data = &reply.data[..];
        for (address, len) in segments {
            let (piece, rest) = data.split_at(data.len().min(*len));
            self.memory.device_write(*address, piece);
            data = rest;
        }
        let sense_bytes = reply.sense.len().min(pending.sense_bytes());
        let sense_address = BusAddr(pending.words[3]);
        self.memory
            .device_write(sense_address, &reply.sense[..sense_bytes]);
        let short = reply.moved_bytes < pending.data_bytes();
        let good = reply.status == 0;
        let host = match reply.transport {
            Some(code) => code,
            None if short && (good || self.quirks.short_beside_check) => self.quirks.short_status,
            None => 0,
        };
        Ending {
            host,
            scsi: reply.status,
            sense_bytes,
            moved_bytes: reply.moved_bytes,
        }
    }
}
