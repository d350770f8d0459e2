//! A serial line that never holds up a run.

use crate::hal::cpu;
use core::fmt;

/// Longest wait for a byte to be taken, in seconds. A reader that takes 1 KiB in a
/// second through a pipe frees it in steps of 4 KiB, so this is more than 4 s.
const PATIENCE_S: u64 = 10;
/// Assumed until the clock is known: more than any machine at hand, so that the
/// wait is rather too long than too short.
const FASTEST_TICKS_PER_SECOND: u64 = 4_000_000_000;

/// What a line needs of its device. No call waits.
pub trait Port {
    /// Sends as many of `bytes` as the device takes now; how many.
    fn send(&mut self, bytes: &[u8]) -> usize;
    /// A byte that arrived.
    fn receive(&mut self) -> Option<u8>;
    /// Whether all that was sent has left.
    fn is_drained(&mut self) -> bool;
}

/// A line with a limit to its patience.
#[derive(Debug)]
pub struct Serial<P: Port> {
    port: P,
    now_ticks: fn() -> u64,
    patience_ticks: u64,
    /// The device took nothing for too long. It gets a chance with every write.
    is_stuck: bool,
    lost_bytes: u64,
}

impl<P: Port> Serial<P> {
    /// A line over `port`, timed by the TSC.
    pub const fn new(port: P) -> Self {
        Self::timed_by(port, cpu::tsc_after_loads)
    }

    const fn timed_by(port: P, now_ticks: fn() -> u64) -> Self {
        Self {
            port,
            now_ticks,
            patience_ticks: PATIENCE_S * FASTEST_TICKS_PER_SECOND,
            is_stuck: false,
            lost_bytes: 0,
        }
    }

    /// Sets the limits of all waits by the clock's rate.
    pub const fn set_ticks_per_second(&mut self, hz: u64) {
        self.patience_ticks = PATIENCE_S * hz;
    }

    /// Bytes that could not be sent.
    #[must_use]
    pub const fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }

    /// Sends all of `bytes`, or gives the line up when it takes none for too long;
    /// then only what it takes at once is sent, until it takes something again.
    pub fn send_all(&mut self, mut bytes: &[u8]) {
        let mut since = (self.now_ticks)();
        while !bytes.is_empty() {
            let sent = self.port.send(bytes);
            if sent > 0 {
                bytes = &bytes[sent..];
                self.is_stuck = false;
                since = (self.now_ticks)();
            } else if self.is_stuck || self.waited_too_long(since) {
                self.is_stuck = true;
                self.lost_bytes += bytes.len() as u64;
                return;
            } else {
                core::hint::spin_loop();
            }
        }
    }

    /// Waits, with the same limit, until all has left.
    pub fn flush(&mut self) {
        let since = (self.now_ticks)();
        while !self.is_stuck && !self.port.is_drained() {
            self.is_stuck = self.waited_too_long(since);
            core::hint::spin_loop();
        }
    }

    /// Reads bytes until `until` says that it has seen enough, or `limit_ticks` are
    /// over. `false` in the second case.
    pub fn receive_until(&mut self, limit_ticks: u64, mut until: impl FnMut(u8) -> bool) -> bool {
        let since = (self.now_ticks)();
        loop {
            let late = (self.now_ticks)().wrapping_sub(since) >= limit_ticks;
            while let Some(byte) = self.port.receive() {
                if until(byte) {
                    return true;
                }
            }
            if late {
                return false;
            }
            core::hint::spin_loop();
        }
    }

    fn waited_too_long(&self, since: u64) -> bool {
        (self.now_ticks)().wrapping_sub(since) >= self.patience_ticks
    }
}

impl<P: Port> fmt::Write for Serial<P> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.send_all(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::vec::Vec;

    std::thread_local! {
        static NOW: Cell<u64> = const { Cell::new(0) };
    }

    /// Every look at the clock takes one tick.
    fn now() -> u64 {
        NOW.with(|now| now.replace(now.get() + 1))
    }

    /// Takes `chunk` bytes on every `period`-th call; after `dies_after` bytes none.
    struct FakePort {
        chunk: usize,
        period: u64,
        dies_after: usize,
        calls: u64,
        sent: Vec<u8>,
        incoming: Vec<u8>,
    }

    impl FakePort {
        fn new(chunk: usize, period: u64, dies_after: usize) -> Self {
            Self {
                chunk,
                period,
                dies_after,
                calls: 0,
                sent: Vec::new(),
                incoming: Vec::new(),
            }
        }
    }

    impl Port for FakePort {
        fn send(&mut self, bytes: &[u8]) -> usize {
            self.calls += 1;
            if !self.calls.is_multiple_of(self.period) || self.sent.len() >= self.dies_after {
                return 0;
            }
            let count = bytes.len().min(self.chunk);
            self.sent.extend_from_slice(&bytes[..count]);
            count
        }

        fn receive(&mut self) -> Option<u8> {
            (!self.incoming.is_empty()).then(|| self.incoming.remove(0))
        }

        fn is_drained(&mut self) -> bool {
            self.dies_after > self.sent.len()
        }
    }

    fn line(port: FakePort) -> Serial<FakePort> {
        let mut line = Serial::timed_by(port, now);
        // A patience of 1,000 ticks.
        line.set_ticks_per_second(100);
        line
    }

    #[test]
    fn a_slow_line_gets_every_byte() {
        // 5 bytes in 900 looks: any single wait is short enough, the sum is not.
        let mut line = line(FakePort::new(5, 900, usize::MAX));
        line.send_all(&[b'x'; 100]);
        assert_eq!(line.port.sent, [b'x'; 100]);
        assert_eq!(line.lost_bytes(), 0);
        assert!(line.port.calls >= 20 * 900);
    }

    #[test]
    fn a_dead_line_is_given_up_once_and_costs_no_more() {
        let mut line = line(FakePort::new(16, 1, 32));
        line.send_all(&[b'x'; 100]);
        assert_eq!(line.port.sent.len(), 32);
        assert_eq!(line.lost_bytes(), 68);
        let calls = line.port.calls;
        line.send_all(&[b'y'; 1000]);
        line.flush();
        assert_eq!(line.port.calls, calls + 1);
        assert_eq!(line.lost_bytes(), 1068);
    }

    #[test]
    fn a_line_that_wakes_up_is_used_again() {
        let mut line = line(FakePort::new(16, 1, 0));
        line.send_all(b"lost");
        line.port.dies_after = usize::MAX;
        line.send_all(b"this one arrives, all of it");
        assert_eq!(line.port.sent, b"this one arrives, all of it");
        assert_eq!(line.lost_bytes(), 4);
    }

    #[test]
    fn a_flush_ends_even_if_nothing_leaves() {
        let mut line = line(FakePort::new(16, 1, 4));
        line.send_all(b"abcd");
        line.flush();
        assert!(line.is_stuck);
    }

    #[test]
    fn receiving_ends_by_content_or_by_time() {
        let mut line = line(FakePort::new(1, 1, 1));
        line.port.incoming = b"go 7\nrest".to_vec();
        let mut got = Vec::new();
        let enough = line.receive_until(50, |byte| {
            got.push(byte);
            byte == b'\n'
        });
        assert!(enough);
        assert_eq!(got, b"go 7\n");
        let start = now();
        assert!(!line.receive_until(50, |byte| byte == b'\n'));
        assert!(now() - start >= 50);
        assert!(line.port.incoming.is_empty());
    }
}
