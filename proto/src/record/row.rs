//! The row protocol: before and after each row, with nothing in flight, the guest
//! writes `sync <n>` and waits for `go <n>`; in between the host looks at QEMU.

use alloc::string::String;

/// Longest wait of the guest for `go`, in ms. After it the row goes on without the host.
pub const GO_TIMEOUT_MS: u64 = 2000;

const SYNC: &str = "sync ";
const GO: &str = "go ";

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

fn number_after(word: &str, line: &str) -> Option<u64> {
    let digits = line.trim().strip_prefix(word)?;
    // `parse` alone would take a plus sign.
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}
