//! Jobs as people bring them, on every controller, with QEMU's counts as the judge.

use serde_json::Value;
use tests::{Called, call};

/// Rows are short, by counts: how far a row comes in a time is the machine's affair.
const SHORT: [&str; 8] = [
    "--set",
    "number_ios=32",
    "--set",
    "time_based=0",
    "--set",
    "runtime=60",
    "--set",
    "ramp_time=0",
];

/// Runs with the flags on all controllers; every row must be well.
fn well(flags: &[&str]) -> Called {
    let called = call("run", &[&["--controller", "all"], flags].concat());
    assert_eq!(called.code, 0, "{flags:?}: {}", called.err);
    called
}

/// The same with [`SHORT`] rows. Without, rows must end by what they are to do.
fn ran(flags: &[&str]) -> Called {
    well(&[&SHORT[..], flags].concat())
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

/// Rows of all shares on all controllers: `jobs` of so many I/Os in flight each.
fn mixes(jobs: &str, depth: &str) {
    let mix = format!(
        "--name=mix --rw=randrw --bs=4k --numjobs={jobs} --iodepth={depth} --size=4m --norandommap"
    );
    let called = well(&["--fio", &mix, "--sweep", "rwmixread=0,1,30,50,70,99,100"]);
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
        // Each direction has figures of its own, and none where it has no I/O.
        for (way, commands, share) in [("read", reads, asked), ("write", writes, 100 - asked)] {
            let ios = row[way]["ios"].as_u64().unwrap();
            assert_eq!(
                (commands > 0, ios > 0),
                (share > 0, share > 0),
                "{asked}: {row:#}"
            );
            let latency = &row[way]["lat_ns"];
            assert_eq!(latency["mean"].is_null(), share == 0, "{asked}: {latency}");
            assert_eq!(latency["max"].is_null(), share == 0, "{asked}: {latency}");
        }
    }
}

#[test]
fn shares_are_met_in_commands_as_qemu_counts_them() {
    mixes("4", "16");
    mixes("1", "64");
    mixes("1", "1");
}

#[test]
fn flushes_trims_and_durable_writes_are_what_qemu_counts() {
    let called = well(&[
        "--fio",
        "--name=flush --rw=write --bs=4k --size=1m --fsync=8 --name=trim --stonewall --rw=randtrim \
         --bs=64k --size=16m --name=split --stonewall --rw=read --bssplit=4k/50:128k/50 --size=8m \
         --iodepth=8",
    ]);
    for row in called.rows() {
        match row["job"].as_str().unwrap() {
            "flush" => {
                assert_eq!((count(&row, "write"), count(&row, "flush")), (256, 32));
                assert_eq!(row["flush"]["ios"], 32);
            }
            "trim" => {
                assert_eq!((count(&row, "write"), count(&row, "read")), (0, 0));
                assert_eq!(count(&row, "unmap"), 256);
                assert_eq!(row["trim"]["ios"], 256);
            }
            // The last I/O may be the long one.
            _ => assert!((64..66).contains(&(count(&row, "read_bytes") >> 17))),
        }
    }
}
