//! Finding the rate while the rest of the machine comes up.

use super::counter::Counter;
use super::track::Track;
use super::{NoReference, Rate, Source, known, math};
use crate::acpi::PmTimer;
use crate::hal::TscClock;
use crate::hal::cpu::tsc_after_loads;
use crate::hypervisor::Hypervisor;
use alloc::vec::Vec;

/// Shortest time between two edges; a window is two of these.
const EDGE_MS: u64 = 25;
/// Windows when the counters are all there is; one is enough to check a rate
/// that somebody states.
const WINDOWS: usize = 3;
/// Time for the first, rough rate.
const ROUGH_MS: u64 = 1;
/// Readings after which the rough rate is given up.
const ROUGH_READINGS: u32 = 100_000;

/// A calibration under way. It only needs the processor at the edges of its
/// windows, so it costs no time that other work can fill:
/// `begin`, then work with [`Self::rough_clock`] and a [`Self::sample`] now and
/// then, then `finish`.
#[derive(Debug)]
pub struct Calibration {
    stated: Option<(Source, u64)>,
    rough: u64,
    tracks: Vec<(Counter, Track)>,
}

impl Calibration {
    /// Asks who states the rate, and takes the first readings. About 1 ms where
    /// nobody does, for a rough rate.
    ///
    /// # Errors
    /// [`NoReference`]: nothing states the rate and nothing counts.
    pub fn begin(hypervisor: &Hypervisor, pm_timer: Option<PmTimer>) -> Result<Self, NoReference> {
        let stated = known::stated_rate(hypervisor);
        let counters = [pm_timer.and_then(Counter::pm_timer), Counter::pit()];
        let tracks: Vec<_> = counters
            .into_iter()
            .flatten()
            .map(|counter| {
                let track = Track::new(counter.hz(), counter.modulus(), counter.read());
                (counter, track)
            })
            .collect();
        let rough = match (stated, tracks.first()) {
            (Some((_, rate)), _) => rate,
            (None, Some((counter, track))) => rough_rate(counter, track).ok_or(NoReference)?,
            (None, None) => return Err(NoReference),
        };
        Ok(Self {
            stated,
            rough,
            tracks,
        })
    }

    /// A clock that is right to about a per cent: good for deadlines, never for
    /// figures.
    #[must_use]
    pub const fn rough_clock(&self) -> TscClock {
        TscClock::new(self.rough)
    }

    /// Sets the edge of a window if it is time; else returns at once.
    pub fn sample(&mut self) {
        let Some((_, track)) = self.tracks.first() else {
            return;
        };
        let age = tsc_after_loads().wrapping_sub(track.newest_ticks());
        if track.windows() < WINDOWS && age >= self.rough / 1000 * EDGE_MS {
            for (counter, track) in &mut self.tracks {
                track.push(counter.read());
            }
        }
    }

    /// Waits for the windows that are missing and gives the final rate.
    #[must_use]
    pub fn finish(mut self) -> Rate {
        let needed = if self.stated.is_some() { 1 } else { WINDOWS };
        while self
            .tracks
            .first()
            .is_some_and(|(_, track)| track.windows() < needed)
        {
            core::hint::spin_loop();
            self.sample();
        }
        let tracks = self
            .tracks
            .iter()
            .map(|(counter, track)| (counter.source(), track));
        conclude(self.stated, self.rough, tracks)
    }
}

/// The stated rate, else that of the first track; checked by the first track
/// that is not its source.
fn conclude<'a>(
    stated: Option<(Source, u64)>,
    rough: u64,
    tracks: impl Iterator<Item = (Source, &'a Track)> + Clone,
) -> Rate {
    let measured = tracks
        .clone()
        .map(|(source, track)| (source, track.rate(rough).unwrap_or(rough)))
        .next();
    // Without a stated rate there is a track: `begin` saw to it.
    let (source, ticks_per_second) = stated.or(measured).unwrap_or((Source::Pit, rough));
    let cross_check = tracks
        .clone()
        .map(|(other, _)| other)
        .find(|&other| other != source);
    let used = tracks.filter(|&(track, _)| track == source || Some(track) == cross_check);
    let worst = used
        .flat_map(|(_, track)| track.window_rates(ticks_per_second))
        .map(|rate| math::deviation_ppm(rate, ticks_per_second))
        .max();
    Rate {
        ticks_per_second,
        source,
        cross_check,
        spread_ppm: cross_check.and(worst),
    }
}

fn rough_rate(counter: &Counter, track: &Track) -> Option<u64> {
    let enough = counter.hz() / 1000 * ROUGH_MS;
    let reached = (0..ROUGH_READINGS)
        .map(|_| counter.read())
        .find(|reading| track.counts_until(reading) >= enough)?;
    // No whole turn can have passed unseen, so any rate that expects less will do.
    track.rate_until(&reached, u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::counter::Reading;
    use super::*;

    const TSC_HZ: u64 = 2_000_000_000;

    /// A counter of `hz` that runs `ppm` too fast, read every 25 ms.
    fn track(hz: u64, ppm: u64) -> Track {
        let at = |edge: u64| Reading {
            tsc: TSC_HZ / 40 * edge,
            count: hz * (1_000_000 + ppm) / 1_000_000 * edge / 40 % (1 << 24),
        };
        let mut track = Track::new(hz, 1 << 24, at(0));
        (1..=4).for_each(|edge| track.push(at(edge)));
        track
    }

    #[test]
    fn without_a_stated_rate_the_first_counter_decides_and_the_second_checks() {
        let (timer, pit) = (track(3_579_545, 0), track(1_193_182, 900));
        let tracks = [(Source::PmTimer, &timer), (Source::Pit, &pit)];
        let rate = conclude(None, TSC_HZ, tracks.into_iter());
        assert_eq!(
            (rate.source, rate.cross_check),
            (Source::PmTimer, Some(Source::Pit))
        );
        assert!(math::deviation_ppm(rate.ticks_per_second, TSC_HZ) <= 2);
        let spread = rate.spread_ppm.unwrap();
        assert!((880..=920).contains(&spread), "{spread}");
    }

    #[test]
    fn a_stated_rate_stands_and_is_checked_by_the_pm_timer() {
        let (timer, pit) = (track(3_579_545, 0), track(1_193_182, 900));
        let tracks = [(Source::PmTimer, &timer), (Source::Pit, &pit)];
        let stated = Some((Source::VmwareLeaf, TSC_HZ / 100 * 101));
        let rate = conclude(stated, TSC_HZ, tracks.into_iter());
        assert_eq!(rate.ticks_per_second, TSC_HZ / 100 * 101);
        assert_eq!(rate.cross_check, Some(Source::PmTimer));
        let spread = rate.spread_ppm.unwrap();
        assert!((9_880..=9_920).contains(&spread), "{spread}");
    }

    #[test]
    fn one_source_alone_has_no_cross_check() {
        let pit = track(1_193_182, 0);
        let alone = conclude(None, TSC_HZ, [(Source::Pit, &pit)].into_iter());
        assert_eq!(
            (alone.source, alone.cross_check, alone.spread_ppm),
            (Source::Pit, None, None)
        );
        let stated = conclude(Some((Source::Cpuid, 7)), 7, [].into_iter());
        assert_eq!((stated.ticks_per_second, stated.spread_ppm), (7, None));
    }
}
