//! Finding records in one line.

use crate::crc32c;
use core::fmt;
use core::ops::Range;

/// What a record starts with.
pub const MARK: &str = "@ioprobe ";

/// Why something that starts as a record is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The numbers after the mark cannot be read.
    Header,
    /// The line ends before the JSON text does.
    Cut {
        /// Bytes that the header promises.
        promised: u64,
        /// Bytes that are there.
        present: u64,
    },
    /// The checksum differs.
    Checksum {
        /// In the header.
        promised: u32,
        /// Of the text.
        found: u32,
    },
    /// The checksum is right, yet the text is not a JSON object: the writer is at fault.
    Json,
    /// The line grew beyond [`super::MAX_LINE_BYTES`].
    TooLong,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("its header cannot be read"),
            Self::Cut { promised, present } => {
                write!(f, "it is cut: {present} of {promised} bytes are there")
            }
            Self::Checksum { promised, found } => {
                write!(f, "its checksum is {found:08x}, not {promised:08x}")
            }
            Self::Json => f.write_str("it is not a JSON object"),
            Self::TooLong => f.write_str("its line is too long"),
        }
    }
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text between records.
    Text(Range<usize>),
    /// A record whose checksum is right: its number and where its JSON text is.
    Whole { seq: u64, json: Range<usize> },
    /// Something that starts as a record. The number is given if it can be read.
    Damaged { seq: Option<u64>, why: Damage },
}

/// Cuts a line (without its line feed) into pieces, in order.
pub(super) fn pieces(line: &[u8], mut found: impl FnMut(Piece)) {
    let mut text_start = 0;
    let mut at = 0;
    while let Some(mark) = find(&line[at..]).map(|offset| at + offset) {
        let body = mark + MARK.len();
        let (piece, end) = match header(&line[body..]) {
            Err(seq) => (damaged(seq, Damage::Header), body),
            Ok(header) => match check(&header, line, body) {
                Ok(json) => {
                    let end = json.end;
                    (
                        Piece::Whole {
                            seq: header.seq,
                            json,
                        },
                        end,
                    )
                }
                Err(why) => (damaged(Some(header.seq), why), body),
            },
        };
        if text_start < mark {
            found(Piece::Text(text_start..mark));
        }
        // The rest of a damaged record is no text for a person, but a whole record may
        // stand in it, where its own line feed was lost.
        text_start = match piece {
            Piece::Whole { .. } => end,
            _ => find(&line[end..]).map_or(line.len(), |offset| end + offset),
        };
        at = end;
        found(piece);
    }
    if text_start < line.len() {
        found(Piece::Text(text_start..line.len()));
    }
}

fn find(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(MARK.len())
        .position(|window| window == MARK.as_bytes())
}

const fn damaged(seq: Option<u64>, why: Damage) -> Piece {
    Piece::Damaged { seq, why }
}

struct Header {
    seq: u64,
    length: u64,
    crc: u32,
    /// Bytes of the header up to the JSON text.
    bytes: usize,
}

/// Reads `<seq> <length> <crc> `; the error is the number, as far as it can be read.
fn header(bytes: &[u8]) -> Result<Header, Option<u64>> {
    let mut at = 0;
    let mut word = || {
        let rest = &bytes[at..];
        let end = rest.iter().position(|&byte| byte == b' ')?;
        at += end + 1;
        core::str::from_utf8(&rest[..end]).ok()
    };
    let seq = word().and_then(decimal).ok_or(None)?;
    let length = word().and_then(decimal).ok_or(Some(seq))?;
    let crc = word()
        .filter(|hex| hex.len() == 8 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .and_then(|hex| u32::from_str_radix(hex, 16).ok())
        .ok_or(Some(seq))?;
    Ok(Header {
        seq,
        length,
        crc,
        bytes: at,
    })
}

fn decimal(digits: &str) -> Option<u64> {
    // `parse` alone would take a plus sign.
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

/// The place of the JSON text in `line`, if it is there and whole.
fn check(header: &Header, line: &[u8], body: usize) -> Result<Range<usize>, Damage> {
    let start = body + header.bytes;
    let present = line.len() - start;
    let length = usize::try_from(header.length)
        .ok()
        .filter(|&length| length <= present)
        .ok_or(Damage::Cut {
            promised: header.length,
            present: present as u64,
        })?;
    let json = start..start + length;
    let crc = crc32c::of(&line[json.clone()]);
    if crc != header.crc {
        return Err(Damage::Checksum {
            promised: header.crc,
            found: crc,
        });
    }
    Ok(json)
}
