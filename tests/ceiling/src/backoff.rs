//! Time between two looks at a controller that is polled through a register.
//!
//! Each look leaves the guest and, under QEMU, takes the lock that the device's
//! completions need. So after a look that found nothing the loop waits for 1/32
//! of the time since the first such look, and for 0.1 ms at most: the probe's
//! rule, except that the silence is counted from that look, so that a pass that
//! finds something costs no look at the clock.

use drivers::hal::Clock;

const SHARE_LOG2: u32 = 5;
const LONGEST_US: u64 = 100;

/// The waits of one run.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    longest_ticks: u64,
    /// When a look first found nothing; `None` since one found something.
    quiet_since: Option<u64>,
}

impl Backoff {
    /// Waits by a clock.
    #[must_use]
    pub fn new(clock: &impl Clock) -> Self {
        Self {
            longest_ticks: clock.ticks_per_second() / 1_000_000 * LONGEST_US,
            quiet_since: None,
        }
    }

    /// A look found something.
    #[inline(always)]
    pub const fn found(&mut self) {
        self.quiet_since = None;
    }

    /// A look found nothing: waits.
    #[inline]
    pub fn wait(&mut self, clock: &impl Clock) {
        let now = clock.now_ticks();
        let Some(since) = self.quiet_since else {
            self.quiet_since = Some(now);
            return;
        };
        let ticks = (now.wrapping_sub(since) >> SHARE_LOG2).min(self.longest_ticks);
        // No PAUSE: see the loop.
        while clock.now_ticks().wrapping_sub(now) < ticks {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivers::fake::FakeClock;

    #[test]
    fn waits_grow_with_the_silence_up_to_the_longest_and_start_anew() {
        let clock = FakeClock::default();
        clock.set_step_ticks(10);
        let mut backoff = Backoff::new(&clock);
        let mut waited = |quiet_ticks, found| {
            clock.advance_ticks(quiet_ticks);
            if found {
                backoff.found();
            }
            let before = clock.peek_ticks();
            backoff.wait(&clock);
            clock.peek_ticks() - before
        };
        // After the first empty look there is no wait, only a look at the clock,
        // which each wait begins with too.
        assert_eq!(waited(0, true), 10);
        assert_eq!(waited(3190, false), 110);
        assert_eq!(waited(1_000_000_000, false), 100_010);
        assert_eq!(waited(1_000_000_000, true), 10);
    }
}
