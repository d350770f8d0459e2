//! Messages that set the adapter up, and what it answers.

use super::MptModel;
use super::model::{OPERATIONAL, READY};
use super::quirks::Chip;
use alloc::vec::Vec;

/// A reply of `len` bytes with the function and context of the request.
pub(super) fn reply_to(request: &[u8], len: usize) -> Vec<u8> {
    let mut reply = alloc::vec![0; len];
    reply[2] = (len / 4) as u8;
    reply[3] = request[3];
    reply[8..12].copy_from_slice(&request[8..12]);
    reply
}

pub(super) fn put16(reply: &mut [u8], at: usize, value: u16) {
    reply[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

fn put32(reply: &mut [u8], at: usize, value: u32) {
    reply[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

pub(super) fn get32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl MptModel {
    /// The reply to a message that is no SCSI command; `None` where there is none.
    pub(super) fn process_message(&mut self, request: &[u8]) -> Option<Vec<u8>> {
        match request[3] {
            1 => Some(self.manage_tasks(request)),
            2 => Some(self.initialise(request)),
            3 => Some(self.tell_facts(request)),
            5 => Some(self.tell_port(request)),
            6 => Some(self.enable_port(request)),
            7 if self.quirks.events => {
                let mut reply = reply_to(request, 0x20);
                reply[7] = 0x80;
                reply[0x14] = 0x0a;
                Some(reply)
            }
            8 if !self.quirks.faults_on_unknown => {
                self.seen.event_acks += 1;
                Some(reply_to(request, 0x14))
            }
            _ => {
                self.seen.unknown_functions += 1;
                if self.quirks.faults_on_unknown {
                    self.fault(1);
                    return None;
                }
                let mut reply = reply_to(request, 0x14);
                put16(&mut reply, 0x0e, 1);
                Some(reply)
            }
        }
    }

    fn tell_facts(&self, request: &[u8]) -> Vec<u8> {
        let mut reply = reply_to(request, 0x50);
        let quirks = &self.quirks;
        let sas = self.chip == Chip::Sas1068;
        put16(&mut reply, 0x00, quirks.message_version);
        reply[0x14] = 34;
        reply[0x15] = self.who_init;
        reply[0x16] = 13;
        put16(&mut reply, 0x18, quirks.reply_depth);
        put16(&mut reply, 0x1a, quirks.request_frame_bytes / 4);
        put16(&mut reply, 0x1e, if sas { 0x2102 } else { 0x0108 });
        put16(&mut reply, 0x24, quirks.credits);
        reply[0x26] = if sas { 8 } else { 1 };
        put16(&mut reply, 0x2c, self.reply_frame_bytes as u16);
        reply[0x2e] = quirks.told_targets as u8;
        reply[0x2f] = 1;
        put32(&mut reply, 0x34, u32::from(quirks.hi_pri));
        put32(&mut reply, 0x38, 0x0120_5c00);
        reply
    }

    fn tell_port(&self, request: &[u8]) -> Vec<u8> {
        let mut reply = reply_to(request, 0x28);
        let (kind, own_target) = match self.chip {
            Chip::Sas1068 => (0x30, 8),
            Chip::Parallel53c1030 => (0x01, 7),
        };
        reply[0x15] = kind;
        put16(&mut reply, 0x16, self.quirks.told_targets);
        put16(&mut reply, 0x18, own_target);
        put16(&mut reply, 0x1a, 9);
        reply
    }

    fn initialise(&mut self, request: &[u8]) -> Vec<u8> {
        let mut reply = reply_to(request, 0x14);
        self.seen.init_words = request.len() / 4;
        let targets = match request[5] {
            0 => 256,
            count => u16::from(count),
        };
        let told = self.quirks.told_targets;
        let length_fits = self.quirks.message_version < 0x0105 || request.len() == 44;
        let refused = self.quirks.strict_targets && (targets > told || !length_fits);
        if self.state != READY {
            put16(&mut reply, 0x0e, 8);
        } else if refused {
            put16(&mut reply, 0x0e, 7);
        } else {
            self.who_init = request[0];
            self.targets = targets;
            self.reply_frame_bytes = usize::from(request[0x0c]) | usize::from(request[0x0d]) << 8;
            self.frames_high = get32(request, 0x10);
            self.sense_high = get32(request, 0x14);
            self.state = OPERATIONAL;
        }
        reply
    }

    fn enable_port(&self, request: &[u8]) -> Vec<u8> {
        reply_to(request, 0x14)
    }
}
