//! What virtio-scsi states and offers, and that it is obeyed.

use std::collections::BTreeSet;
use std::fs;
use tests::{Called, Scenario, call, call_with, holds_its_pattern, run};

const JOB_SIZES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/sizes.fio");

/// A short run at some depth on a device with these properties.
fn with(properties: &[&str], depth: &str, more: &[String]) -> Called {
    let depth = format!("iodepth={depth}");
    let mut flags = vec!["--controller", "virtio-scsi", "--set", &depth];
    flags.extend(["--set", "runtime=300ms", "--set", "ramp_time=0"]);
    for property in properties {
        flags.extend(["--device-opt", property]);
    }
    call_with("run", &flags, more)
}

#[test]
fn no_command_is_longer_than_device_and_disk_take() {
    // By the device's max_sectors, in 512 bytes, and by the disk's block limits
    // page, which QEMU makes from max_io_size, in bytes.
    let limits = [
        ("virtio-scsi.max_sectors=128", 65_536),
        ("disk.max_io_size=131072", 131_072),
        ("virtio-scsi.max_sectors=65535", 65_535 * 512),
    ];
    for (option, max_transfer_bytes) in limits {
        let called = run(&Scenario {
            name: option,
            flags: &[
                "--controller",
                "virtio-scsi",
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
        for row in called.rows() {
            holds_its_pattern(&called.file("disk0.img"), &row);
            let ios = row["write"]["ios"].as_u64().unwrap();
            let bs = row["params"]["bs"].as_u64().unwrap();
            let pieces = bs.div_ceil(max_transfer_bytes);
            assert_eq!(row["commands"]["write"], ios * pieces, "{option}: {row:#}");
        }
    }
}

#[test]
fn the_depth_is_what_the_device_has_room_for() {
    // Without indirect descriptors a command takes three entries of the ring.
    let small = ["virtqueue_size=64", "indirect_desc=off"];
    let one_at_a_time = ["cmd_per_lun=1"];
    let deep = ["virtqueue_size=1024", "cmd_per_lun=1024"];
    for (properties, asked, limit) in [
        (&small[..], 128, 21),
        (&one_at_a_time, 32, 1),
        (&[], 1024, 128),
        (&deep, 1024, 1024),
    ] {
        let called = with(properties, &asked.to_string(), &[]);
        assert_eq!(called.code, 0, "{properties:?}: {}", called.err);
        let row = &called.rows()[0];
        assert_eq!(row["status"], "ok", "{properties:?}: {row:#}");
        assert_eq!(row["errors"], 0);
        let told = row["depth"]["limit"].as_u64().unwrap_or(asked);
        assert_eq!(told.min(asked), limit, "{properties:?}: {row:#}");
        let effective = row["depth"]["effective"].as_f64().unwrap();
        assert!(effective <= limit as f64, "{properties:?}: {effective}");
    }
}

#[test]
fn commands_in_flight_have_different_tags() {
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let events = ["virtio_scsi_cmd_req", "virtio_scsi_cmd_resp"];
    let mut more: Vec<String> = ["-D".into(), trace.display().to_string()].into();
    more.extend(
        events
            .iter()
            .flat_map(|event| ["-trace".into(), (*event).into()]),
    );
    let called = with(&[], "64", &more);
    assert_eq!(called.code, 0, "{}", called.err);
    let traced = fs::read_to_string(&trace).unwrap();
    let (mut open, mut most, mut requests) = (BTreeSet::new(), 0, 0u64);
    let tag_of = |line: &str| -> String {
        let tag = line.split_once("tag=").expect("a tag").1;
        tag.split(' ').next().unwrap().to_owned()
    };
    // Firmware comes first, and all its tags are 0.
    let lines = traced.lines().map(|line| (line, tag_of(line)));
    for (line, tag) in lines.skip_while(|(_, tag)| tag == "0x0") {
        if line.contains("virtio_scsi_cmd_req") {
            assert_ne!(tag, "0x0");
            assert!(open.insert(tag.clone()), "{tag} is in flight already");
            requests += 1;
        } else {
            assert!(open.remove(&tag), "{tag} is not in flight");
        }
        most = most.max(open.len());
    }
    assert!(open.is_empty() && most > 1, "{most} at most");
    let row = &called.rows()[0];
    assert!(requests > row["commands"]["read"].as_u64().unwrap());
}

#[test]
fn the_modern_interface_works_however_it_is_offered() {
    for properties in [
        &["disable-legacy=on"][..],
        &["event_idx=off"],
        &["indirect_desc=off"],
        &["event_idx=off", "indirect_desc=off"],
        &["page-per-vq=on"],
        &["num_queues=4"],
        &["vectors=0"],
    ] {
        let called = with(properties, "32", &[]);
        assert_eq!(called.code, 0, "{properties:?}: {}", called.err);
        for row in called.rows() {
            assert_eq!(row["status"], "ok", "{properties:?}: {row:#}");
            for check in row["checks"].as_array().unwrap() {
                assert_eq!(check["status"], "ok", "{properties:?}: {check:#}");
            }
        }
    }
}

#[test]
fn the_legacy_interface_alone_is_refused_by_name() {
    let flags = [
        "--controller",
        "virtio-scsi",
        "--device-opt",
        "disable-modern=on",
    ];
    let called = call("identify", &flags);
    let said = format!("{}{}", called.out, called.err);
    assert!(said.contains("virtio-scsi@00:03.0 is left out"), "{said}");
    assert!(said.contains("disable-modern=on"), "{said}");
    assert!(called.disks().is_empty());
}
