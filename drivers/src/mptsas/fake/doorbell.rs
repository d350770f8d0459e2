//! The doorbell: messages word by word, and the gentle reset.

use super::MptModel;
use super::model::READY;
use alloc::vec::Vec;

/// Where a handshake stands.
pub(super) enum Exchange {
    /// There is none.
    Idle,
    /// So many words are still to come.
    Writing(usize, Vec<u32>),
    /// The reply as half-words, and how many were read.
    Reading(Vec<u16>, usize),
}

impl MptModel {
    pub(super) fn read_doorbell(&mut self) -> u32 {
        let state = self.state | u32::from(self.who_init & 7) << 24;
        match &mut self.exchange {
            Exchange::Idle => state,
            Exchange::Writing(..) => state | 1 << 27,
            Exchange::Reading(halves, read) => {
                let half = halves.get(*read).copied().unwrap_or(0);
                *read += 1;
                state & 0xffff_0000 | 1 << 27 | u32::from(half)
            }
        }
    }

    pub(super) fn write_doorbell(&mut self, value: u32) {
        if self.mute {
            return;
        }
        self.busy_left = self.quirks.busy_looks;
        if let Exchange::Writing(left, words) = &mut self.exchange {
            words.push(value);
            *left -= 1;
            if *left == 0 {
                let words = core::mem::take(words);
                self.exchange = Exchange::Idle;
                self.answer(&words);
            }
            return;
        }
        match value >> 24 {
            0x40 => self.reset_gently(),
            0x42 => {
                let count = (value >> 16 & 0xff) as usize;
                self.exchange = Exchange::Writing(count, Vec::new());
                self.doorbell_raised = true;
            }
            _ => {}
        }
    }

    fn answer(&mut self, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let Some(reply) = self.process_message(&bytes) else {
            return;
        };
        let halves = reply
            .chunks_exact(2)
            .map(|half| u16::from_le_bytes([half[0], half[1]]))
            .collect();
        self.exchange = Exchange::Reading(halves, 0);
        self.doorbell_raised = true;
    }

    /// A write to the interrupt status: the next half-word comes, and after the
    /// last one the doorbell rings once more.
    pub(super) fn clear_doorbell(&mut self) {
        self.doorbell_raised = false;
        if let Exchange::Reading(halves, read) = &self.exchange {
            self.doorbell_raised = *read > 0;
            if *read >= halves.len() {
                self.exchange = Exchange::Idle;
            }
        }
    }

    fn reset_gently(&mut self) {
        if self.ignores_gentle_reset
            || self.state >> 28 == 4 && !self.quirks.gentle_reset_ends_fault
        {
            return;
        }
        self.seen.gentle_resets += 1;
        self.flush();
        self.bus.reset(0);
        self.state = READY;
    }
}
