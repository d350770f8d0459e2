//! Lies, and changes on the bus.

use super::PvscsiModel;
use crate::fake::scsi::ScsiUnit;

impl PvscsiModel {
    /// Moves the completion index on by `count` although nothing completed.
    pub fn run_away(&mut self, count: u32) {
        self.skip_completions(count);
    }

    /// Moves the message index on by `count` although there is no message.
    pub fn run_messages_away(&mut self, count: u32) {
        self.skip_messages(count);
    }

    /// Posts a successful completion of `context`, whatever that is.
    pub fn post_context(&mut self, context: u64) {
        self.post([context, 0, 0, 0]);
    }

    /// Context of the last completion; posting it again doubles it.
    #[must_use]
    pub fn last_context(&self) -> u64 {
        self.last_context
    }

    /// Context of the first request behind the index, which the driver has
    /// written but not published.
    #[must_use]
    pub fn unpublished_context(&self) -> Option<u64> {
        self.context_behind_index()
    }

    /// Writes the request call threshold into the page of indices, if enabled.
    pub fn set_call_threshold(&mut self, threshold: u32) {
        self.call_threshold = threshold;
        self.publish_threshold();
    }

    /// Adds a unit while running, with its message.
    pub fn hot_add(&mut self, target: u16, lun: u8, unit: ScsiUnit) {
        self.bus.insert(target, u16::from(lun), unit);
        self.post_message(0, target, lun);
    }

    /// Takes a target away while running, with its message. Commands that are
    /// open end as if there had never been such a target.
    pub fn hot_remove(&mut self, target: u16) {
        self.bus.remove_target(target);
        self.post_message(1, target, 0);
    }
}
