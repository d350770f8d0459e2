//! The wall clock, for rows that start at a moment.

use crate::time::Timebase;
use alloc::string::String;

/// One moment by both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallTie {
    /// By the clock that all figures are taken by. Not before the moment, and well below
    /// a millisecond after it.
    pub ticks: u64,
    /// By the wall clock, in ns since 1970-01-01T00:00:00Z.
    pub unix_ns: u64,
}

impl WallTie {
    /// The wall clock at a stamp, which is not before the tie.
    #[must_use]
    pub const fn unix_ns_at(&self, ticks: u64, timebase: &Timebase) -> u64 {
        let since = timebase.ns(ticks.saturating_sub(self.ticks));
        self.unix_ns.saturating_add(since)
    }

    /// The first stamp at which the wall clock shows `unix_ns` or more; that of the tie
    /// where it already did.
    #[must_use]
    pub const fn ticks_at(&self, unix_ns: u64, timebase: &Timebase) -> u64 {
        let ahead = unix_ns.saturating_sub(self.unix_ns);
        self.ticks.saturating_add(timebase.ticks(ahead))
    }
}

/// A machine's wall clock.
pub trait WallClock {
    /// Ties it to the clock of all figures. May take some seconds: a clock that shows
    /// whole seconds has a moment only at their edges.
    ///
    /// # Errors
    /// Why there is no wall clock.
    fn tie(&mut self) -> Result<WallTie, String>;
}

/// For machines without one.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWallClock;

impl WallClock for NoWallClock {
    fn tie(&mut self) -> Result<WallTie, String> {
        Err(String::from("the machine has no wall clock"))
    }
}
