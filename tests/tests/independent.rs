//! The same counts, found by a script that uses none of our code.

use std::process::Command;
use xtask::qemu::install::PROGRAM;
use xtask::{Console, Interrupt, build};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/independent.py");
const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/independent.fio");

#[test]
fn a_script_of_its_own_finds_the_same_counts() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console::plain(&mut out, &mut err, 80);
    let interrupt = Interrupt::default();
    let qemu = xtask::qemu::install::find(None, true, &mut console, &interrupt);
    let qemu = qemu.unwrap_or_else(|failure| panic!("{PROGRAM}: {failure}"));
    let guest = build::build(false, &mut console, &interrupt).expect("the guest is built");
    let output = Command::new("python3")
        .arg(SCRIPT)
        .args([&qemu.path, &guest.pvh])
        .arg(JOB)
        .output()
        .expect("python3 is needed: apt-get install python3");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    for row in 1..=2 {
        assert!(said.contains(&format!("row {row} read: guest")), "{said}");
    }
}
