//! Rows that repeat each other, taken together: a point of the plan.

use crate::result::Row;
use proto::result::{Direction, RunStatus};

/// One point: a job on a disk, in all its repeats.
#[derive(Clone, Debug)]
pub struct Point<'a> {
    /// Its rows, in order; at least one.
    pub rows: Vec<&'a Row>,
}

/// The points of a result, in the order of their first rows. Without repeats each row
/// is one.
#[must_use]
pub fn points(rows: &[Row]) -> Vec<Point<'_>> {
    let mut points: Vec<Point<'_>> = Vec::new();
    for row in rows {
        let same = points.iter_mut().find(|point| point.takes(row));
        match same.filter(|_| row.repeat > 0) {
            Some(point) => point.rows.push(row),
            None => points.push(Point { rows: vec![row] }),
        }
    }
    points
}

/// Each row as a point of its own.
#[must_use]
pub fn singly(rows: &[Row]) -> Vec<Point<'_>> {
    rows.iter().map(|row| Point { rows: vec![row] }).collect()
}

/// Whether any row repeats another.
#[must_use]
pub fn repeated(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.repeat > 0)
}

impl<'a> Point<'a> {
    /// Whether a row is a further repeat of this point.
    fn takes(&self, row: &Row) -> bool {
        let first = self.rows[0];
        let same = first.job == row.job && first.disk == row.disk;
        // Two sections may have one name.
        same && self.rows.iter().all(|known| known.repeat != row.repeat)
    }

    /// The first of its rows, which has what all have in common.
    #[must_use]
    pub fn first(&self) -> &'a Row {
        self.rows[0]
    }

    /// The rows whose figures count: those that ended well; where none did, all.
    pub fn counted(&self) -> impl Iterator<Item = &'a Row> + '_ {
        let well = |row: &&&Row| row.status == RunStatus::Ok;
        let any = self.rows.iter().any(|row| well(&row));
        self.rows
            .iter()
            .filter(move |row| !any || well(row))
            .copied()
            .filter(|row| directions(row).next().is_some())
    }

    /// The mean over the rows that count of a figure that each may have.
    #[must_use]
    pub fn mean(&self, figure: impl Fn(&Row) -> Option<f64>) -> Option<f64> {
        mean(self.counted().filter_map(figure))
    }

    /// Numbers of its rows, for a person: of more than two only the first two.
    #[must_use]
    pub fn numbers(&self) -> String {
        let number = |row: &&Row| proto::record::row_number(row.row).to_string();
        let shown: Vec<String> = self.rows.iter().take(2).map(number).collect();
        let more = if self.rows.len() > 2 { ".." } else { "" };
        shown.join(",") + more
    }
}

/// The directions that a row has figures of, by name.
pub fn directions(row: &Row) -> impl Iterator<Item = (&'static str, &Direction)> {
    let trims = row.trim.as_ref().map(|trim| ("trim", trim));
    [("read", &row.read), ("write", &row.write)]
        .into_iter()
        .chain(trims)
        .filter(|(_, figures)| figures.ios > 0)
}

/// Arithmetic mean; `None` of nothing.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), one| (count + 1.0, sum + one));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{repeats, row};
    use super::*;

    #[test]
    fn repeats_of_one_job_on_one_disk_are_one_point() {
        let rows = repeats();
        let found = points(&rows);
        let numbers: Vec<String> = found.iter().map(Point::numbers).collect();
        assert_eq!(numbers, ["1,3..", "2,4.."]);
        assert!(repeated(&rows) && !repeated(&[row(0)]));
        assert_eq!(points(&[row(0), row(1)]).len(), 2, "alike, but no repeats");
        assert_eq!(singly(&rows).len(), 6);
    }

    #[test]
    fn rows_that_failed_are_in_no_mean() {
        let mut rows = repeats();
        rows[0].status = RunStatus::Failed;
        let found = points(&rows);
        let iops = |row: &Row| Some(row.read.iops);
        assert_eq!(found[0].mean(iops), Some(4000.0));
        assert_eq!(found[1].mean(iops), Some(4000.0));
        rows[2].status = RunStatus::Failed;
        rows[4].status = RunStatus::Failed;
        let found = points(&rows);
        assert_eq!(found[0].mean(iops), Some(3000.0), "none ended well");
    }
}
