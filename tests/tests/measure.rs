//! Runs that go well, or fail a check: figures, counts, formats.

use serde_json::Value;
use tests::{Scenario, call, call_in, run};

/// Short rows: the figures do not matter here, the counts do.
const SHORT: [&str; 4] = ["--set", "runtime=300ms", "--set", "ramp_time=100ms"];

fn with<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    [&SHORT, flags].concat()
}

/// Status of the check of that name in a row.
fn check<'v>(row: &'v Value, name: &str) -> &'v Value {
    let checks = row["checks"].as_array().expect("checks");
    let one = checks.iter().find(|check| check["name"] == name);
    &one.unwrap_or_else(|| panic!("no check {name} in {row:#}"))["status"]
}

#[test]
fn quick_ends_with_a_table() {
    let called = run(&Scenario {
        name: "the first README command",
        flags: &with(&["--controller", "pvscsi"]),
        code: 0,
        says: &[
            "IOPS",
            "MiB/s",
            "mean us",
            "p50",
            "p99",
            "p99.9",
            "max us",
            "cyc/IO",
            "bells/IO",
            "err",
            "checks",
            "randread",
            "not hardware times",
        ],
        rows: 4,
    });
    for name in ["result.json", "serial.log", "qemu.txt", "job.fio"] {
        assert!(called.file(name).exists(), "{name} is left");
    }
    let result = called.result();
    assert_eq!(result["outcome"]["complete"], true);
    assert_eq!(result["host"]["accel"].as_str().unwrap_or("tcg"), "tcg");
    for row in result["runs"].as_array().unwrap() {
        assert_eq!(row["status"], "ok");
        assert_eq!(check(row, "commands"), "ok", "{row:#}");
        assert_eq!(check(row, "bytes"), "ok", "{row:#}");
    }
}

#[test]
fn json_is_one_document_and_batches_share_a_doorbell() {
    let called = call(
        "run",
        &with(&[
            "--set",
            "rw=randread",
            "--set",
            "bs=4k",
            "--set",
            "iodepth=32",
            "--format",
            "json",
        ]),
    );
    assert_eq!(called.code, 0, "{}", called.err);
    let document: Value = serde_json::from_str(&called.out).expect("stdout is one JSON document");
    assert_eq!(
        document,
        called.result(),
        "stdout and result.json are the same"
    );
    assert_eq!(document["schema"], "ioprobe-result/1");
    let row = &document["runs"][0];
    assert!(row["read"]["ios"].as_u64().unwrap() > 0);
    assert!(
        row["per_io"]["doorbells"].as_f64().unwrap() < 0.5,
        "{}",
        row["per_io"]
    );
    assert_eq!(
        row["commands"]["read"],
        row["host"]["blockstats"]["rd_operations"]
    );
    assert_eq!(
        row["commands"]["read_bytes"],
        row["host"]["blockstats"]["rd_bytes"]
    );
}

#[test]
fn both_directions_are_counted_by_kind() {
    let called = run(&Scenario {
        name: "a mix of reads and writes",
        flags: &with(&[
            "--set",
            "rw=randrw",
            "--set",
            "iodepth=8",
            "--set",
            "wait=poll",
            "--set",
            "bs=4k,8k",
        ]),
        code: 0,
        says: &["randrw r", "randrw w"],
        rows: 1,
    });
    let result = called.result();
    let row = &result["runs"][0];
    assert!(row["commands"]["write"].as_u64().unwrap() > 0);
    assert_eq!(check(row, "commands"), "ok", "{row:#}");
    assert_eq!(check(row, "bytes"), "ok", "{row:#}");
}

#[test]
fn a_guest_that_miscounts_by_one_fails_its_check() {
    let called = run(&Scenario {
        name: "negative control",
        flags: &with(&[
            "--set",
            "iodepth=4",
            "--set",
            "wait=poll",
            "--inject",
            "miscount=0",
        ]),
        code: 1,
        says: &["check commands FAILED", "1 checks failed"],
        rows: 1,
    });
    let result = called.result();
    let row = &result["runs"][0];
    assert_eq!(check(row, "commands"), "failed");
    let guest = row["commands"]["read"].as_u64().unwrap();
    let qemu = row["host"]["blockstats"]["rd_operations"].as_u64().unwrap();
    assert_eq!(guest, qemu + 1);
}

/// Only hard bounds: a busy host may be slower, never faster.
#[test]
fn a_slow_disk_is_a_ruler() {
    let called = call(
        "run",
        &with(&["--backend", "null:latency=1ms", "--set", "iodepth=1"]),
    );
    assert_eq!(called.code, 0, "{}", called.err);
    let read = called.result()["runs"][0]["read"].clone();
    assert!(read["lat_ns"]["mean"].as_f64().unwrap() >= 1e6, "{read:#}");
    assert!(read["lat_ns"]["min"].as_f64().unwrap() >= 1e6, "{read:#}");
    assert!(read["iops"].as_f64().unwrap() <= 1000.0, "{read:#}");
}

#[test]
fn refused_before_anything_starts() {
    let cases: [(&[&str], &str); 9] = [
        (&["--set", "iodpeth=4"], "`iodepth`"),
        (&["--backend", "null:latency=100us"], "millisecond timers"),
        (&["--controller", "ahci"], "known are pvscsi"),
        (&["--allow-write", "nvme@00:03.0:1"], "pvscsi@00:03.0:0:0"),
        (&["--nonsense"], "--nonsense"),
        (&["--set", "offset=200g"], "it starts at 200g"),
        (&["--set", "allow_write=foo"], "names no disk"),
        (
            &["--set", "wait=irq", "--set", "irq=msix"],
            "it offers msi, intx",
        ),
        (
            &["--fio", "--name=x --ioengine=cpuio"],
            "no engine for disks",
        ),
    ];
    for (flags, part) in cases {
        let called = call("run", flags);
        assert_eq!(called.code, 2, "{flags:?}: {}", called.err);
        assert!(called.err.contains(part), "{flags:?}: {}", called.err);
        assert!(!called.folder.exists(), "{flags:?} started something");
    }
}

#[test]
fn a_folder_with_a_run_is_not_used_again() {
    let called = call("run", &with(&["--set", "iodepth=1"]));
    assert_eq!(called.code, 0, "{}", called.err);
    let before = called.result();
    let again = call_in(&called.folder, "run", &[]);
    assert_eq!(again.code, 2, "{}", again.err);
    assert_eq!(called.result(), before);
}

/// Sector 4096 of a 64 MiB disk fails each time it is read: an error is no I/O.
#[test]
fn failed_reads_are_counted_apart() {
    const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/one-pass.fio");
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("bad.img");
    let file = std::fs::File::create(&image).unwrap();
    file.set_len(64 << 20).unwrap();
    let blockdev = format!(
        "driver=raw,node-name=bad,file.driver=blkdebug,file.image.driver=file,\
         file.image.filename={},file.inject-error.0.event=none,file.inject-error.0.errno=5,\
         file.inject-error.0.sector=4096,file.inject-error.0.once=off",
        image.display()
    );
    let mut flags = vec!["--job", JOB];
    flags.extend(["--qemu-arg", "-blockdev", "--qemu-arg", &blockdev]);
    let disk = "scsi-hd,bus=controller3.0,scsi-id=5,drive=bad";
    flags.extend(["--qemu-arg", "-device", "--qemu-arg", disk]);
    let called = run(&Scenario {
        name: "one sector fails",
        flags: &flags,
        code: 1,
        says: &["2 of 5 rows failed", "sense b/00/06"],
        rows: 5,
    });
    let rows = called.rows();
    for row in [&rows[1], &rows[3]] {
        assert_eq!(row["status"], "failed");
        // 64 MiB are 16,384 blocks; the failed one is a command, but no I/O.
        assert_eq!(row["commands"]["read"], 16_384, "{row:#}");
        assert_eq!(row["commands"]["failed"], 1, "{row:#}");
        assert_eq!(row["errors"], 1);
        let read = &row["read"];
        assert_eq!(read["ios"], 16_383);
        assert_eq!(read["bytes"], 16_383 * 4096);
        assert_eq!(in_bins(read), 16_383);
        let window_s = row["window_ns"].as_f64().unwrap() / 1e9;
        let rate = read["iops"].as_f64().unwrap() * window_s;
        assert!((rate - 16_383.0).abs() < 0.5, "{rate}");
        assert_eq!(check(row, "commands"), "ok", "{row:#}");
    }
    for row in [&rows[0], &rows[2], &rows[4]] {
        assert_eq!((&row["status"], &row["errors"]), (&"ok".into(), &0.into()));
        assert_eq!(row["read"]["ios"], 1_000);
    }
}

/// I/Os in the histogram of a direction.
fn in_bins(direction: &Value) -> u64 {
    let bins = direction["bins"].as_array().expect("bins").iter();
    bins.map(|bin| bin[1].as_u64().expect("a count")).sum()
}

/// Not 0 where the clock tells more, and not longer than the row: the counters of the
/// processors agree, and nothing overflows.
#[test]
fn no_latency_is_nothing_or_longer_than_its_row() {
    for smp in ["1", "4"] {
        let mut flags = vec!["--controller", "all", "--smp", smp];
        flags.extend(["--sweep", "iodepth=1,256"]);
        for key in [
            "rw=randread",
            "bs=512",
            "wait=poll",
            "runtime=200ms",
            "ramp_time=0",
        ] {
            flags.extend(["--set", key]);
        }
        let called = call("run", &flags);
        assert_eq!(called.code, 0, "{}", called.err);
        let rows = called.rows();
        assert_eq!(rows.len(), 8);
        for row in rows {
            let read = &row["read"];
            let figure = |name: &str| read["lat_ns"][name].as_u64().expect("a time");
            assert!(figure("min") > 0, "{row:#}");
            assert!(
                figure("max") <= row["window_ns"].as_u64().unwrap(),
                "{row:#}"
            );
            assert_eq!(
                (&read["overflow"], in_bins(read)),
                (&0.into(), read["ios"].as_u64().unwrap())
            );
        }
    }
}
