//! The fuzz targets on their seeds, and on seeds with random damage. What a fuzzer
//! found stands among the seeds.

use proptest::prelude::*;
use proptest::sample::Index;
use std::path::Path;
use tests::fuzz::{TARGETS, Target};

/// Seeds that serve other purposes too.
const SHARED: [(&str, &str); 2] = [("job_text", "proto/jobs"), ("serial_log", "tests/golden")];

fn seeds_of(target: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = root.join("fuzz/seeds").join(target);
    let shared = SHARED.iter().filter(|(name, _)| *name == target);
    let folders = shared.map(|(_, folder)| root.join(folder)).chain([own]);
    let files = folders.flat_map(|folder| {
        let entries = folder
            .read_dir()
            .unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    });
    files.map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn seeds_hold() {
    for (name, target) in TARGETS {
        let seeds = seeds_of(name);
        assert!(seeds.len() >= 3, "{name}");
        target(b"");
        seeds.iter().for_each(|seed| target(seed));
    }
}

/// The fuzzer's own workspace is not built here, so that it has them all is looked at.
#[test]
fn a_fuzzer_can_call_each() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        let path = folder.join(format!("targets/{name}.rs"));
        let text = std::fs::read_to_string(path).unwrap();
        let call = format!("fuzz_target!(|bytes: &[u8]| tests::fuzz::{name}(bytes));");
        assert!(text.contains(&call), "{name}");
        assert!(manifest.contains(&format!("path = \"targets/{name}.rs\"")));
    }
}

/// One change of some bytes.
#[derive(Clone, Debug)]
struct Edit {
    at: Index,
    how: u8,
    byte: u8,
    text: String,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let text = "[ -~\n]{0,12}|\\PC{0,4}|=|,|:|0|-|--|%|18446744073709551615";
    let edit = (any::<Index>(), 0u8..6, any::<u8>(), text);
    let edit = edit.prop_map(|(at, how, byte, text)| Edit {
        at,
        how,
        byte,
        text,
    });
    proptest::collection::vec(edit, 1..16)
}

fn damaged(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for Edit {
        at,
        how,
        byte,
        text,
    } in edits
    {
        let at = at.index(bytes.len() + 1);
        let end = (at + usize::from(*byte) % 40).min(bytes.len());
        match how {
            0 if at < bytes.len() => bytes[at] = *byte,
            1 => drop(bytes.drain(at..end)),
            2 => bytes.extend_from_within(at..end),
            3 => drop(bytes.splice(at..at, text.bytes())),
            4 => drop(bytes.splice(at..end, text.bytes())),
            _ => bytes.insert(at, *byte),
        }
    }
    bytes
}

fn survives(target: Target, seeds: &[Vec<u8>], which: Index, edits: &[Edit]) {
    target(&damaged(seeds[which.index(seeds.len())].clone(), edits));
}

proptest! {
    #[test]
    fn damaged_job_files(which: Index, edits in edits()) {
        survives(tests::fuzz::job_text, &seeds_of("job_text"), which, &edits);
    }

    #[test]
    fn damaged_fio_lines(which: Index, edits in edits()) {
        survives(tests::fuzz::fio_line, &seeds_of("fio_line"), which, &edits);
    }

    #[test]
    fn damaged_diskspd_lines(which: Index, edits in edits()) {
        survives(tests::fuzz::diskspd_line, &seeds_of("diskspd_line"), which, &edits);
    }

    #[test]
    fn damaged_logs(which: Index, edits in edits()) {
        survives(tests::fuzz::serial_log, &seeds_of("serial_log"), which, &edits);
    }
}
