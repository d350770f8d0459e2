//! Time that a test moves.

use alloc::rc::Rc;
use core::cell::Cell;
use drivers::hal::Clock;

/// A clock of 1 GHz (one tick is one nanosecond) that stands still but for a
/// fixed step per look and per turn of a waiting loop. Clones show the same time.
#[derive(Clone, Debug)]
pub struct HandClock {
    now: Rc<Cell<u64>>,
    look_ticks: u64,
    relax_ticks: u64,
}

impl HandClock {
    /// Starts at `now`; each look moves it by `look_ticks` after it was read, and
    /// each turn of a waiting loop by `relax_ticks`.
    #[must_use]
    pub fn new(now: u64, look_ticks: u64, relax_ticks: u64) -> Self {
        Self {
            now: Rc::new(Cell::new(now)),
            look_ticks,
            relax_ticks,
        }
    }

    /// The time, without moving it.
    #[must_use]
    pub fn peek(&self) -> u64 {
        self.now.get()
    }

    /// Moves the clock.
    pub fn advance(&self, ticks: u64) {
        self.now.set(self.now.get() + ticks);
    }

    /// Sets it, backwards too.
    pub fn set(&self, now: u64) {
        self.now.set(now);
    }
}

impl Clock for HandClock {
    fn now_ticks(&self) -> u64 {
        let now = self.now.get();
        self.now.set(now + self.look_ticks);
        now
    }

    fn ticks_per_second(&self) -> u64 {
        1_000_000_000
    }

    fn relax(&self) {
        self.advance(self.relax_ticks);
    }
}
