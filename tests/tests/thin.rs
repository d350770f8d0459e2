//! Space that was never written is told from space that was, in the report and on the
//! host.

use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tests::{Called, call};

/// The disk.
const FILE: &str = "file:256M";
const BYTES: u64 = 256 << 20;
/// Block sizes of storage that may find that it has a block already.
const BLOCK_BYTES: usize = 4096;

/// A short row of random reads over all of the disk.
fn read(backend: &str, more: &[&str]) -> Called {
    let mut flags = vec!["--backend", backend];
    for key in [
        "rw=randread",
        "bs=4k",
        "iodepth=32",
        "wait=poll",
        "runtime=300ms",
        "ramp_time=0",
    ] {
        flags.extend(["--set", key]);
    }
    flags.extend(more);
    let called = call("run", &flags);
    assert_eq!(called.code, 0, "{}", called.err);
    called
}

/// Bytes that the host's file system keeps of a file.
fn kept_bytes(path: &Path) -> u64 {
    fs::metadata(path).expect("the disk file").blocks() * 512
}

fn last(called: &Called) -> Value {
    called.rows().pop().expect("a row")
}

#[test]
fn reads_of_a_thin_disk_are_said_to_be_of_nothing_and_a_filled_one_is_full() {
    let thin = read(FILE, &[]);
    assert_eq!(last(&thin)["all_zero"], true);
    let said = "every byte read was zero, as from space that was never written";
    assert!(thin.out.replace("\n  ", " ").contains(said), "{}", thin.out);
    let disk = thin.file("disk0.img");
    assert_eq!(fs::metadata(&disk).expect("the disk file").len(), BYTES);
    let kept = kept_bytes(&disk);
    assert!(kept < BYTES / 64, "reading filled {kept} bytes");

    let full = read(FILE, &["--set", "prefill=1"]);
    let rows = full.rows();
    let [fill, row] = &rows[..] else {
        panic!("a fill and a row: {}", full.err)
    };
    assert_eq!(row["all_zero"], false);
    assert!(!full.out.contains("never written"), "{}", full.out);
    let filled = fill["commands"]["write_bytes"].as_u64().expect("a count");
    // The stamped ends are no row's.
    assert!(filled > BYTES - (4 << 20), "{filled}");
    let disk = full.file("disk0.img");
    let kept = kept_bytes(&disk);
    assert!(kept > BYTES / 100 * 98, "{kept} of {BYTES} bytes are there");
    let data = fs::read(&disk).expect("the disk file");
    let start = fill["params"]["region_start"].as_u64().expect("a place") as usize;
    let region = &data[start..start + filled as usize];
    let blocks: HashSet<&[u8]> = region.chunks_exact(BLOCK_BYTES).collect();
    assert_eq!(
        blocks.len(),
        region.len() / BLOCK_BYTES,
        "a block is there twice"
    );
    assert!(!blocks.contains(&[0; BLOCK_BYTES][..]));
}

#[test]
fn a_disk_without_a_medium_says_so_whether_it_was_filled_or_not() {
    for more in [&[][..], &["--set", "prefill=1", "--set", "size=16m"]] {
        let called = read("null", more);
        assert_eq!(last(&called)["all_zero"], true, "null keeps nothing");
        let said = called.out.replace("\n  ", " ");
        assert!(
            said.contains("there is no medium behind the disk"),
            "{said}"
        );
        assert!(said.contains("reads give zeros"), "{said}");
    }
}
