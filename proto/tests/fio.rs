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

/// Whether each key of a text is fio's.
fn is_pure(text: &str) -> bool {
    let keys = text.lines().filter_map(|line| {
        let line = line.split([';', '#']).next().unwrap_or_default().trim();
        let key = line.split('=').next().unwrap_or_default().trim();
        (!key.is_empty() && !key.starts_with('[')).then_some(key)
    });
    keys.into_iter()
        .all(|key| find_key(key).is_some_and(|key| !key.own))
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
