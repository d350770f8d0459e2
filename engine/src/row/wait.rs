//! Halting between completions.
//!
//! Interrupts are off while the loop works, so one that comes is kept by the
//! processor and ends the next halt at once: the loop may halt right after a look
//! that found nothing, or after filling what it drained, without missing any.
//!
//! Two faults of a device must not hang a row, or pass unseen. An interrupt that
//! never comes shows when the timer ends a wait and completions are found; it may
//! be on its way, so it has a grace ([`GRACE_NS`]). Interrupts that bring nothing again and
//! again are a storm: they are masked.

use super::state::Row;
use super::stats::{COMPLETION_BUCKETS, Stats, Waits};
use super::tally::Failure;
use crate::session::{Halt, Woken};
use crate::time::Timebase;
use drivers::block::Controller;

/// How long the interrupt of a completion that was found may still take: a thread
/// that writes the one and then sends the other can be held up in between for as
/// long as the host's scheduler likes.
const GRACE_NS: u64 = 50_000_000;
/// Or so many times as long as this processor was held up itself so far: on a host
/// with more work than processors the device's threads are, too.
const GRACE_GAPS: u64 = 4;
/// And never longer than this.
const GRACE_MOST_NS: u64 = 5_000_000_000;
/// Looks at the clock in that time at most.
const GRACE_LOOKS: u32 = 1 << 26;
/// Lost interrupts that end a row.
pub(super) const LOST_LIMIT: u64 = 4;
/// Interrupts in a row without a completion that end it.
pub(super) const STORM_LIMIT: u32 = 10_000;

/// How a row waits, as its spec says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitFor {
    /// It looks again and again.
    #[default]
    Look,
    /// It halts until an interrupt.
    Interrupt {
        /// The interrupt is one of a line that must be acknowledged.
        level: bool,
        /// Ticks after the last completion in which it looks before it halts.
        look_ticks: u64,
    },
}

/// The state of a row's waiting.
pub(super) struct Waiter<'a> {
    line: &'a mut dyn Halt,
    pub halts: bool,
    level: bool,
    look_ticks: u64,
    grace_ticks: u64,
    most_grace_ticks: u64,
    /// What ended the wait before this pass.
    woken: Option<Woken>,
    /// Completions since the last interrupt of the device; `None` before the first.
    since: Option<u64>,
    empty_in_a_row: u32,
    lost: u64,
}

impl<'a> Waiter<'a> {
    pub fn new(line: &'a mut dyn Halt, wait: WaitFor, timebase: &Timebase) -> Self {
        let (halts, level, look_ticks) = match wait {
            WaitFor::Look => (false, false, 0),
            WaitFor::Interrupt { level, look_ticks } => (true, level, look_ticks),
        };
        Self {
            line,
            halts,
            level,
            look_ticks,
            grace_ticks: timebase.ticks(GRACE_NS),
            most_grace_ticks: timebase.ticks(GRACE_MOST_NS),
            woken: None,
            since: None,
            empty_in_a_row: 0,
            lost: 0,
        }
    }

    /// Ticks that the interrupt of a completion may take.
    fn grace(&self, stats: &Stats) -> u64 {
        let held_up = stats.longest_gap_ticks.max(stats.longest_doorbell_ticks);
        let gaps = held_up.saturating_mul(GRACE_GAPS);
        gaps.clamp(self.grace_ticks, self.most_grace_ticks)
    }
}

impl Row<'_> {
    /// Silences the line that ended the wait, where it must be. Part of the pass
    /// that follows.
    #[inline]
    pub fn acknowledge<C: Controller + ?Sized>(&mut self, ctl: &mut C) {
        if self.waiter.level && self.waiter.woken == Some(Woken::Device) {
            ctl.acknowledge_interrupt();
        }
    }

    /// A pass found nothing.
    #[inline]
    pub fn note_empty_pass(&mut self) {
        if self.waiter.woken.take() == Some(Woken::Device) {
            self.stats.waits.empty += 1;
            self.waiter.empty_in_a_row += 1;
            if self.waiter.empty_in_a_row >= STORM_LIMIT {
                self.waiter.line.mask();
                self.give_up(Failure::InterruptStorm {
                    interrupts: STORM_LIMIT,
                });
            }
        }
    }

    /// A pass found completions.
    #[inline]
    pub fn note_found(&mut self, found: usize) {
        self.waiter.empty_in_a_row = 0;
        if let Some(since) = &mut self.waiter.since {
            *since += found as u64;
        }
        if self.waiter.woken.take() == Some(Woken::Timer) {
            self.look_for_interrupt(found as u64);
        }
    }

    /// Completions were found when the timer ended the wait: their interrupt must
    /// be there, or come soon.
    #[cold]
    #[inline(never)]
    fn look_for_interrupt(&mut self, found: u64) {
        let grace = self.waiter.grace(self.stats);
        let start = self.clock.now_ticks();
        for _ in 0..GRACE_LOOKS {
            match self.waiter.line.take_pending() {
                Some(woken @ Woken::Device) => return self.count(woken, found),
                Some(woken) => self.count(woken, 0),
                None => {}
            }
            if self.clock.now_ticks().wrapping_sub(start) > grace {
                break;
            }
            self.clock.relax();
        }
        self.stats.waits.lost += found;
        self.waiter.lost += 1;
        if self.waiter.lost >= LOST_LIMIT {
            self.give_up(Failure::LostInterrupts {
                times: self.waiter.lost,
            });
        }
    }

    /// Whether the loop may halt at once after it filled what it drained.
    #[inline]
    pub fn halts_at_once(&self) -> bool {
        self.waiter.look_ticks == 0
    }

    /// Halts until an interrupt, or the next event. `now` is the last stamp; the
    /// stamp after the wait is returned.
    #[inline(never)]
    pub fn rest(&mut self, quiet_since: u64, now: u64) -> u64 {
        if now.wrapping_sub(quiet_since) < self.waiter.look_ticks {
            self.clock.relax();
            return now;
        }
        let until = self.edges.next_event;
        if until <= now {
            return now;
        }
        let woken = self.waiter.line.wait(until);
        let after = self.clock.now_ticks();
        self.count(woken, 0);
        self.waiter.woken = Some(woken);
        if woken == Woken::Timer {
            // A timer that comes late: the processor was not there to take it.
            let late = after.saturating_sub(until);
            if late > self.gaps.limit() {
                self.gaps.found(self.stats, late);
            }
        }
        after
    }

    /// Books an interrupt; `found` completions of it are known already.
    #[inline]
    fn count(&mut self, woken: Woken, found: u64) {
        let waits = &mut self.stats.waits;
        match woken {
            Woken::Device => {
                waits.device += 1;
                if let Some(since) = self.waiter.since.replace(found) {
                    waits.completions[bucket(since - found.min(since))] += 1;
                }
            }
            Woken::Timer => waits.timer += 1,
            Woken::Other(_) => waits.spurious += 1,
        }
    }
}

/// The bucket of a number of completions: 0, 1, 2.., 4.., 8..
fn bucket(completions: u64) -> usize {
    let bits = (u64::BITS - completions.leading_zeros()) as usize;
    bits.min(COMPLETION_BUCKETS - 1)
}

/// Lower bound of a bucket.
pub(super) const fn bucket_start(index: usize) -> u64 {
    match index {
        0 => 0,
        _ => 1 << (index - 1),
    }
}

impl Waits {
    /// Filled buckets of completions per interrupt: lower bound, interrupts.
    pub fn completions_per_interrupt(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let buckets = self.completions.iter().enumerate();
        buckets
            .filter(|(_, count)| **count > 0)
            .map(|(index, count)| (bucket_start(index), *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_powers_of_two_and_zero() {
        for (completions, start) in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 4), (255, 128)] {
            assert_eq!(bucket_start(bucket(completions)), start, "{completions}");
        }
        assert_eq!(bucket(u64::MAX), COMPLETION_BUCKETS - 1);
    }
}
