//! What the measuring itself costs.

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};
use drivers::hal::Clock;

/// Samples of which the median is taken.
const SAMPLES: usize = 1001;
/// Turns of the loop per sample.
const TURNS: u64 = 64;

/// Ticks between two back-to-back readings of the clock, median.
pub fn timer_cost_ticks(clock: &impl Clock) -> u64 {
    median_of_samples(|| {
        let start = clock.now_ticks();
        clock.now_ticks().wrapping_sub(start)
    })
}

/// Ticks of one turn of an empty polling loop (load a word, compare, start over),
/// median over samples of 64 turns each, without the cost of the clock.
pub fn empty_loop_ticks(clock: &impl Clock) -> u64 {
    let word = AtomicU32::new(0);
    let timer = timer_cost_ticks(clock);
    median_of_samples(|| {
        let start = clock.now_ticks();
        for _ in 0..TURNS {
            if black_box(&word).load(Ordering::Acquire) != 0 {
                break;
            }
        }
        let ticks = clock.now_ticks().wrapping_sub(start);
        ticks.saturating_sub(timer) / TURNS
    })
}

fn median_of_samples(mut sample: impl FnMut() -> u64) -> u64 {
    let mut samples = [0; SAMPLES];
    samples.fill_with(&mut sample);
    let (_, median, _) = samples.select_nth_unstable(SAMPLES / 2);
    *median
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    /// Advances at each reading by a cost that is now and then much larger.
    struct Ticking {
        now: Cell<u64>,
        readings: Cell<u64>,
    }

    impl Clock for Ticking {
        fn now_ticks(&self) -> u64 {
            self.readings.set(self.readings.get() + 1);
            let disturbed = self.readings.get().is_multiple_of(10);
            self.now
                .set(self.now.get() + if disturbed { 90_000 } else { 30 });
            self.now.get()
        }

        fn ticks_per_second(&self) -> u64 {
            1_000_000_000
        }

        fn relax(&self) {}
    }

    #[test]
    fn the_median_ignores_disturbed_samples() {
        let clock = Ticking {
            now: Cell::new(0),
            readings: Cell::new(0),
        };
        assert_eq!(timer_cost_ticks(&clock), 30);
        assert_eq!(
            empty_loop_ticks(&clock),
            0,
            "this clock moves only when read"
        );
    }
}
