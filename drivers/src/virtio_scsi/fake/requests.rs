//! Requests: fetch, execute, complete.

use super::rings::{Chain, Segment};
use super::{Completing, VirtioModel};
use crate::fake::scsi::{Direction, ScsiReply};
use crate::hal::BusAddr;
use alloc::vec::Vec;

/// A request that was fetched.
#[derive(Clone)]
pub(super) struct Pending {
    pub(super) queue: usize,
    pub(super) head: u32,
    pub(super) id: u64,
    pub(super) target: u16,
    pub(super) lun: u16,
    cdb: Vec<u8>,
    answer: BusAddr,
    data_out: Vec<Segment>,
    data_in: Vec<Segment>,
    steps_left: u32,
}

/// Target and unit of a LUN field; `None` if it is none.
pub(super) fn unit_of(field: &[u8]) -> Option<(u16, u16)> {
    let single = field[0] == 1 && field[4..8] == [0; 4];
    let method = field[2] >> 6;
    (single && method == 1).then(|| {
        let lun = u16::from(field[2] & 0x3f) << 8 | u16::from(field[3]);
        (u16::from(field[1]), lun)
    })
}

/// Direction that a CDB implies; `None` for one that is not known.
fn direction_of(cdb: &[u8]) -> Option<Direction> {
    match cdb[0] {
        0x2a | 0x8a | 0x42 => Some(Direction::Out),
        0x28 | 0x88 | 0x12 | 0x1a | 0x25 | 0x9e | 0xa0 => Some(Direction::In),
        0x00 | 0x35 => Some(Direction::None),
        _ => None,
    }
}

/// Blocks that a CDB moves.
fn blocks_of(cdb: &[u8]) -> Option<u64> {
    let be = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
    };
    match cdb[0] {
        0x28 | 0x2a => Some(be(&cdb[7..9])),
        0x88 | 0x8a => Some(be(&cdb[10..14])),
        _ => None,
    }
}

fn cdb_length(opcode: u8) -> usize {
    match opcode >> 5 {
        0 => 6,
        1 | 2 => 10,
        4 => 16,
        _ => 12,
    }
}

fn total(segments: &[Segment]) -> usize {
    segments.iter().map(|segment| segment.len_bytes).sum()
}

impl VirtioModel {
    pub(super) fn fetch(&mut self, count: usize) {
        let event_index = self.agreed(29);
        let mut left = count;
        for queue in 2..self.rings.len() {
            if !self.rings[queue].enabled || !(self.rings[queue].kicked || self.polls) {
                continue;
            }
            self.rings[queue].want_kicks(&self.memory, event_index, false);
            while left > 0 {
                let Some(fetched) = self.rings[queue].fetch(&self.memory) else {
                    break;
                };
                left -= 1;
                self.seen.requests += 1;
                match fetched.ok().and_then(|chain| self.accept(queue, chain)) {
                    Some(pending) => self.in_flight.push_back(pending),
                    None => {
                        self.seen.bad_chains += 1;
                        self.breaks();
                        return;
                    }
                }
            }
            let polls = self.polls;
            self.rings[queue].want_kicks(&self.memory, event_index, !polls);
            self.rings[queue].kicked = left == 0;
        }
    }

    /// Takes a chain apart, header first, response before data; `None` if it is
    /// no request.
    fn accept(&mut self, queue: usize, chain: Chain) -> Option<Pending> {
        self.seen.indirect += u64::from(chain.indirect);
        let (first, rest) = chain.segments.split_first()?;
        let header_bytes = 19 + self.cdb_size as usize;
        if first.writes || first.len_bytes != header_bytes {
            return None;
        }
        let split = rest.iter().position(|segment| segment.writes)?;
        let (data_out, written) = rest.split_at(split);
        let (answer, data_in) = written.split_first()?;
        if answer.len_bytes != 12 + self.sense_size as usize {
            return None;
        }
        let mut header = alloc::vec![0; header_bytes];
        self.memory.device_read(first.address, &mut header);
        let (target, lun) = unit_of(&header[..8])?;
        let cdb = header[19..19 + cdb_length(header[19])].to_vec();
        let spare = &header[19 + cdb.len()..];
        if spare.iter().any(|byte| *byte != 0) || header[16..19] != [0; 3] {
            return None;
        }
        let id = u64::from_le_bytes(core::array::from_fn(|at| header[8 + at]));
        let pending = Pending {
            queue,
            head: chain.head,
            id,
            target,
            lun,
            cdb,
            answer: answer.address,
            data_out: data_out.to_vec(),
            data_in: data_in.to_vec(),
            steps_left: match self.completing {
                Completing::AfterSteps(steps) => steps,
                _ => 0,
            },
        };
        self.seen.transfers += u64::from(blocks_of(&pending.cdb).is_some());
        self.judge(&pending);
        Some(pending)
    }

    fn judge(&mut self, pending: &Pending) {
        let shared = self.in_flight.iter().any(|open| open.id == pending.id);
        self.seen.shared_ids += u64::from(shared || pending.id == 0);
        let same = |open: &&Pending| (open.target, open.lun) == (pending.target, pending.lun);
        let open = self.in_flight.iter().filter(same).count() as u64 + 1;
        self.seen.most_per_unit = self.seen.most_per_unit.max(open);
        let data_bytes = (total(&pending.data_in) + total(&pending.data_out)) as u64;
        self.seen.longest_bytes = self.seen.longest_bytes.max(data_bytes);
        let segments = (pending.data_in.len() + pending.data_out.len()) as u64;
        if data_bytes > u64::from(self.quirks.max_sectors) * 512
            || segments > u64::from(self.quirks.max_segments)
        {
            self.seen.beyond_limits += 1;
        }
        let at = (pending.target, pending.lun);
        if let (Some(blocks), Some(block_bytes)) =
            (blocks_of(&pending.cdb), self.bus.block_bytes(at))
            && blocks * u64::from(block_bytes) != data_bytes
        {
            self.seen.wrong_lengths += 1;
        }
        let moves = match (pending.data_out.is_empty(), pending.data_in.is_empty()) {
            (true, true) => Direction::None,
            (false, true) => Direction::Out,
            (true, false) => Direction::In,
            (false, false) => {
                self.seen.wrong_directions += 1;
                return;
            }
        };
        if direction_of(&pending.cdb).is_some_and(|direction| direction != moves) {
            self.seen.wrong_directions += 1;
        }
    }

    /// Completes the `nth` open command; false if there is none such.
    pub fn complete(&mut self, nth: usize) -> bool {
        let Some(pending) = self.in_flight.remove(nth) else {
            return false;
        };
        self.execute(&pending);
        true
    }

    pub(super) fn complete_ripe(&mut self) {
        let mut at = 0;
        while at < self.in_flight.len() {
            let pending = &mut self.in_flight[at];
            let waits = matches!(self.completing, Completing::AfterSteps(_));
            if waits && pending.steps_left == 0 {
                self.complete(at);
            } else {
                pending.steps_left = pending.steps_left.saturating_sub(1);
                at += 1;
            }
        }
    }

    fn execute(&mut self, pending: &Pending) {
        let mut data_out = Vec::new();
        for segment in &pending.data_out {
            let mut piece = alloc::vec![0; segment.len_bytes];
            self.memory.device_read(segment.address, &mut piece);
            data_out.extend_from_slice(&piece);
        }
        let room = total(&pending.data_in);
        let reply = self
            .bus
            .execute(pending.target, pending.lun, &pending.cdb, &data_out, room);
        match reply {
            None => self.end(pending, 3, &ScsiReply::default(), 0),
            Some(reply) if reply.lost => {}
            Some(reply) => {
                let mut data = &reply.data[..];
                for segment in &pending.data_in {
                    let (piece, rest) = data.split_at(data.len().min(segment.len_bytes));
                    self.memory.device_write(segment.address, piece);
                    data = rest;
                }
                let asked = (room + data_out.len()) as u64;
                // As in QEMU, sense data hide what did not move.
                let residual = if reply.status == 2 {
                    0
                } else {
                    asked.saturating_sub(reply.moved_bytes) + u64::from(self.false_residual_bytes)
                };
                let code = reply.transport.unwrap_or(0) as u8;
                self.end(pending, code, &reply, residual as u32);
            }
        }
    }

    /// Writes the response and gives the chain back.
    pub(super) fn end(&mut self, pending: &Pending, code: u8, reply: &ScsiReply, residual: u32) {
        let mut answer = alloc::vec![0; 12 + self.sense_size as usize];
        answer[..4].copy_from_slice(&(reply.sense.len() as u32).to_le_bytes());
        answer[4..8].copy_from_slice(&residual.to_le_bytes());
        answer[10] = reply.status;
        answer[11] = code;
        answer[12..12 + reply.sense.len()].copy_from_slice(&reply.sense);
        let written = if self.leaves_sense {
            12 + reply.sense.len()
        } else {
            answer.len()
        };
        self.memory.device_write(pending.answer, &answer[..written]);
        self.seen.completions += 1;
        // QEMU counts all of the data buffer, whatever moved.
        let len_bytes = answer.len() + total(&pending.data_in);
        self.put_used(pending.queue, pending.head, len_bytes as u32);
    }

    /// Ends open commands that `chosen` picks, with this code.
    pub(super) fn end_where(&mut self, chosen: impl Fn(&Pending) -> bool, code: u8) {
        let open = core::mem::take(&mut self.in_flight);
        for pending in open {
            if chosen(&pending) {
                self.end(&pending, code, &ScsiReply::default(), 0);
            } else {
                self.in_flight.push_back(pending);
            }
        }
    }
}
