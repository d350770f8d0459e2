//! When I/Os of a fixed rate are meant to start.

use super::Rng;
use super::skew::unit;

/// Yields intended starts for ever, whether they were kept or not.
#[derive(Clone, Debug)]
pub struct Arrival {
    next: u64,
    /// Ticks between two, and the rest of that division, in parts of the rate.
    step: u64,
    rest: u64,
    rate: u64,
    carry: u64,
    /// Chance, where the distances are those of a Poisson process.
    poisson: Option<Rng>,
}

impl Arrival {
    /// `rate` I/Os per second, at least 1, of a clock of `ticks_per_second`.
    #[must_use]
    pub fn new(rate: u32, ticks_per_second: u64, poisson: Option<Rng>) -> Self {
        let rate = u64::from(rate.max(1));
        Self {
            next: 0,
            step: ticks_per_second / rate,
            rest: ticks_per_second % rate,
            rate,
            carry: 0,
            poisson,
        }
    }

    /// The first I/O is meant to start at `now`.
    pub const fn start(&mut self, now: u64) {
        self.next = now;
        self.carry = 0;
    }

    /// When the next one is meant to start.
    #[inline]
    #[must_use]
    pub const fn due(&self) -> u64 {
        self.next
    }

    /// Takes it, and turns to the one after.
    pub fn take(&mut self) -> u64 {
        let due = self.next;
        let distance = match &mut self.poisson {
            None => {
                self.carry += self.rest;
                let one = u64::from(self.carry >= self.rate);
                self.carry -= one * self.rate;
                self.step + one
            }
            Some(rng) => {
                let mean = self.step as f64 + self.rest as f64 / self.rate as f64;
                (-libm::log(unit(rng)) * mean) as u64
            }
        };
        self.next = due.saturating_add(distance);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_distances_do_not_drift() {
        let mut arrival = Arrival::new(3, 1_000_000_000, None);
        arrival.start(500);
        let mut last = 0;
        for _ in 0..=3_000_000 {
            last = arrival.take();
        }
        assert_eq!(last, 500 + 1_000_000 * 1_000_000_000);
        let mut fast = Arrival::new(7, 10, None);
        let starts: std::vec::Vec<u64> = (0..8).map(|_| fast.take()).collect();
        assert_eq!(starts, [0, 1, 2, 4, 5, 7, 8, 10]);
    }

    #[test]
    fn chance_has_the_mean_and_the_spread_of_a_poisson_process() {
        let mut arrival = Arrival::new(1_000, 1_000_000_000, Some(Rng::new(3)));
        let mut before = arrival.take();
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..100_000 {
            let next = arrival.take();
            let distance = (next - before) as f64;
            (sum, squares) = (sum + distance, squares + distance * distance);
            before = next;
        }
        let mean = sum / 100_000.0;
        let deviation = (squares / 100_000.0 - mean * mean).sqrt();
        assert!((mean / 1e6 - 1.0).abs() < 0.01, "{mean}");
        assert!((deviation / mean - 1.0).abs() < 0.02, "{deviation}");
    }
}
