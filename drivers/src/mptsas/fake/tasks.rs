//! Task management.

use super::MptModel;
use super::commands::Pending;
use super::messages::{get32, reply_to};
use alloc::vec::Vec;

impl MptModel {
    /// As in QEMU, an unknown task is no error.
    pub(super) fn manage_tasks(&mut self, request: &[u8]) -> Vec<u8> {
        let target = u16::from(request[0]);
        let about = get32(request, 0x30);
        let mut reply = reply_to(request, 0x18);
        reply[5] = request[5];
        let ended = match request[5] {
            // The unit must be that of the command, or it is not found.
            1 => self.end_where(|pending| pending.context() == about && pending.target() == target),
            3 => {
                let ended = self.end_where(|pending| pending.target() == target);
                self.bus.units_of(target).for_each(|unit| unit.reset(3));
                ended
            }
            _ => {
                reply[4] = 4;
                0
            }
        };
        reply[0x14] = ended;
        reply
    }

    pub(super) fn end_all(&mut self) {
        self.end_where(|_| true);
    }

    /// Ends open commands as terminated; how many.
    fn end_where(&mut self, chosen: impl Fn(&Pending) -> bool) -> u8 {
        let mut count = 0;
        for pending in core::mem::take(&mut self.in_flight) {
            if chosen(&pending) {
                count += 1;
                self.end(&pending, 0x48);
            } else {
                self.in_flight.push_back(pending);
            }
        }
        count
    }
}
