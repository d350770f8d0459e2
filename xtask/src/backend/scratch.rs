//! Scratch files: stamped at both ends, so that the guest may write to them.

use proto::scratch;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// A nonce that no other run has. It ties a stamp to this run; it is no secret.
#[must_use]
pub fn new_nonce() -> String {
    // The standard library seeds each of these from the system's randomness.
    let word = || {
        std::collections::hash_map::RandomState::new()
            .build_hasher()
            .finish()
    };
    format!("{:016x}{:016x}", word(), word())
}

/// Makes a sparse file of `bytes` with the stamp in its first and last block,
/// whichever block size it will be given.
///
/// # Errors
/// If the file exists already or cannot be written.
pub fn make(path: &Path, bytes: u64, nonce: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.set_len(bytes)?;
    let stamp = scratch::stamp(nonce);
    for at in scratch::stamp_offsets(bytes) {
        file.seek(SeekFrom::Start(at))?;
        file.write_all(stamp.as_bytes())?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_stamped_and_the_rest_is_zero() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk");
        let nonce = new_nonce();
        make(&path, 64 << 10, &nonce).unwrap();
        let data = std::fs::read(&path).unwrap();
        assert_eq!(data.len(), 64 << 10);
        let (first, rest) = data.split_at(512);
        let (middle, last) = rest.split_at(rest.len() - 4096);
        assert_eq!(scratch::nonce_of(first), Some(nonce.as_str()));
        assert_eq!(scratch::nonce_of(last), Some(nonce.as_str()));
        assert_eq!(scratch::nonce_of(&last[4096 - 512..]), Some(nonce.as_str()));
        assert!(middle.iter().all(|&byte| byte == 0));
    }

    #[test]
    fn nothing_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk");
        std::fs::write(&path, "mine").unwrap();
        assert!(make(&path, 64 << 10, "n").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }

    #[test]
    fn nonces_differ_and_fit() {
        assert_ne!(new_nonce(), new_nonce());
        assert!(new_nonce().len() <= scratch::MAX_NONCE_BYTES);
    }
}
