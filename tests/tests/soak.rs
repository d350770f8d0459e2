//! Twenty seconds on each controller of the preset `soak`: I/Os of all sizes at full depth,
//! in one row, every byte of which is compared. Ten minutes: `cargo xtask run --profile
//! soak --backend file:1100M --controller NAME`.

use serde_json::Value;
use tests::{Scenario, holds_its_pattern_everywhere, run};

const WINDOW_NS: u64 = 20_000_000_000;
/// The region, in blocks.
const BLOCKS: u64 = (64 << 20) / 512;

fn number(row: &Value, path: &str) -> u64 {
    let value = row.pointer(path).and_then(Value::as_u64);
    value.unwrap_or_else(|| panic!("{path}: {row:#}"))
}

fn soak(controller: &str) {
    let called = run(&Scenario {
        name: controller,
        flags: &[
            "--controller",
            controller,
            "--profile",
            "soak",
            "--set",
            "runtime=20",
            "--set",
            "size=64m",
            "--backend",
            "file:80M",
        ],
        code: 0,
        says: &[],
        rows: 3,
    });
    let rows = called.rows();
    for row in &rows {
        assert_eq!(row["status"], "ok", "{row:#}");
        assert_eq!((number(row, "/errors"), number(row, "/retries")), (0, 0));
        assert_eq!(number(row, "/mismatched_bytes"), 0);
        for check in row["checks"].as_array().expect("checks") {
            assert_eq!(check["status"], "ok", "{check}");
        }
    }
    let [fill, mix, whole] = &rows[..] else {
        panic!("a fill, a mix, and a comparison")
    };
    assert_eq!(number(fill, "/commands/write_bytes"), BLOCKS * 512);
    assert_eq!(number(mix, "/depth/asked"), 1024);
    assert!(number(mix, "/window_ns") >= WINDOW_NS);
    // Each size is among them, down to one block.
    for way in ["read", "write"] {
        let (ios, bytes) = (
            number(mix, &format!("/{way}/ios")),
            number(mix, &format!("/{way}/bytes")),
        );
        assert!(ios > 0 && bytes % 512 == 0, "{mix:#}");
    }
    assert!(number(mix, "/verified_blocks") >= number(mix, "/read/ios"));
    assert_eq!(number(whole, "/verified_blocks"), BLOCKS);
    // Whatever the order of these writes, this lies on the disk in the end.
    holds_its_pattern_everywhere(&called.file("disk0.img"), mix);
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
