//! Figures of one direction over all repeats of a point. Histograms are added;
//! percentiles are never averaged.

use super::points::mean;
use proto::result::Direction;

/// Samples that must lie beyond a percentile, as in the guest.
pub const NEEDED_BEYOND: u64 = 10;

/// One direction of a point, from each row that counts.
#[derive(Clone, Debug)]
pub struct Figures<'a> {
    /// At least one.
    pub each: Vec<&'a Direction>,
}

impl Figures<'_> {
    /// The mean of a figure.
    #[must_use]
    pub fn mean(&self, figure: impl Fn(&Direction) -> Option<f64>) -> Option<f64> {
        mean(self.each.iter().filter_map(|one| figure(one)))
    }

    /// The smallest and the largest of a figure, where there are several.
    #[must_use]
    pub fn range(&self, figure: impl Fn(&Direction) -> Option<f64>) -> Option<(f64, f64)> {
        if self.each.len() < 2 {
            return None;
        }
        let all = self.each.iter().filter_map(|one| figure(one));
        all.fold(None, |range, one| {
            let (low, high): (f64, f64) = range.unwrap_or((one, one));
            Some((low.min(one), high.max(one)))
        })
    }

    /// The largest latency of all, in ns.
    #[must_use]
    pub fn max_ns(&self) -> Option<u64> {
        self.each.iter().filter_map(|one| one.lat_ns.max).max()
    }

    /// A percentile such as `99.9` in ns: as it was recorded, or from the added
    /// histograms of several rows.
    #[must_use]
    pub fn percentile_ns(&self, percentile: &str) -> Option<u64> {
        match self.each[..] {
            [one] => recorded(one, percentile).unwrap_or_else(|| self.added(percentile)),
            _ => self.added(percentile),
        }
    }

    fn added(&self, percentile: &str) -> Option<u64> {
        let milli_pct = (percentile.parse::<f64>().ok()? * 1e3).round() as u128;
        let overflow: u64 = self.each.iter().map(|one| one.overflow).sum();
        let mut bins: Vec<(u64, u64)> = self
            .each
            .iter()
            .flat_map(|one| one.bins.iter().copied())
            .collect();
        bins.sort_unstable();
        let count = bins.iter().map(|(_, count)| count).sum::<u64>() + overflow;
        // Nearest rank, from 1.
        let rank = (u128::from(count) * milli_pct).div_ceil(100_000).max(1);
        if count == 0 || u128::from(count) < rank + u128::from(NEEDED_BEYOND) {
            return None;
        }
        let min = self.each.iter().filter_map(|one| one.lat_ns.min).min()?;
        let max = self.max_ns()?;
        let mut seen = 0;
        let bin = bins.iter().find(|(_, count)| {
            seen += u128::from(*count);
            seen >= rank
        });
        Some(bin.map_or(max, |(lower, _)| upper_bound_ns(*lower).clamp(min, max)))
    }
}

/// As the row itself has it, if it has it at all.
fn recorded(direction: &Direction, percentile: &str) -> Option<Option<u64>> {
    let usual = &direction.lat_ns;
    Some(match percentile {
        "50" => usual.p50,
        "90" => usual.p90,
        "95" => usual.p95,
        "99" => usual.p99,
        "99.9" => usual.p99_9,
        "99.99" => usual.p99_99,
        asked => *direction.percentiles.get(asked)?,
    })
}

/// Largest value of the bucket that starts at `lower`: 64 buckets for each power of
/// two, and one for each value below 128 (fio's `stat.h`).
fn upper_bound_ns(lower: u64) -> u64 {
    lower + (1 << lower.max(64).ilog2() >> 6) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::result::LatencyNs;

    fn direction(bins: &[(u64, u64)], max: u64) -> Direction {
        Direction {
            bins: bins.to_vec(),
            lat_ns: LatencyNs {
                min: Some(bins[0].0),
                max: Some(max),
                p99: Some(1),
                ..LatencyNs::default()
            },
            percentiles: [("99.5".to_owned(), Some(2)), ("99.7".to_owned(), None)].into(),
            ..Direction::default()
        }
    }

    #[test]
    fn buckets_end_where_the_next_begins() {
        for (lower, upper) in [(0, 0), (127, 127), (128, 129), (130, 131), (256, 259)] {
            assert_eq!(upper_bound_ns(lower), upper);
        }
        assert_eq!(upper_bound_ns(1 << 20), (1 << 20) + (1 << 14) - 1);
    }

    #[test]
    fn of_one_row_what_it_recorded() {
        let one = direction(&[(100, 1000)], 100);
        let figures = Figures { each: vec![&one] };
        assert_eq!(figures.percentile_ns("99"), Some(1));
        assert_eq!(figures.percentile_ns("99.5"), Some(2));
        assert_eq!(figures.percentile_ns("99.7"), None);
        assert_eq!(
            figures.percentile_ns("70"),
            Some(100),
            "another job asked for it"
        );
        assert_eq!(figures.range(|_| Some(1.0)), None);
    }

    #[test]
    fn histograms_of_several_rows_are_added() {
        let fast = direction(&[(100, 980), (128, 10)], 129);
        let slow = direction(&[(100, 10), (256, 990), (1 << 20, 10)], (1 << 20) + 7);
        let figures = Figures {
            each: vec![&fast, &slow],
        };
        // 2000 samples: 990 of 100, 10 up to 129, 990 up to 259, 10 of a millisecond.
        assert_eq!(figures.percentile_ns("49.5"), Some(100));
        assert_eq!(figures.percentile_ns("50"), Some(129));
        assert_eq!(figures.percentile_ns("99"), Some(259));
        assert_eq!(figures.percentile_ns("99.5"), Some(259));
        assert_eq!(figures.percentile_ns("99.9"), None, "fewer than 10 beyond");
        assert_eq!(figures.max_ns(), Some((1 << 20) + 7));
        let ios = |one: &Direction| Some(one.bins[0].1 as f64);
        assert_eq!(
            (figures.mean(ios), figures.range(ios)),
            (Some(495.0), Some((10.0, 980.0)))
        );
    }

    #[test]
    fn what_is_above_the_range_is_at_most_the_maximum() {
        let mut long = direction(&[(100, 5)], 200_000_000_000);
        long.overflow = 40;
        let figures = Figures {
            each: vec![&long, &long],
        };
        assert_eq!(figures.percentile_ns("50"), Some(200_000_000_000));
    }
}
