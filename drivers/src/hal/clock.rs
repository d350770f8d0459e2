//! Time, and waits that end.

/// A monotonic clock.
pub trait Clock {
    /// Ticks since some fixed moment. Ordered after all earlier loads.
    fn now_ticks(&self) -> u64;
    /// Ticks per second, fixed for the life of the clock.
    fn ticks_per_second(&self) -> u64;
    /// Called once per turn of a waiting loop.
    fn relax(&self);

    /// Ticks in `ms` milliseconds.
    fn ms_to_ticks(&self, ms: u64) -> u64 {
        self.ticks_per_second() / 1000 * ms
    }
}

/// The moment at which a wait gives up.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start_ticks: u64,
    limit_ticks: u64,
}

impl Deadline {
    /// A deadline `ms` milliseconds from now.
    pub fn after_ms(clock: &(impl Clock + ?Sized), ms: u64) -> Self {
        Self {
            start_ticks: clock.now_ticks(),
            limit_ticks: clock.ms_to_ticks(ms),
        }
    }

    /// Whether it has passed.
    pub fn passed(&self, clock: &(impl Clock + ?Sized)) -> bool {
        clock.now_ticks().wrapping_sub(self.start_ticks) >= self.limit_ticks
    }

    /// Polls `done` until it gives a value or the time is up; asks once more
    /// after the deadline, so that a stalled guest does not time out a device
    /// that was ready all along.
    pub fn poll<T>(
        &self,
        clock: &(impl Clock + ?Sized),
        mut done: impl FnMut() -> Option<T>,
    ) -> Option<T> {
        loop {
            let late = self.passed(clock);
            if let Some(value) = done() {
                return Some(value);
            }
            if late {
                return None;
            }
            clock.relax();
        }
    }
}
