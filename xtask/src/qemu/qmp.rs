//! A QMP client: one command, one answer, events skipped.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest wait for one answer. The guest waits at most 2 s at a row's edge.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(1500);

/// Longest wait for QEMU to open its socket.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection to a running QEMU.
pub struct Qmp {
    reader: BufReader<UnixStream>,
}

impl Qmp {
    /// Connects and leaves negotiation mode.
    ///
    /// # Errors
    /// What went wrong, for a person.
    pub fn connect(socket: &Path) -> Result<Self, String> {
        let deadline = Instant::now() + CONNECT_TIMEOUT;
        let stream = loop {
            match UnixStream::connect(socket) {
                Ok(stream) => break stream,
                Err(error) if Instant::now() >= deadline => return Err(format!("QMP: {error}")),
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        stream
            .set_read_timeout(Some(ANSWER_TIMEOUT))
            .map_err(|error| format!("QMP: {error}"))?;
        let mut qmp = Self {
            reader: BufReader::new(stream),
        };
        qmp.next_message()?; // The greeting.
        qmp.execute("qmp_capabilities")?;
        Ok(qmp)
    }

    /// Executes a command without arguments and returns its `return` value.
    ///
    /// # Errors
    /// What went wrong, for a person.
    pub fn execute(&mut self, command: &str) -> Result<Value, String> {
        let line = format!("{}\n", json!({ "execute": command }));
        self.reader
            .get_mut()
            .write_all(line.as_bytes())
            .map_err(|error| format!("QMP {command}: {error}"))?;
        loop {
            let mut message = self.next_message()?;
            if let Some(value) = message.get_mut("return") {
                return Ok(value.take());
            }
            if let Some(error) = message.get("error") {
                return Err(format!("QMP {command}: {}", error["desc"]));
            }
        }
    }

    fn next_message(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => Err("QMP: QEMU closed the connection".into()),
            Ok(_) => serde_json::from_str(&line).map_err(|error| format!("QMP: {error}")),
            Err(error) => Err(format!("QMP: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    /// A QEMU that answers each line it gets by the next of `answers`.
    fn serve(answers: &'static [&'static str]) -> (tempfile::TempDir, std::thread::JoinHandle<()>) {
        let dir = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(dir.path().join("q")).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"{\"QMP\": {}}\n").unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            for answer in answers {
                lines.next().unwrap().unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        (dir, server)
    }

    #[test]
    fn skips_events() {
        let (dir, server) = serve(&[
            "{\"return\": {}}\n",
            "{\"event\": \"RESUME\"}\n{\"return\": [1, 2]}\n",
        ]);
        let mut qmp = Qmp::connect(&dir.path().join("q")).unwrap();
        assert_eq!(qmp.execute("query-blockstats").unwrap(), json!([1, 2]));
        server.join().unwrap();
    }

    #[test]
    fn errors_name_the_command() {
        let (dir, server) = serve(&["{\"return\": {}}\n", "{\"error\": {\"desc\": \"no\"}}\n"]);
        let mut qmp = Qmp::connect(&dir.path().join("q")).unwrap();
        assert_eq!(qmp.execute("nonsense").unwrap_err(), "QMP nonsense: \"no\"");
        server.join().unwrap();
        assert!(qmp.execute("more").is_err(), "the other end is gone");
    }
}
