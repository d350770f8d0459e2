//! Disks as they come: of other block sizes, write-protected, empty, and at the
//! addresses that a controller offers.

use std::fs;
use tests::{Called, call, call_with, device, holds_its_pattern, null, raw};

const JOB_SIZES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/sizes.fio");
const JOB_THREE_WAYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/three-ways.fio");

/// The controllers of `--controller all`.
const ALL: [&str; 4] = ["pvscsi", "lsisas", "nvme", "virtio-scsi"];

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
        let disk = &called.disks()[0];
        assert_eq!(disk["block_size"], 4096);
        assert_eq!(disk["blocks"], (32 << 20) / 4096);
        for row in called.rows() {
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
fn a_write_protected_disk_is_read_and_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let (image, trace) = (dir.path().join("image"), dir.path().join("trace"));
    fs::write(&image, vec![0; 8 << 20]).unwrap();
    // QEMU's NVMe controller hides the protection in every field of Identify, and
    // answers a write with Write Fault: only a write tells, here one at each end.
    let scsi = "scsi-hd,bus=controller3.0,channel=0,scsi-id=1,lun=0,drive=ro";
    let nvme = "nvme,addr=9,serial=ro,drive=ro";
    let cases = [
        ("pvscsi", "pvscsi@00:03.0:1:0", scsi, 0),
        ("lsisas", "lsisas@00:03.0:1:0", scsi, 0),
        ("nvme", "nvme@00:09.0:1", nvme, 2),
        ("virtio-scsi", "virtio-scsi@00:03.0:1:0", scsi, 0),
    ];
    for (kind, id, drive, writes) in cases {
        let events = ["scsi_disk_dma_command_WRITE", "pci_nvme_write"];
        let mut devices = [raw("ro", &image, true), device(drive)].concat();
        devices.extend(
            events
                .map(|event| ["-trace", event])
                .concat()
                .into_iter()
                .map(String::from),
        );
        devices.extend(["-D".into(), trace.display().to_string()]);
        let flags = ["--controller", kind, "--job", JOB_THREE_WAYS];
        let (only, allow) = (format!("filename={id}"), format!("allow_write={id}"));
        let flags = [&flags[..], &["--set", &only, "--set", &allow]].concat();
        let called = call_with("run", &flags, &devices);
        assert_eq!(called.code, 1, "{kind}: {}", called.err);
        let disk = called.disks().pop().unwrap();
        assert_eq!(
            (&disk["id"], &disk["read_only"]),
            (&id.into(), &true.into())
        );
        let rows = called.rows();
        assert_eq!(rows.len(), 3, "{}", called.err);
        for row in &rows[..2] {
            assert_eq!(row["status"], "skipped", "{kind}: {row:#}");
            let reason = row["reason"].as_str().unwrap();
            assert!(reason.contains("write-protected"), "{kind}: {reason}");
        }
        assert_eq!(rows[2]["status"], "ok", "{kind}: {:#}", rows[2]);
        let traced = fs::read_to_string(&trace).unwrap();
        assert_eq!(traced.lines().count(), writes, "{kind}: {traced}");
    }
}

/// A short run with further devices.
fn with_devices(controller: &str, devices: &[String]) -> Called {
    let job = ["iodepth=1", "runtime=200ms", "ramp_time=0"];
    let set = job.map(|key| ["--set", key]).concat();
    let flags = [&["--controller", controller], &set[..]].concat();
    call_with("run", &flags, devices)
}

#[test]
fn what_is_no_disk_is_named_and_left_alone() {
    let bus = "controller3.0";
    for kind in ["pvscsi", "lsisas", "virtio-scsi"] {
        let devices = [
            null("small", 512),
            null("nothing", 0),
            device(&format!(
                "scsi-hd,bus={bus},channel=0,scsi-id=3,lun=0,drive=small"
            )),
            device(&format!(
                "scsi-hd,bus={bus},channel=0,scsi-id=4,lun=0,drive=nothing"
            )),
            device(&format!("scsi-cd,bus={bus},channel=0,scsi-id=5,lun=0")),
        ];
        let called = with_devices(kind, &devices.concat());
        let found = called.disks();
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
        let rows = called.rows();
        assert_eq!(rows[0]["status"], "ok", "{:#}", rows[0]);
        assert_eq!(rows[1]["status"], "skipped", "{:#}", rows[1]);
    }
}

#[test]
fn lsisas_finds_high_targets_and_a_second_unit() {
    let devices = [
        null("seven", 1 << 20),
        null("eight", 2 << 20),
        null("first", 3 << 20),
        null("second", 4 << 20),
        device("scsi-hd,bus=controller3.0,channel=0,scsi-id=7,lun=0,drive=seven"),
        device("scsi-hd,bus=controller3.0,channel=0,scsi-id=8,lun=0,drive=eight"),
        device("scsi-hd,bus=controller3.0,channel=0,scsi-id=1,lun=0,drive=first"),
        device("scsi-hd,bus=controller3.0,channel=0,scsi-id=1,lun=1,drive=second"),
    ];
    let called = with_devices("lsisas", &devices.concat());
    let found: Vec<(String, u64)> = called
        .disks()
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
    assert!(called.rows().iter().all(|row| row["status"] == "ok"));
}
