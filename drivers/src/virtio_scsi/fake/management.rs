//! Control and event queue.

use super::VirtioModel;
use super::requests::unit_of;
use crate::hal::BusAddr;

impl VirtioModel {
    /// Executes all requests of the control queue.
    pub(super) fn manage(&mut self) {
        while let Some(fetched) = self.rings[0].fetch(&self.memory) {
            let request = fetched.ok().and_then(|chain| {
                let [asks, answers] = chain.segments[..] else {
                    return None;
                };
                let shaped = !asks.writes && asks.len_bytes == 24;
                let answered = answers.writes && answers.len_bytes == 1;
                (shaped && answered).then_some((chain.head, asks.address, answers.address))
            });
            let Some((head, asks, answers)) = request else {
                self.seen.bad_chains += 1;
                self.breaks();
                return;
            };
            if let Some(code) = self.run_function(asks) {
                self.memory.device_write(answers, &[code]);
                self.put_used(0, head, 1);
            }
        }
        let event_index = self.agreed(29);
        self.rings[0].want_kicks(&self.memory, event_index, true);
    }

    /// The answer to one request; `None` if there is none.
    fn run_function(&mut self, asks: BusAddr) -> Option<u8> {
        if self.deaf {
            return None;
        }
        let mut request = [0; 24];
        self.memory.device_read(asks, &mut request);
        let word =
            |at: usize| u32::from_le_bytes(core::array::from_fn(|index| request[at + index]));
        let id = u64::from(word(16)) | u64::from(word(20)) << 32;
        let Some((target, lun)) = unit_of(&request[8..16]) else {
            return Some(12);
        };
        if !self.bus.has_target(target) {
            return Some(3);
        }
        match (word(0), word(4)) {
            (0, 0) => {
                let at = (target, lun);
                self.end_where(|its| its.id == id && (its.target, its.lun) == at, 2);
                Some(0)
            }
            (0, 5) => {
                let at = (target, lun);
                self.end_where(|its| (its.target, its.lun) == at, 4);
                self.bus.unit(target, lun).reset(3);
                Some(0)
            }
            _ => Some(11),
        }
    }

    /// Puts an event into a buffer, or notes that it was missed.
    pub(super) fn send_event(&mut self, event: u32, target: u16, lun: u16, reason: u32) {
        if !self.rings[1].enabled || !self.runs() {
            return;
        }
        let buffer = self.rings[1].fetch(&self.memory);
        let Some(buffer) = buffer else {
            self.events_missed = true;
            self.seen.dropped_events += 1;
            return;
        };
        let segment = buffer.ok().and_then(|chain| match chain.segments[..] {
            [only] if only.writes && only.len_bytes >= 16 => Some((chain.head, only.address)),
            _ => None,
        });
        let Some((head, address)) = segment else {
            self.seen.bad_chains += 1;
            self.breaks();
            return;
        };
        let missed = core::mem::take(&mut self.events_missed);
        let event = event | u32::from(missed) << 31;
        // As in QEMU: the address method only where it is needed.
        let high = if lun < 256 {
            0
        } else {
            0x40 | (lun >> 8) as u8
        };
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&event.to_le_bytes());
        bytes[4..8].copy_from_slice(&[1, target as u8, high, lun as u8]);
        bytes[12..].copy_from_slice(&reason.to_le_bytes());
        self.memory.device_write(address, &bytes);
        self.put_used(1, head, 16);
    }

    /// Tells that events were missed, now that there is a buffer again.
    pub(super) fn send_missed(&mut self) {
        if self.events_missed {
            self.send_event(0, 0, 0, 0);
        }
    }
}
