//! Controllers beside each other, point by point.

use super::cells::{Column as Field, busy_pct, iops_per_pct, jobs_look_alike, parameters};
use super::figures::{count, decimals, micros};
use super::lines::{Line, lines};
use super::names::{JobNames, Place};
use super::points::Point;
use super::sheet::{Column, KEPT, Sheet, in_parts};
use crate::result::Row;
use std::collections::BTreeSet;

/// What stands above the table.
pub const TITLE: &str = "Side by side:";

/// The table: a block of lines for each point, a column for each place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideBySide {
    points: Vec<Column>,
    places: Vec<Column>,
}

/// What is compared: a name, and its text in one line of the result.
type Figure = (&'static str, fn(&Line<'_>) -> String);

const FIGURES: [Figure; 4] = [
    ("IOPS", |line| {
        let figures = line.figures.as_ref();
        let mean = figures.and_then(|figures| figures.mean(|d| Some(d.iops)));
        mean.map(count).unwrap_or_default()
    }),
    ("mean us", |line| {
        let figures = line.figures.as_ref();
        let mean = figures.and_then(|figures| figures.mean(|d| d.lat_ns.mean));
        mean.map(micros).unwrap_or_default()
    }),
    ("CPU %", |line| {
        line.measured(busy_pct, |one| decimals(one, 1))
    }),
    ("IOPS/CPU%", |line| line.measured(iops_per_pct, count)),
];

/// How points and places are told from a row.
struct Axes<'r> {
    /// A job is a place, not a point: each ran on one controller only, as where a
    /// tuned one is set against one as it comes.
    jobs_are_places: bool,
    /// Several jobs differ in none of the parameters that are shown.
    jobs_are_shown: bool,
    place: Place,
    jobs: &'r JobNames,
    /// The parameters that are shown.
    fields: Vec<Field<'static>>,
}

impl Axes<'_> {
    fn place(&self, line: &Line<'_>) -> String {
        let row = line.row();
        match self.jobs_are_places {
            true => self.jobs.short(&row.job).to_owned(),
            false => self.place.name(row),
        }
    }

    /// Cells that name the point.
    fn point(&self, line: &Line<'_>) -> Vec<String> {
        let first = Line {
            first: true,
            ..line.clone()
        };
        let wait = line.row().params.wait.clone();
        let job = match self.jobs_are_shown {
            true => self.jobs.short(&line.row().job).to_owned(),
            false => String::new(),
        };
        let shown = |field: &Field<'_>| match field.name.as_str() {
            // Kinds differ in how they announce completions.
            "wait" => wait.clone(),
            _ => (field.cell)(&first),
        };
        [job]
            .into_iter()
            .chain(self.fields.iter().map(shown))
            .collect()
    }
}

/// The table, if any point was measured at several places.
#[must_use]
pub fn side_by_side(rows: &[Row], points: &[Point<'_>], jobs: &JobNames) -> Option<SideBySide> {
    let disks_of = |job: &str| {
        let own = rows.iter().filter(|row| row.job == job);
        own.map(|row| row.disk.as_str()).collect::<BTreeSet<_>>()
    };
    let jobs_are_places = rows.iter().all(|row| disks_of(&row.job).len() == 1);
    let axes = Axes {
        jobs_are_places,
        jobs_are_shown: !jobs_are_places && jobs_look_alike(rows),
        place: Place::of(rows),
        jobs,
        fields: parameters(rows),
    };
    let controllers: BTreeSet<&str> = rows.iter().map(|row| row.controller.as_str()).collect();
    if controllers.len() < 2 {
        return None;
    }
    let lines = lines(points);
    let mut places: Vec<String> = Vec::new();
    let mut blocks: Vec<(Vec<String>, Vec<&Line<'_>>)> = Vec::new();
    for line in lines.iter().filter(|line| line.figures.is_some()) {
        let (place, point) = (axes.place(line), axes.point(line));
        if !places.contains(&place) {
            places.push(place);
        }
        match blocks.iter_mut().find(|(known, _)| *known == point) {
            Some((_, lines)) => lines.push(line),
            None => blocks.push((point, vec![line])),
        }
    }
    blocks.retain(|(_, lines)| lines.len() > 1);
    (!blocks.is_empty()).then(|| table(&axes, &places, &blocks))
}

fn table(
    axes: &Axes<'_>,
    places: &[String],
    blocks: &[(Vec<String>, Vec<&Line<'_>>)],
) -> SideBySide {
    let named = |name: &str, right, cells| Column {
        name: name.to_owned(),
        right,
        worth: KEPT,
        cells,
    };
    let mut point_cells: Vec<Vec<String>> = vec![Vec::new(); blocks[0].0.len() + 1];
    let mut place_cells: Vec<Vec<String>> = vec![Vec::new(); places.len()];
    for (point, lines) in blocks {
        let mut names = point.clone();
        let polled = lines.iter().all(|line| line.row().params.wait == "poll");
        for (figure, text) in FIGURES {
            // A processor that polls is busy in any case.
            let trivial = polled && figure.contains("CPU");
            let at = |place: &String| {
                let there = lines.iter().find(|line| axes.place(line) == **place);
                there.map(|line| text(line)).unwrap_or_default()
            };
            let cells: Vec<String> = places.iter().map(at).collect();
            if trivial || cells.iter().all(String::is_empty) {
                continue;
            }
            for (column, name) in point_cells.iter_mut().zip(&mut names) {
                column.push(std::mem::take(name));
            }
            point_cells[point.len()].push(figure.to_owned());
            for (column, cell) in place_cells.iter_mut().zip(cells) {
                column.push(cell);
            }
        }
    }
    let headers = [("job", false)].into_iter();
    let headers = headers.chain(
        axes.fields
            .iter()
            .map(|field| (field.name.as_str(), field.right)),
    );
    let headers = headers.chain([("", false)]);
    let mut points: Vec<Column> = headers
        .zip(point_cells)
        .map(|((name, right), cells)| named(name, right, cells))
        .collect();
    let last = points.len() - 1;
    // What all points have in common tells none from another.
    let tells = |at: usize| {
        let values: BTreeSet<&String> = blocks.iter().map(|(point, _)| &point[at]).collect();
        values.len() > 1
    };
    let mut at = 0;
    points.retain(|_| {
        at += 1;
        at > last || tells(at - 1)
    });
    let place = |(name, cells): (&String, Vec<String>)| named(name, true, cells);
    SideBySide {
        points,
        places: places.iter().zip(place_cells).map(place).collect(),
    }
}

impl SideBySide {
    /// The table; where there is no room for all places, several one below the other.
    #[must_use]
    pub fn fitted(&self, width: usize) -> String {
        let sheet = |places: &[Column]| self.sheet(places);
        let sheets = in_parts(&self.places, sheet, width);
        let texts: Vec<String> = sheets.iter().map(Sheet::grid).collect();
        texts.join("\n")
    }

    /// The whole table as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        self.sheet(&self.places).markdown()
    }

    fn sheet(&self, places: &[Column]) -> Sheet {
        Sheet {
            columns: self.points.iter().chain(places).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::points::points;
    use super::super::sample::row;
    use super::*;

    fn at(number: u32, controller: &str, job: &str, depth: u32, iops: f64) -> Row {
        let mut row = row(number);
        row.controller = controller.into();
        row.disk = format!("{controller}:0:0");
        row.job = job.into();
        row.depth.asked = depth;
        row.params.wait = if depth == 1 { "poll" } else { "irq" }.into();
        row.read.iops = iops;
        row.cpu.busy_pct = 50.0;
        row.cpu.iops_per_cpu_pct = iops / 50.0;
        row
    }

    fn text(rows: &[Row], width: usize) -> Option<String> {
        let jobs = JobNames::of(rows, "quick");
        let table = side_by_side(rows, &points(rows), &jobs)?;
        Some(table.fitted(width))
    }

    #[test]
    fn controllers_stand_beside_each_other_point_by_point() {
        let (p, n) = ("pvscsi@00:03.0", "nvme@00:04.0");
        let rows = [
            at(0, p, "quick-a", 1, 1000.0),
            at(1, n, "quick-a", 1, 2000.0),
            at(2, p, "quick-b", 32, 30_000.0),
            at(3, n, "quick-b", 32, 40_000.0),
        ];
        let expected = "\
depth wait           pvscsi  nvme
    1 poll IOPS        1000  2000
           mean us      223   223
   32 irq  IOPS       30000 40000
           mean us      223   223
           CPU %       50.0  50.0
           IOPS/CPU%    600   800
";
        assert_eq!(text(&rows, 80).unwrap(), expected);
        let narrow = text(&rows, 28).unwrap();
        assert!(
            narrow.lines().all(|line| line.chars().count() <= 28),
            "{narrow}"
        );
        assert!(
            narrow.contains("pvscsi\n") && narrow.contains("nvme\n"),
            "{narrow}"
        );
        assert_eq!(text(&rows[..1], 80), None, "one controller alone");
        assert_eq!(
            text(&[rows[0].clone(), rows[3].clone()], 80),
            None,
            "no point in common"
        );
    }

    #[test]
    fn jobs_of_one_controller_each_are_compared_with_each_other() {
        let (p, n) = ("pvscsi@00:03.0", "nvme@00:04.0");
        let rows = [
            at(0, p, "pvscsi-default", 8, 1000.0),
            at(1, p, "pvscsi-tuned", 8, 2000.0),
            at(2, n, "nvme", 8, 3000.0),
        ];
        let text = text(&rows, 80).unwrap();
        let head: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
        assert_eq!(head, ["pvscsi-default", "pvscsi-tuned", "nvme"]);
        let iops: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(iops, ["IOPS", "1000", "2000", "3000"]);
    }

    #[test]
    fn a_place_without_a_figure_is_blank() {
        let (p, n, l) = ("pvscsi@00:03.0", "nvme@00:04.0", "lsisas@00:05.0");
        let rows = [
            at(0, p, "quick-a", 1, 1000.0),
            at(1, n, "quick-a", 1, 2000.0),
            at(2, p, "quick-b", 32, 30_000.0),
            at(3, l, "quick-b", 32, 40_000.0),
        ];
        let text = text(&rows, 80).unwrap();
        assert!(
            text.lines().nth(1).unwrap().ends_with("1000 2000"),
            "{text}"
        );
        assert!(
            text.lines().nth(3).unwrap().ends_with("30000       40000"),
            "{text}"
        );
    }
}
