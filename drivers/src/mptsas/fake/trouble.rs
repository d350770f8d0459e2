//! Lies, faults, and changes on the bus.

use super::MptModel;
use super::model::FAULT;

impl MptModel {
    /// Gives up with this code, as firmware does when it is at its wits' end.
    pub fn give_up(&mut self, code: u16) {
        self.state = FAULT | u32::from(code);
    }

    /// Resets the bus: open commands end as terminated by it.
    pub fn reset_bus(&mut self) {
        self.end_all();
        self.bus.reset(2);
    }

    /// Leaves its operational state, as if somebody else had reset it.
    pub fn fall_back(&mut self) {
        self.state = super::model::READY;
    }

    /// Starts over, and is ready after so many steps.
    pub fn start_over(&mut self, steps: u32) {
        self.state = 0;
        self.boot_left = steps;
    }

    /// Puts any value into the reply FIFO.
    pub fn post_reply(&mut self, value: u32) {
        self.replies.push_back(value);
        self.replies_raised = true;
    }

    /// Value that was read last from the reply FIFO.
    #[must_use]
    pub fn last_reply(&self) -> u32 {
        self.last_reply
    }

    /// A free reply frame, as the reply FIFO would name it, which stays free.
    #[must_use]
    pub fn unwritten_reply(&self) -> Option<u32> {
        self.free.front().map(|low| 1 << 31 | low >> 1)
    }

    /// Sends a reply in a frame, of success, with this function and context.
    pub fn reply_with(&mut self, function: u8, context: u32) {
        let mut reply = alloc::vec![0; 36];
        reply[2] = 9;
        reply[3] = function;
        reply[8..12].copy_from_slice(&context.to_le_bytes());
        self.send_frame(reply);
    }

    /// Context of the oldest open command.
    #[must_use]
    pub fn oldest_context(&self) -> Option<u32> {
        Some(self.in_flight.front()?.context())
    }

    /// Sends an event.
    pub fn send_event(&mut self, event: u32, ack_required: bool) {
        let mut reply = alloc::vec![0; 0x20];
        reply[0] = 1;
        reply[2] = 8;
        reply[3] = 7;
        reply[6] = u8::from(ack_required);
        reply[0x14..0x18].copy_from_slice(&event.to_le_bytes());
        reply[0x18..0x1c].copy_from_slice(&0x55u32.to_le_bytes());
        self.send_frame(reply);
    }
}
