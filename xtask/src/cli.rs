//! The command line.

use crate::bench::{self, BenchArgs};
use crate::console::Console;
use crate::failure::{EXIT_OK, Failure};
use crate::faults::{self, CiArgs};
use crate::image::{self, ImageArgs};
use crate::interrupt::Interrupt;
use crate::run::{MachineArgs, RunArgs};
use crate::{run, tidy};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Measures what a virtual storage controller costs, without a guest operating system.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    version,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Boot the probe in QEMU, run a job, and show what was measured
    Run(Box<RunArgs>),
    /// Show the machine, its controllers, their limits, and the disks
    Identify(Box<MachineArgs>),
    /// Make a file that machines with BIOS and UEFI boot, as a disk and as a CD
    Image(Box<ImageArgs>),
    /// Measure the project's own figures against what they are meant to reach
    Bench(Box<BenchArgs>),
    /// Go through the fault matrix: what each fault on each controller does
    Ci(Box<CiArgs>),
    /// Check the rules of the house that no compiler checks
    Tidy,
}

/// Runs a command line and returns the exit code: 0 ok, 1 a run or check failed,
/// 2 usage, 3 environment, 4 the guest died or timed out, 130 interrupted.
pub fn invoke(
    args: impl IntoIterator<Item = OsString>,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> u8 {
    let parsed = command().try_get_matches_from(args);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return explain(&error, console),
    };
    let done = match cli.command {
        Command::Run(args) => run::run(&args, console, interrupt),
        Command::Identify(args) => run::identify(&args, console, interrupt),
        Command::Image(args) => image::image(&args, console, interrupt),
        Command::Bench(args) => bench::run(&args, console, interrupt),
        Command::Ci(args) => faults::run(&args, console, interrupt),
        Command::Tidy => tidy::tidy(console),
    };
    let done = match (done, console.lost()) {
        (Ok(()), Some(error)) => Err(Failure::io("stdout: the result was not written", error)),
        (done, _) => done,
    };
    match done {
        Ok(()) => EXIT_OK,
        Err(failure) => {
            match kind(&failure) {
                Some(kind) => console.say(&format!("{kind}: {failure}")),
                None => console.say(failure.message()),
            }
            failure.code()
        }
    }
}

/// The command line; `identify` shows every kind of controller unless told otherwise.
fn command() -> clap::Command {
    Cli::command().mut_subcommand("identify", |identify| {
        identify.mut_arg("controller", |controller| controller.default_value("all"))
    })
}

fn explain(error: &clap::Error, console: &mut Console<'_>) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            console.result(&error.render().to_string());
            EXIT_OK
        }
        _ => {
            console.say(error.render().to_string().trim_end());
            2
        }
    }
}

/// What stands before a failure's message; nothing where each line has a place.
const fn kind(failure: &Failure) -> Option<&'static str> {
    Some(match failure {
        Failure::Job(_) => return None,
        Failure::Run(_) => "failed",
        Failure::Usage(_) => "usage",
        Failure::Environment(_) => "environment",
        Failure::Guest(_) => "guest",
        Failure::Interrupted(_) => "interrupted",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controllers(args: &[&str]) -> Vec<String> {
        let matches = command().try_get_matches_from(args).unwrap();
        match Cli::from_arg_matches(&matches).unwrap().command {
            Command::Run(args) => args.machine.controller,
            Command::Identify(args) => args.controller,
            _ => Vec::new(),
        }
    }

    #[test]
    fn what_is_attached_unasked() {
        command().debug_assert();
        assert_eq!(controllers(&["xtask", "run"]), ["pvscsi"]);
        assert_eq!(controllers(&["xtask", "identify"]), ["all"]);
        let named = ["xtask", "identify", "--controller", "nvme"];
        assert_eq!(controllers(&named), ["nvme"]);
    }
}
