//! A wall clock that a test sets.

use super::HandClock;
use crate::session::{WallClock, WallTie};
use alloc::string::String;

const SECOND_NS: u64 = 1_000_000_000;

/// Shows whole seconds of a [`HandClock`], which counts ns from this moment on, and is
/// tied at their edges, as a machine's is.
#[derive(Clone, Debug)]
pub struct HandWall {
    clock: HandClock,
    /// Wall clock at tick 0, in ns since 1970; whole seconds.
    zero_unix_ns: u64,
    /// How often it was tied.
    pub ties: u32,
}

impl HandWall {
    /// A wall clock that shows so many seconds since 1970 at tick 0.
    #[must_use]
    pub fn new(clock: &HandClock, zero_unix_s: u64) -> Self {
        Self {
            clock: clock.clone(),
            zero_unix_ns: zero_unix_s * SECOND_NS,
            ties: 0,
        }
    }
}

impl WallClock for HandWall {
    fn tie(&mut self) -> Result<WallTie, String> {
        self.ties += 1;
        let ticks = (self.clock.peek() / SECOND_NS + 1) * SECOND_NS;
        self.clock.set(ticks);
        Ok(WallTie {
            ticks,
            unix_ns: self.zero_unix_ns + ticks,
        })
    }
}
