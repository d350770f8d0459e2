//! What is on the disk afterwards, seen from outside the guest.

use std::fs;
use std::path::Path;
use tests::{Scenario, call, ext4_image, flip_byte, pattern_blocks, run};

const PVSCSI_DISK: &str = "pvscsi@00:03.0:0:0";

/// A job that writes the whole region once.
fn write_once<'a>(bs: &'a str, backend: &'a str) -> Vec<&'a str> {
    vec!["--backend", backend, "--job", JOB_WRITE, "--set", bs]
}

const JOB_WRITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/write-once.fio");
const JOB_READ_BACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/read-back.fio");

#[test]
fn every_block_carries_the_pattern_of_its_place() {
    let cases = [
        ("bs=512", "file:4M", 512),
        ("bs=4k", "file:64M", 4096),
        ("bs=64k", "file:64M", 64 << 10),
        ("bs=5m", "file:64M", 5 << 20),
    ];
    let kinds = ["pvscsi", "virtio-scsi"];
    for (kind, (bs, backend, block_bytes)) in kinds
        .iter()
        .flat_map(|kind| cases.map(|case| (*kind, case)))
    {
        let called = run(&Scenario {
            name: bs,
            flags: &[&write_once(bs, backend)[..], &["--controller", kind]].concat(),
            code: 0,
            says: &["write"],
            rows: 1,
        });
        let (written, zero) = pattern_blocks(&called.file("disk0.img"), block_bytes);
        let row = called.result()["runs"][0].clone();
        assert_eq!(
            row["commands"]["write"], written as u64,
            "{kind} {bs}: {row:#}"
        );
        // What does not fill a block at the end of the region stays as it was.
        assert!(zero <= 1, "{kind} {bs}: {zero} blocks were not written");
    }
}

#[test]
fn reading_back_finds_exactly_the_byte_that_changed() {
    let written = run(&Scenario {
        name: "write",
        flags: &write_once("bs=64k", "file:16M"),
        code: 0,
        says: &[],
        rows: 1,
    });
    let disk = written.file("disk0.img");
    let flags = ["--backend", disk.to_str().unwrap(), "--job", JOB_READ_BACK];
    let clean = run(&Scenario {
        name: "read back",
        flags: &flags,
        code: 0,
        says: &[],
        rows: 1,
    });
    let row = clean.result()["runs"][0].clone();
    assert_eq!(row["mismatched_bytes"], 0, "{row:#}");
    assert!(row["verified_blocks"].as_u64().unwrap() > 0, "{row:#}");

    let offset = (5 << 20) + 1234;
    let (was, is) = flip_byte(&disk, offset);
    let found = run(&Scenario {
        name: "read back with one byte flipped",
        flags: &flags,
        code: 1,
        says: &["1 bytes differ", &format!("byte {offset}")],
        rows: 1,
    });
    let row = found.result()["runs"][0].clone();
    assert_eq!(row["status"], "failed");
    assert_eq!(row["mismatched_bytes"], 1, "{row:#}");
    let expected = serde_json::json!([{"offset": offset, "expected": was, "found": is}]);
    assert_eq!(row["mismatches"], expected);
}

/// A write job on a file with an ext4 file system, with the given tokens; returns
/// what was said. The file must not change.
fn left_alone(tokens: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ext4.img");
    ext4_image(&path, 32 << 20);
    let before = fs::read(&path).unwrap();
    let flags = [
        "--backend",
        path.to_str().unwrap(),
        "--job",
        JOB_WRITE,
        "--set",
        "bs=4k",
    ];
    let called = call("run", &[&flags, tokens].concat());
    assert_eq!(called.code, 1, "{}\n{}", called.out, called.err);
    assert!(fs::read(&path).unwrap() == before, "the file changed");
    assert_eq!(called.result()["runs"][0]["status"], "skipped");
    format!("{}\n{}", called.out, called.err)
}

#[test]
fn a_file_system_is_left_alone_and_the_refusal_says_what_to_type() {
    let said = left_alone(&[]);
    // The guest has looked, so what to type is whole at once.
    let all = format!(
        "It holds ext4. If nothing on it is needed any more, type: --allow-write {PVSCSI_DISK}:ext4"
    );
    assert!(said.contains(&all), "{said}");
    // The name of the disk alone is not enough.
    let said = left_alone(&["--allow-write", PVSCSI_DISK]);
    assert!(said.contains(&format!("{PVSCSI_DISK}:")), "{said}");
    // A wrong second word is as good as none.
    let _ = left_alone(&["--allow-write", &format!("{PVSCSI_DISK}:ntfs")]);
}

#[test]
fn a_disk_beside_the_scratch_disk_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let other = dir.path().join("other.img");
    fs::write(&other, vec![0x5a; 8 << 20]).unwrap();
    let drive = format!(
        "driver=raw,node-name=other,file.driver=file,file.filename={}",
        other.display()
    );
    // The controllers are given in another order than their addresses.
    let extra = [
        "-device",
        "pvscsi,id=late,addr=0x9",
        "-blockdev",
        &drive,
        "-device",
        "scsi-hd,bus=late.0,scsi-id=0,drive=other",
    ];
    let mut flags = write_once("bs=64k", "file:16M");
    for arg in extra {
        flags.extend(["--qemu-arg", arg]);
    }
    let called = run(&Scenario {
        name: "two controllers",
        flags: &flags,
        code: 1,
        says: &["pvscsi@00:09.0:0:0", "1 of 2 rows were skipped"],
        rows: 2,
    });
    assert!(
        fs::read(&other).unwrap().iter().all(|&byte| byte == 0x5a),
        "the file changed"
    );
    let result = called.result();
    let rows = result["runs"].as_array().unwrap();
    let status = |disk: &str| &rows.iter().find(|row| row["disk"] == disk).unwrap()["status"];
    assert_eq!(status("pvscsi@00:09.0:0:0"), "skipped");
    assert_eq!(status(PVSCSI_DISK), "ok");
    assert!(Path::new(&called.file("disk0.img")).exists());
}
