//! The columns of every table, as data.

use super::figures::{blank, count, decimals, micros, size};
use crate::result::{HostRun, Row};
use proto::result::{CheckStatus, Direction, RunParams, RunStatus};

/// Which part of a result a column belongs to. Narrow tables show the parts one
/// below the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What was run; repeated in each part.
    Row,
    /// Which job; part of what was run where nothing else tells two of them apart.
    Job,
    /// On which controller; part of what was run where there are several.
    Controller,
    /// How completions were awaited; part of what was run where not all polled.
    Wait,
    /// How much.
    Rate,
    /// What it cost the processors.
    Cpu,
    /// How long.
    Latency,
}

/// One line: a row in one of its directions.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The row.
    pub run: &'a Row,
    /// `read`, `write` or `trim`.
    pub direction: &'static str,
    /// Its figures; `None` where the row has none.
    pub figures: Option<&'a Direction>,
    /// First line of its row: figures of the whole row stand here.
    pub first: bool,
}

/// One column.
#[derive(Clone, Copy)]
pub struct Column {
    /// Header, unit included.
    pub name: &'static str,
    /// Where it belongs.
    pub group: Group,
    /// Figures stand right, words left.
    pub right: bool,
    /// The text of a cell; blank where there is no figure.
    pub cell: fn(&Line<'_>) -> String,
}

const fn words(name: &'static str, group: Group, cell: fn(&Line<'_>) -> String) -> Column {
    Column {
        name,
        group,
        right: false,
        cell,
    }
}

const fn number(name: &'static str, group: Group, cell: fn(&Line<'_>) -> String) -> Column {
    Column {
        name,
        group,
        right: true,
        cell,
    }
}

/// All columns, in order.
pub const COLUMNS: &[Column] = &[
    number("row", Group::Row, |line| {
        first(line, |run| run.row.to_string())
    }),
    words("controller", Group::Controller, |line| {
        first(line, |run| kinds(&run.controller))
    }),
    words("job", Group::Job, |line| first(line, |run| run.job.clone())),
    words("rw", Group::Row, rw),
    number("bs", Group::Row, block_size),
    number("depth", Group::Row, |line| {
        first(line, |run| run.depth.asked.to_string())
    }),
    words("wait", Group::Wait, |line| {
        first(line, |run| wait(&run.params).to_owned())
    }),
    number("eff.", Group::Rate, |line| {
        measured(line, |run| decimals(run.depth.effective, 1))
    }),
    number("IOPS", Group::Rate, |line| {
        blank(line.figures, |d| count(d.iops))
    }),
    number("MiB/s", Group::Rate, |line| {
        blank(line.figures, |d| {
            decimals(d.bw_bytes / f64::from(1 << 20), 1)
        })
    }),
    number("bells/IO", Group::Rate, |line| {
        measured(line, |run| decimals(run.per_io.doorbells, 3))
    }),
    number("err", Group::Rate, |line| {
        first(line, |run| run.errors.to_string())
    }),
    words("checks", Group::Rate, |line| first(line, checks)),
    number("CPU %", Group::Cpu, |line| {
        measured(line, |run| decimals(run.cpu.busy_pct, 1))
    }),
    number("IOPS/CPU%", Group::Cpu, |line| {
        measured(line, |run| count(run.cpu.iops_per_cpu_pct))
    }),
    number("cyc/IO", Group::Cpu, |line| {
        measured(line, |run| decimals(run.cpu.work_cycles_per_io, 0))
    }),
    number("host us/IO", Group::Cpu, |line| {
        host(line, |host| host.cpu_us_per_io)
    }),
    number("net", Group::Cpu, |line| {
        host(line, |host| host.net_cpu_us_per_io)
    }),
    number("mean us", Group::Latency, |line| {
        blank(line.figures.and_then(|d| d.lat_ns.mean), micros)
    }),
    number("p50", Group::Latency, |line| {
        percentile(line, |d| d.lat_ns.p50)
    }),
    number("p99", Group::Latency, |line| {
        percentile(line, |d| d.lat_ns.p99)
    }),
    number("p99.9", Group::Latency, |line| {
        percentile(line, |d| d.lat_ns.p99_9)
    }),
    number("max us", Group::Latency, |line| {
        percentile(line, |d| d.lat_ns.max)
    }),
];

/// The columns of these groups; the controller only where there are several, and how
/// completions were awaited only where not all were polled for.
pub fn columns(runs: &[Row], wanted: impl Fn(Group) -> bool) -> Vec<&'static Column> {
    let waits = runs.iter().any(|run| run.params.wait != "poll");
    let several = runs.iter().any(|run| run.controller != runs[0].controller);
    let shown = |group| match group {
        Group::Controller => several,
        Group::Wait => waits,
        Group::Job => jobs_look_alike(runs),
        group => wanted(group),
    };
    COLUMNS
        .iter()
        .filter(|column| shown(column.group))
        .collect()
}

/// Whether two jobs have the same direction, block size and depth.
fn jobs_look_alike(runs: &[Row]) -> bool {
    let shown = |run: &Row| {
        let params = &run.params;
        (
            params.rw.clone(),
            params.bs,
            params.bs_write,
            run.depth.asked,
        )
    };
    runs.iter().enumerate().any(|(at, run)| {
        let others = &runs[..at];
        let alike = |other: &&Row| other.job != run.job && shown(other) == shown(run);
        others.iter().any(|other| alike(&other))
    })
}

/// The kind in a controller's id; of several at once each kind, and of how many.
fn kinds(ids: &str) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for id in ids.split('+') {
        let kind = id.split_once('@').map_or(id, |(kind, _)| kind);
        match kinds.last_mut() {
            Some((last, count)) if *last == kind => *count += 1,
            _ => kinds.push((kind, 1)),
        }
    }
    let shown = kinds.into_iter().map(|(kind, count)| match count {
        1 => kind.to_owned(),
        count => format!("{count} {kind}"),
    });
    shown.collect::<Vec<_>>().join("+")
}

/// The lines of a result: one for each direction that a row has figures in.
pub fn lines(runs: &[Row]) -> Vec<Line<'_>> {
    runs.iter().flat_map(of_run).collect()
}

fn of_run(run: &Row) -> Vec<Line<'_>> {
    let directions = [("read", &run.read), ("write", &run.write)];
    let trims = run.trim.as_ref().map(|trim| ("trim", trim));
    let mut lines: Vec<Line<'_>> = directions
        .into_iter()
        .chain(trims)
        .filter(|(_, figures)| figures.ios > 0)
        .map(|(direction, figures)| Line {
            run,
            direction,
            figures: Some(figures),
            first: false,
        })
        .collect();
    if lines.is_empty() {
        lines.push(Line {
            run,
            direction: "",
            figures: None,
            first: true,
        });
    }
    lines[0].first = true;
    lines
}

fn first(line: &Line<'_>, text: impl Fn(&Row) -> String) -> String {
    if line.first {
        text(line.run)
    } else {
        String::new()
    }
}

/// A figure of the whole row that exists only if I/Os were measured.
fn measured(line: &Line<'_>, text: impl Fn(&Row) -> String) -> String {
    if line.figures.is_some() {
        first(line, text)
    } else {
        String::new()
    }
}

/// How completions were announced, if the row halted for them.
fn wait(params: &RunParams) -> &str {
    match (params.wait.as_str(), &params.irq) {
        ("irq", Some(irq)) => irq,
        (wait, _) => wait,
    }
}

/// A figure of the host.
fn host(line: &Line<'_>, value: impl Fn(&HostRun) -> Option<f64>) -> String {
    measured(line, |run| {
        let figure = run.host.as_ref().and_then(&value);
        figure.map(|us| decimals(us, 1)).unwrap_or_default()
    })
}

fn percentile(line: &Line<'_>, value: impl Fn(&Direction) -> Option<u64>) -> String {
    blank(line.figures.and_then(value), |ns| micros(ns as f64))
}

/// The workload; of a mix, the direction too.
fn rw(line: &Line<'_>) -> String {
    let rw = &line.run.params.rw;
    match (rw.as_str(), line.direction) {
        ("rw" | "readwrite" | "randrw", "read") => format!("{rw} r"),
        ("rw" | "readwrite" | "randrw", "write") => format!("{rw} w"),
        _ => rw.clone(),
    }
}

fn block_size(line: &Line<'_>) -> String {
    let params = &line.run.params;
    match (line.direction, params.bs_write) {
        ("write", Some(bytes)) => size(bytes),
        _ => size(params.bs),
    }
}

/// The worst of a row's checks; a row that did not end well shows that instead.
fn checks(run: &Row) -> String {
    match run.status {
        RunStatus::Skipped => return "skipped".into(),
        RunStatus::Failed => return "FAILED".into(),
        RunStatus::Ok => {}
    }
    let any = |status| run.checks.iter().any(|check| check.status == status);
    if any(CheckStatus::Failed) {
        "FAILED".into()
    } else if run.checks.is_empty() || any(CheckStatus::NotMade) {
        "not made".into()
    } else {
        "ok".into()
    }
}
