//! A guest that is followed line by line: the ceiling loop, the Linux peer, and
//! the probe where only the moment of a line counts.

use crate::child::TICK;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::qemu::command::CommandLine;
use crate::qemu::process::{Process, Serial};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Lines kept for the message when a guest does not do as it should.
const KEPT_LINES: usize = 20;

/// A running guest and what it says on its serial port.
pub struct LineGuest<'a> {
    process: Process,
    interrupt: &'a Interrupt,
    what: &'static str,
    pending: Vec<u8>,
    last_lines: Vec<String>,
}

impl<'a> LineGuest<'a> {
    /// Starts QEMU. `what` names the guest in messages.
    ///
    /// # Errors
    /// As [`Process::start`].
    pub fn start(
        what: &'static str,
        line: &CommandLine,
        interrupt: &'a Interrupt,
    ) -> Result<Self, Failure> {
        Ok(Self {
            process: Process::start(line)?,
            interrupt,
            what,
            pending: Vec::new(),
            last_lines: Vec::new(),
        })
    }

    /// QEMU's process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Types into the serial port.
    pub fn write(&mut self, text: &str) {
        self.process.write(text);
    }

    /// The next line, without its end; `None` when the port has closed.
    ///
    /// # Errors
    /// [`Failure::Guest`] if none comes within `limit`, [`Failure::Interrupted`].
    pub fn next_line(&mut self, limit: Duration) -> Result<Option<String>, Failure> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(line) = take_line(&mut self.pending) {
                self.keep(&line);
                return Ok(Some(line));
            }
            if self.interrupt.raised() {
                return Err(Failure::Interrupted("interrupted".into()));
            }
            match self.process.read(TICK) {
                Serial::Bytes(bytes) => self.pending.extend(bytes),
                Serial::Closed => return Ok(None),
                Serial::Quiet if Instant::now() < deadline => {}
                Serial::Quiet => {
                    return Err(self.failure(&format!("said nothing for {} s", limit.as_secs())));
                }
            }
        }
    }

    /// Reads lines until `pick` finds what it wants.
    ///
    /// # Errors
    /// As [`Self::next_line`]; [`Failure::Guest`] if the port closes first.
    pub fn wait_for<T>(
        &mut self,
        limit: Duration,
        mut pick: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        while let Some(line) = self.next_line(limit)? {
            if let Some(found) = pick(&line) {
                return Ok(found);
            }
        }
        let _ = self.process.finish();
        Err(self.failure("ended early"))
    }

    /// Waits for QEMU to end by itself; `None` if it had to be killed.
    pub fn finish(mut self) -> Option<ExitStatus> {
        self.process.finish()
    }

    /// A failure with the guest's last lines.
    #[must_use]
    pub fn failure(&self, why: &str) -> Failure {
        let mut text = format!("{} {why}", self.what);
        let stderr = self.process.stderr();
        let said = self.last_lines.iter().map(String::as_str);
        for line in said.chain(stderr.lines()) {
            text.push_str("\n  ");
            text.push_str(line);
        }
        Failure::Guest(text)
    }

    fn keep(&mut self, line: &str) {
        if self.last_lines.len() == KEPT_LINES {
            self.last_lines.remove(0);
        }
        self.last_lines.push(line.to_owned());
    }
}

/// Takes the first whole line out of `pending`.
fn take_line(pending: &mut Vec<u8>) -> Option<String> {
    let end = pending.iter().position(|&byte| byte == b'\n')?;
    let line: Vec<u8> = pending.drain(..=end).collect();
    Some(String::from_utf8_lossy(&line).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> CommandLine {
        CommandLine {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
        }
    }

    #[test]
    fn lines_come_whole_and_the_answer_gets_through() {
        let interrupt = Interrupt::default();
        let script = "printf 'a\\r\\nb'; printf 'c\\n'; read x; echo \"got $x\"";
        let mut guest = LineGuest::start("the test", &shell(script), &interrupt).unwrap();
        assert_eq!(guest.next_line(LIMIT).unwrap().as_deref(), Some("a"));
        assert_eq!(guest.next_line(LIMIT).unwrap().as_deref(), Some("bc"));
        guest.write("it\n");
        let found = guest.wait_for(LIMIT, |line| line.strip_prefix("got ").map(str::to_owned));
        assert_eq!(found.unwrap(), "it");
        assert_eq!(guest.next_line(LIMIT).unwrap(), None);
        assert!(guest.finish().unwrap().success());
    }

    #[test]
    fn an_early_end_shows_the_last_lines() {
        let interrupt = Interrupt::default();
        let script = "echo one; echo two; echo bad >&2";
        let mut guest = LineGuest::start("the test", &shell(script), &interrupt).unwrap();
        let failure = guest.wait_for(LIMIT, |_| None::<()>).unwrap_err();
        assert_eq!(failure.code(), 4);
        assert_eq!(
            failure.message(),
            "the test ended early\n  one\n  two\n  bad"
        );
    }

    #[test]
    fn an_interrupt_ends_the_wait() {
        let interrupt = Interrupt::default();
        let mut guest = LineGuest::start("the test", &shell("sleep 600"), &interrupt).unwrap();
        interrupt.raise();
        assert_eq!(guest.next_line(LIMIT).unwrap_err().code(), 130);
    }
}
