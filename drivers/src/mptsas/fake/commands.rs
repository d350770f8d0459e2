//! SCSI commands: execute and reply.

use super::MptModel;
use super::messages::{get32, put16, reply_to};
use crate::fake::scsi::{Direction, ScsiReply};
use crate::hal::BusAddr;
use alloc::vec::Vec;

/// A command that was fetched.
#[derive(Clone)]
pub(super) struct Pending {
    pub(super) low: u32,
    pub(super) bytes: [u8; 128],
    pub(super) steps_left: u32,
}

impl Pending {
    pub(super) fn new(low: u32, bytes: [u8; 128]) -> Self {
        Self {
            low,
            bytes,
            steps_left: 0,
        }
    }
    pub(super) fn context(&self) -> u32 {
        get32(&self.bytes, 8)
    }
    pub(super) fn target(&self) -> u16 {
        u16::from(self.bytes[0])
    }
    fn lun(&self) -> u16 {
        u16::from(self.bytes[0x0d])
    }
    fn cdb(&self) -> Vec<u8> {
        let len = usize::from(self.bytes[4]).min(16);
        self.bytes[0x18..0x18 + len].to_vec()
    }
    pub(super) fn is_transfer(&self) -> bool {
        blocks_of(&self.cdb()).is_some()
    }
    fn data_bytes(&self) -> u32 {
        get32(&self.bytes, 0x28)
    }
    fn direction(&self) -> Direction {
        match get32(&self.bytes, 0x14) >> 24 & 3 {
            1 => Direction::Out,
            2 => Direction::In,
            _ => Direction::None,
        }
    }
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

/// Length of a SCSI IO reply.
const SCSI_REPLY_BYTES: usize = 36;

impl MptModel {
    /// Completes what has waited long enough.
    pub(super) fn complete_ripe(&mut self) {
        let mut index = 0;
        while let Some(pending) = self.in_flight.get_mut(index) {
            if pending.steps_left == 0 {
                if !self.complete(index) {
                    return;
                }
            } else {
                pending.steps_left -= 1;
                index += 1;
            }
        }
    }

    /// Executes and completes the `index`th open command, in order of their
    /// arrival; whether there was one.
    pub fn complete(&mut self, index: usize) -> bool {
        if self.state >> 28 != 2 {
            return false;
        }
        let Some(pending) = self.in_flight.remove(index) else {
            return false;
        };
        if self.read_frame(pending.low) != pending.bytes {
            self.seen.changed_frames += 1;
        }
        self.execute(&pending);
        true
    }

    /// Ends a command with a status of the adapter.
    pub(super) fn end(&mut self, pending: &Pending, ioc_status: u16) {
        let mut reply = scsi_reply(pending);
        reply[0x0d] = 4;
        put16(&mut reply, 0x0e, ioc_status);
        self.send_frame(reply);
    }

    /// Where the data lies, as (address, length) in order; `None` for a list
    /// that is not valid.
    fn segments(&mut self, pending: &Pending) -> Option<Vec<(BusAddr, usize)>> {
        let mut segments = Vec::new();
        let (mut at, mut total) = (0x30, 0);
        let end = usize::from(self.quirks.request_frame_bytes).min(pending.bytes.len());
        loop {
            if at + 12 > end {
                self.seen.bad_lists += 1;
                return None;
            }
            let head = get32(&pending.bytes, at);
            if head >> 28 & 3 != 1 || head >> 25 & 1 != 1 {
                self.seen.bad_lists += 1;
                return None;
            }
            let low = u64::from(get32(&pending.bytes, at + 4));
            let address = BusAddr(u64::from(get32(&pending.bytes, at + 8)) << 32 | low);
            let len = (head & 0xff_ffff) as usize;
            if len == 0 && pending.data_bytes() > 0 {
                self.seen.empty_elements += 1;
            }
            let out = head >> 26 & 1 == 1;
            if len > 0 && out != (pending.direction() == Direction::Out) {
                self.seen.list_mismatches += 1;
            }
            segments.push((address, len));
            total += len;
            at += 12;
            if head & 0xc100_0000 == 0xc100_0000 {
                break;
            }
        }
        if total != pending.data_bytes() as usize {
            self.seen.list_mismatches += 1;
        }
        self.seen.most_elements = self.seen.most_elements.max(segments.len());
        Some(segments)
    }

    /// Whether direction and room fit the CDB, as QEMU looks at them.
    fn fits(&mut self, pending: &Pending, cdb: &[u8]) -> bool {
        let data_bytes = u64::from(pending.data_bytes());
        self.seen.longest_bytes = self.seen.longest_bytes.max(data_bytes);
        let at = (pending.target(), pending.lun());
        let wanted = match (blocks_of(cdb), self.bus.block_bytes(at)) {
            (Some(blocks), Some(block_bytes)) => blocks * u64::from(block_bytes),
            _ => data_bytes,
        };
        if wanted != data_bytes {
            self.seen.wrong_lengths += 1;
        }
        let fits = pending.direction() == direction_of(cdb) && wanted <= data_bytes;
        if !fits {
            self.seen.overruns += 1;
        }
        fits
    }

    fn execute(&mut self, pending: &Pending) {
        if pending.bytes[1] != 0 {
            return self.end(pending, 0x41);
        }
        if pending.target() >= self.targets {
            return self.end(pending, 0x42);
        }
        if !self.bus.has_target(pending.target()) {
            return self.end(pending, 0x43);
        }
        let Some(segments) = self.segments(pending) else {
            return self.end(pending, 3);
        };
        let cdb = pending.cdb();
        if !self.fits(pending, &cdb) {
            return self.end(pending, 0x44);
        }
        let mut data_out = Vec::new();
        if pending.direction() == Direction::Out {
            for (address, len) in &segments {
                let mut piece = alloc::vec![0; *len];
                self.memory.device_read(*address, &mut piece);
                data_out.extend_from_slice(&piece);
            }
        }
        let room = pending.data_bytes() as usize;
        let (target, lun) = (pending.target(), pending.lun());
        let Some(reply) = self.bus.execute(target, lun, &cdb, &data_out, room) else {
            return self.end(pending, 0x43);
        };
        if !reply.lost {
            self.deliver(pending, &segments, &reply);
        }
    }

    fn deliver(&mut self, pending: &Pending, segments: &[(BusAddr, usize)], reply: &ScsiReply) {
        let mut data = &reply.data[..];
        for (address, len) in segments {
            let (piece, rest) = data.split_at(data.len().min(*len));
            if !piece.is_empty() {
                self.memory.device_write(*address, piece);
            }
            data = rest;
        }
        let room = usize::from(pending.bytes[5]);
        let sense = &reply.sense[..reply.sense.len().min(room)];
        if !sense.is_empty() {
            let low = get32(&pending.bytes, 0x2c);
            let address = BusAddr(u64::from(self.sense_high) << 32 | u64::from(low));
            self.memory.device_write(address, sense);
        }
        if let Some(code) = reply.transport {
            return self.end(pending, code);
        }
        let short = reply.moved_bytes != u64::from(pending.data_bytes());
        let good = reply.status == 0;
        if good && !short && self.quirks.context_replies {
            return self.send_context(pending.context());
        }
        let mut frame = scsi_reply(pending);
        frame[0x0c] = reply.status;
        frame[0x18] = reply.sense.len() as u8;
        let underrun = short && good;
        if !good && self.quirks.status_as_underrun {
            frame[0x0d] = 1;
            put16(&mut frame, 0x0e, 0x45);
        } else {
            frame[0x0d] = u8::from(!reply.sense.is_empty());
            put16(&mut frame, 0x0e, if underrun { 0x45 } else { 0 });
            let lost = if self.loses_bytes_silently { 512 } else { 0 };
            let moved_bytes = reply.moved_bytes as u32 - lost;
            frame[0x14..0x18].copy_from_slice(&moved_bytes.to_le_bytes());
        }
        self.send_frame(frame);
    }
}

fn scsi_reply(pending: &Pending) -> Vec<u8> {
    let mut reply = reply_to(&pending.bytes, SCSI_REPLY_BYTES);
    reply[..2].copy_from_slice(&pending.bytes[..2]);
    reply[4..6].copy_from_slice(&pending.bytes[4..6]);
    reply
}
