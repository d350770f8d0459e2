//! The engine's line to the outside.

use super::{LINE, NEXT_SEQ};
use core::sync::atomic::Ordering;
use drivers::hal::Clock;
use engine::session::Link;
use proto::record::{GO_TIMEOUT_MS, Record, encode, parse_go, sync_line};

/// Longest line that is looked at for an answer; longer ones are none.
const LINE_BYTES: usize = 32;

/// Records and the row protocol over the serial line.
#[derive(Debug)]
pub struct SerialLink<C: Clock> {
    clock: C,
    /// A host listens.
    row_protocol: bool,
}

impl<C: Clock> SerialLink<C> {
    /// A link whose waits are timed by `clock`. Without `row_protocol` a sync
    /// returns at once and writes nothing.
    pub const fn new(clock: C, row_protocol: bool) -> Self {
        Self {
            clock,
            row_protocol,
        }
    }
}

impl<C: Clock> Link for SerialLink<C> {
    fn record(&mut self, record: &Record) {
        let seq = NEXT_SEQ.fetch_add(1, Ordering::Relaxed);
        let line = encode(seq, record);
        if let Some(serial) = LINE.lock().as_mut() {
            serial.send_all(line.as_bytes());
        }
    }

    fn sync(&mut self, number: u32) {
        if !self.row_protocol {
            return;
        }
        let number = u64::from(number);
        let request = sync_line(number);
        let limit_ticks = self.clock.ms_to_ticks(GO_TIMEOUT_MS);
        if let Some(serial) = LINE.lock().as_mut() {
            serial.send_all(request.as_bytes());
            let mut answer = Answer::new(number);
            // Without an answer the row goes on: the host may have gone.
            serial.receive_until(limit_ticks, |byte| answer.take(byte));
        }
    }
}

/// Looks for `go <n>` in what arrives, line by line.
struct Answer {
    number: u64,
    line: [u8; LINE_BYTES],
    len: usize,
}

impl Answer {
    const fn new(number: u64) -> Self {
        Self {
            number,
            line: [0; LINE_BYTES],
            len: 0,
        }
    }

    /// Takes a byte; whether the answer is complete.
    fn take(&mut self, byte: u8) -> bool {
        if byte != b'\n' && byte != b'\r' {
            // Beyond the buffer the line cannot be an answer any more.
            if let Some(slot) = self.line.get_mut(self.len) {
                *slot = byte;
            }
            self.len = (self.len + 1).min(LINE_BYTES + 1);
            return false;
        }
        let line = self.line.get(..self.len).unwrap_or_default();
        self.len = 0;
        let text = core::str::from_utf8(line).unwrap_or_default();
        parse_go(text) == Some(self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes of `input` it takes to find the answer to sync 4.
    fn found_after(input: &[u8]) -> Option<usize> {
        let mut answer = Answer::new(4);
        input.iter().position(|&byte| answer.take(byte))
    }

    #[test]
    fn finds_its_own_answer_only() {
        assert_eq!(found_after(b"go 4\n"), Some(4));
        assert_eq!(found_after(b"go 4\r\n"), Some(4));
        assert_eq!(found_after(b"go 3\ngo 4\n"), Some(9));
        assert_eq!(found_after(b"go 40\ngo 5\n"), None);
        assert_eq!(found_after(b"go 4"), None);
    }

    #[test]
    fn noise_does_not_hide_the_answer() {
        assert_eq!(found_after(b"\xff\xfe\n\n\ngo 4\n"), Some(9));
        let mut long = std::vec![b'x'; 500];
        long.extend_from_slice(b" go 4\ngo 4\n");
        assert_eq!(found_after(&long), Some(510));
    }
}
