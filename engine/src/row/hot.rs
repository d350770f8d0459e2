//! The loop.

use super::crew::Crew;
use super::driven::Driven;
use super::edges::Flow;
use super::policy::{Policy, Waiting};
use super::state::Row;
use drivers::block::QueueId;
use drivers::hal::Clock;

impl Row<'_> {
    /// Fills, then reaps and refills until the window is closed. On return the
    /// device may still own commands.
    ///
    /// Stamps: `s0` before a pass, `s1` (the t5 of all it finds) after it, one
    /// more when all is booked; a pass that finds nothing costs one stamp, and a halt
    /// one more. The
    /// pass that closes the window is in no count of work: its refill is not made.
    #[inline(never)]
    pub fn circle<P, W, C, K>(&mut self, ctl: &mut C, clock: &K, start: u64)
    where
        P: Policy,
        W: Waiting,
        C: Driven + ?Sized,
        K: Clock + ?Sized,
    {
        let mut last = self.fill::<P, C, K>(ctl, clock, start);
        if self.is_done() {
            self.close_window(ctl.whole(), last);
            return;
        }
        let mut quiet_since = last;
        if self.halts::<W>() && self.halts_at_once() {
            last = self.rest(quiet_since, last);
        }
        loop {
            let s0 = clock.now_ticks();
            if self.halts::<W>() {
                self.acknowledge(ctl);
            }
            let found = if P::GENERAL && self.rings.is_on() {
                self.reap_queues(ctl.whole())
            } else {
                ctl.reap(QueueId(0), self.completions)
            };
            if found == 0 {
                self.stats.empty_polls += 1;
                let idle = s0.wrapping_sub(last);
                last = s0;
                if idle > self.gaps.between_polls_limit() {
                    self.gaps.found(self.stats, idle);
                }
                self.gaps.note_pass(idle);
                if self.halts::<W>() {
                    self.note_empty_pass();
                }
                if s0 >= self.edges.next_event {
                    match self.event(ctl.whole(), s0) {
                        Flow::Go => {}
                        Flow::Stop => break,
                        Flow::Refill => last = self.fill::<P, C, K>(ctl, clock, s0),
                    }
                }
                if self.halts::<W>() {
                    last = self.rest(quiet_since, last);
                } else if self.backoff.is_on() {
                    let until = self.edges.next_event;
                    self.backoff.wait(clock, quiet_since, s0, until);
                } else {
                    clock.relax();
                }
                continue;
            }
            let s1 = clock.now_ticks();
            let found = found.min(self.completions.len());
            self.owned = self.owned.wrapping_sub(found as u64);
            let seen = (found as u64).wrapping_mul(s1);
            self.stats.depth_integral = self.stats.depth_integral.wrapping_add(seen);
            for at in 0..found {
                self.finish::<P, C>(ctl, at, s0, s1);
            }
            self.done_since_fill += found;
            self.stats.useful_passes += 1;
            if self.halts::<W>() {
                self.note_found(found);
            }
            self.gaps.check_pass(self.stats, last, s0, s1, found);
            if self.first_completion_ticks == 0 {
                self.first_completion_ticks = s1;
            }
            if s1 >= self.edges.next_event && matches!(self.event(ctl.whole(), s1), Flow::Stop) {
                break;
            }
            last = clock.now_ticks();
            self.stats.reap_ticks += last.wrapping_sub(s0);
            // More may wait than one call had room for: drain first. Where the
            // device owns nothing, nothing more can wait.
            let drained = found < self.completions.len() || self.owned == 0;
            if drained && self.is_time_to_fill() {
                last = self.fill::<P, C, K>(ctl, clock, last);
            }
            quiet_since = last;
            if self.is_done() {
                self.close_window(ctl.whole(), s1);
                break;
            }
            // What comes after the look that drained it has its own interrupt.
            if self.halts::<W>() && drained && self.halts_at_once() {
                last = self.rest(quiet_since, last);
            }
        }
    }

    /// Whether nothing is in flight and nothing will be.
    #[inline]
    fn is_done(&self) -> bool {
        self.table.outstanding() == 0
            && !self.suspended
            && self.crew.as_ref().is_none_or(Crew::is_spent)
    }

    /// Whether the loop halts between completions.
    #[inline(always)]
    fn halts<W: Waiting>(&self) -> bool {
        match W::HALTS {
            Some(halts) => halts,
            None => self.waiter.halts,
        }
    }

    /// Whether as many completions came as a refill waits for, or as can come.
    #[inline]
    fn is_time_to_fill(&self) -> bool {
        self.done_since_fill >= self.complete_min || self.owned == 0
    }
}
