//! The scratch stamp: how a disk says that it holds nothing of value.
//!
//! The first and the last block of a scratch disk start with the line
//! `IOPROBE-SCRATCH <nonce>\n`; the rest of the block is zero. The nonce, given
//! in the job, ties the stamp to this user's intent.

use alloc::string::String;

/// What a stamp starts with.
pub const MARK: &str = "IOPROBE-SCRATCH ";

/// Longest nonce in bytes.
pub const MAX_NONCE_BYTES: usize = 64;

/// The bytes at the start of a stamped block.
#[must_use]
pub fn stamp(nonce: &str) -> String {
    alloc::format!("{MARK}{nonce}\n")
}

/// The nonce of a stamped block, if it is one.
#[must_use]
pub fn nonce_of(block: &[u8]) -> Option<&str> {
    let rest = block.strip_prefix(MARK.as_bytes())?;
    let end = rest
        .iter()
        .take(MAX_NONCE_BYTES + 1)
        .position(|&byte| byte == b'\n')?;
    core::str::from_utf8(&rest[..end])
        .ok()
        .filter(|nonce| !nonce.is_empty())
}

/// Bytes kept free of any workload at each end of a stamped disk: 1 MiB, so that
/// large blocks stay aligned; 4 KiB where the disk is below 16 MiB.
#[must_use]
pub const fn margin_bytes(disk_bytes: u64) -> u64 {
    if disk_bytes >= 16 << 20 {
        1 << 20
    } else {
        4096
    }
}
