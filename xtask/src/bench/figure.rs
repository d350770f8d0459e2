//! One line of the benchmark: a figure and what it was meant to reach.

use super::spread::Spread;
use serde::Serialize;

/// Which way is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// What a figure was meant to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Target {
    /// What it must reach.
    pub floor: f64,
    /// What it should reach.
    pub aim: f64,
    /// Which way is good.
    pub better: Better,
}

impl Target {
    /// A target where more is better.
    #[must_use]
    pub const fn at_least(floor: f64, aim: f64) -> Self {
        Self {
            floor,
            aim,
            better: Better::Higher,
        }
    }

    /// A target where less is better.
    #[must_use]
    pub const fn at_most(floor: f64, aim: f64) -> Self {
        Self {
            floor,
            aim,
            better: Better::Lower,
        }
    }

    const fn reached(self, value: f64, bound: f64) -> bool {
        match self.better {
            Better::Higher => value >= bound,
            Better::Lower => value <= bound,
        }
    }
}

/// A figure and its target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
    /// The samples.
    pub value: Spread,
    /// What it was meant to reach, where it was meant to reach anything.
    pub target: Option<Target>,
    /// `reaches the aim`, `reaches the floor`, `BELOW THE FLOOR`, or empty.
    pub verdict: &'static str,
    /// How it was taken, or what it leaves out.
    pub note: String,
}

impl Figure {
    /// A figure that is only for information.
    #[must_use]
    pub fn plain(name: impl Into<String>, unit: &'static str, value: Spread) -> Self {
        Self {
            name: name.into(),
            unit,
            value,
            target: None,
            verdict: "",
            note: String::new(),
        }
    }

    /// The same with a target; the median is judged.
    #[must_use]
    pub fn against(mut self, target: Target) -> Self {
        self.verdict = if target.reached(self.value.median, target.aim) {
            "reaches the aim"
        } else if target.reached(self.value.median, target.floor) {
            "reaches the floor"
        } else {
            "BELOW THE FLOOR"
        };
        self.target = Some(target);
        self
    }

    /// The same with a note.
    #[must_use]
    pub fn noting(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(value: f64, target: Target) -> &'static str {
        Figure::plain("x", "", Spread::single(value))
            .against(target)
            .verdict
    }

    #[test]
    fn a_bound_counts_as_reached() {
        let more = Target::at_least(0.85, 0.97);
        assert_eq!(verdict(0.97, more), "reaches the aim");
        assert_eq!(verdict(0.85, more), "reaches the floor");
        assert_eq!(verdict(0.849, more), "BELOW THE FLOOR");
        let less = Target::at_most(400.0, 150.0);
        assert_eq!(verdict(150.0, less), "reaches the aim");
        assert_eq!(verdict(400.0, less), "reaches the floor");
        assert_eq!(verdict(400.1, less), "BELOW THE FLOOR");
    }
}
