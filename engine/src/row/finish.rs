//! Booking a completion.

use super::crew::Crew;
use super::driven::Driven;
use super::policy::Policy;
use super::split::Piece;
use super::state::Row;
use super::table::Slot;
use super::tally::REAP_ROOM;
use crate::time::elapsed;
use drivers::block::Op;

impl Row<'_> {
    /// Books the completion at `at` of those that a pass from `s0` to `s1` found.
    #[inline(always)]
    pub fn finish<P: Policy, C: Driven + ?Sized>(
        &mut self,
        ctl: &mut C,
        at: usize,
        s0: u64,
        s1: u64,
    ) {
        let completion = &self.completions[at & (REAP_ROOM - 1)];
        let (cookie, ok) = (completion.cookie, completion.status.is_ok());
        let index = if P::GENERAL {
            (cookie & 0xffff) as usize
        } else {
            cookie as usize
        };
        let slot = self.table.slot(index);
        let ticks = s1.wrapping_sub(slot.t0);
        // Of a slot without an I/O the time is so long that it is not quick.
        let limit = self.timebase.quick_below_ticks();
        let lane = if P::READS && P::WRITES {
            slot.lane()
        } else {
            usize::from(P::WRITES)
        };
        if P::GENERAL {
            let usual = ok && ticks < limit;
            if !usual && !self.is_sound(at, s1) {
                return;
            }
            if self.splits {
                match self.piece_done(index, lane, cookie, true) {
                    Piece::More => return,
                    Piece::LastOk => {}
                    Piece::LastFailed => return self.io_failed(index, lane),
                }
            }
            if self.verify && lane == 0 {
                self.compare(ctl.whole(), index, slot.lba());
            }
            if self.crew.is_some() {
                return self.finish_of_crew(index, slot, lane, s0, s1);
            }
        }
        if ok && ticks < limit {
            let ns = u64::from(self.timebase.quick_ns(ticks));
            self.stats.latency[lane].record(ns);
        } else if !self.look_closer(at, lane, s1) {
            return;
        }
        if P::STAGES {
            self.book_stages(index, slot, s0, s1);
        }
        if P::GENERAL && self.trace.is_on() {
            self.keep(index, slot, s0, s1);
        }
        self.table.release(index);
    }

    /// Whether a completion that is not plainly good is one of an I/O in flight
    /// after all; if not, it has been dealt with.
    #[cold]
    #[inline(never)]
    fn is_sound(&mut self, at: usize, s1: u64) -> bool {
        let completion = self.completions[at];
        let index = self.index_of(completion.cookie);
        if completion.status.is_ok() && !self.table.slot(index).is_free() {
            return true;
        }
        self.trouble(completion, s1);
        false
    }

    /// Records a latency of a second or so, or one that the clock made negative;
    /// false, and it has been dealt with, if the completion is not sound.
    #[cold]
    #[inline(never)]
    fn look_closer(&mut self, at: usize, lane: usize, s1: u64) -> bool {
        if !self.is_sound(at, s1) {
            return false;
        }
        let index = self.index_of(self.completions[at].cookie);
        let (ticks, backward) = elapsed(self.table.slot(index).t0, s1);
        self.stats.backward_steps += backward;
        self.stats.latency[lane & 1].record(self.timebase.ns(ticks));
        true
    }

    /// Books an I/O of a crew: its latency, its bytes, and what a fixed rate asks.
    fn finish_of_crew(&mut self, index: usize, slot: Slot, lane: usize, s0: u64, s1: u64) {
        let extra = self.table.extra_of(index);
        let (ticks, backward) = elapsed(slot.t0, s1);
        self.stats.backward_steps += backward;
        let ns = self.timebase.ns(ticks);
        if self.trace.is_on() {
            self.keep(index, slot, s0, s1);
        }
        if extra.op == Op::Flush {
            self.stats.flush.record(ns);
            return self.give_back(index, s1);
        }
        self.stats.latency[lane & 1].record(ns);
        self.stats.bytes[lane & 1] += u64::from(extra.blocks) << self.block_shift;
        if let Some(crew) = &mut self.crew {
            crew.count(extra.member);
        }
        if self.crew.as_ref().is_some_and(Crew::is_rated) {
            let (late, _) = elapsed(extra.due.min(slot.t0), slot.t0);
            self.stats.late_ticks += late;
            self.stats.intended.record(self.timebase.ns(ticks + late));
        }
        self.book_stages(index, slot, s0, s1);
        self.give_back(index, s1);
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
