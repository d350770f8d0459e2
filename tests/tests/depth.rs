//! The depth that was asked, the depth that a controller has, and the depth there was.
//!
//! A disk that takes 1 ms for each I/O, however many there are, makes the depth visible:
//! by Little's law the I/Os in a system are their rate times their time in it. In a
//! result that is an identity of a row's own figures: `iops` x the mean time from the
//! doorbell to the completion is the effective depth, which is counted apart, from
//! what the controller owns at each moment. The whole latency begins with the building
//! of the I/O and thus holds more.

use serde_json::Value;
use std::fmt::Write as _;
use tests::{Called, call};

/// Around 128, which is all that QEMU's LSI SAS and a virtio-scsi disk take.
const DEPTHS: [u64; 6] = [1, 32, 128, 129, 256, 1024];
/// I/Os of a row, by its depth. All are done before it ends, so that those which would
/// be open then do not blur the identity.
const IOS_BY_DEPTH: u64 = 20;
/// How far the two sides of Little's law may lie apart.
const NEAR: f64 = 0.01;

/// A row for each of [`DEPTHS`] on each controller.
fn sweep(flags: &[&str]) -> Called {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("job.fio");
    let mut job = String::from("[global]\nrw=randread\nstages=1\nstonewall\n");
    for depth in DEPTHS {
        let ios = (depth * IOS_BY_DEPTH).max(200);
        let _ = write!(job, "[{depth}]\niodepth={depth}\nnumber_ios={ios}\n");
    }
    std::fs::write(&path, job).expect("the job");
    let job = path.to_str().expect("a path");
    let flags = [&["--backend", "null:latency=1ms", "--job", job], flags].concat();
    let called = call("run", &flags);
    assert_eq!(called.code, 0, "{}", called.err);
    called
}

fn figure(row: &Value, path: &str) -> f64 {
    let value = row.pointer(path).and_then(Value::as_f64);
    value.unwrap_or_else(|| panic!("{path}: {row:#}"))
}

/// A row that is well, deep as asked or as deep as the controller goes; `limits` are
/// those of its controller.
fn is_as_deep_as_it_says(row: &Value, limits: &[u64; 6]) {
    assert_eq!(row["status"], "ok", "{row:#}");
    assert_eq!(
        (row["errors"].as_u64(), row["retries"].as_u64()),
        (Some(0), Some(0))
    );
    for check in row["checks"].as_array().expect("checks") {
        assert_eq!(check["status"], "ok", "{row:#}");
    }
    let asked = row["depth"]["asked"].as_u64().expect("a depth");
    let at = DEPTHS
        .iter()
        .position(|depth| *depth == asked)
        .expect("one of them");
    let possible = row["depth"]["limit"].as_u64().expect("a limit").min(asked);
    assert_eq!(possible, limits[at], "{}: depth {asked}", row["controller"]);
    let effective = figure(row, "/depth/effective");
    let before_the_doorbell = figure(row, "/stages_ns/build") + figure(row, "/stages_ns/batch");
    let owned_ns = figure(row, "/read/lat_ns/mean") - before_the_doorbell;
    let by_little = figure(row, "/read/iops") * owned_ns / 1e9;
    println!(
        "{} {asked}: {effective:.2} in flight, {by_little:.2} by Little's law",
        row["controller"]
    );
    assert!(
        (by_little / effective - 1.0).abs() < NEAR,
        "{by_little}: {row:#}"
    );
    assert!(effective <= possible as f64, "{effective} of {possible}");
    // Most of the time it was about as deep, however busy the host.
    assert!(effective >= possible as f64 / 4.0, "{effective}: {row:#}");
    // Nobody is faster than the disk.
    assert!(figure(row, "/read/lat_ns/min") >= 1e6, "{row:#}");
    assert!(
        figure(row, "/read/iops") <= possible as f64 * 1e3,
        "{row:#}"
    );
}

#[test]
fn what_is_in_flight_is_told_whatever_was_asked() {
    let called = sweep(&["--controller", "all"]);
    let rows = called.rows();
    assert_eq!(rows.len(), 4 * DEPTHS.len());
    for row in &rows {
        let controller = row["controller"].as_str().expect("an id");
        let limits = match controller.split('@').next() {
            // One of its 128 slots is kept for an abort.
            Some("lsisas") => [1, 32, 127, 127, 127, 127],
            // cmd_per_lun.
            Some("virtio-scsi") => [1, 32, 128, 128, 128, 128],
            // A queue of 1,024 entries is full with one less.
            Some("nvme") => [1, 32, 128, 129, 256, 1023],
            _ => DEPTHS,
        };
        is_as_deep_as_it_says(row, &limits);
    }
    let told = called.out.replace("\n  ", " ");
    for said in [
        "depth 256 is more than the 127",
        "depth 129 is more than the 128",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
}

#[test]
fn a_small_ring_bounds_the_depth_and_nothing_fails() {
    // Without indirect descriptors a command takes three entries of the ring.
    let mut flags = vec!["--controller", "virtio-scsi"];
    for option in ["virtqueue_size=64", "indirect_desc=off"] {
        flags.extend(["--device-opt", option]);
    }
    for row in sweep(&flags).rows() {
        is_as_deep_as_it_says(&row, &[1, 21, 21, 21, 21, 21]);
    }
}
