//! The record of a panic or a fault, made without the heap.

use core::fmt::{self, Write};
use proto::crc32c;
use proto::record::{MARK, TAG};

const JSON_BYTES: usize = 1024;
/// Mark, two numbers of 20 digits, a checksum, blanks and the line feed fit in here.
const LINE_BYTES: usize = JSON_BYTES + 96;
/// Kept free for the end of the JSON text.
const CLOSING: &str = "\"}";

/// Text in a fixed buffer; what does not fit is left out.
struct Buffer<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Buffer<N> {
    const fn new() -> Self {
        Self {
            bytes: [0; N],
            len: 0,
        }
    }

    fn filled(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Appends `text` whole, if `spare` bytes stay free behind it.
    fn push(&mut self, text: &[u8], spare: usize) -> bool {
        let end = self.len + text.len();
        if end + spare > N {
            return false;
        }
        self.bytes[self.len..end].copy_from_slice(text);
        self.len = end;
        true
    }
}

impl<const N: usize> Write for Buffer<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.push(text.as_bytes(), 0) {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

/// The inside of a JSON string (RFC 8259, section 7).
struct Escaped<'a, const N: usize>(&'a mut Buffer<N>);

impl<const N: usize> Write for Escaped<'_, N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            let mut plain = [0; 4];
            let fits = match c {
                '"' => self.0.push(b"\\\"", CLOSING.len()),
                '\\' => self.0.push(b"\\\\", CLOSING.len()),
                '\n' => self.0.push(b"\\n", CLOSING.len()),
                // Nothing that is printed here has use for other control characters.
                c if c.is_ascii_control() => self.0.push(b" ", CLOSING.len()),
                c => {
                    let encoded = c.encode_utf8(&mut plain);
                    self.0.push(encoded.as_bytes(), CLOSING.len())
                }
            };
            if !fits {
                return Err(fmt::Error);
            }
        }
        Ok(())
    }
}

/// The line of a `Fatal` record, line feed included.
pub struct FatalRecord {
    line: Buffer<LINE_BYTES>,
}

impl FatalRecord {
    /// Record number `seq`, saying `text`, cut to about a thousand bytes.
    #[must_use]
    pub fn new(seq: u64, text: fmt::Arguments<'_>) -> Self {
        let mut json = Buffer::<JSON_BYTES>::new();
        // An error here only says that the text was cut or the buffer is full, and
        // the sizes above leave room for everything but the text.
        let _ = write!(json, "{{\"{TAG}\":\"fatal\",\"text\":\"");
        let _ = Escaped(&mut json).write_fmt(text);
        let _ = json.write_str(CLOSING);
        let (length, crc) = (json.filled().len(), crc32c::of(json.filled()));
        let mut line = Buffer::new();
        let _ = write!(line, "{MARK}{seq} {length} {crc:08x} ");
        line.push(json.filled(), 0);
        line.push(b"\n", 0);
        Self { line }
    }

    /// The line.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.line.filled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};
    use proto::record::{Note, Record, encode};

    #[test]
    fn is_byte_for_byte_what_the_encoder_of_all_records_makes() {
        for text in [
            "panic at kernel/src/main.rs:1:1: plain",
            "quotes \" and \\ and\nnew lines, ümlauts 日本",
            "",
        ] {
            let record = Record::Fatal(Note {
                text: text.to_string(),
            });
            let made = FatalRecord::new(12, format_args!("{text}"));
            assert_eq!(
                core::str::from_utf8(made.bytes()).unwrap(),
                encode(12, &record)
            );
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_stays_a_record() {
        let long: String = "日\"".repeat(1000);
        let made = FatalRecord::new(u64::MAX, format_args!("{long}"));
        let line = core::str::from_utf8(made.bytes()).unwrap();
        let json = &line[line.find('{').unwrap()..line.len() - 1];
        let record: Record = serde_json::from_str(json).unwrap();
        let Record::Fatal(note) = record else {
            panic!("not fatal: {record:?}");
        };
        assert!(long.starts_with(&note.text) && note.text.len() > 700);
        assert!(json.len() <= JSON_BYTES);
        assert!(line.ends_with("\"}\n"));
    }

    #[test]
    fn control_characters_become_blanks() {
        let made = FatalRecord::new(0, format_args!("a\r\x1b[0mb\0"));
        let line = core::str::from_utf8(made.bytes()).unwrap();
        assert!(line.contains("\"text\":\"a  [0mb \""));
    }
}
