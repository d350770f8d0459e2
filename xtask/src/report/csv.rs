//! CSV (RFC 4180): one line per row and direction, figures as they are in
//! result.json, without exponents; what does not exist is empty.

use super::cells::{Line, lines};
use crate::result::{HostRun, Row};
use proto::result::LatencyNs;
use std::fmt::Write;

const HEADER: &str = "row,job,controller,disk,status,rw,direction,bs_bytes,iodepth,\
    effective_depth,window_ns,ios,bytes,iops,bw_bytes,lat_min_ns,lat_mean_ns,lat_stddev_ns,\
    lat_max_ns,lat_p50_ns,lat_p90_ns,lat_p95_ns,lat_p99_ns,lat_p99_9_ns,lat_p99_99_ns,\
    work_cycles_per_io,doorbells_per_io,errors,checks,reason,wait,irq,busy_pct,\
    iops_per_cpu_pct,empty_polls_per_io,interrupts_per_io,exits_per_io_min,exits_per_io_max,\
    host_cpu_us_per_io,host_net_cpu_us_per_io";

/// The table.
#[must_use]
pub fn csv(runs: &[Row]) -> String {
    let mut text = format!("{HEADER}\r\n");
    for line in lines(runs) {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}\r\n", fields(&line).join(","));
    }
    text
}

fn fields(line: &Line<'_>) -> Vec<String> {
    let run = line.run;
    let measured = line.figures.is_some();
    let bs = match (line.direction, run.params.bs_write) {
        ("write", Some(bytes)) => bytes,
        _ => run.params.bs,
    };
    let status = format!("{:?}", run.status).to_lowercase();
    let mut fields = vec![
        run.row.to_string(),
        quote(&run.job),
        quote(&run.controller),
        quote(&run.disk),
        status,
        run.params.rw.clone(),
        line.direction.to_owned(),
        bs.to_string(),
        run.depth.asked.to_string(),
        only(measured, run.depth.effective),
        run.window_ns.to_string(),
    ];
    let none = LatencyNs::default();
    let lat = line.figures.map_or(&none, |figures| &figures.lat_ns);
    match line.figures {
        Some(figures) => fields.extend([
            figures.ios.to_string(),
            figures.bytes.to_string(),
            fraction(figures.iops),
            fraction(figures.bw_bytes),
        ]),
        None => fields.extend(["0".into(), "0".into(), String::new(), String::new()]),
    }
    fields.extend([
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
        only(measured, run.cpu.work_cycles_per_io),
        only(measured, run.per_io.doorbells),
        run.errors.to_string(),
    ]);
    let checks: Vec<String> = run
        .checks
        .iter()
        .map(|check| format!("{} {:?}", check.name, check.status).to_lowercase())
        .collect();
    fields.push(quote(&checks.join("; ")));
    fields.push(quote(run.reason.as_deref().unwrap_or_default()));
    let host = |value: fn(&HostRun) -> Option<f64>| {
        let figure = run.host.as_ref().and_then(value);
        figure.map(fraction).unwrap_or_default()
    };
    fields.extend([
        run.params.wait.clone(),
        run.params.irq.clone().unwrap_or_default(),
        only(measured, run.cpu.busy_pct),
        only(measured, run.cpu.iops_per_cpu_pct),
        only(measured, run.cpu.empty_polls_per_io),
        only(measured, run.per_io.interrupts),
        only(measured, run.exits_bounds.min),
        only(measured, run.exits_bounds.max),
        host(|host| host.cpu_us_per_io),
        host(|host| host.net_cpu_us_per_io),
    ]);
    fields
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

fn quote(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
