//! Twenty seconds on each controller of I/Os of all sizes at its full depth, every
//! byte of which is compared.

use serde_json::Value;
use tests::{Scenario, holds_its_pattern_everywhere, run};

const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/soak.fio");
/// Time that the rows of all sizes run together.
const WINDOWS_NS: u64 = 20_000_000_000;
/// The fill, and two of each of eight sizes.
const ROWS: usize = 17;

fn soak(controller: &str) {
    let called = run(&Scenario {
        name: controller,
        flags: &[
            "--controller",
            controller,
            "--job",
            JOB,
            "--backend",
            "file:80M",
        ],
        code: 0,
        says: &[],
        rows: ROWS,
    });
    let rows = called.rows();
    for row in &rows {
        assert_eq!(row["status"], "ok", "{row:#}");
        assert_eq!(row["errors"], 0, "{row:#}");
        assert_eq!(row["mismatched_bytes"], 0, "{row:#}");
        for check in row["checks"].as_array().expect("checks") {
            assert_eq!(check["status"], "ok", "{check}");
        }
    }
    let number = |row: &Value, path: &str| row.pointer(path).and_then(Value::as_u64).unwrap();
    for row in &rows[1..] {
        assert_eq!(number(row, "/depth/asked"), 1024);
        assert!(number(row, "/read/ios") > 0, "{row:#}");
        if row["params"]["rw"] == "randrw" {
            assert!(number(row, "/write/ios") > 0, "{row:#}");
        } else {
            assert!(number(row, "/verified_blocks") >= number(row, "/read/ios"));
        }
    }
    let windows = rows[1..].iter().map(|row| number(row, "/window_ns"));
    assert!(windows.sum::<u64>() >= WINDOWS_NS);
    // Whatever the order of these writes, this lies on the disk in the end.
    holds_its_pattern_everywhere(&called.file("disk0.img"), &rows[1]);
}

#[test]
fn pvscsi() {
    soak("pvscsi");
}

#[test]
fn lsisas() {
    soak("lsisas");
}

#[test]
fn nvme() {
    soak("nvme");
}

#[test]
fn virtio_scsi() {
    soak("virtio-scsi");
}
