//! Tables for a person, with all that must be said around them.

use super::cells::{identity, results};
use super::fold::{Folded, fold};
use super::head::Head;
use super::lines::lines;
use super::names::JobNames;
use super::percentiles::asked;
use super::points::{Point, points, repeated, singly};
use super::remarks::remarks;
use super::sheet::{Column, Sheet, wrap};
use super::side_by_side::{self, side_by_side};
use super::stages::{self, stages};
use crate::result::{Document, Row};

/// Longest lines of sentences, however wide the terminal.
const SENTENCE: usize = 100;

/// What stands for a table without lines.
const NO_ROW: &str = "No row was run.\n";

/// The result for a terminal of this many columns.
#[must_use]
pub fn table(document: &Document, width: usize) -> String {
    let rows = &document.rows;
    let sentences = width.min(SENTENCE);
    let head = Head::of(document);
    let jobs = JobNames::of(rows, &head.preset);
    let points = points(rows);
    let main = of_points(rows, &points, &jobs);
    let mut text = wrap(&head.line(), sentences) + "\n";
    if let Some(sentence) = main.sentence(rows.len()) {
        text.push_str(&wrap(&sentence, sentences));
        text.push('\n');
    }
    let (grid, left_out) = match rows.is_empty() {
        true => (NO_ROW.to_owned(), Vec::new()),
        false => main.sheet.fitted(width),
    };
    text.push_str(&format!("\n{grid}"));
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        let said = format!("Left out at {width} columns: {names}; --format csv has all.");
        text.push_str(&wrap(&said, sentences));
        text.push('\n');
    }
    if let Some(stages) = stages(rows, &points, &jobs) {
        let (grid, _) = stages.without(&main.same).sheet.fitted(width);
        text.push_str(&format!("\n{}\n{grid}", wrap(stages::TITLE, sentences)));
    }
    if let Some(beside) = side_by_side(rows, &points, &jobs) {
        let grid = beside.fitted(width);
        text.push_str(&format!("\n{}\n{grid}", side_by_side::TITLE));
    }
    let blank = blank_percentiles(&main.sheet, &left_out);
    let below = remarks(document, blank);
    let below = below.iter().map(|line| wrap(line, sentences) + "\n");
    text + "\n" + &below.collect::<String>()
}

/// The result as Markdown: as the tables of a terminal, and of repeats each row as well.
#[must_use]
pub fn markdown(document: &Document) -> String {
    let rows = &document.rows;
    let head = Head::of(document);
    let jobs = JobNames::of(rows, &head.preset);
    let points = points(rows);
    let main = of_points(rows, &points, &jobs);
    let mut parts = vec![head.line() + "\n"];
    parts.extend(main.sentence(rows.len()).map(|sentence| sentence + "\n"));
    parts.push(match rows.is_empty() {
        true => NO_ROW.to_owned(),
        false => main.sheet.markdown(),
    });
    if repeated(rows) {
        let each = singly(rows);
        let mut each = fold_singly(rows, &each, &jobs).without(&main.same);
        each.sheet.columns.insert(1, repeats(rows));
        parts.push("Each repeat:\n".into());
        parts.push(each.sheet.markdown());
    }
    if let Some(stages) = stages(rows, &points, &jobs) {
        parts.push(format!("{}\n", stages::TITLE));
        parts.push(stages.without(&main.same).sheet.markdown());
    }
    if let Some(beside) = side_by_side(rows, &points, &jobs) {
        parts.push(format!("{}\n", side_by_side::TITLE));
        parts.push(beside.markdown());
    }
    let blank = blank_percentiles(&main.sheet, &[]);
    let below = remarks(document, blank);
    parts.push(below.iter().map(|line| format!("- {line}\n")).collect());
    parts.join("\n")
}

/// The main table.
fn of_points(rows: &[Row], points: &[Point<'_>], jobs: &JobNames) -> Folded {
    let mut columns = identity(rows, jobs);
    columns.extend(results(&asked(rows), repeated(rows)));
    fold(&lines(points), columns)
}

/// The same of each row by itself, with nothing of what differs between repeats.
fn fold_singly(rows: &[Row], each: &[Point<'_>], jobs: &JobNames) -> Folded {
    let mut columns = identity(rows, jobs);
    columns.extend(results(&asked(rows), false));
    fold(&lines(each), columns)
}

/// Which repeat each line of single rows is, from 1.
fn repeats(rows: &[Row]) -> Column {
    let each = singly(rows);
    let number = |line: &super::lines::Line<'_>| {
        line.once(|point| (u64::from(point.first().repeat) + 1).to_string())
    };
    Column {
        name: "repeat".into(),
        right: true,
        worth: super::sheet::KEPT,
        cells: lines(&each).iter().map(number).collect(),
    }
}

/// Whether a line that has figures lacks a percentile that is shown.
fn blank_percentiles(sheet: &Sheet, left_out: &[String]) -> bool {
    let iops = sheet.columns.iter().find(|column| column.name == "IOPS");
    let is_percentile = |name: &str| {
        let number = name.strip_prefix('p');
        number.is_some_and(|number| number.parse::<f64>().is_ok())
    };
    let shown = |one: &&Column| is_percentile(&one.name) && !left_out.contains(&one.name);
    let percentiles = sheet.columns.iter().filter(shown);
    let mut cells = percentiles.flat_map(|one| one.cells.iter().enumerate());
    cells.any(|(line, cell)| {
        let figures = iops.is_some_and(|column| !column.cells[line].is_empty());
        figures && cell.is_empty()
    })
}
