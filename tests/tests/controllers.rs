//! What every controller must do alike, and what each can do.

use serde_json::Value;
use std::fs;
use std::path::Path;
use tests::{Called, Scenario, call, run};

const JOB_SIZES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/sizes.fio");

/// The controllers of `--controller all`, in the order of their slots, and thus of
/// the scratch files behind them.
const ALL: [&str; 3] = ["pvscsi", "lsisas", "nvme"];

fn rows(called: &Called) -> Vec<Value> {
    called.result()["runs"].as_array().expect("rows").clone()
}

fn disks(called: &Called) -> Vec<Value> {
    called.result()["disks"].as_array().expect("disks").clone()
}

/// Each unit of what a row wrote holds the pattern of its own place.
fn holds_its_pattern(file: &Path, row: &Value) {
    let data = fs::read(file).expect("the disk file");
    let bs = row["params"]["bs"].as_u64().unwrap();
    let start = row["params"]["region_start"].as_u64().unwrap();
    let bytes = row["write"]["ios"].as_u64().unwrap() * bs;
    assert!(bytes > 0 && bytes <= row["params"]["region_bytes"].as_u64().unwrap());
    for offset in (start..start + bytes).step_by(proto::pattern::UNIT_BYTES) {
        let at = usize::try_from(offset).unwrap();
        let found = &data[at..at + proto::pattern::UNIT_BYTES];
        assert!(
            found == proto::pattern::unit(offset),
            "{}: byte {offset} of {} is not the pattern of its place",
            row["job"],
            file.display()
        );
    }
}

#[test]
fn all_controllers_in_one_boot_count_as_qemu_does() {
    let called = run(&Scenario {
        name: "all",
        flags: &[
            "--controller",
            "all",
            "--set",
            "iodepth=32",
            "--set",
            "iodepth_batch_submit=32",
            "--set",
            "iodepth_batch_complete_min=32",
            "--set",
            "runtime=500ms",
            "--set",
            "ramp_time=0",
        ],
        code: 0,
        says: &[],
        rows: ALL.len(),
    });
    for (row, kind) in rows(&called).iter().zip(ALL) {
        assert!(row["controller"].as_str().unwrap().starts_with(kind));
        assert_eq!(row["status"], "ok", "{row:#}");
        for check in row["checks"].as_array().unwrap() {
            assert_eq!(check["status"], "ok", "{kind}: {check:#}");
        }
        // Over the whole row every batch is full but for the last: one doorbell a
        // batch, and on NVMe one more that gives completion slots back. MPT takes
        // each request by a write of its own.
        let commands = row["commands"]["read"].as_u64().unwrap();
        let batches = commands.div_ceil(32);
        let submit = row["doorbells"]["submit"].as_u64().unwrap();
        let completion = row["doorbells"]["completion"].as_u64().unwrap_or(0);
        match kind {
            "lsisas" => assert_eq!(submit, commands),
            _ => assert_eq!(submit, batches, "{kind}: {commands} commands"),
        }
        if kind == "nvme" {
            assert!(completion <= batches + 1, "{completion} for {batches}");
        }
    }
}

#[test]
fn blocks_of_every_size_land_at_their_place() {
    let called = run(&Scenario {
        name: "sizes on all",
        flags: &[
            "--controller",
            "all",
            "--backend",
            "file:96M",
            "--job",
            JOB_SIZES,
        ],
        code: 0,
        says: &[],
        rows: 6 * ALL.len(),
    });
    for row in rows(&called) {
        let controller = row["controller"].as_str().unwrap();
        let number = ALL.iter().position(|kind| controller.starts_with(kind));
        let file = format!("disk{}.img", number.unwrap());
        holds_its_pattern(&called.file(&file), &row);
    }
}

#[test]
fn nvme_splits_at_mdts_and_counts_one_io() {
    // mdts=0 is no limit of the device's own; QEMU still takes 1,024 pages at most.
    let limits = [
        ("nvme.mdts=0", 1023 * 4096),
        ("nvme.mdts=1", 8192),
        ("nvme.mdts=3", 32768),
    ];
    for (option, max_transfer_bytes) in limits {
        let called = run(&Scenario {
            name: option,
            flags: &[
                "--controller",
                "nvme",
                "--device-opt",
                option,
                "--backend",
                "file:96M",
                "--job",
                JOB_SIZES,
            ],
            code: 0,
            says: &[],
            rows: 6,
        });
        for row in rows(&called) {
            holds_its_pattern(&called.file("disk0.img"), &row);
            let ios = row["write"]["ios"].as_u64().unwrap();
            let pieces = row["params"]["bs"]
                .as_u64()
                .unwrap()
                .div_ceil(max_transfer_bytes);
            assert_eq!(row["commands"]["write"], ios * pieces, "{option}: {row:#}");
        }
    }
}

#[test]
fn more_depth_than_there_is_shows_as_effective_depth() {
    for depth in ["iodepth=128", "iodepth=129", "iodepth=256"] {
        let called = run(&Scenario {
            name: depth,
            flags: &[
                "--controller",
                "lsisas",
                "--backend",
                "null:latency=1ms",
                "--set",
                depth,
                "--set",
                "runtime=500ms",
            ],
            code: 0,
            says: &[],
            rows: 1,
        });
        let row = &rows(&called)[0];
        assert_eq!(row["depth"]["limit"], 127, "{row:#}");
        let effective = row["depth"]["effective"].as_f64().unwrap();
        assert!(effective <= 127.0, "{depth}: {effective}");
        assert_eq!(row["errors"], 0);
    }
}

#[test]
fn disks_of_4096_byte_blocks_are_measured_in_bytes() {
    for kind in ALL {
        let called = call(
            "run",
            &[
                "--controller",
                kind,
                "--backend",
                "file:32M",
                "--device-opt",
                "disk.logical_block_size=4096",
                "--device-opt",
                "disk.physical_block_size=4096",
                "--job",
                JOB_SIZES,
            ],
        );
        // Blocks of 512 bytes do not fit such a disk; the row says so.
        assert_eq!(called.code, 1, "{kind}: {}", called.err);
        let disk = &disks(&called)[0];
        assert_eq!(disk["block_size"], 4096);
        assert_eq!(disk["blocks"], (32 << 20) / 4096);
        for row in rows(&called) {
            match row["job"].as_str().unwrap() {
                "4k" | "12k" | "2m" => {
                    assert_eq!(row["status"], "ok", "{kind}: {row:#}");
                    holds_its_pattern(&called.file("disk0.img"), &row);
                }
                // Too small a block, or beyond the end of this disk.
                _ => {
                    assert_eq!(row["status"], "skipped", "{kind}: {row:#}");
                    assert!(row["reason"].is_string());
                    assert_eq!(row["commands"]["write"], 0);
                }
            }
        }
    }
}

#[test]
fn a_write_protected_scsi_disk_is_read_and_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("protected.img");
    fs::write(&path, vec![0; 8 << 20]).unwrap();
    for kind in ["pvscsi", "lsisas"] {
        for (rw, status, code) in [("rw=read", "ok", 0), ("rw=randrw", "skipped", 1)] {
            let called = run(&Scenario {
                name: rw,
                flags: &[
                    "--controller",
                    kind,
                    "--backend",
                    path.to_str().unwrap(),
                    "--set",
                    rw,
                    "--set",
                    "iodepth=1",
                    "--set",
                    "runtime=200ms",
                ],
                code,
                says: &[],
                rows: 1,
            });
            assert_eq!(disks(&called)[0]["read_only"], true);
            let row = &rows(&called)[0];
            assert_eq!(row["status"], status, "{kind}: {row:#}");
            assert_eq!(row["commands"]["write"], 0);
        }
    }
}

/// `-device` and `-blockdev` arguments as `--qemu-arg`s.
fn with_devices(controller: &str, devices: &[String]) -> Called {
    let mut flags: Vec<String> = [
        "--controller",
        controller,
        "--set",
        "iodepth=1",
        "--set",
        "runtime=200ms",
        "--set",
        "ramp_time=0",
    ]
    .map(String::from)
    .to_vec();
    for argument in devices {
        flags.push(format!("--qemu-arg={argument}"));
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    call("run", &flags)
}

fn null_disk(node: &str, bytes: u64) -> [String; 2] {
    [
        "-blockdev".into(),
        format!("driver=null-co,node-name={node},size={bytes},read-zeroes=on"),
    ]
}

fn device(text: &str) -> [String; 2] {
    ["-device".into(), text.into()]
}

#[test]
fn what_is_no_disk_is_named_and_left_alone() {
    for (kind, bus) in [("pvscsi", "controller3.0"), ("lsisas", "controller3.0")] {
        let devices = [
            null_disk("small", 512),
            null_disk("nothing", 0),
            device(&format!(
                "scsi-hd,bus={bus},channel=0,scsi-id=3,lun=0,drive=small"
            )),
            device(&format!(
                "scsi-hd,bus={bus},channel=0,scsi-id=4,lun=0,drive=nothing"
            )),
            device(&format!("scsi-cd,bus={bus},channel=0,scsi-id=5,lun=0")),
        ];
        let called = with_devices(kind, &devices.concat());
        let found = disks(&called);
        let ids: Vec<&str> = found.iter().map(|d| d["id"].as_str().unwrap()).collect();
        assert_eq!(
            ids,
            [format!("{kind}@00:03.0:0:0"), format!("{kind}@00:03.0:3:0")]
        );
        assert_eq!(found[1]["blocks"], 1);
        let ignored = called.result()["ignored"].as_array().unwrap().clone();
        assert_eq!(ignored.len(), 2, "{kind}: {ignored:#?}");
        for (entry, target) in ignored.iter().zip([4, 5]) {
            assert_eq!(entry["id"], format!("{kind}@00:03.0:{target}:0"));
            assert!(!entry["reason"].as_str().unwrap().is_empty());
        }
        // The disk of one block is too small for the job and says so.
        let rows = rows(&called);
        assert_eq!(rows[0]["status"], "ok", "{:#}", rows[0]);
        assert_eq!(rows[1]["status"], "skipped", "{:#}", rows[1]);
    }
}

#[test]
fn lsisas_finds_high_targets_and_a_second_unit() {
    let devices = [
        null_disk("seven", 1 << 20),
        null_disk("eight", 2 << 20),
        null_disk("first", 3 << 20),
        null_disk("second", 4 << 20),
        device("scsi-hd,bus=controller3.0,channel=0,scsi-id=7,lun=0,drive=seven"),
        device("scsi-hd,bus=controller3.0,channel=0,scsi-id=8,lun=0,drive=eight"),
        device("scsi-hd,bus=controller3.0,channel=0,scsi-id=1,lun=0,drive=first"),
        device("scsi-hd,bus=controller3.0,channel=0,scsi-id=1,lun=1,drive=second"),
    ];
    let called = with_devices("lsisas", &devices.concat());
    let found: Vec<(String, u64)> = disks(&called)
        .iter()
        .map(|d| {
            (
                d["id"].as_str().unwrap().to_owned(),
                d["blocks"].as_u64().unwrap() >> 11,
            )
        })
        .collect();
    let expected: Vec<(String, u64)> = [
        ("0:0", 200 << 10),
        ("1:0", 3),
        ("1:1", 4),
        ("7:0", 1),
        ("8:0", 2),
    ]
    .map(|(address, mib)| (format!("lsisas@00:03.0:{address}"), mib))
    .to_vec();
    assert_eq!(found, expected);
    assert!(rows(&called).iter().all(|row| row["status"] == "ok"));
}

#[test]
fn buffers_above_4_gib_are_reached_by_every_controller() {
    let called = run(&Scenario {
        name: "memory from the top",
        flags: &[
            "--controller",
            "all",
            "--memory",
            "6144",
            "--inject",
            "dma-top",
            "--backend",
            "file:16M",
            "--set",
            "rw=randwrite",
            "--set",
            "bs=64k",
            "--set",
            "iodepth=16",
            "--set",
            "verify=pattern",
            "--set",
            "time_based=0",
            "--set",
            "ramp_time=0",
            "--set",
            "runtime=20",
        ],
        code: 0,
        says: &[],
        // Each write row is followed by its read-back.
        rows: 2 * ALL.len(),
    });
    for row in rows(&called) {
        assert_eq!(row["status"], "ok", "{row:#}");
        assert_eq!(row["mismatched_bytes"], 0);
        if row["params"]["rw"] == "randread" {
            assert!(row["verified_blocks"].as_u64().unwrap() > 0, "{row:#}");
        }
    }
}
