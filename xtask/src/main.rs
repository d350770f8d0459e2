//! `cargo xtask`: everything a person does with ioprobe on a host.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use xtask::{Console, Interrupt};

fn main() -> ExitCode {
    let interrupt = match Interrupt::from_signals() {
        Ok(interrupt) => interrupt,
        Err(error) => {
            eprintln!("cannot handle signals: {error}");
            return ExitCode::from(3);
        }
    };
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let mut console = Console::process(&mut out, &mut err);
    ExitCode::from(xtask::invoke(std::env::args_os(), &mut console, &interrupt))
}
