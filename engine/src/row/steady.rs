//! Whether a figure has become steady (fio `steadystate`).

use alloc::collections::VecDeque;

/// What must become steady.
#[derive(Clone, Copy, Debug)]
pub struct SteadySpec {
    /// Bytes per second are looked at; else I/Os per second.
    pub bytes: bool,
    /// The slope is looked at; else the largest distance from the mean.
    pub slope: bool,
    /// The limit is in per cent of the mean; else in the figure's own unit.
    pub percent: bool,
    /// The limit.
    pub limit: f64,
    /// Samples, one a second, that are looked at together.
    pub samples: u32,
    /// Ticks from the opening of the window in which nothing is judged.
    pub ramp_ticks: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SteadyOutcome {
    /// It became steady, and that ended the row.
    pub attained: bool,
    /// The criterion when it was last worked out, in the limit's unit.
    pub criterion: f64,
}

pub(super) struct Steady {
    spec: SteadySpec,
    second_ticks: u64,
    pub next_sample: u64,
    judged_from: u64,
    before: u64,
    last_sample: u64,
    window: VecDeque<f64>,
    pub outcome: SteadyOutcome,
}

impl Steady {
    pub fn new(spec: SteadySpec, second_ticks: u64) -> Self {
        Self {
            second_ticks,
            next_sample: u64::MAX,
            judged_from: 0,
            before: 0,
            last_sample: 0,
            window: VecDeque::with_capacity(spec.samples as usize + 1),
            outcome: SteadyOutcome::default(),
            spec,
        }
    }

    /// The window opens.
    pub fn start(&mut self, now: u64) {
        self.window.clear();
        self.before = 0;
        self.last_sample = now;
        self.judged_from = now.saturating_add(self.spec.ramp_ticks);
        self.next_sample = now.saturating_add(self.second_ticks);
    }

    /// A second is over; the window counts so many I/Os and bytes by now. Whether
    /// that is steady.
    pub fn sample(&mut self, now: u64, ios: u64, bytes: u64) -> bool {
        let count = if self.spec.bytes { bytes } else { ios };
        let ticks = now.saturating_sub(self.last_sample).max(1);
        let done = count.saturating_sub(self.before);
        let rate = done as f64 * self.second_ticks as f64 / ticks as f64;
        self.before = count;
        self.last_sample = now;
        self.next_sample = now.saturating_add(self.second_ticks);
        if now < self.judged_from {
            return false;
        }
        let samples = self.spec.samples.max(2) as usize;
        if self.window.len() == samples {
            self.window.pop_front();
        }
        self.window.push_back(rate);
        if self.window.len() < samples {
            return false;
        }
        self.outcome.criterion = criterion(&self.window, &self.spec);
        self.outcome.attained = self.outcome.criterion < self.spec.limit;
        self.outcome.attained
    }
}

fn criterion(window: &VecDeque<f64>, spec: &SteadySpec) -> f64 {
    let count = window.len() as f64;
    let mean = window.iter().sum::<f64>() / count;
    let value = if spec.slope {
        // Least squares over seconds 0, 1, 2 ..
        let middle = (count - 1.0) / 2.0;
        let pairs = (0u32..).map(f64::from).zip(window);
        let (mut products, mut squares) = (0.0, 0.0);
        for (second, rate) in pairs {
            products += (second - middle) * (rate - mean);
            squares += (second - middle) * (second - middle);
        }
        (products / squares).abs()
    } else {
        let distances = window.iter().map(|rate| (rate - mean).abs());
        distances.fold(0.0, f64::max)
    };
    match spec.percent {
        true if mean > 0.0 => value * 100.0 / mean,
        true => f64::MAX,
        false => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(slope: bool, limit: f64, rates: &[u64]) -> Option<usize> {
        let spec = SteadySpec {
            bytes: false,
            slope,
            percent: true,
            limit,
            samples: 4,
            ramp_ticks: 2_000,
        };
        let mut steady = Steady::new(spec, 1_000);
        steady.start(0);
        let mut all = 0;
        (1..).zip(rates).find_map(|(second, rate)| {
            all += rate;
            steady
                .sample(second as u64 * 1_000, all, 0)
                .then_some(second)
        })
    }

    #[test]
    fn it_is_steady_once_the_last_seconds_are_alike() {
        let rates = [100, 100, 500, 200, 101, 99, 100, 100, 100];
        // Seconds 5 to 8 are the first four that lie within 2 per cent.
        assert_eq!(seconds(false, 2.0, &rates), Some(8));
        assert_eq!(seconds(false, 0.5, &rates), None);
    }

    #[test]
    fn a_slope_is_not_disturbed_by_noise_about_it() {
        assert_eq!(seconds(true, 3.5, &[9, 9, 90, 110, 90, 110, 90, 110]), None);
        assert_eq!(seconds(true, 4.5, &[9, 9, 90, 110, 90, 110, 90]), Some(6));
        assert_eq!(seconds(true, 5.0, &[9, 9, 100, 110, 120, 130, 140]), None);
    }

    #[test]
    fn nothing_at_all_is_not_steady() {
        assert_eq!(seconds(false, 50.0, &[0; 20]), None);
    }
}
