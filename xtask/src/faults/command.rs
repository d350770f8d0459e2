//! Running the cells.

use super::outcomes::Outcomes;
use crate::build::workspace_root;
use crate::child;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use clap::Args;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Flags of `ci`.
#[derive(Debug, Args)]
pub struct CiArgs {
    /// Run every cell of the fault matrix and show the table
    #[arg(long, required = true)]
    faults: bool,
}

/// Runs all cells, says each as it ends, and shows the table.
///
/// # Errors
/// [`Failure::Run`] if a cell failed or did not run; [`Failure::Environment`] if the
/// tests cannot be built.
pub fn run(args: &CiArgs, console: &mut Console<'_>, interrupt: &Interrupt) -> Result<(), Failure> {
    debug_assert!(args.faults, "the only thing there is to do");
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut child = Command::new(program)
        .current_dir(workspace_root())
        .args([
            "test",
            "--package",
            "tests",
            "--test",
            "faults",
            "--",
            "--test-threads=1",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::io("cargo test", &error))?;
    let mut outcomes = Outcomes::default();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line.map_err(|error| Failure::io("cargo test", &error))?;
            match outcomes.take(&line) {
                Some((cell, true)) => console.say(&format!("{cell}: ok")),
                Some((cell, false)) => console.say(&format!("{cell}: FAILED")),
                // Why a cell failed comes at the end.
                None if !line.starts_with("test ") => console.say(&line),
                None => {}
            }
        }
    }
    let status = child::wait(&mut child, "the fault matrix ran", interrupt)?;
    let (table, bad) = outcomes.table();
    console.result(&table);
    if bad.is_empty() && outcomes.others_failed.is_empty() && status.success() {
        return Ok(());
    }
    let all = [bad, outcomes.others_failed].concat().join("\n");
    Err(Failure::Run(format!(
        "the fault matrix is not well:\n{all}"
    )))
}
