//! The row protocol: before and after each row, with nothing in flight, the guest
//! writes `sync <n>` and waits for `go <n>`; in between the host looks at QEMU.

use alloc::string::String;
use core::fmt;

/// Longest wait of the guest for `go`, in ms. After it the row goes on without the host.
pub const GO_TIMEOUT_MS: u64 = 2000;

const SYNC: &str = "sync ";
const GO: &str = "go ";
const ROW: &str = "row ";

/// What the guest writes, line feed included.
#[must_use]
pub fn sync_line(n: u64) -> String {
    alloc::format!("{SYNC}{n}\n")
}

/// What the host answers, line feed included.
#[must_use]
pub fn go_line(n: u64) -> String {
    alloc::format!("{GO}{n}\n")
}

/// The number of a `sync` line, if it is one; blanks around it do not matter.
#[must_use]
pub fn parse_sync(line: &str) -> Option<u64> {
    number_after(SYNC, line)
}

/// The number of a `go` line, if it is one; blanks around it do not matter.
#[must_use]
pub fn parse_go(line: &str) -> Option<u64> {
    number_after(GO, line)
}

/// A row's number as people read it: rows count from 0 in records, and from 1 in all
/// that a person reads.
#[must_use]
pub const fn row_number(row: u32) -> u32 {
    row.saturating_add(1)
}

/// What a person should know of a row, as the text of a note: `row 1: <text>`.
#[must_use]
pub fn row_note(row: u32, text: impl fmt::Display) -> String {
    alloc::format!("{ROW}{}: {text}", row_number(row))
}

/// The row (from 0) and the text of a note on a row; `None` for any other note.
#[must_use]
pub fn split_row_note(note: &str) -> Option<(u32, &str)> {
    let (number, text) = note.strip_prefix(ROW)?.split_once(": ")?;
    let number: u32 = number.parse().ok()?;
    Some((number.checked_sub(1)?, text))
}

fn number_after(word: &str, line: &str) -> Option<u64> {
    let digits = line.trim().strip_prefix(word)?;
    // `parse` alone would take a plus sign.
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_on_rows_count_from_one_and_are_told_from_others() {
        assert_eq!(row_note(0, "gone"), "row 1: gone");
        assert_eq!(split_row_note("row 1: a: b"), Some((0, "a: b")));
        for other in [
            "row 0: x",
            "row x: y",
            "row 1",
            "job a: no disk",
            "rows 1: x",
        ] {
            assert_eq!(split_row_note(other), None, "{other}");
        }
    }
}
