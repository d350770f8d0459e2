//! Lies, and changes on the bus.

use super::VirtioModel;
use crate::fake::scsi::ScsiUnit;

impl VirtioModel {
    /// Moves the used index of a queue on by `count` although nothing was used.
    pub fn run_away(&mut self, queue: usize, count: u16) {
        self.skip_used(queue, count);
    }

    /// Puts an entry into a used ring, whatever it names.
    pub fn use_head(&mut self, queue: usize, head: u32) {
        self.put_used(queue, head, 0);
    }

    /// Head of the last used entry; using it again doubles a completion.
    #[must_use]
    pub fn last_head(&self) -> u32 {
        self.last_used.1
    }

    /// Drops an open command without a word.
    pub fn lose(&mut self, nth: usize) {
        self.in_flight.remove(nth);
    }

    /// Starts to look at its rings by itself, or goes to sleep: then it wants to
    /// be told, and looks once more.
    pub fn set_polling(&mut self, on: bool) {
        self.polls = on;
        if self.runs() {
            self.rings.iter_mut().for_each(|ring| ring.kicked = true);
            self.fetch(0);
            let event_index = self.agreed(29);
            for ring in self.rings.iter().skip(2).filter(|ring| ring.enabled) {
                ring.want_kicks(&self.memory, event_index, !on);
            }
        }
    }

    /// Resets the bus: open commands end as reset.
    pub fn reset_bus(&mut self) {
        self.end_where(|_| true, 4);
        self.bus.reset(2);
    }

    /// Wants a reset.
    pub fn break_down(&mut self) {
        self.breaks();
    }

    /// Adds a unit while running, with its event.
    pub fn hot_add(&mut self, target: u16, lun: u16, unit: ScsiUnit) {
        self.bus.insert(target, lun, unit);
        self.send_event(1, target, lun, 1);
    }

    /// Takes a target away while running, with its event.
    pub fn hot_remove(&mut self, target: u16) {
        self.bus.remove_target(target);
        self.send_event(1, target, 0, 2);
    }

    /// Tells that a unit's capacity changed (2A/09).
    pub fn resized(&mut self, target: u16, lun: u16) {
        self.send_event(3, target, lun, 0x2a | 0x09 << 8);
    }

    /// Sends an event of any kind.
    pub fn tell(&mut self, event: u32, target: u16, reason: u32) {
        self.send_event(event, target, 0, reason);
    }
}
