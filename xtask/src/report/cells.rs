//! The columns of the tables, as data.

use super::figures::{blank, count, decimals, micros, size};
use super::lines::Line;
use super::names::{JobNames, Place};
use super::points::Point;
use super::sheet::KEPT;
use crate::result::Row;
use proto::result::{CheckStatus, Direction, RunParams, RunStatus};
use std::collections::BTreeSet;

/// How the text of a cell comes from a line.
type Cell<'r> = Box<dyn Fn(&Line<'_>) -> String + 'r>;

/// One column.
pub struct Column<'r> {
    /// Header, unit included.
    pub name: String,
    /// Figures stand right, words left.
    pub right: bool,
    /// What it is worth where there is no room for all; see [`super::sheet`].
    pub worth: u8,
    /// Whether it may stand above the table where it is the same in all lines.
    pub folds: Folds,
    /// The text of a cell; blank where there is no figure.
    pub cell: Cell<'r>,
}

/// Whether a column that says the same in each line may be said once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folds {
    /// It says what was run, so even of a single line.
    Always,
    /// It is a result, so only where it holds for several.
    IfSeveral,
    /// It is one of the figures to be compared.
    Never,
}

fn column<'r>(
    name: impl Into<String>,
    right: bool,
    worth: u8,
    folds: Folds,
    cell: impl Fn(&Line<'_>) -> String + 'r,
) -> Column<'r> {
    Column {
        name: name.into(),
        right,
        worth,
        folds,
        cell: Box::new(cell),
    }
}

/// Says what was run, in words.
fn words<'r>(name: &str, worth: u8, cell: impl Fn(&Line<'_>) -> String + 'r) -> Column<'r> {
    column(name, false, worth, Folds::Always, cell)
}

/// A figure that stands in a column whatever it is.
fn figure<'r>(
    name: impl Into<String>,
    worth: u8,
    cell: impl Fn(&Line<'_>) -> String + 'r,
) -> Column<'r> {
    column(name, true, worth, Folds::Never, cell)
}

/// What was run, and which rows it was.
#[must_use]
pub fn identity<'r>(rows: &[Row], jobs: &'r JobNames) -> Vec<Column<'r>> {
    let place = Place::of(rows);
    let several = |name: fn(&Row) -> &str| {
        let names: BTreeSet<&str> = rows.iter().map(name).collect();
        names.len() > 1
    };
    let mut columns = vec![figure("row", KEPT, |line| {
        line.once(|point| point.numbers())
    })];
    if several(|row| &row.disk) {
        let name = move |line: &Line<'_>| line.once(|point| place.name(point.first()));
        columns.push(words(place.header(), KEPT, name));
    }
    if several(|row| &row.job) {
        // Without it two jobs may look alike.
        let worth = if jobs_look_alike(rows) { KEPT } else { 20 };
        let swept = rows.iter().all(|row| row.job.contains('/'));
        if worth == KEPT || !swept {
            let name = |line: &Line<'_>| line.once(|point| jobs.short(&point.first().job).into());
            columns.push(words("job", worth, name));
        }
    }
    columns.extend(parameters(rows));
    columns
}

/// Of a job, what most tells it from another; of few jobs, how it uses queues too.
#[must_use]
pub fn parameters(rows: &[Row]) -> Vec<Column<'static>> {
    let number =
        |name, cell: fn(&Line<'_>) -> String| column(name, true, KEPT, Folds::Always, cell);
    let mut columns = vec![
        words("rw", KEPT, rw),
        number("bs", block_size),
        number("depth", |line| {
            line.once(|point| point.first().depth.asked.to_string())
        }),
        words("wait", KEPT, |line| line.once(waits)),
    ];
    if rows.iter().any(|row| row.params.queues != 1) {
        columns.push(number("queues", |line| {
            line.once(|point| point.first().params.queues.to_string())
        }));
    }
    if rows.iter().any(|row| row.params.doorbell_batch != 0) {
        columns.push(number("bell batch", |line| {
            line.once(|point| match point.first().params.doorbell_batch {
                0 => "fill".into(),
                most => most.to_string(),
            })
        }));
    }
    columns
}

/// What came out. `asked` are the percentiles that a job asks for; `repeated` shows how
/// far repeats lie apart.
#[must_use]
pub fn results(asked: &[String], repeated: bool) -> Vec<Column<'static>> {
    let iops = |d: &Direction| Some(d.iops);
    let mean_ns = |d: &Direction| d.lat_ns.mean;
    let mut columns = Vec::new();
    if repeated {
        columns.push(column("n", true, 90, Folds::Always, |line| {
            line.once(|point| point.counted().count().to_string())
        }));
    }
    columns.push(figure("eff.", 3, |line| {
        line.measured(|row| Some(row.depth.effective), |one| decimals(one, 1))
    }));
    columns.push(figure("IOPS", KEPT, move |line| {
        direction(line, iops, count)
    }));
    if repeated {
        columns.push(figure("IOPS min..max", 80, move |line| {
            range(line, iops, count)
        }));
    }
    columns.push(figure("MiB/s", 25, |line| {
        let mib = |d: &Direction| Some(d.bw_bytes / f64::from(1 << 20));
        direction(line, mib, |one| decimals(one, 1))
    }));
    columns.push(figure("mean us", KEPT, move |line| {
        direction(line, mean_ns, micros)
    }));
    if repeated {
        columns.push(figure("us min..max", 70, move |line| {
            range(line, mean_ns, micros)
        }));
    }
    let usual = [("50", 15), ("99", 50), ("99.9", 10)].map(|(one, worth)| (one.to_owned(), worth));
    let percentiles = match asked {
        [] => usual.to_vec(),
        asked => asked.iter().map(|one| (one.clone(), 45)).collect(),
    };
    for (percentile, worth) in percentiles {
        columns.push(figure(format!("p{percentile}"), worth, move |line| {
            let ns = line.figures.as_ref();
            let ns = ns.and_then(|figures| figures.percentile_ns(&percentile));
            blank(ns, |ns| micros(ns as f64))
        }));
    }
    columns.push(figure("max us", 8, |line| {
        let ns = line.figures.as_ref().and_then(|figures| figures.max_ns());
        blank(ns, |ns| micros(ns as f64))
    }));
    columns.extend(processor());
    columns.extend([
        column("bells/IO", true, 5, Folds::IfSeveral, |line| {
            line.measured(|row| Some(row.per_io.doorbells), |one| decimals(one, 3))
        }),
        column("err", true, KEPT, Folds::IfSeveral, |line| {
            line.once(errors)
        }),
        column("checks", false, KEPT, Folds::IfSeveral, |line| {
            line.once(checks)
        }),
    ]);
    columns
}

/// What it cost the processors.
fn processor() -> [Column<'static>; 5] {
    let host = |name, worth, value: fn(&Row) -> Option<f64>| {
        figure(name, worth, move |line| {
            line.measured(value, |us| decimals(us, 1))
        })
    };
    [
        column("CPU %", true, 60, Folds::IfSeveral, |line| {
            line.measured(busy_pct, |one| decimals(one, 1))
        }),
        figure("IOPS/CPU%", 40, |line| line.measured(iops_per_pct, count)),
        figure("cyc/IO", 2, |line| {
            line.measured(
                |row| Some(row.cpu.work_cycles_per_io),
                |one| decimals(one, 0),
            )
        }),
        host("host us/IO", 6, |row| row.host.as_ref()?.cpu_us_per_io),
        host("net", 1, |row| row.host.as_ref()?.net_cpu_us_per_io),
    ]
}

/// Share of the window in which the guest's processors were busy.
#[must_use]
pub fn busy_pct(row: &Row) -> Option<f64> {
    Some(row.cpu.busy_pct)
}

/// IOPS by it.
#[must_use]
pub fn iops_per_pct(row: &Row) -> Option<f64> {
    Some(row.cpu.iops_per_cpu_pct)
}

fn direction(
    line: &Line<'_>,
    value: impl Fn(&Direction) -> Option<f64>,
    text: impl Fn(f64) -> String,
) -> String {
    let figures = line.figures.as_ref();
    blank(figures.and_then(|figures| figures.mean(value)), text)
}

fn range(
    line: &Line<'_>,
    value: impl Fn(&Direction) -> Option<f64>,
    text: impl Fn(f64) -> String,
) -> String {
    let figures = line.figures.as_ref();
    let range = figures.and_then(|figures| figures.range(value));
    blank(range, |(low, high)| {
        format!("{}..{}", text(low), text(high))
    })
}

/// Whether two jobs have the same direction, block size, depth, queues and way to wait.
#[must_use]
pub fn jobs_look_alike(rows: &[Row]) -> bool {
    let shown = |row: &Row| {
        let RunParams {
            rw,
            bs,
            bs_write,
            wait,
            queues,
            doorbell_batch,
            ..
        } = &row.params;
        let rings = (*queues, *doorbell_batch);
        let depth = row.depth.asked;
        (rw.clone(), *bs, *bs_write, depth, wait.clone(), rings)
    };
    rows.iter().enumerate().any(|(at, row)| {
        let alike = |other: &Row| other.job != row.job && shown(other) == shown(row);
        rows[..at].iter().any(alike)
    })
}

/// How completions were announced, if the rows halted for them.
fn waits(point: &Point<'_>) -> String {
    let params = &point.first().params;
    match (params.wait.as_str(), &params.irq) {
        ("irq", Some(irq)) => irq.clone(),
        (wait, _) => wait.to_owned(),
    }
}

/// The workload; of a mix, the direction too.
fn rw(line: &Line<'_>) -> String {
    let rw = &line.row().params.rw;
    match (rw.as_str(), line.direction) {
        ("rw" | "readwrite" | "randrw", "read") => format!("{rw} r"),
        ("rw" | "readwrite" | "randrw", "write") => format!("{rw} w"),
        _ => rw.clone(),
    }
}

fn block_size(line: &Line<'_>) -> String {
    let params = &line.row().params;
    match (line.direction, params.bs_write) {
        ("write", Some(bytes)) => size(bytes),
        _ => size(params.bs),
    }
}

/// I/Os that failed in all rows; blank where none was started.
fn errors(point: &Point<'_>) -> String {
    let started = point
        .rows
        .iter()
        .filter(|row| row.status != RunStatus::Skipped);
    let errors: Vec<u64> = started.map(|row| row.errors).collect();
    match errors.is_empty() {
        true => String::new(),
        false => errors.iter().sum::<u64>().to_string(),
    }
}

/// The worst of all rows' checks; a row that did not end well shows that instead.
fn checks(point: &Point<'_>) -> String {
    let of = |row: &&Row| match row.status {
        RunStatus::Skipped => "skipped",
        RunStatus::Failed => "FAILED",
        RunStatus::Ok => {
            let any = |status| row.checks.iter().any(|check| check.status == status);
            if any(CheckStatus::Failed) {
                "FAILED"
            } else if row.checks.is_empty() || any(CheckStatus::NotMade) {
                "not made"
            } else {
                "ok"
            }
        }
    };
    let all: Vec<&str> = point.rows.iter().map(of).collect();
    let worst = ["FAILED", "skipped", "not made", "ok"];
    let worst = worst.into_iter().find(|one| all.contains(one));
    worst.unwrap_or_default().to_owned()
}
