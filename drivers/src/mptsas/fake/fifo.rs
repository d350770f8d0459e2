//! The FIFOs: requests in, replies out, free frames in.

use super::MptModel;
use super::commands::Pending;
use super::model::OPERATIONAL;
use super::{Completing, Fetching};
use crate::hal::BusAddr;
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;
/// Bytes that the adapter fetches of a frame.
const FRAME_BYTES: usize = 128;

impl MptModel {
    fn frame_address(&self, low: u32) -> BusAddr {
        BusAddr(u64::from(self.frames_high) << 32 | u64::from(low & !3))
    }

    pub(super) fn read_frame(&self, low: u32) -> [u8; FRAME_BYTES] {
        let mut bytes = [0; FRAME_BYTES];
        self.memory.device_read(self.frame_address(low), &mut bytes);
        bytes
    }

    pub(super) fn post(&mut self, low: u32) {
        if self.mute {
            return;
        }
        if self.fast {
            let address = self.frame_address(low).add(8);
            if let Some(context) = self.memory.view(address, 4) {
                self.replies.push_back(context.load32(0));
            }
            return;
        }
        if self.posted.len() >= usize::from(self.quirks.credits) {
            self.fault(6);
            return;
        }
        self.posted.push_back(low);
        let outstanding = self.posted.len() + self.in_flight.len();
        self.seen.most_outstanding = self.seen.most_outstanding.max(outstanding);
        if outstanding > usize::from(self.quirks.credits) {
            self.seen.credit_overruns += 1;
        }
        if self.fetching == Fetching::AtPost {
            self.fetch(usize::MAX);
        }
    }

    /// Fetches at most `count` posted requests.
    pub(super) fn fetch(&mut self, count: usize) {
        for _ in 0..count {
            if self.posted.is_empty() || self.state >> 28 == 4 {
                break;
            }
            if self.state != OPERATIONAL {
                self.fault(8);
                break;
            }
            let Some(low) = self.posted.pop_front() else {
                break;
            };
            self.take_request(low);
        }
    }

    fn take_request(&mut self, low: u32) {
        self.seen.requests += 1;
        if !low.is_multiple_of(64) {
            self.seen.misaligned_frames += 1;
        }
        if self.in_flight.iter().any(|pending| pending.low == low) {
            self.seen.reused_frames += 1;
        }
        let pending = Pending::new(low, self.read_frame(low));
        let context = pending.context();
        let used = self
            .in_flight
            .iter()
            .any(|pending| pending.context() == context);
        if context == 0 || context >= 1 << 29 || used {
            self.seen.bad_contexts += 1;
        }
        if pending.bytes[3] != 0 {
            if let Some(reply) = self.process_message(&pending.bytes) {
                self.send_frame(reply);
            }
            return;
        }
        self.seen.transfers += u64::from(pending.is_transfer());
        self.in_flight.push_back(pending);
        match self.completing {
            Completing::AtOnce => {
                self.complete(self.in_flight.len() - 1);
            }
            Completing::AfterSteps(steps) => {
                if let Some(pending) = self.in_flight.back_mut() {
                    pending.steps_left = steps;
                }
            }
            Completing::ByHand => {}
        }
    }

    /// QEMU has room for so many replies and no more; firmware finds some.
    fn push_reply(&mut self, value: u32) {
        let full = self.replies.len() >= usize::from(self.quirks.reply_depth);
        if full && self.quirks.faults_without_frame {
            self.fault(6);
            return;
        }
        self.replies.push_back(value);
        self.replies_raised = true;
    }

    pub(super) fn send_context(&mut self, context: u32) {
        self.seen.context_replies += 1;
        self.push_reply(context);
    }

    /// Sends a reply in a free frame.
    pub(super) fn send_frame(&mut self, reply: Vec<u8>) {
        let Some(low) = self.free.pop_front() else {
            if self.quirks.faults_without_frame {
                self.fault(6);
            } else {
                self.held.push_back(reply);
            }
            return;
        };
        let len = reply.len().min(self.reply_frame_bytes);
        self.memory
            .device_write(self.frame_address(low), &reply[..len]);
        self.seen.frame_replies += 1;
        self.push_reply(1 << 31 | low >> 1);
    }

    /// A read of the reply FIFO.
    pub(super) fn take_reply(&mut self) -> u32 {
        let Some(value) = self.replies.pop_front() else {
            self.seen.empty_reads += 1;
            self.replies_raised = false;
            return NONE;
        };
        self.last_reply = value;
        value
    }

    /// A write to the reply FIFO.
    pub(super) fn take_frame(&mut self, low: u32) {
        if self.free.contains(&low) {
            self.seen.doubled_frames += 1;
        }
        if self.free.len() >= usize::from(self.quirks.reply_depth) {
            self.fault(6);
            return;
        }
        self.seen.given_frames += 1;
        self.free.push_back(low);
        if let Some(reply) = self.held.pop_front() {
            self.send_frame(reply);
        }
    }
}
