//! Time between two looks at a controller that is polled through a register.
//!
//! Each such look leaves the guest, and the hypervisor takes a lock for it that
//! the device's own thread wants too, so that looking as fast as possible finds
//! the completion later: with a backend of 1 ms at depth 1, QEMU's mptsas gave
//! 608 of 1,000 I/Os per second. After a look that found nothing the loop
//! therefore waits for 1/32 of the time since something last happened, and
//! 0.1 ms at most. A completion is found that much later at worst, which is
//! below what two runs differ in; the looks per I/O fall from thousands to some
//! hundred at 1 ms, and to one or two at full speed. Controllers that are polled
//! in memory are looked at without a wait.

use crate::time::Timebase;
use drivers::hal::Clock;

/// The wait is this part of the time since the last completion or submission.
const SHARE_LOG2: u32 = 5;
/// Longest wait.
const LONGEST_NS: u64 = 100_000;
/// Most looks at the clock in one wait: more than any clock takes for the longest.
const LOOKS: u32 = 1 << 15;

pub(super) struct Backoff {
    on: bool,
    longest: u64,
    /// Asked for by the job: the same wait after every look.
    fixed: Option<u64>,
}

impl Backoff {
    pub fn new(timebase: &Timebase, polls_by_register: bool, fixed: Option<u64>) -> Self {
        Self {
            on: fixed.map_or(polls_by_register, |ticks| ticks > 0),
            longest: timebase.ticks(LONGEST_NS),
            fixed,
        }
    }

    /// Whether there is anything to wait for.
    #[inline]
    pub const fn is_on(&self) -> bool {
        self.on
    }

    /// How long to wait after a look at `now` that found nothing, where the last
    /// that happened was at `since`.
    fn ticks(&self, since: u64, now: u64) -> u64 {
        if let Some(ticks) = self.fixed {
            return ticks;
        }
        (now.saturating_sub(since) >> SHARE_LOG2).min(self.longest)
    }

    /// Waits after such a look, but not beyond `until`.
    pub fn wait(&self, clock: &(impl Clock + ?Sized), since: u64, now: u64, until: u64) {
        let ticks = self.ticks(since, now).min(until.saturating_sub(now));
        // No PAUSE: QEMU's translator takes that same lock for each.
        for _ in 0..LOOKS {
            if clock.now_ticks().wrapping_sub(now) >= ticks {
                return;
            }
        }
        // A clock that only moves when it is told that somebody waits.
        clock.relax();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::HandClock;

    fn backoff() -> Backoff {
        Backoff::new(&Timebase::new(1_000_000_000), true, None)
    }

    #[test]
    fn a_job_can_fix_the_wait_or_leave_it_out() {
        let timebase = Timebase::new(1_000_000_000);
        let of = |by_register, fixed| Backoff::new(&timebase, by_register, fixed);
        assert!(!of(true, Some(0)).is_on());
        assert!(!of(false, None).is_on());
        assert!(of(false, Some(5_000)).is_on());
        assert_eq!(of(false, Some(5_000)).ticks(0, u64::MAX), 5_000);
        assert_eq!(of(true, Some(700_000)).ticks(31, 32), 700_000);
    }

    #[test]
    fn the_wait_is_a_share_of_the_silence() {
        let backoff = backoff();
        for (since, now, ticks) in [
            (0, 31, 0),
            (0, 32, 1),
            (1_000, 65_000, 2_000),
            (0, 3_200_000, 100_000),
            (0, u64::MAX, 100_000),
            // A clock that steps back.
            (500, 400, 0),
        ] {
            assert_eq!(backoff.ticks(since, now), ticks);
        }
    }

    #[test]
    fn it_ends_with_its_time_or_the_next_event() {
        let backoff = backoff();
        let after = |until| {
            let clock = HandClock::new(1_000_000, 10, 0);
            backoff.wait(&clock, 0, 1_000_000, until);
            clock.peek() - 1_000_000
        };
        // 31,250, and the look that sees it.
        assert_eq!(after(u64::MAX), 31_260);
        assert_eq!(after(1_000_500), 510);
        assert_eq!(after(0), 10);
    }

    #[test]
    fn a_clock_that_stands_still_is_told() {
        let clock = HandClock::new(1_000_000, 0, 77);
        backoff().wait(&clock, 0, 1_000_000, u64::MAX);
        assert_eq!(clock.peek(), 1_000_077);
    }
}
