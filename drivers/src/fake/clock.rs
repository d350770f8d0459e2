//! A clock that moves only when it is looked at.

use crate::hal::Clock;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

/// Told the time whenever a waiting loop turns.
type Watcher = Rc<dyn Fn(u64)>;

struct State {
    now_ticks: Cell<u64>,
    step_ticks: Cell<u64>,
    relax_ticks: Cell<u64>,
    ticks_per_second: Cell<u64>,
    steps_on_now: Cell<bool>,
    watchers: RefCell<Vec<Watcher>>,
}

/// A clock of 1 GHz that advances by 100 ticks per reading and by 100,000 per
/// [`relax`](Clock::relax). Clones share it.
///
/// `relax` lets the devices of the machine work on; a reading does so only after
/// [`step_on_now`](Self::step_on_now).
#[derive(Clone)]
pub struct FakeClock {
    state: Rc<State>,
}

impl Default for FakeClock {
    fn default() -> Self {
        Self {
            state: Rc::new(State {
                now_ticks: Cell::new(0),
                step_ticks: Cell::new(100),
                relax_ticks: Cell::new(100_000),
                ticks_per_second: Cell::new(1_000_000_000),
                steps_on_now: Cell::new(false),
                watchers: RefCell::new(Vec::new()),
            }),
        }
    }
}

impl FakeClock {
    /// The time, without moving it.
    #[must_use]
    pub fn peek_ticks(&self) -> u64 {
        self.state.now_ticks.get()
    }

    /// Sets the time; it may go backwards, as a bad clock's does.
    pub fn set_ticks(&self, now_ticks: u64) {
        self.state.now_ticks.set(now_ticks);
    }

    /// Moves the time on without telling any device.
    pub fn advance_ticks(&self, ticks: u64) {
        self.set_ticks(self.peek_ticks().wrapping_add(ticks));
    }

    /// Sets how far each reading moves the time.
    pub fn set_step_ticks(&self, ticks: u64) {
        self.state.step_ticks.set(ticks);
    }

    /// Sets how far each `relax` moves the time.
    pub fn set_relax_ticks(&self, ticks: u64) {
        self.state.relax_ticks.set(ticks);
    }

    /// Sets the rate.
    pub fn set_ticks_per_second(&self, rate: u64) {
        self.state.ticks_per_second.set(rate);
    }

    /// Whether a reading lets the devices work on too.
    pub fn step_on_now(&self, on: bool) {
        self.state.steps_on_now.set(on);
    }

    /// Adds something that is told the time when a waiting loop turns.
    pub fn watch(&self, watcher: Watcher) {
        self.state.watchers.borrow_mut().push(watcher);
    }

    fn tell(&self) {
        let now_ticks = self.peek_ticks();
        for watcher in self.state.watchers.borrow().iter() {
            watcher(now_ticks);
        }
    }
}

impl Clock for FakeClock {
    #[inline]
    fn now_ticks(&self) -> u64 {
        self.advance_ticks(self.state.step_ticks.get());
        if self.state.steps_on_now.get() {
            self.tell();
        }
        self.peek_ticks()
    }

    fn ticks_per_second(&self) -> u64 {
        self.state.ticks_per_second.get()
    }

    fn relax(&self) {
        self.advance_ticks(self.state.relax_ticks.get());
        self.tell();
    }
}
