//! Counts that the machine keeps, exact since the kernel's start.

use super::port;
use core::sync::atomic::{AtomicU64, Ordering};
use engine::session::{MachineCounters, MachineCounts};

/// One count.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Adds to it. One processor counts, and no handler interrupts the code that
    /// does, so a load and a store are enough.
    #[inline]
    pub fn add(&self, count: u64) {
        let sum = self.0.load(Ordering::Relaxed).wrapping_add(count);
        self.0.store(sum, Ordering::Relaxed);
    }

    /// What it came to.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Interrupts taken, counted by their handler.
pub static INTERRUPTS: Counter = Counter::new();
/// Cycles in these handlers.
pub static HANDLER_TICKS: Counter = Counter::new();
/// Ends of interrupts.
pub static EOIS: Counter = Counter::new();
/// Settings of the timer.
pub static TIMER_WRITES: Counter = Counter::new();
/// HLT executed.
pub static HALTS: Counter = Counter::new();
/// Cycles in these, handlers left out.
pub static HALTED_TICKS: Counter = Counter::new();

/// Where the engine reads them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters;

impl MachineCounters for Counters {
    fn counts(&self) -> MachineCounts {
        MachineCounts {
            pio: port::accesses(),
            interrupts: INTERRUPTS.get(),
            eois: EOIS.get(),
            timer_writes: TIMER_WRITES.get(),
            halts: HALTS.get(),
            halted_ticks: HALTED_TICKS.get(),
            handler_ticks: HANDLER_TICKS.get(),
        }
    }
}
