//! Counts that the machine keeps, exact since the kernel's start.

use super::port;
use core::sync::atomic::{AtomicU64, Ordering};
use engine::session::{MachineCounters, MachineCounts};

static INTERRUPTS: AtomicU64 = AtomicU64::new(0);
static HALTS: AtomicU64 = AtomicU64::new(0);
static HALTED_TICKS: AtomicU64 = AtomicU64::new(0);

/// To be called by every interrupt handler, once.
#[inline]
pub fn count_interrupt() {
    INTERRUPTS.fetch_add(1, Ordering::Relaxed);
}

/// To be called after every HLT with the TSC cycles spent in it.
#[inline]
pub fn count_halt(ticks: u64) {
    HALTS.fetch_add(1, Ordering::Relaxed);
    HALTED_TICKS.fetch_add(ticks, Ordering::Relaxed);
}

/// Where the engine reads them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters;

impl MachineCounters for Counters {
    fn counts(&self) -> MachineCounts {
        MachineCounts {
            pio: port::accesses(),
            interrupts: INTERRUPTS.load(Ordering::Relaxed),
            halts: HALTS.load(Ordering::Relaxed),
            halted_ticks: HALTED_TICKS.load(Ordering::Relaxed),
        }
    }
}
