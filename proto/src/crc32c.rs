//! CRC-32C (Castagnoli; RFC 3720, section 12.1), the checksum of records.

use crc::{CRC_32_ISCSI, Crc, Digest, Table};

static CRC: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);

/// The checksum of `bytes`.
#[must_use]
pub fn of(bytes: &[u8]) -> u32 {
    CRC.checksum(bytes)
}

/// A checksum that is fed in parts.
#[derive(Clone)]
pub struct Crc32c(Digest<'static, u32, Table<1>>);

impl Crc32c {
    /// Of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self(CRC.digest())
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum of all that was added.
    #[must_use]
    pub fn finish(self) -> u32 {
        self.0.finalize()
    }
}

impl Default for Crc32c {
    fn default() -> Self {
        Self::new()
    }
}

impl core::fmt::Debug for Crc32c {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Crc32c").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, appendix B.4, and the catalogue's check value.
    #[test]
    fn published_vectors() {
        assert_eq!(of(b""), 0);
        assert_eq!(of(b"123456789"), 0xe306_9283);
        assert_eq!(of(&[0; 32]), 0x8a91_36aa);
        assert_eq!(of(&[0xff; 32]), 0x62a8_ab43);
        let ascending: [u8; 32] = core::array::from_fn(|i| i as u8);
        assert_eq!(of(&ascending), 0x46dd_794e);
    }

    #[test]
    fn parts_make_the_whole() {
        let mut crc = Crc32c::new();
        crc.update(b"1234");
        crc.update(b"");
        crc.update(b"56789");
        assert_eq!(crc.finish(), of(b"123456789"));
    }
}
