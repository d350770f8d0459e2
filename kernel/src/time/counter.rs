//! The two counters that every PC has beside the TSC.

use super::Source;
use crate::acpi::PmTimer;
use crate::hal::cpu::tsc_after_loads;
use crate::hal::port::{IoPort, PIT_CHANNEL_2, PIT_COMMAND, SYSTEM_CONTROL_B, pm_timer};

/// Rate of the PIT (Intel 8254 on a PC).
const PIT_HZ: u64 = 1_193_182;
/// Rate of the PM timer (ACPI 6.5, 4.8.3.3).
const PM_TIMER_HZ: u64 = 3_579_545;
/// Channel 2, low then high byte, mode 2 (rate generator), binary.
const PIT_MODE: u8 = 0b1011_0100;
/// Latch channel 2.
const PIT_LATCH: u8 = 0b1000_0000;
const GATE_CHANNEL_2: u8 = 1 << 0;
const SPEAKER: u8 = 1 << 1;

/// Readings of which the one with the smallest bracket is kept.
const TRIES: u32 = 8;
/// Readings after which a counter that did not move counts as absent.
const STUCK_AFTER: u32 = 10_000;

/// One reading of a counter, and the TSC at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Middle of the bracket, in TSC ticks.
    pub tsc: u64,
    /// The counter, counting up, below its modulus.
    pub count: u64,
}

/// A counter of known rate.
#[derive(Clone, Copy, Debug)]
pub enum Counter {
    /// ACPI PM timer: its port, and the bits that count.
    PmTimer {
        /// The port.
        port: IoPort<u32>,
        /// Its modulus.
        modulus: u64,
    },
    /// Channel 2 of the PIT.
    Pit,
}

impl Counter {
    /// The PM timer, if it counts.
    pub fn pm_timer(timer: PmTimer) -> Option<Self> {
        let port = pm_timer(timer.port);
        let modulus = 1 << timer.bits;
        Self::PmTimer { port, modulus }.if_it_counts()
    }

    /// The PIT, set to count without end, if it does.
    pub fn pit() -> Option<Self> {
        let control = SYSTEM_CONTROL_B.read();
        SYSTEM_CONTROL_B.write(control & !SPEAKER | GATE_CHANNEL_2);
        PIT_COMMAND.write(PIT_MODE);
        PIT_CHANNEL_2.write(0);
        PIT_CHANNEL_2.write(0);
        Self::Pit.if_it_counts()
    }

    /// Its name as a source.
    pub const fn source(&self) -> Source {
        match self {
            Self::PmTimer { .. } => Source::PmTimer,
            Self::Pit => Source::Pit,
        }
    }

    /// Counts per second.
    pub const fn hz(&self) -> u64 {
        match self {
            Self::PmTimer { .. } => PM_TIMER_HZ,
            Self::Pit => PIT_HZ,
        }
    }

    /// Where it starts over.
    pub const fn modulus(&self) -> u64 {
        match self {
            Self::PmTimer { modulus, .. } => *modulus,
            Self::Pit => 1 << 16,
        }
    }

    /// Reads it a few times and keeps the reading whose bracket is smallest, so
    /// that being scheduled out between counter and TSC does not count.
    pub fn read(&self) -> Reading {
        let mut best = self.read_once();
        for _ in 1..TRIES {
            let next = self.read_once();
            if next.1 < best.1 {
                best = next;
            }
        }
        best.0
    }

    /// One reading and the length of its bracket in ticks.
    fn read_once(&self) -> (Reading, u64) {
        let before = tsc_after_loads();
        let (after, count) = match self {
            Self::PmTimer { port, modulus } => {
                let value = port.read();
                (tsc_after_loads(), u64::from(value) % modulus)
            }
            Self::Pit => {
                PIT_COMMAND.write(PIT_LATCH);
                let after = tsc_after_loads();
                let low = PIT_CHANNEL_2.read();
                let high = PIT_CHANNEL_2.read();
                // It counts down from 65536, which reads as 0.
                let up = u16::from_le_bytes([low, high]).wrapping_neg();
                (after, u64::from(up))
            }
        };
        let bracket = after.saturating_sub(before);
        let tsc = before + bracket / 2;
        (Reading { tsc, count }, bracket)
    }

    fn if_it_counts(self) -> Option<Self> {
        let (first, _) = self.read_once();
        (0..STUCK_AFTER)
            .any(|_| self.read_once().0.count != first.count)
            .then_some(self)
    }
}
