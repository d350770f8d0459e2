//! Running a helper program to its end without becoming deaf to interrupts.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// How often waiting loops look at the interrupt flag.
pub const TICK: Duration = Duration::from_millis(50);

/// Waits for a child; on an interrupt kills it and says that `what` was cut off.
///
/// # Errors
/// [`Failure::Interrupted`], or [`Failure::Environment`] if waiting fails.
pub fn wait(child: &mut Child, what: &str, interrupt: &Interrupt) -> Result<ExitStatus, Failure> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) if !interrupt.raised() => return Ok(status),
            Err(error) => return Err(Failure::io(what, &error)),
            Ok(_) if interrupt.raised() => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Failure::Interrupted(format!("interrupted while {what}")));
            }
            Ok(_) => std::thread::sleep(TICK),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn returns_the_status() {
        let mut child = Command::new("sh").args(["-c", "exit 7"]).spawn().unwrap();
        let status = wait(&mut child, "testing", &Interrupt::default()).unwrap();
        assert_eq!(status.code(), Some(7));
    }

    #[test]
    fn interrupt_kills() {
        let interrupt = Interrupt::default();
        interrupt.raise();
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let failure = wait(&mut child, "testing", &interrupt).unwrap_err();
        assert_eq!(failure.code(), 130);
        assert!(child.try_wait().unwrap().is_some(), "the child is gone");
    }
}
