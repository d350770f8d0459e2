//! The lines of a table: one for each direction that a point has figures in.

use super::merged::Figures;
use super::points::{Point, directions};
use crate::result::Row;

/// A point in one of its directions.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The point.
    pub point: &'a Point<'a>,
    /// `read`, `write` or `trim`; empty where it has no figures.
    pub direction: &'static str,
    /// Its figures, if there are any.
    pub figures: Option<Figures<'a>>,
    /// First line of its point: figures of the whole point stand here.
    pub first: bool,
}

/// All lines, in order.
#[must_use]
pub fn lines<'a>(points: &'a [Point<'a>]) -> Vec<Line<'a>> {
    points.iter().flat_map(of_point).collect()
}

fn of_point<'a>(point: &'a Point<'a>) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for name in ["read", "write", "trim"] {
        let each: Vec<_> = point
            .counted()
            .flat_map(directions)
            .filter(|(direction, _)| *direction == name)
            .map(|(_, figures)| figures)
            .collect();
        if !each.is_empty() {
            lines.push(Line {
                point,
                direction: name,
                figures: Some(Figures { each }),
                first: lines.is_empty(),
            });
        }
    }
    if lines.is_empty() {
        lines.push(Line {
            point,
            direction: "",
            figures: None,
            first: true,
        });
    }
    lines
}

impl<'a> Line<'a> {
    /// The row, or the first of the rows.
    #[must_use]
    pub fn row(&self) -> &'a Row {
        self.point.first()
    }

    /// A text of the whole point.
    #[must_use]
    pub fn once(&self, text: impl Fn(&Point<'_>) -> String) -> String {
        if self.first {
            text(self.point)
        } else {
            String::new()
        }
    }

    /// A figure of the whole point, its mean over repeats; blank where no I/O was
    /// measured.
    #[must_use]
    pub fn measured(
        &self,
        figure: impl Fn(&Row) -> Option<f64>,
        text: impl Fn(f64) -> String,
    ) -> String {
        let mean = self.figures.as_ref().and(self.point.mean(figure));
        self.once(|_| mean.map(&text).unwrap_or_default())
    }
}
