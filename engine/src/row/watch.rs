//! What a row does when things take too long, and how it ends.

use super::spec::Kind;
use super::split::Piece;
use super::state::Row;
use super::tally::Failure;
use drivers::block::{Completion, Controller, Health, Op};
use drivers::hal::Deadline;

/// How long commands that were asked to abort may take to come back.
const ABORT_MS: u64 = 2_000;

impl Row<'_> {
    /// Looks at the controller's health, its notices, and the oldest I/O.
    pub fn watch(&mut self, ctl: &mut dyn Controller, now: u64) {
        match ctl.health() {
            Health::Ok => {}
            health => return self.give_up(Failure::Unhealthy(health)),
        }
        // A device that has no UNIT ATTENTION says it by a notice.
        if self.kind != Kind::Read {
            let told = ctl.take_disk_change();
            self.disks_changed |= matches!(told, Ok(true));
            self.suspended |= !matches!(told, Ok(false));
        }
        let overdue = self
            .table
            .open()
            .map(|(_, slot)| (now.saturating_sub(slot.t0), slot))
            .max_by_key(|(age, _)| *age)
            .filter(|(age, _)| *age >= self.timeout_ticks);
        if let Some((age_ticks, slot)) = overdue {
            self.give_up(Failure::TimedOut {
                write: slot.lane() == 1,
                offset_bytes: slot.lba() << self.block_shift,
                age_ticks,
            });
        }
    }

    /// Takes back what the device still owns after the window: each command has
    /// its whole time; then it is aborted, and at last the controller is reset, as
    /// it also is when it is not well.
    pub fn drain(&mut self, ctl: &mut dyn Controller) {
        let mut next_watch = 0;
        while self.owned > 0 && self.failure.is_none() {
            let now = self.clock.now_ticks();
            if now >= next_watch {
                next_watch = now.saturating_add(self.timeout_ticks / 8);
                self.watch(ctl, now);
            }
            if self.take_back(ctl) == 0 {
                self.clock.relax();
            }
        }
        if self.owned > 0 {
            self.abort_all(ctl);
        }
        // One that lies or has a fault does not get well by being left alone, even
        // with nothing in flight. What it says of itself is asked before it forgets.
        let health = ctl.health();
        if health != Health::Ok {
            self.found_unwell = Some(health);
        }
        if (self.owned > 0 || health != Health::Ok)
            && let Err(error) = ctl.reset()
        {
            self.failure.get_or_insert(Failure::Reset(error));
            self.controller_lost = true;
        }
        self.owned = 0;
        for (index, slot) in self.table.open() {
            let extra = self.table.extra_of(index);
            if self.crew.is_some() && extra.op == Op::Flush {
                self.flushes.lost += 1;
            } else {
                self.tracks[slot.lane()].lost += 1;
            }
        }
        if self.failure.is_none()
            && let Some(health) = self.found_unwell
        {
            self.failure = Some(Failure::Unhealthy(health));
        }
    }

    fn abort_all(&mut self, ctl: &mut dyn Controller) {
        for (index, slot) in self.table.open() {
            if ctl.abort(self.rings.queue_of(index), slot.tag).is_err() {
                return;
            }
        }
        let deadline = Deadline::after_ms(self.clock, ABORT_MS);
        while self.owned > 0 && !deadline.passed(self.clock) {
            if self.take_back(ctl) == 0 {
                self.clock.relax();
            }
        }
    }

    /// One pass outside the window.
    fn take_back(&mut self, ctl: &mut dyn Controller) -> usize {
        let found = self.reap_queues(ctl);
        self.owned = self.owned.wrapping_sub(found as u64);
        for at in 0..found {
            let completion = self.completions[at];
            self.settle(ctl, completion);
        }
        found
    }

    /// Books a completion outside the window: no latency, and nothing is sent again.
    fn settle(&mut self, ctl: &dyn Controller, completion: Completion) {
        let index = self.index_of(completion.cookie);
        let slot = self.table.slot(index);
        if index >= self.depth || slot.is_free() {
            return self.names_nothing(0);
        }
        let lane = slot.lane();
        let ok = completion.status.is_ok();
        if !ok {
            self.errors.add(completion.status);
            self.failed_commands += 1;
        }
        let piece = if self.splits {
            self.piece_done(index, lane, completion.cookie, ok)
        } else if ok {
            Piece::LastOk
        } else {
            Piece::LastFailed
        };
        match piece {
            Piece::More => {}
            Piece::LastOk => {
                if self.verify && lane == 0 {
                    self.compare(ctl, index, slot.lba());
                }
                self.table.release(index);
            }
            Piece::LastFailed => self.io_failed(index, lane),
        }
    }
}
