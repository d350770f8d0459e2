//! Booking a completion.

use super::policy::Policy;
use super::split::Piece;
use super::state::Row;
use super::table::{FREE, Slot};
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
        if !completion.status.is_ok() || slot.place == FREE {
            self.trouble(completion, s1);
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
                self.compare(index, slot.offset_bytes());
            }
        }
        let ticks = s1.wrapping_sub(slot.t0);
        let ns = if ticks < self.timebase.quick_below_ticks() {
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
