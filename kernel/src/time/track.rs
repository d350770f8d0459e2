//! Readings of one counter over several windows, which overlap by half: so three
//! windows take the time of two.

use super::counter::Reading;
use super::math;
use alloc::vec::Vec;

/// The readings at the edges of the windows, in order.
#[derive(Clone, Debug)]
pub struct Track {
    hz: u64,
    modulus: u64,
    readings: Vec<Reading>,
}

impl Track {
    /// A track of a counter of `hz` that starts over at `modulus`.
    pub fn new(hz: u64, modulus: u64, first: Reading) -> Self {
        Self {
            hz,
            modulus,
            readings: alloc::vec![first],
        }
    }

    /// Adds the edge of a window.
    pub fn push(&mut self, reading: Reading) {
        self.readings.push(reading);
    }

    /// Complete windows: each reaches from one edge to the next but one.
    pub fn windows(&self) -> usize {
        self.readings.len().saturating_sub(2)
    }

    /// TSC at the newest edge.
    pub fn newest_ticks(&self) -> u64 {
        self.readings.last().map_or(0, |reading| reading.tsc)
    }

    /// Rate over the whole track, given one that is right to about a per cent.
    pub fn rate(&self, rough: u64) -> Option<u64> {
        let (first, last) = (self.readings.first()?, self.readings.last()?);
        self.between(first, last, rough)
    }

    /// Rates of the single windows.
    pub fn window_rates(&self, rough: u64) -> impl Iterator<Item = u64> {
        self.readings
            .windows(3)
            .filter_map(move |edges| self.between(&edges[0], &edges[2], rough))
    }

    /// Rate between the first edge and a reading that is no edge.
    pub fn rate_until(&self, reading: &Reading, rough: u64) -> Option<u64> {
        self.between(self.readings.first()?, reading, rough)
    }

    /// Counts since the first edge, if the counter did not start over meanwhile.
    pub fn counts_until(&self, reading: &Reading) -> u64 {
        let first = self.readings.first().map_or(0, |first| first.count);
        math::unwrap_counts(first, reading.count, self.modulus, 0)
    }

    fn between(&self, from: &Reading, to: &Reading, rough: u64) -> Option<u64> {
        let ticks = to.tsc.checked_sub(from.tsc)?;
        let expected = u128::from(ticks) * u128::from(self.hz) / u128::from(rough.max(1));
        let expected = u64::try_from(expected).ok()?;
        let counts = math::unwrap_counts(from.count, to.count, self.modulus, expected);
        math::ticks_per_second(ticks, counts, self.hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TSC_HZ: u64 = 2_500_000_000;
    const PIT_HZ: u64 = 1_193_182;

    fn reading(ms: u64, first_count: u64) -> Reading {
        Reading {
            tsc: 77 + TSC_HZ / 1000 * ms,
            count: (first_count + PIT_HZ * ms / 1000) % 0x1_0000,
        }
    }

    #[test]
    fn windows_longer_than_the_counter_are_unwrapped_by_the_rough_rate() {
        let mut track = Track::new(PIT_HZ, 0x1_0000, reading(0, 60_000));
        for ms in [25, 50, 400, 2_000] {
            track.push(reading(ms, 60_000));
        }
        assert_eq!(track.windows(), 3);
        for rough in [TSC_HZ, TSC_HZ / 1000 * 995, TSC_HZ / 1000 * 1005] {
            let rate = track.rate(rough).unwrap();
            assert!(math::deviation_ppm(rate, TSC_HZ) <= 1, "{rate}");
            for rate in track.window_rates(rough) {
                assert!(math::deviation_ppm(rate, TSC_HZ) <= 20, "{rate}");
            }
        }
    }

    #[test]
    fn a_track_of_one_reading_has_no_rate() {
        let track = Track::new(PIT_HZ, 0x1_0000, reading(0, 0));
        assert_eq!(track.rate(TSC_HZ), None);
        assert_eq!(track.window_rates(TSC_HZ).count(), 0);
    }
}
