//! A running QEMU that cannot outlive its owner.

use super::command::CommandLine;
use crate::failure::Failure;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Most of QEMU's stderr that is kept.
const STDERR_KEPT_BYTES: usize = 64 * 1024;

/// How long QEMU may take to exit after its serial port closed.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// What came from the serial port.
#[derive(Debug, PartialEq, Eq)]
pub enum Serial {
    /// Bytes.
    Bytes(Vec<u8>),
    /// Nothing yet.
    Quiet,
    /// The port is closed: QEMU is ending.
    Closed,
}

/// A QEMU process. Dropping it kills it.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    serial: Receiver<Vec<u8>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts it, in a process group of its own, so that a terminal's Ctrl-C
    /// reaches only us and we end it in order.
    ///
    /// # Errors
    /// [`Failure::Environment`] if the program cannot be started.
    pub fn start(line: &CommandLine) -> Result<Self, Failure> {
        let mut child = with_parent_death(line)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Failure::io(line.program.display(), &error))?;
        let (sender, serial) = channel();
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let input = child.stdin.take();
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || pump(output, &sender));
        }
        let stderr_reader = child.stderr.take().map(|errors| {
            let kept = Arc::clone(&stderr);
            std::thread::spawn(move || keep(errors, &kept))
        });
        Ok(Self {
            child,
            input,
            serial,
            stderr,
            stderr_reader,
        })
    }

    /// Process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for serial output, at most `timeout`.
    pub fn read(&mut self, timeout: Duration) -> Serial {
        match self.serial.recv_timeout(timeout) {
            Ok(bytes) => Serial::Bytes(bytes),
            Err(RecvTimeoutError::Timeout) => Serial::Quiet,
            Err(RecvTimeoutError::Disconnected) => Serial::Closed,
        }
    }

    /// Types into the serial port. An error means that QEMU is ending, which
    /// [`Self::read`] will tell.
    pub fn write(&mut self, text: &str) {
        if let Some(input) = &mut self.input {
            let _ = input
                .write_all(text.as_bytes())
                .and_then(|()| input.flush());
        }
    }

    /// Waits for the end; kills QEMU if it does not come by itself. `None` if it
    /// had to be killed.
    pub fn finish(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + EXIT_GRACE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.finish_stderr(deadline);
                    return Some(status);
                }
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                _ => {
                    self.kill();
                    return None;
                }
            }
        }
    }

    /// Lets the reader take what is still in the pipe. Bounded, because a child
    /// of QEMU's could hold the pipe open.
    fn finish_stderr(&self, deadline: Instant) {
        while self
            .stderr_reader
            .as_ref()
            .is_some_and(|reader| !reader.is_finished())
            && Instant::now() < deadline
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends it at once and waits until it is gone.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// What it wrote to stderr so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The command, wrapped so that the kernel kills QEMU when the thread that
/// starts it dies, even by SIGKILL. util-linux's `setpriv` does this; without
/// it only [`Drop`] does.
fn with_parent_death(line: &CommandLine) -> Command {
    let usable = Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let mut command = if usable {
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "--"])
            .arg(&line.program);
        command
    } else {
        Command::new(&line.program)
    };
    command.args(&line.args);
    command
}

fn pump(mut output: impl Read, sender: &Sender<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        if sender.send(buffer[..count].to_vec()).is_err() {
            return;
        }
    }
}

fn keep(mut errors: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = STDERR_KEPT_BYTES.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..count.min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn shell(script: &str) -> Process {
        Process::start(&CommandLine {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
        })
        .unwrap()
    }

    fn read_all(process: &mut Process) -> String {
        let mut text = Vec::new();
        loop {
            match process.read(Duration::from_secs(30)) {
                Serial::Bytes(bytes) => text.extend(bytes),
                Serial::Closed => return String::from_utf8(text).unwrap(),
                Serial::Quiet => panic!("nothing for 30 s"),
            }
        }
    }

    #[test]
    fn carries_both_directions_and_the_status() {
        let mut process = shell("read line; echo got $line; echo bad >&2; exit 33");
        process.write("go 1\n");
        assert_eq!(read_all(&mut process), "got go 1\n");
        assert_eq!(process.finish().unwrap().code(), Some(33));
    }

    #[test]
    fn drop_kills() {
        let process = shell("exec sleep 600");
        let proc = format!("/proc/{}", process.id());
        assert!(Path::new(&proc).exists());
        drop(process);
        assert!(!Path::new(&proc).exists());
    }

    #[test]
    fn missing_program_is_an_environment_failure() {
        // `setpriv` starts and then says that there is no such program; without
        // it the start itself fails.
        let line = CommandLine {
            program: "/nonexistent/qemu".into(),
            args: Vec::new(),
        };
        match Process::start(&line) {
            Err(failure) => assert_eq!(failure.code(), 3),
            Ok(mut process) => assert_ne!(process.finish().unwrap().code(), Some(0)),
        }
    }
}
