//! Booking a completion.

use super::policy::Policy;
use super::split::Piece;
use super::state::Row;
use super::table::Slot;
use crate::time::elapsed;
use drivers::block::{Completion, Controller};
use drivers::hal::Clock;

impl<C: Controller, K: Clock> Row<'_, C, K> {
    /// Books one completion that a pass from `s0` to `s1` found.
    #[inline(always)]
    pub fn finish<P: Policy>(&mut self, completion: Completion, s0: u64, s1: u64) {
        let index = if P::GENERAL {
            (completion.cookie & 0xffff) as usize
        } else {
            completion.cookie as usize
        };
        let slot = self.table.slot(index);
        let ticks = s1.wrapping_sub(slot.t0);
        // Of a slot without an I/O the time is so long that it is not quick.
        let quick = ticks < self.timebase.quick_below_ticks();
        if !(quick && completion.status.is_ok()) && !self.is_sound(completion, slot, s1) {
            return;
        }
        let lane = if P::READS && P::WRITES {
            slot.lane()
        } else {
            usize::from(P::WRITES)
        };
        if P::GENERAL {
            if self.splits {
                match self.piece_done(index, lane, completion.cookie, true) {
                    Piece::More => return,
                    Piece::LastOk => {}
                    Piece::LastFailed => return self.io_failed(index, lane),
                }
            }
            if self.verify && lane == 0 {
                self.compare(index, slot.lba());
            }
        }
        let ns = if quick {
            self.timebase.quick_ns(ticks)
        } else {
            self.long_or_backward(slot.t0, s1)
        };
        self.stats.latency[lane].record(ns);
        if P::STAGES {
            self.book_stages(index, slot, s0, s1);
        }
        self.table.release(index);
    }

    /// Whether a completion that is not plainly good is one of an I/O in flight
    /// after all; if not, it has been dealt with.
    #[cold]
    #[inline(never)]
    fn is_sound(&mut self, completion: Completion, slot: Slot, s1: u64) -> bool {
        if completion.status.is_ok() && !slot.is_free() {
            return true;
        }
        self.trouble(completion, s1);
        false
    }

    /// A latency of a second or so, or one that the clock made negative.
    #[cold]
    fn long_or_backward(&mut self, t0: u64, s1: u64) -> u64 {
        let (ticks, backward) = elapsed(t0, s1);
        self.stats.backward_steps += backward;
        self.timebase.ns(ticks)
    }

    #[inline]
    fn book_stages(&mut self, index: usize, slot: Slot, s0: u64, s1: u64) {
        let stamps = *self.table.stamps(index);
        let clamped = s0 < stamps.t3;
        let t4 = if clamped { stamps.t3 } else { s0 };
        let sums = &mut self.stats.stages;
        sums.build += stamps.t1.wrapping_sub(slot.t0);
        sums.batch += stamps.t2.wrapping_sub(stamps.t1);
        sums.doorbell += stamps.t3.wrapping_sub(stamps.t2);
        sums.in_flight += t4.wrapping_sub(stamps.t3);
        sums.reap += s1.wrapping_sub(t4);
        sums.clamped += u64::from(clamped);
    }
}
