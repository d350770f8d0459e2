//! The time-stamp counter as a clock.

use super::cpu;
use drivers::hal::Clock;

/// The TSC at a known rate. A copy is as good as the original, so engine and
/// drivers each own one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TscClock {
    ticks_per_second: u64,
    pauses: bool,
}

impl TscClock {
    /// The TSC, ticking `ticks_per_second` times per second.
    #[must_use]
    pub const fn new(ticks_per_second: u64) -> Self {
        Self {
            ticks_per_second,
            pauses: true,
        }
    }

    /// The same clock, whose `relax` executes PAUSE or not. QEMU's emulation
    /// leaves the guest at each PAUSE and takes the lock that its device thread
    /// needs, so there a loop had better go on.
    #[must_use]
    pub const fn pausing(self, pauses: bool) -> Self {
        Self { pauses, ..self }
    }
}

impl Clock for TscClock {
    /// Ordered after all earlier loads: see [`cpu::tsc_after_loads`].
    #[inline(always)]
    fn now_ticks(&self) -> u64 {
        cpu::tsc_after_loads()
    }

    #[inline]
    fn ticks_per_second(&self) -> u64 {
        self.ticks_per_second
    }

    /// One PAUSE, where it helps: it frees a sibling thread and ends the wait
    /// without the memory-order flush that a tight loop suffers.
    #[inline]
    fn relax(&self) {
        if self.pauses {
            core::hint::spin_loop();
        }
    }
}
