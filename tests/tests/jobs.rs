//! Jobs as people bring them, on every controller, with QEMU's counts as the judge.

use serde_json::Value;
use tests::{Called, call, call_in};

/// Rows are short: counts do not need time.
const SHORT: [&str; 4] = ["--set", "runtime=100ms", "--set", "ramp_time=20ms"];

/// Runs with the flags on all controllers; every row must be well.
fn ran(flags: &[&str]) -> Called {
    let called = call(
        "run",
        &[&["--controller", "all"], &SHORT[..], flags].concat(),
    );
    assert_eq!(called.code, 0, "{flags:?}: {}", called.err);
    called
}

fn count(row: &Value, kind: &str) -> u64 {
    row["commands"][kind].as_u64().expect("a count")
}

#[test]
fn published_command_lines_run_on_every_controller() {
    let called = ran(&["--diskspd", "-b8K -d5 -o8 -h -L -t8 -W -w30 -c2G"]);
    assert_eq!(called.rows().len(), 4);
    for row in called.rows() {
        let params = &row["params"];
        assert_eq!(
            (params["rw"].as_str(), params["numjobs"].as_u64()),
            (Some("rw"), Some(8))
        );
        assert_eq!(
            (params["bs"].as_u64(), params["iodepth"].as_u64()),
            (Some(8192), Some(8))
        );
        assert_eq!(params["region_bytes"], 2u64 << 30);
    }
    for args in [
        "--name=seq-write --ioengine=libaio --rw=write --bs=1M --numjobs=4 --size=2G --runtime=5 \
         --group_reporting --filename=fio_test",
        "--name=rand-read --ioengine=libaio --rw=randread --bs=4k --numjobs=4 --iodepth=64 \
         --size=2G --runtime=5 --group_reporting --filename=fio_test",
    ] {
        let called = ran(&["--fio", args]);
        assert_eq!(called.rows().len(), 4, "{args}");
    }
}

#[test]
fn presets_run_on_every_controller() {
    for name in [
        "fio-benchmark",
        "database",
        "mail",
        "fileserver",
        "streaming",
        "vdi",
    ] {
        let called = ran(&["--profile", name]);
        for row in called.rows() {
            assert_eq!(row["status"], "ok", "{name}: {row:#}");
        }
    }
}

#[test]
fn shares_are_met_in_commands_as_qemu_counts_them() {
    let called = ran(&[
        "--fio",
        "--name=mix --rw=randrw --bs=4k --numjobs=4 --iodepth=16 --size=4m --norandommap",
        "--sweep",
        "rwmixread=0,1,30,50,70,99,100",
    ]);
    let rows = called.rows();
    assert_eq!(rows.len(), 28);
    for row in rows {
        let asked = row["params"]["rwmixread"].as_u64().unwrap();
        // The check of commands against QEMU's is part of a row that is well.
        let (reads, writes) = (count(&row, "read"), count(&row, "write"));
        let share = reads as f64 * 100.0 / (reads + writes) as f64;
        assert!(
            (share - asked as f64).abs() <= 0.5,
            "{asked}: {reads} {writes}"
        );
        if asked == 0 || asked == 100 {
            assert_eq!(reads.min(writes), 0, "{asked}");
        }
    }
}

#[test]
fn flushes_trims_and_durable_writes_are_what_qemu_counts() {
    let called = ran(&[
        "--fio",
        "--name=flush --rw=write --bs=4k --size=1m --fsync=8 --name=trim --stonewall --rw=randtrim \
         --bs=64k --size=16m --name=split --stonewall --rw=read --bssplit=4k/50:128k/50 --size=8m \
         --iodepth=8",
    ]);
    for row in called.rows() {
        // The ramp's are among them.
        match row["job"].as_str().unwrap() {
            "flush" => {
                let writes = count(&row, "write");
                assert!(writes >= 256);
                assert_eq!(count(&row, "flush"), writes / 8);
                assert!(row["flush"]["ios"].as_u64().unwrap() >= 32);
            }
            "trim" => {
                assert!(count(&row, "unmap") >= 256);
                assert_eq!((count(&row, "write"), count(&row, "read")), (0, 0));
                // What the ramp left in flight ends inside the window.
                let ios = row["trim"]["ios"].as_u64().unwrap();
                assert!((256..=257).contains(&ios), "{ios}");
            }
            _ => assert!(count(&row, "read_bytes") >= 8 << 20),
        }
    }
}

#[test]
fn space_that_was_never_written_is_told_from_space_that_was() {
    let dir = tempfile::tempdir().unwrap();
    let job = [
        "--fio",
        "--name=r --rw=randread --bs=4k --size=16m --iodepth=16 --time_based --runtime=1",
    ];
    let sparse = ["--controller", "pvscsi", "--backend", "file:64M"];
    let flags = [&sparse[..], &job, &SHORT].concat();
    let called = call("run", &flags);
    assert_eq!(called.rows()[0]["all_zero"], true);
    assert!(
        called.out.contains("every byte read was zero"),
        "{}",
        called.out
    );
    let flags = [&flags[..], &["--set", "prefill=1"]].concat();
    let called = call_in(dir.path(), "run", &flags);
    assert_eq!(called.code, 0, "{}", called.err);
    let rows = called.rows();
    assert_eq!(count(&rows[0], "write_bytes"), 16 << 20);
    assert_eq!(rows[1]["all_zero"], false);
}
