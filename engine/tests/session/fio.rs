//! The same jobs by real fio, on a file, and by the engine, on a fake disk of the same
//! size: both must issue the same I/Os wherever fio's are no matter of chance. Without
//! fio there is nothing to compare with, and that is said.

use crate::bench::{DISK_BYTES, clock, device, single};
use drivers::block::Op;
use proto::job::JobFile;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Offset, length and whether it is a write, of each I/O of one job.
type Sequence = Vec<(u64, u64, bool)>;

/// What fio says that it prepares, by process: each of `numjobs` is one.
fn of_fio(file: &Path, lines: &str) -> Option<Vec<Sequence>> {
    let job = file.with_extension("fio");
    let head = format!("[j]\nioengine=sync\nfilename={}\n", file.display());
    std::fs::write(&job, head + lines + "\n").unwrap();
    let output = Command::new("fio")
        .arg("--debug=io")
        .arg(&job)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{lines}: {said}");
    let mut jobs: BTreeMap<u64, Sequence> = BTreeMap::new();
    for line in said
        .lines()
        .filter(|line| line.contains("prep: io_u") && line.contains("off="))
    {
        let process = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        let field = |name: &str| {
            let from = line.find(name).unwrap() + name.len();
            line[from..].split(',').next().unwrap()
        };
        let number =
            |name: &str| u64::from_str_radix(field(name).trim_start_matches("0x"), 16).unwrap();
        let io = (number("off="), number("len="), field("ddir=") == "1");
        jobs.entry(process).or_default().push(io);
    }
    Some(sorted(jobs.into_values().collect()))
}

/// What the engine gives to its device, parted into the jobs by their regions.
fn of_engine(lines: &str, starts: &[u64]) -> Vec<Sequence> {
    let clock = clock();
    let text = format!("[j]\n{lines}\nallow_write=pvscsi@00:03.0:0:0\n");
    let jobs = JobFile::parse("t", &text, &[]).unwrap().jobs;
    let (outcome, shared) = single(device(&clock), &clock, &jobs);
    let run = outcome.rows()[0];
    assert_eq!(run.reason, None, "{lines}");
    let all = (run.commands.read + run.commands.write) as usize;
    assert_eq!(run.read.ios + run.write.ios, all as u64, "{lines}");
    let log = shared.0.borrow().log.clone();
    let mut sequences = vec![Sequence::new(); starts.len()];
    for request in &log[log.len() - all..] {
        let offset = request.lba.0 * 512;
        let job = starts.iter().rposition(|start| *start <= offset).unwrap();
        sequences[job].push((
            offset,
            u64::from(request.blocks) * 512,
            request.op == Op::Write,
        ));
    }
    sorted(sequences)
}

fn sorted(mut sequences: Vec<Sequence>) -> Vec<Sequence> {
    sequences.sort();
    sequences
}

#[test]
fn offsets_lengths_and_counts_are_fios() {
    let folder = std::env::temp_dir().join(format!("ioprobe-fio-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("disk");
    let disk = std::fs::File::create(&file).unwrap();
    disk.set_len(DISK_BYTES).unwrap();
    let mib = 1u64 << 20;
    for (lines, starts) in [
        ("rw=read\nbs=4k\nsize=400k", vec![0]),
        ("rw=write\nbs=64k\nsize=1m\noffset=3m", vec![0]),
        ("rw=read\nbs=4k\nsize=28k\nloops=3", vec![0]),
        ("rw=write\nbs=8k\nsize=2%\noffset=25%", vec![0]),
        ("rw=read\nbs=1m\noffset=50m", vec![0]),
        // Into holes, and over the end into the start.
        ("rw=read:1m\nbs=1m\nnumber_ios=40", vec![0]),
        ("rw=write:12k\nbs=4k\nnumber_ios=200", vec![0]),
        ("rw=read\nbs=4k\nsize=1m\nnumber_ios=17", vec![0]),
        ("rw=read\nbs=4k\nsize=1m\nnumber_ios=3\nloops=2", vec![0]),
        (
            "rw=read\nbs=16k\nsize=256k\nnumjobs=3\noffset=1m\noffset_increment=4m",
            vec![mib, 5 * mib, 9 * mib],
        ),
        (
            "rw=write\nbs=4k\nsize=64k\nnumjobs=4\noffset_increment=25%",
            vec![0, 16 * mib, 32 * mib, 48 * mib],
        ),
    ] {
        let Some(fios) = of_fio(&file, lines) else {
            eprintln!("skipped: fio is not installed");
            break;
        };
        assert!(!fios.is_empty(), "{lines}");
        assert_eq!(of_engine(lines, &starts), fios, "{lines}");
    }
    // The last block of a region that is no multiple of it: fio goes beyond the region
    // as long as the file has room; here nothing ever does.
    for (lines, end) in [
        ("rw=read\nbs=12k\nsize=100k", 100 << 10),
        ("rw=read\nbs=4k\nsize=30k\nloops=3", 30 << 10),
    ] {
        let Some(mut fios) = of_fio(&file, lines) else {
            break;
        };
        fios[0].retain(|(offset, length, _)| offset + length <= end);
        assert_eq!(of_engine(lines, &[0]), fios, "{lines}");
    }
    // Which direction is next is chance; where it goes is not.
    for lines in [
        "rw=rw\nbs=4k\nsize=1m\nrwmixread=70",
        "rw=rw\nbs=4k,16k\nsize=1m\noffset=2m",
    ] {
        let Some(fios) = of_fio(&file, lines) else {
            break;
        };
        let ours = of_engine(lines, &[0]);
        for write in [false, true] {
            let of = |sequences: &[Sequence]| -> Vec<(u64, u64, bool)> {
                let ios = sequences[0].iter().copied();
                ios.filter(|io| io.2 == write).collect()
            };
            let (ours, fios) = (of(&ours), of(&fios));
            let common = ours.len().min(fios.len());
            assert!(common > 10, "{lines}: {} {}", ours.len(), fios.len());
            assert_eq!(ours[..common], fios[..common], "{lines}");
        }
    }
    // A random order visits every block once, in both.
    let lines = "rw=randread\nbs=4k\nsize=1m";
    if let Some(fios) = of_fio(&file, lines) {
        let blocks = |sequences: &[Sequence]| {
            let mut ios = sequences[0].clone();
            ios.sort_unstable();
            ios
        };
        assert_eq!(blocks(&of_engine(lines, &[0])), blocks(&fios));
    }
    // Where runs start is chance; how they go on is not.
    for (sequencer, step) in [("sequential", 4096), ("identical", 0)] {
        let lines =
            format!("rw=randread:8\nrw_sequencer={sequencer}\nbs=4k\nsize=32m\nnumber_ios=800");
        let Some(fios) = of_fio(&file, &lines) else {
            break;
        };
        for sequences in [of_engine(&lines, &[0]), fios] {
            let ios = &sequences[0];
            assert_eq!(ios.len(), 800);
            let runs = ios.chunks(8).filter(|run| {
                let mut pairs = run.windows(2);
                pairs.all(|pair| pair[0].0 + step == pair[1].0)
            });
            // A run at the end of the region goes on elsewhere.
            assert!(runs.count() >= 98, "{lines}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
