//! Times in which the guest did not run though it had not asked to wait.
//!
//! A gap is a stretch between two stamps of the loop, without device access in
//! between, longer than max(200 us, 50 x the median pass). Stretches that handle
//! several I/Os are allowed an eighth of the limit more for each.

use super::stats::Stats;
use crate::time::Timebase;

const FLOOR_NS: u64 = 200_000;
const MEDIANS: u64 = 50;

pub(super) struct Gaps {
    limit: u64,
    floor: u64,
    per_io: u64,
    polls_by_register: bool,
    doorbell_per_request: bool,
    /// Lengths of empty passes by their highest bit.
    pass_log2: [u32; 64],
}

impl Gaps {
    pub fn new(timebase: &Timebase, polls_by_register: bool, doorbell_per_request: bool) -> Self {
        let floor = timebase.ticks(FLOOR_NS);
        Self {
            limit: floor,
            floor,
            per_io: floor / 8,
            polls_by_register,
            doorbell_per_request,
            pass_log2: [0; 64],
        }
    }

    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// From one empty pass to the next: the reap between them touches only
    /// memory, or else the stretch does not count.
    #[inline]
    pub const fn between_polls_limit(&self) -> u64 {
        if self.polls_by_register {
            u64::MAX
        } else {
            self.limit
        }
    }

    #[inline]
    pub fn note_pass(&mut self, ticks: u64) {
        self.pass_log2[(ticks | 1).ilog2() as usize & 63] += 1;
    }

    /// A pass from `s0` to `s1` that found something; `last` is the stamp before.
    #[inline]
    pub fn check_pass(&self, stats: &mut Stats, last: u64, s0: u64, s1: u64, found: usize) {
        let idle = s0.wrapping_sub(last);
        if idle > self.between_polls_limit() {
            self.found(stats, idle);
        }
        let reaping = s1.wrapping_sub(s0);
        let allowed = self.limit + found as u64 * self.per_io;
        if reaping > allowed && !self.polls_by_register {
            self.found(stats, reaping);
        }
    }

    /// Building `count` requests took `ticks`.
    #[inline]
    pub fn check_build(&self, stats: &mut Stats, ticks: u64, count: usize) {
        if ticks > self.limit + count as u64 * self.per_io {
            self.found(stats, ticks);
        }
    }

    /// The doorbell of `commands` took `ticks`.
    #[inline]
    pub fn check_doorbell(&self, stats: &mut Stats, ticks: u64, commands: u64) {
        let writes = if self.doorbell_per_request {
            commands
        } else {
            0
        };
        if ticks > self.limit + writes * self.per_io {
            stats.long_doorbells += 1;
            stats.longest_doorbell_ticks = stats.longest_doorbell_ticks.max(ticks);
        }
    }

    #[cold]
    pub fn found(&self, stats: &mut Stats, ticks: u64) {
        // A clock that steps back is counted elsewhere.
        if ticks < 1 << 63 {
            stats.gaps += 1;
            stats.longest_gap_ticks = stats.longest_gap_ticks.max(ticks);
        }
    }

    /// Sets the limit by the passes seen so far.
    pub fn recalibrate(&mut self) {
        let passes: u64 = self.pass_log2.iter().map(|count| u64::from(*count)).sum();
        let mut seen = 0;
        for (bits, count) in self.pass_log2.iter().enumerate() {
            seen += u64::from(*count);
            if seen > 0 && seen * 2 >= passes {
                let median = (2u64 << bits).wrapping_sub(1);
                self.limit = self.floor.max(median.saturating_mul(MEDIANS));
                self.per_io = self.limit / 8;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps() -> Gaps {
        Gaps::new(&Timebase::new(1_000_000_000), false, false)
    }

    #[test]
    fn the_limit_follows_the_median_pass() {
        let mut gaps = gaps();
        gaps.recalibrate();
        assert_eq!(gaps.limit(), 200_000);
        for ticks in [100, 20_000, 20_000] {
            gaps.note_pass(ticks);
        }
        gaps.recalibrate();
        // 20,000 lies in 16,384..=32,767.
        assert_eq!(gaps.limit(), 32_767 * 50);
    }

    #[test]
    fn only_what_exceeds_the_limit_is_a_gap() {
        let gaps = gaps();
        let mut stats = Stats::default();
        gaps.check_pass(&mut stats, 0, 200_000, 200_100, 1);
        assert_eq!(stats.gaps, 0);
        gaps.check_pass(&mut stats, 0, 200_001, 200_101, 1);
        gaps.check_build(&mut stats, 300_001, 4);
        assert_eq!((stats.gaps, stats.longest_gap_ticks), (2, 300_001));
        gaps.check_build(&mut stats, 300_000, 4);
        gaps.check_pass(&mut stats, 10, 9, 20, 1);
        assert_eq!(stats.gaps, 2);
        gaps.check_doorbell(&mut stats, 200_001, 4);
        assert_eq!((stats.gaps, stats.long_doorbells), (2, 1));
    }

    #[test]
    fn a_doorbell_per_request_may_take_longer_for_more() {
        let gaps = Gaps::new(&Timebase::new(1_000_000_000), true, true);
        let mut stats = Stats::default();
        gaps.check_doorbell(&mut stats, 300_000, 4);
        assert_eq!(stats.long_doorbells, 0);
        gaps.check_doorbell(&mut stats, 300_001, 4);
        assert_eq!(
            (stats.long_doorbells, stats.longest_doorbell_ticks),
            (1, 300_001)
        );
    }

    #[test]
    fn a_pass_that_reads_a_register_is_no_gap() {
        let gaps = Gaps::new(&Timebase::new(1_000_000_000), true, true);
        let mut stats = Stats::default();
        gaps.check_pass(&mut stats, 0, 500_000, 1_000_000, 1);
        assert_eq!((stats.gaps, gaps.between_polls_limit()), (0, u64::MAX));
    }
}
