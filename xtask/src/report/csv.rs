//! CSV (RFC 4180): one line per row and direction, figures as they are in
//! result.json, without exponents; what does not exist is empty. Rows and repeats count
//! from 1, as in the tables. Columns are only ever added.

use super::head::Head;
use super::lines::{Line, lines};
use super::merged::Figures;
use super::percentiles::{asked, is_usual};
use super::points::singly;
use super::stages::STAGES;
use crate::result::{Document, HostRun, Row};
use proto::record::row_number;
use proto::result::{Direction, LatencyNs};
use std::fmt::Write;

const HEADER: &str = "row,job,controller,disk,status,rw,direction,bs_bytes,iodepth,\
    effective_depth,window_ns,ios,bytes,iops,bw_bytes,lat_min_ns,lat_mean_ns,lat_stddev_ns,\
    lat_max_ns,lat_p50_ns,lat_p90_ns,lat_p95_ns,lat_p99_ns,lat_p99_9_ns,lat_p99_99_ns,\
    work_cycles_per_io,doorbells_per_io,errors,checks,reason,wait,irq,busy_pct,\
    iops_per_cpu_pct,empty_polls_per_io,interrupts_per_io,exits_per_io_min,exits_per_io_max,\
    host_cpu_us_per_io,host_net_cpu_us_per_io,repeat,stage_build_ns,stage_batch_ns,\
    stage_doorbell_ns,stage_in_flight_ns,stage_reap_ns,late_mean_ns,preset,backend,\
    qemu_version,accel,hypervisor,clock_source,started,tool,queues,doorbell_batch";

/// The table.
#[must_use]
pub fn csv(document: &Document) -> String {
    let rows = &document.rows;
    let mut asked = asked(rows);
    asked.retain(|one| !is_usual(one));
    let mut text = HEADER.to_owned();
    for one in &asked {
        // Writing to a String cannot fail.
        let _ = write!(text, ",lat_p{}_ns", one.replace('.', "_"));
    }
    text.push_str("\r\n");
    let head = made(&Head::of(document));
    for line in lines(&singly(rows)) {
        let mut fields = fields(&line);
        fields.extend(head.clone());
        let params = &line.row().params;
        fields.extend([params.queues.to_string(), params.doorbell_batch.to_string()]);
        let figures = line.figures.as_ref();
        let percentile = |one: &String| whole(figures.and_then(|d| d.percentile_ns(one)));
        fields.extend(asked.iter().map(percentile));
        text.push_str(&fields.join(","));
        text.push_str("\r\n");
    }
    text
}

/// The same in each line.
fn made(head: &Head) -> [String; 8] {
    [
        &head.preset,
        &head.backend,
        &head.qemu_version,
        &head.accel,
        &head.hypervisor,
        &head.clock_source,
        &head.started,
        &head.tool,
    ]
    .map(|text| quote(text))
}

fn fields(line: &Line<'_>) -> Vec<String> {
    let row = line.row();
    let measured = line.figures.is_some();
    let figures = line.figures.as_ref().map(|Figures { each }| each[0]);
    let bs = match (line.direction, row.params.bs_write) {
        ("write", Some(bytes)) => bytes,
        _ => row.params.bs,
    };
    let mut fields = vec![
        row_number(row.row).to_string(),
        quote(&row.job),
        quote(&row.controller),
        quote(&row.disk),
        format!("{:?}", row.status).to_lowercase(),
        row.params.rw.clone(),
        line.direction.to_owned(),
        bs.to_string(),
        row.depth.asked.to_string(),
        only(measured, row.depth.effective),
        row.window_ns.to_string(),
    ];
    fields.extend(of_direction(figures));
    fields.extend([
        only(measured, row.cpu.work_cycles_per_io),
        only(measured, row.per_io.doorbells),
        row.errors.to_string(),
    ]);
    let checks: Vec<String> = row
        .checks
        .iter()
        .map(|check| format!("{} {:?}", check.name, check.status).to_lowercase())
        .collect();
    fields.push(quote(&checks.join("; ")));
    fields.push(quote(row.reason.as_deref().unwrap_or_default()));
    fields.extend(of_machine(row, measured));
    fields.push((u64::from(row.repeat) + 1).to_string());
    for (_, stage) in STAGES {
        let ns = row.stages_ns.as_ref().map(stage);
        fields.push(ns.map(fraction).unwrap_or_default());
    }
    let late = row.late.as_ref().map(|late| fraction(late.mean_ns));
    fields.push(late.unwrap_or_default());
    fields
}

fn of_direction(figures: Option<&Direction>) -> [String; 14] {
    let none = LatencyNs::default();
    let lat = figures.map_or(&none, |figures| &figures.lat_ns);
    let count = |value: fn(&Direction) -> u64| figures.map_or(0, value).to_string();
    let rate = |value: fn(&Direction) -> f64| figures.map(value).map(fraction).unwrap_or_default();
    [
        count(|figures| figures.ios),
        count(|figures| figures.bytes),
        rate(|figures| figures.iops),
        rate(|figures| figures.bw_bytes),
        whole(lat.min),
        lat.mean.map(fraction).unwrap_or_default(),
        lat.stddev.map(fraction).unwrap_or_default(),
        whole(lat.max),
        whole(lat.p50),
        whole(lat.p90),
        whole(lat.p95),
        whole(lat.p99),
        whole(lat.p99_9),
        whole(lat.p99_99),
    ]
}

/// What it cost the machine and its host.
fn of_machine(row: &Row, measured: bool) -> [String; 10] {
    let host = |value: fn(&HostRun) -> Option<f64>| {
        let figure = row.host.as_ref().and_then(value);
        figure.map(fraction).unwrap_or_default()
    };
    [
        row.params.wait.clone(),
        row.params.irq.clone().unwrap_or_default(),
        only(measured, row.cpu.busy_pct),
        only(measured, row.cpu.iops_per_cpu_pct),
        only(measured, row.cpu.empty_polls_per_io),
        only(measured, row.per_io.interrupts),
        only(measured, row.exits_bounds.min),
        only(measured, row.exits_bounds.max),
        host(|host| host.cpu_us_per_io),
        host(|host| host.net_cpu_us_per_io),
    ]
}

fn whole(value: Option<u64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn only(measured: bool, value: f64) -> String {
    if measured {
        fraction(value)
    } else {
        String::new()
    }
}

/// Rust prints a float's shortest exact decimal form, never with an exponent.
fn fraction(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        String::new()
    }
}

pub(super) fn quote(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
