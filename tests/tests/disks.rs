//! Disks as they come: of other block sizes, write-protected, empty, and at the
//! addresses that a controller offers.

use proto::exit::GuestExit;
use std::fs;
use tests::{Called, boot, call, call_with, device, holds_its_pattern, null, raw};
use xtask::serial::verdict;

const JOB_BLOCKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/blocks.fio");
const JOB_THREE_WAYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/three-ways.fio");

/// The controllers of `--controller all`.
const ALL: [&str; 4] = ["pvscsi", "lsisas", "nvme", "virtio-scsi"];

#[test]
fn block_sizes_of_disks_are_obeyed_and_capacity_is_in_bytes() {
    // Of 4096 bytes; and of 512 bytes on physical blocks of 4096.
    for (kind, logical) in ALL.iter().flat_map(|kind| [(kind, 4096), (kind, 512)]) {
        let logical_option = format!("disk.logical_block_size={logical}");
        let called = call(
            "run",
            &[
                "--controller",
                kind,
                "--backend",
                "file:32M",
                "--device-opt",
                &logical_option,
                "--device-opt",
                "disk.physical_block_size=4096",
                "--job",
                JOB_BLOCKS,
            ],
        );
        let at = format!("{kind}, {logical}: {}", called.err);
        // What does not fit blocks of 4096 bytes is skipped, and the exit code says so.
        assert_eq!(called.code, u8::from(logical == 4096), "{at}");
        let disk = &called.disks()[0];
        assert_eq!(disk["block_size"], logical);
        assert_eq!(disk["blocks"], (32 << 20) / logical);
        let rows = called.rows();
        assert_eq!(rows.len(), 4, "{at}");
        let mut misaligned = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let bs = row["params"]["bs"].as_u64().unwrap();
            if bs.is_multiple_of(logical) {
                assert_eq!(row["status"], "ok", "{kind}: {row:#}");
                holds_its_pattern(&called.file("disk0.img"), row);
            } else {
                assert_eq!(row["status"], "skipped", "{kind}: {row:#}");
                assert!(row["reason"].is_string());
                assert_eq!(row["commands"]["write"], 0);
            }
            // QEMU's namespaces tell nothing of their physical blocks (NPWG is 0).
            let told = *kind != "nvme";
            if told && bs.is_multiple_of(logical) && !bs.is_multiple_of(4096) {
                misaligned.push(format!(
                    "row {}: I/Os are not aligned to the 4096 B",
                    number + 1
                ));
            }
        }
        let result = called.result();
        let notes = result["notes"].as_array().unwrap().iter();
        let said: Vec<&str> = notes
            .filter_map(|note| note.as_str())
            .filter(|note| note.contains("not aligned"))
            .collect();
        assert_eq!(said.len(), misaligned.len(), "{at}");
        for (said, expected) in said.iter().zip(&misaligned) {
            assert!(said.starts_with(expected), "{said}");
        }
    }
}

#[test]
fn a_machine_without_a_disk_ends_with_a_message() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("boot");
    let called = call("image", &["--format", "raw"]);
    fs::copy(called.file("ioprobe.img"), &path).unwrap();
    let from = [
        raw("boot", &path, true),
        device("virtio-blk-pci,drive=boot,bootindex=0"),
    ];
    let empty_bus = [
        device("pvscsi"),
        device("mptsas1068"),
        device("nvme,serial=a"),
    ]
    .to_vec();
    let empty_disk = [
        null("nothing", 0),
        device("nvme,id=a,serial=a"),
        device("nvme-ns,bus=a,drive=nothing"),
    ]
    .to_vec();
    let cases = [
        (
            Vec::new(),
            "no storage controller that ioprobe drives was found",
        ),
        (empty_bus, "no disk was found behind any controller"),
        (empty_disk, "no disk was found behind any controller"),
    ];
    for (parts, message) in cases {
        let followed = boot(&[&from[..], &parts].concat());
        let said = &followed.said;
        assert!(
            said.notes.iter().any(|note| note == message),
            "{:?}",
            said.notes
        );
        let ended = verdict(&followed.stop, said, &followed.stderr).unwrap();
        assert_eq!(ended, GuestExit::NothingToDo);
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
    let sweep = ["--sweep", "bs=4k,512"];
    let flags = [&["--controller", controller], &set[..], &sweep].concat();
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
            null("medium", 1 << 20),
            device(&format!(
                "scsi-cd,bus={bus},channel=0,scsi-id=6,lun=0,drive=medium"
            )),
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
        assert_eq!(ignored.len(), 3, "{kind}: {ignored:#?}");
        for (entry, target) in ignored.iter().zip([4, 5, 6]) {
            assert_eq!(entry["id"], format!("{kind}@00:03.0:{target}:0"));
            assert!(!entry["reason"].as_str().unwrap().is_empty());
        }
        // The disk of one block is too small for I/Os of 4 KiB and says so; those of
        // one block all go to that block.
        let of = |target: u32, bs: u64| {
            let disk = format!("{kind}@00:03.0:{target}:0");
            let mut rows = called.rows().into_iter();
            let row = rows.find(|row| row["disk"] == disk && row["params"]["bs"] == bs);
            row.unwrap_or_else(|| panic!("{disk}, {bs}: {}", called.err))
        };
        assert_eq!(of(0, 4096)["status"], "ok", "{:#}", of(0, 4096));
        assert_eq!(of(3, 4096)["status"], "skipped", "{:#}", of(3, 4096));
        let one = of(3, 512);
        assert_eq!(one["status"], "ok", "{one:#}");
        assert!(one["read"]["ios"].as_u64().unwrap() > 1, "{one:#}");
        assert_eq!(one["params"]["region_bytes"], 512);
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
