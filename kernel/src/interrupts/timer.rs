//! The local APIC's timer: the longest time of a wait.

use crate::hal::counters::TIMER_WRITES;
use crate::hal::cpu::tsc_after_loads;
use crate::hal::local_apic::{LocalApic, register};
use drivers::hal::Clock;

/// Vector, above those of all devices, so that a device cannot hold it back.
pub const TIMER_VECTOR: u8 = 0xe0;
const MASKED: u32 = 1 << 16;
const MODE_DEADLINE: u32 = 0b10 << 17;
/// Divide by 16: 2^32 counts are some minute at 1 GHz.
const DIVIDE_BY_16: u32 = 0b0011;
const CALIBRATION_MS: u64 = 2;

/// How the timer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    /// To a value of the time-stamp counter.
    Deadline,
    /// Down, `counts` in `ticks` of the time-stamp counter.
    Down { counts: u64, ticks: u64 },
}

/// The timer, in one-shot mode.
#[derive(Debug)]
pub struct Timer {
    apic: &'static LocalApic,
    counts: Counts,
    /// When it goes off, if it is set.
    armed_ticks: Option<u64>,
}

impl Timer {
    /// Finds how fast it counts, in 2 ms. `None` if it does not count.
    pub fn start(apic: &'static LocalApic, clock: &impl Clock) -> Option<Self> {
        let counts = if apic.knows_deadlines() {
            apic.write(register::TIMER, MODE_DEADLINE | u32::from(TIMER_VECTOR));
            apic.settle();
            Counts::Deadline
        } else {
            let counts = calibrate(apic, clock.ms_to_ticks(CALIBRATION_MS))?;
            apic.write(register::TIMER, TIMER_VECTOR.into());
            counts
        };
        Some(Self {
            apic,
            counts,
            armed_ticks: None,
        })
    }

    /// Makes sure that it goes off at `until_ticks`, or has gone off before.
    pub fn bound(&mut self, until_ticks: u64) {
        if self.armed_ticks.is_some_and(|armed| armed <= until_ticks) {
            return;
        }
        self.armed_ticks = Some(until_ticks);
        TIMER_WRITES.add(1);
        match self.counts {
            Counts::Deadline => self.apic.set_deadline(until_ticks.max(1)),
            Counts::Down { counts, ticks } => {
                let left = until_ticks.saturating_sub(tsc_after_loads());
                let count = counts_in(left, counts, ticks);
                self.apic.write(register::INITIAL_COUNT, count);
            }
        }
    }

    /// It went off.
    pub fn went_off(&mut self) {
        self.armed_ticks = None;
    }

    /// Switches it off. One that just went off may still be taken.
    pub fn stop(&mut self) {
        if self.armed_ticks.take().is_some() {
            match self.counts {
                Counts::Deadline => self.apic.set_deadline(0),
                Counts::Down { .. } => self.apic.write(register::INITIAL_COUNT, 0),
            }
        }
    }
}

fn calibrate(apic: &LocalApic, for_ticks: u64) -> Option<Counts> {
    apic.write(register::TIMER, MASKED | u32::from(TIMER_VECTOR));
    apic.write(register::DIVIDE, DIVIDE_BY_16);
    apic.write(register::INITIAL_COUNT, u32::MAX);
    let start = tsc_after_loads();
    while tsc_after_loads().wrapping_sub(start) < for_ticks {}
    let left = apic.read(register::CURRENT_COUNT);
    let ticks = tsc_after_loads().wrapping_sub(start);
    apic.write(register::INITIAL_COUNT, 0);
    let counts = u64::from(u32::MAX - left);
    (counts > 0).then_some(Counts::Down { counts, ticks })
}

/// The count that takes `left` ticks at least, where `counts` take `ticks`; at most
/// what the register holds, which only ends a wait early.
fn counts_in(left: u64, counts: u64, ticks: u64) -> u32 {
    let wanted = u128::from(left) * u128::from(counts) / u128::from(ticks.max(1));
    u32::try_from(wanted).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_lasts_as_long_as_asked_and_fits() {
        assert_eq!(counts_in(0, 1_000, 16_000), 1);
        assert_eq!(counts_in(16, 1_000, 16_000), 2);
        assert_eq!(counts_in(160_000, 1_000, 16_000), 10_001);
        assert_eq!(counts_in(u64::MAX, u64::MAX, 1), u32::MAX);
    }
}
