//! The largest depth that still meets a latency (fio `latency_target`).
//!
//! Depths are doubled until one fails, then halved between the last that met it and
//! the first that did not. Each is tried for a whole window after a tenth of it to
//! settle. The window of the depth that was found is what the row reports.

use crate::histogram::Histogram;

/// What is sought.
#[derive(Clone, Copy, Debug)]
pub struct SearchSpec {
    /// Longest latency in ns.
    pub target_ns: u64,
    /// Ticks for which each depth is tried.
    pub window_ticks: u64,
    /// Share of the I/Os that must meet it, in thousandths of a per cent.
    pub milli_pct: u32,
    /// Largest depth.
    pub most: u32,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchOutcome {
    /// The largest depth that met it; 0 if not even 1 did.
    pub depth: u32,
    /// The search came to its end.
    pub finished: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The new depth takes hold.
    Settling,
    /// It is tried.
    Trying,
    /// The depth that was found is measured.
    Measuring,
}

/// What the row does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing yet.
    Wait,
    /// The window opens anew.
    Open,
    /// The depth changes to this, and must settle.
    Depth(u32),
    /// The row has what it sought.
    End,
}

pub(super) struct Search {
    spec: SearchSpec,
    stage: Stage,
    pub next: u64,
    depth: u32,
    /// Met, and not met.
    low: u32,
    high: u32,
    last: bool,
    pub outcome: SearchOutcome,
}

impl Search {
    /// It starts at depth 1.
    pub fn new(spec: SearchSpec, now: u64) -> Self {
        Self {
            stage: Stage::Settling,
            next: now.saturating_add(spec.window_ticks / 10),
            depth: 1,
            low: 0,
            high: spec.most.saturating_add(1),
            last: false,
            outcome: SearchOutcome::default(),
            spec,
        }
    }

    /// `next` has come; the window holds these latencies.
    pub fn step(&mut self, now: u64, latency: &[Histogram; 2]) -> Step {
        if now < self.next {
            return Step::Wait;
        }
        match self.stage {
            Stage::Settling => {
                self.stage = if self.last {
                    Stage::Measuring
                } else {
                    Stage::Trying
                };
                self.next = now.saturating_add(self.spec.window_ticks);
                Step::Open
            }
            Stage::Measuring => Step::End,
            Stage::Trying => {
                let met = self.is_met(latency);
                self.judge(met, now)
            }
        }
    }

    fn is_met(&self, latency: &[Histogram; 2]) -> bool {
        let all = latency[0].count() + latency[1].count();
        let above: u64 = latency
            .iter()
            .map(|histogram| histogram.count_above(self.spec.target_ns))
            .sum();
        let allowed = u128::from(100_000 - self.spec.milli_pct.min(100_000)) * u128::from(all);
        all > 0 && u128::from(above) * 100_000 <= allowed
    }

    fn judge(&mut self, met: bool, now: u64) -> Step {
        if met {
            self.low = self.depth;
        } else {
            self.high = self.depth;
        }
        self.outcome.depth = self.low;
        if self.low + 1 >= self.high {
            self.outcome.finished = true;
            // What was tried last is what was found, or nothing was.
            if met || self.low == 0 {
                return Step::End;
            }
            self.last = true;
            self.depth = self.low;
        } else if self.high > self.spec.most {
            self.depth = (self.low * 2).min(self.spec.most);
        } else {
            self.depth = self.low.midpoint(self.high);
        }
        self.stage = Stage::Settling;
        self.next = now.saturating_add(self.spec.window_ticks / 10);
        Step::Depth(self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Depths tried where latency is a thousand per I/O in flight, and the outcome.
    fn tried(most: u32, target_ns: u64) -> (Vec<u32>, SearchOutcome) {
        let spec = SearchSpec {
            target_ns,
            window_ticks: 100,
            milli_pct: 99_000,
            most,
        };
        let mut search = Search::new(spec, 0);
        let mut latency = [Histogram::new(), Histogram::new()];
        let (mut depth, mut depths) = (1, Vec::new());
        for now in (0..).step_by(10) {
            match search.step(now, &latency) {
                Step::Wait => {
                    for histogram in &mut latency {
                        histogram.record(depth * 1_000);
                    }
                }
                Step::Open => {
                    latency.iter_mut().for_each(Histogram::clear);
                    depths.push(depth as u32);
                }
                Step::Depth(next) => depth = u64::from(next),
                Step::End => break,
            }
        }
        (depths, search.outcome)
    }

    #[test]
    fn it_doubles_and_halves() {
        let (depths, outcome) = tried(64, 11_500);
        assert_eq!(depths, [1, 2, 4, 8, 16, 12, 10, 11]);
        assert_eq!((outcome.depth, outcome.finished), (11, true));
        // The last that was tried failed, so the one that was found is measured again.
        assert_eq!(tried(64, 10_500).0, [1, 2, 4, 8, 16, 12, 10, 11, 10]);
    }

    #[test]
    fn the_largest_may_be_good_and_the_smallest_bad() {
        assert_eq!(tried(8, 1_000_000).1.depth, 8);
        assert_eq!(tried(6, 1_000_000).0, [1, 2, 4, 6]);
        let (depths, outcome) = tried(8, 500);
        assert_eq!(depths, [1]);
        assert_eq!((outcome.depth, outcome.finished), (0, true));
    }
}
