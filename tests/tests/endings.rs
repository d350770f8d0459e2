//! Guests that do not come to their end, and a QEMU that does not start. Each has a
//! message and an exit code of its own, none leaves a QEMU behind, and what was said
//! until then is kept.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tests::{Machine, Scenario, call, device, run};

const TWO_ROWS: [&str; 6] = [
    "--set",
    "runtime=200ms",
    "--set",
    "ramp_time=0",
    "--timeout",
    "60",
];

fn with<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    [&TWO_ROWS, flags].concat()
}

/// Whether a process runs whose command line holds `part`.
fn runs(part: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    processes
        .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
        .any(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(part)
        })
}

#[test]
fn faults_of_the_guest_are_told_apart() {
    let cases: [(&str, &[&str], usize); 8] = [
        (
            "panic-start",
            &["the guest panicked while booting", "injected at the start"],
            0,
        ),
        ("panic=0", &["the guest panicked while in row 1"], 0),
        ("panic=1", &["the guest panicked while in row 2"], 1),
        ("fault", &["the guest took a processor fault"], 0),
        ("overflow", &["the guest took a processor fault"], 0),
        (
            "spin-start",
            &["--timeout 5 s", "was booting", "QEMU was killed"],
            0,
        ),
        (
            "spin=1",
            &["--timeout 5 s", "in row 2", "QEMU was killed"],
            1,
        ),
        (
            "exit-early=1",
            &["ended early", "last record is missing"],
            1,
        ),
    ];
    for (fault, says, rows) in cases {
        let mut flags = with(&["--inject", fault]);
        if fault.starts_with("spin") {
            flags[5] = "5";
        }
        let called = run(&Scenario {
            name: fault,
            flags: &flags,
            code: 4,
            says,
            rows,
        });
        assert!(called.err.contains("kept: "), "{fault}: {}", called.err);
        assert_eq!(called.result()["outcome"]["complete"], false, "{fault}");
        assert!(
            !runs(called.folder.to_str().unwrap()),
            "{fault}: QEMU is still there"
        );
    }
}

/// An executable script that answers `--version` as QEMU does and then does `body`.
fn script(dir: &Path, body: &str) -> PathBuf {
    let path = dir.join("qemu");
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'QEMU emulator version 9.9.9'; exit; fi\n{body}\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn ends_of_qemu_are_told_apart() {
    let cases = [
        (
            "echo 'no such device' >&2; exit 1",
            3,
            "refused to start (exit status 1)",
        ),
        (
            "echo booting; kill -9 $$",
            4,
            "killed by signal 9 (SIGKILL)",
        ),
        (
            "echo booting; exit 0",
            4,
            "reset or powered off while the guest was booting",
        ),
        ("exit 33", 4, "ended early"),
    ];
    for (body, code, part) in cases {
        let dir = tempfile::tempdir().unwrap();
        let qemu = script(dir.path(), body);
        let called = call("run", &["--qemu", qemu.to_str().unwrap()]);
        assert_eq!(called.code, code, "{body}: {}", called.err);
        assert!(called.err.contains(part), "{body}: {}", called.err);
    }
}

#[test]
fn what_qemu_said_when_it_refused_is_shown() {
    let called = call("run", &["--qemu-arg", "-nonsense"]);
    assert_eq!(called.code, 3, "{}", called.err);
    assert!(called.err.contains("-nonsense"), "{}", called.err);
}

#[test]
fn a_missing_qemu_is_told() {
    let called = call("run", &["--qemu", "/nonexistent/qemu"]);
    assert_eq!(called.code, 3, "{}", called.err);
    assert!(
        called.err.contains("/nonexistent/qemu: is not there"),
        "{}",
        called.err
    );
}

#[test]
#[should_panic(expected = "QEMU ended before it connected")]
fn a_machine_that_qemu_refuses_is_told_and_not_waited_for() {
    let _ = Machine::start(&[device("pvscsi,id=a"), device("pvscsi,id=a")]);
}
