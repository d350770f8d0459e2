//! What fio itself says of the job files that ship. Without fio there is nothing to
//! ask, and that is said.

use proto::job::{JobFile, find_key, presets};
use std::process::Command;

fn has_fio() -> bool {
    let found = Command::new("fio").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: fio is not installed");
    }
    found
}

/// Whether no key of a text is ours alone.
fn is_pure(text: &str) -> bool {
    let keys = text.lines().filter_map(|line| {
        let line = line.split([';', '#']).next().unwrap_or_default().trim();
        let key = line.split('=').next().unwrap_or_default().trim();
        (!key.is_empty() && !key.starts_with('[')).then_some(key)
    });
    keys.into_iter()
        .all(|key| find_key(key).is_none_or(|key| !key.own))
}

#[test]
fn presets_with_only_fios_keys_are_taken_by_fio() {
    let pure: Vec<&str> = presets::names()
        .filter(|name| is_pure(presets::get(name).unwrap()))
        .collect();
    assert_eq!(
        pure,
        [
            "fio-benchmark",
            "diskspd-8k",
            "pvscsi-check",
            "first-write",
            "verify"
        ]
    );
    if !has_fio() {
        return;
    }
    for name in pure {
        let path = std::env::temp_dir().join(format!("ioprobe-{name}-{}.fio", std::process::id()));
        std::fs::write(&path, presets::get(name).unwrap()).unwrap();
        let output = Command::new("fio")
            .args(["--parse-only", "--filename=/tmp/nothing", "--size=10g"])
            .arg(&path)
            .output()
            .unwrap();
        std::fs::remove_file(&path).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
    }
}

#[test]
fn what_fio_refuses_is_refused_here_and_what_it_takes_is_taken() {
    if !has_fio() {
        return;
    }
    for (line, good) in [
        ("bssplit=4k/10:64k/50:32k/40", true),
        ("bs=4k,8k,16k", true),
        ("random_distribution=zipf:1.2", true),
        ("random_distribution=pareto:0.2", true),
        ("random_distribution=normal:25", true),
        ("random_distribution=uniform", false),
        ("rate_iops=500,200", true),
        ("rate_process=poisson", true),
        ("steadystate=iops:0.3%", true),
        ("steadystate=bw_slope:10%", true),
        ("steadystate=qd:1%", false),
        ("percentile_list=50:99.9:99.99", true),
        ("buffer_pattern=0xdeadface", true),
        ("buffer_pattern=\"abcd\"-12", true),
        ("sync=dsync", true),
        ("rwmixread=101", false),
        ("percentage_random=30", true),
        ("thinktime=250us", true),
        ("iodepth=0", false),
        ("offset_increment=1m", true),
        ("startdelay=3s", true),
        ("fsync=8", true),
        ("buffer_compress_percentage=50", true),
        ("no_such_key=1", false),
    ] {
        // Negative numbers end a decimal in fio's patterns; here they are refused.
        let ours = JobFile::parse("t", &format!("[j]\n{line}\n"), &[]).is_ok();
        let output = Command::new("fio")
            .args([
                "--parse-only",
                "--name=j",
                "--filename=/tmp/nothing",
                "--size=1m",
            ])
            .arg(format!("--{line}"))
            .output()
            .unwrap();
        let fios = output.status.success();
        assert_eq!(
            fios,
            good,
            "fio: {line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let differs = line.contains("-12");
        assert_eq!(ours, good && !differs, "{line}");
    }
}

/// fio's own example files, from the folder that FIO_EXAMPLES names: each is read, or
/// refused for a key or value that is named with its line.
#[test]
fn fios_examples_are_read_or_refused_for_a_stated_reason() {
    let Some(folder) = std::env::var_os("FIO_EXAMPLES") else {
        eprintln!("skipped: FIO_EXAMPLES names no folder");
        return;
    };
    let (mut read, mut refused) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".fio") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        match JobFile::parse(&name, &text, &[]) {
            Ok(file) => {
                read += 1;
                let again = JobFile::parse(&name, &file.to_text(), &[]).unwrap();
                assert_eq!(again.jobs, file.jobs, "{name}");
                eprintln!("{name}: {} jobs", file.jobs.len());
            }
            Err(errors) => {
                refused += 1;
                for error in &errors.0 {
                    assert!(error.to_string().contains('`'), "{error}");
                    eprintln!("{error}");
                }
            }
        }
    }
    assert!(read > 5 && refused > 5, "{read} read, {refused} refused");
}

/// What stands in fio's examples, in our words: which keys and values make each of them
/// a job for a bare disk, or why it is none.
#[test]
fn what_fios_examples_ask_for() {
    for (what, lines, reason) in [
        (
            "a latency target",
            "rw=randread\nbs=4k\niodepth=32\nlatency_target=10000\nlatency_window=5000000\nlatency_percentile=99.9\nruntime=30",
            None,
        ),
        (
            "a steady state",
            "rw=randread\nss=iops:0.3%\nss_dur=1800\nss_ramp=60\ntime_based\nruntime=1800",
            None,
        ),
        (
            "a Poisson process",
            "rw=randread\nrate_iops=10000\nrate_process=poisson\niodepth=32",
            None,
        ),
        (
            "a disk by its path",
            "filename=/dev/sdb\nrw=randwrite\ndirect=1\nioengine=libaio\ngroup_reporting",
            None,
        ),
        (
            "four jobs",
            "rw=read\nnumjobs=4\nsize=256m\nthread\nstonewall",
            None,
        ),
        (
            "shares of sizes",
            "rw=randrw\nbssplit=512/4:1k/1:4k/60:8k/35\nsync=1\nnumber_ios=100",
            None,
        ),
        (
            "compressible data",
            "rw=write\nbuffer_compress_percentage=50\nrefill_buffers",
            None,
        ),
        (
            "a file of its own",
            "rw=write\nfilesize=1g",
            Some("`filesize`"),
        ),
        ("a folder", "rw=write\ndirectory=/mnt", None),
        ("zoned disks", "rw=write\nzonemode=zbd", Some("`zonemode`")),
        ("backwards", "rw=read:-8k", Some("do not go backwards")),
        (
            "another check",
            "rw=write\nverify=md5",
            Some("other checks are not supported"),
        ),
        (
            "the environment",
            "rw=read\nbs=${BS}",
            Some("variables of the environment"),
        ),
        (
            "arithmetic",
            "rw=read\nsize=8*1024*$pagesize",
            Some("is not a size"),
        ),
        (
            "trims between writes",
            "rw=trimwrite",
            Some("trims and writes in turn"),
        ),
        (
            "zones of a distribution",
            "rw=randread\nrandom_distribution=zoned:50/5:30/15:20/",
            Some("`zoned` is not supported"),
        ),
    ] {
        let outcome = JobFile::parse("t", &format!("[j]\n{lines}\n"), &[]);
        match (outcome, reason) {
            (Ok(_), None) => {}
            (Err(errors), Some(reason)) => {
                assert_eq!(errors.0.len(), 1, "{what}: {errors}");
                assert!(errors.to_string().contains(reason), "{what}: {errors}");
            }
            (Ok(_), Some(reason)) => panic!("{what}: must be refused for {reason}"),
            (Err(errors), None) => panic!("{what}: {errors}"),
        }
    }
}
