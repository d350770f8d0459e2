//! Takes terminal control out of a byte stream: escape sequences (ECMA-48), carriage
//! returns and other control characters. JSON text holds none of them in the raw, so
//! what firmware or a terminal server puts into a record does not break it.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    /// After ESC, or in its intermediate bytes (0x20..=0x2f).
    Escape,
    /// In a control sequence, after `ESC [`.
    Control,
    /// In a string (operating system command and its like), until BEL or ESC `\`.
    Text,
}

/// The filter; it may be fed byte by byte.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Filter(State);

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

impl Filter {
    /// The byte, unless it belongs to terminal control. A line feed always passes and
    /// ends a sequence, so that a damaged one costs at most its own line.
    pub(super) fn pass(&mut self, byte: u8) -> Option<u8> {
        if byte == b'\n' {
            self.0 = State::Plain;
            return Some(byte);
        }
        let (next, passed) = match (self.0, byte) {
            (_, ESC) => (State::Escape, None),
            (State::Plain, b'\t' | b' '..=0x7e | 0x80..) => (State::Plain, Some(byte)),
            (State::Plain, _) => (State::Plain, None),
            (State::Escape, b'[') => (State::Control, None),
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => (State::Text, None),
            (State::Escape, b' '..=b'/') => (State::Escape, None),
            (State::Escape, _) => (State::Plain, None),
            (State::Control, b' '..=b'?') => (State::Control, None),
            (State::Control, _) => (State::Plain, None),
            (State::Text, BEL) => (State::Plain, None),
            (State::Text, _) => (State::Text, None),
        };
        self.0 = next;
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    fn filtered(bytes: &[u8]) -> String {
        let mut filter = Filter::default();
        let passed: Vec<u8> = bytes.iter().filter_map(|&byte| filter.pass(byte)).collect();
        String::from_utf8(passed).unwrap()
    }

    #[test]
    fn sequences_go_and_text_stays() {
        assert_eq!(filtered(b"\x1b[2J\x1b[01;01Hab\x1b[0mc\r\n"), "abc\n");
        assert_eq!(filtered(b"\x1bc\x1b(Babc"), "abc");
        assert_eq!(filtered(b"\x1b]0;title\x07abc\x1b]0;x\x1b\\d"), "abcd");
        assert_eq!(filtered(b"a\x00\x08b\tc\x7f"), "ab\tc");
        assert_eq!(filtered("µs\n".as_bytes()), "µs\n");
    }

    #[test]
    fn a_line_feed_ends_every_sequence() {
        assert_eq!(filtered(b"\x1b]never closed\nabc"), "\nabc");
        assert_eq!(filtered(b"\x1b[12\nabc"), "\nabc");
        assert_eq!(filtered(b"\x1b\nabc"), "\nabc");
    }
}
