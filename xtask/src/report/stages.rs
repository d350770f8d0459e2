//! Where the mean latency of rows with `stages=1` goes.

use super::cells::identity;
use super::figures::decimals;
use super::fold::{Folded, fold};
use super::lines::Line;
use super::names::{JobNames, kinds};
use super::points::Point;
use super::sheet::{Column, KEPT};
use crate::result::Row;
use proto::result::StagesNs;

/// A stage's name, and its time in ns.
type Stage = (&'static str, fn(&StagesNs) -> f64);

/// The stages in the order of time. They sum to the mean latency.
pub const STAGES: [Stage; 5] = [
    ("build", |stages| stages.build),
    ("batch", |stages| stages.batch),
    ("doorbell", |stages| stages.doorbell),
    ("in_flight", |stages| stages.in_flight),
    ("reap", |stages| stages.reap),
];

/// What stands above the table.
pub const TITLE: &str = "Stages of the mean latency in us, which add up to it:";

/// The table, if any row split its latencies.
#[must_use]
pub fn stages(rows: &[Row], points: &[Point<'_>], jobs: &JobNames) -> Option<Folded> {
    let split = |point: &&Point<'_>| of_point(point).is_some();
    let points: Vec<Point<'_>> = points.iter().filter(split).cloned().collect();
    let whole = |point| Line {
        point,
        direction: "",
        figures: None,
        first: true,
    };
    let lines: Vec<Line<'_>> = points.iter().map(whole).collect();
    let mut folded = fold(&lines, identity(rows, jobs));
    // The row's number says the same; it stands first.
    for column in folded.sheet.columns.iter_mut().skip(1) {
        column.worth = 1;
    }
    let parts: Vec<([String; 5], String)> = points
        .iter()
        .filter_map(of_point)
        .map(|parts_ns| adding_up(&parts_ns))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let mut column = |name: &str, cells: Vec<String>| {
        folded.sheet.columns.push(Column {
            name: name.to_owned(),
            right: true,
            worth: KEPT,
            cells,
        });
    };
    for (at, (name, _)) in STAGES.iter().enumerate() {
        column(
            name,
            parts.iter().map(|(part, _)| part[at].clone()).collect(),
        );
    }
    column(
        "mean us",
        parts.iter().map(|(_, sum)| sum.clone()).collect(),
    );
    let late = |point: &Point<'_>| point.mean(|row| Some(row.late.as_ref()?.mean_ns));
    if points.iter().any(|point| late(point).is_some()) {
        let text = |point| late(point).map(|ns| decimals(ns / 1e3, 2));
        let cells = points.iter().map(|point| text(point).unwrap_or_default());
        column("late us", cells.collect());
    }
    Some(folded)
}

/// The mean stages of a point's rows in ns.
fn of_point(point: &Point<'_>) -> Option<[f64; 5]> {
    let mut parts = [0.0; 5];
    for (part, (_, stage)) in parts.iter_mut().zip(STAGES) {
        *part = point.mean(|row| row.stages_ns.as_ref().map(stage))?;
    }
    Some(parts)
}

/// Parts in us with two decimals, and their sum: what is shown of the parts adds up
/// to what is shown of the sum. What rounding down leaves goes to the parts that lost
/// most by it.
fn adding_up(parts_ns: &[f64; 5]) -> ([String; 5], String) {
    const UNIT_NS: f64 = 10.0;
    let exact = parts_ns.map(|ns| ns.max(0.0) / UNIT_NS);
    let sum = exact.iter().sum::<f64>().round();
    let mut units = exact.map(f64::floor);
    let mut order = [0, 1, 2, 3, 4];
    order.sort_by(|&a, &b| (exact[b] - units[b]).total_cmp(&(exact[a] - units[a])));
    let left = sum - units.iter().sum::<f64>();
    for place in order.into_iter().take(left.max(0.0) as usize) {
        units[place] += 1.0;
    }
    let text = |units: f64| decimals(units * UNIT_NS / 1e3, 2);
    (units.map(text), text(sum))
}

/// Whose work stands in which stage, of the kinds in these rows.
#[must_use]
pub fn whose_work(rows: &[Row]) -> Option<String> {
    let split = rows.iter().filter(|row| row.stages_ns.is_some());
    let mut inside = Vec::new();
    let mut apart = Vec::new();
    for row in split {
        for id in row.controller.split('+') {
            let kind = kinds(id);
            let list = if kind == "pvscsi" {
                &mut inside
            } else {
                &mut apart
            };
            if !list.contains(&kind) {
                list.push(kind);
            }
        }
    }
    let inside = inside.first().map(|kind| {
        format!("With QEMU's {kind} the doorbell write submits to the backend: doorbell has that")
    });
    let apart = (!apart.is_empty()).then(|| {
        let kinds = apart.join(", ");
        format!("With QEMU's {kinds} another thread does: in_flight has that")
    });
    let both: Vec<String> = inside.into_iter().chain(apart).collect();
    (!both.is_empty()).then(|| format!("{}.", both.join(". ")))
}

#[cfg(test)]
mod tests {
    use super::super::points::points;
    use super::super::sample::row;
    use super::*;
    use proto::result::Late;

    fn shown(parts_ns: [f64; 5]) -> (Vec<f64>, f64) {
        let (parts, sum) = adding_up(&parts_ns);
        let number = |text: &String| text.parse().unwrap();
        (parts.iter().map(number).collect(), number(&sum))
    }

    #[test]
    fn what_is_shown_adds_up() {
        let third = 10_000.0 / 3.0;
        let (parts, sum) = shown([third, third, third, 0.0, 0.0]);
        assert_eq!((parts, sum), (vec![3.34, 3.33, 3.33, 0.0, 0.0], 10.0));
        let (parts, sum) = shown([4.9, 4.9, 4.9, 4.9, 4.9]);
        assert_eq!((parts, sum), (vec![0.01, 0.01, 0.0, 0.0, 0.0], 0.02));
        for seed in 1..500 {
            let part = |n: u32| f64::from(seed * 7919 % (97 * n)) * 13.37;
            let parts_ns = [part(1), part(2), part(3), part(50), part(4)];
            let (parts, sum) = shown(parts_ns);
            let hundredths = |us: f64| (us * 100.0).round() as u64;
            let added: u64 = parts.iter().copied().map(hundredths).sum();
            assert_eq!(added, hundredths(sum), "{parts_ns:?}");
            for (shown, exact) in parts.iter().zip(parts_ns) {
                assert!((shown - exact / 1e3).abs() < 0.01, "{shown} for {exact}");
            }
        }
    }

    fn split(number: u32) -> Row {
        let mut row = row(number);
        row.stages_ns = Some(StagesNs {
            build: 150.0,
            batch: 250.0,
            doorbell: 12_000.0,
            in_flight: 7_000.0,
            reap: 600.0,
            clamped: 0,
        });
        row
    }

    #[test]
    fn only_rows_that_asked_are_shown() {
        let jobs = JobNames::default();
        let rows = [row(0)];
        assert_eq!(stages(&rows, &points(&rows), &jobs), None);
        assert_eq!(whose_work(&rows), None);
        let mut rows = [row(0), split(1)];
        rows[1].late = Some(Late {
            mean_ns: 1234.5,
            ..Late::default()
        });
        rows[1].depth.asked = 1;
        let folded = stages(&rows, &points(&rows), &jobs).unwrap();
        let text = folded.sheet.grid();
        let words = |line: usize| -> Vec<&str> {
            text.lines().nth(line).unwrap().split_whitespace().collect()
        };
        let head = "row build batch doorbell in_flight reap mean us late us";
        assert_eq!(words(0).join(" "), head);
        let line = "2 0.15 0.25 12.00 7.00 0.60 20.00 1.23";
        assert_eq!(words(1).join(" "), line);
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn where_there_is_no_room_the_number_of_the_row_stands_for_it() {
        let mut rows = [split(0), split(1)];
        rows[1].disk = "pvscsi@00:03.0:1:0".into();
        rows[1].depth.asked = 1;
        let folded = stages(&rows, &points(&rows), &JobNames::default()).unwrap();
        assert!(folded.sheet.grid().contains("pvscsi:1:0"));
        let (text, _) = folded.sheet.fitted(60);
        assert!(text.starts_with("row disk       build"), "{text}");
        let (text, _) = folded.sheet.fitted(50);
        assert!(text.starts_with("row build"), "{text}");
    }

    #[test]
    fn where_work_runs_is_told_by_kind() {
        let mut other = split(1);
        other.controller = "nvme@00:04.0".into();
        let said = whose_work(&[split(0), other]).unwrap();
        assert_eq!(
            said,
            "With QEMU's pvscsi the doorbell write submits to the backend: doorbell has that. \
             With QEMU's nvme another thread does: in_flight has that."
        );
    }
}
