//! QEMU's monitor.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;
use tempfile::TempDir;
use xtask::qemu::process::{Process, Serial};

/// Longest wait for one message of QEMU: a firmware's start on a busy machine, and
/// the run.
const PATIENCE: Duration = Duration::from_secs(120);

/// One turn of waiting for QEMU to connect.
const TURN: Duration = Duration::from_millis(10);

/// Where QEMU, once it is started, connects its monitor to.
pub struct MonitorSocket {
    dir: TempDir,
    listener: UnixListener,
}

impl MonitorSocket {
    /// A new one.
    ///
    /// # Panics
    /// If there is no room for it.
    #[must_use]
    pub fn new() -> Self {
        // Sockets have short names only.
        let dir = tempfile::tempdir_in("/tmp").expect("a temporary folder");
        let listener = UnixListener::bind(dir.path().join("qmp")).expect("a socket");
        Self { dir, listener }
    }

    /// `-qmp`, which makes QEMU connect before it starts the machine.
    #[must_use]
    pub fn argument(&self) -> [String; 2] {
        let path = self.dir.path().join("qmp");
        ["-qmp".into(), format!("unix:{}", path.display())]
    }

    /// Waits for QEMU, which was just started.
    ///
    /// # Panics
    /// If it ends instead, with what it said, or speaks no QMP.
    #[must_use]
    pub fn accept(&self, process: &mut Process) -> Monitor {
        // Nothing is said before the monitor is there; this is a wait that ends
        // when QEMU does.
        let monitor = self.accept_while(|| !matches!(process.read(TURN), Serial::Closed));
        monitor.unwrap_or_else(|| {
            let _ = process.finish();
            panic!("QEMU ended before it connected: {}", process.stderr());
        })
    }

    /// Waits for QEMU, which somebody else starts, for as long as `waits` says so;
    /// that takes a moment each time.
    ///
    /// # Panics
    /// If it speaks no QMP.
    pub fn accept_while(&self, mut waits: impl FnMut() -> bool) -> Option<Monitor> {
        self.listener.set_nonblocking(true).expect("a listener");
        let stream = loop {
            match self.listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("{error}"),
            }
            if !waits() {
                return None;
            }
        };
        stream.set_nonblocking(false).expect("a stream");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let mut monitor = Monitor {
            reader: BufReader::new(stream),
            events: Vec::new(),
        };
        monitor.next();
        let _ = monitor.execute("qmp_capabilities", &json!({}));
        Some(monitor)
    }
}

impl Default for MonitorSocket {
    fn default() -> Self {
        Self::new()
    }
}

/// A monitor that QEMU listens on.
pub struct Monitor {
    reader: BufReader<UnixStream>,
    /// Events that nobody waited for yet.
    events: Vec<Value>,
}

impl Monitor {
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.reader
            .read_line(&mut line)
            .expect("QEMU says something in time");
        serde_json::from_str(&line).expect("QMP is JSON")
    }

    /// Waits for an event, and gives its data.
    ///
    /// # Panics
    /// If it does not come in time.
    pub fn wait(&mut self, event: &str) -> Value {
        loop {
            let is_it = |message: &Value| message["event"] == event;
            if let Some(at) = self.events.iter().position(is_it) {
                return self.events.remove(at)["data"].take();
            }
            let message = self.next();
            self.events.push(message);
        }
    }

    /// Has a command executed, and gives what it returns.
    ///
    /// # Panics
    /// If QEMU does not do it.
    pub fn execute(&mut self, command: &str, arguments: &Value) -> Value {
        let line = json!({ "execute": command, "arguments": arguments });
        writeln!(self.reader.get_mut(), "{line}").expect("QEMU listens");
        loop {
            let mut answer = self.next();
            assert!(answer["error"].is_null(), "{command}: {answer}");
            if !answer["return"].is_null() {
                return answer["return"].take();
            }
            self.events.push(answer);
        }
    }

    /// Has a command of the monitor for people executed, and gives what it prints.
    ///
    /// # Panics
    /// If QEMU does not do it.
    pub fn human(&mut self, command: &str) -> String {
        let arguments = json!({ "command-line": command });
        let printed = self.execute("human-monitor-command", &arguments);
        printed.as_str().expect("text").to_owned()
    }
}
