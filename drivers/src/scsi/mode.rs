//! What the header of mode parameters says of a disk.

/// Bytes of mode parameters that are looked at.
pub const MODE_HEADER_BYTES: usize = 4;

/// Protection and durability (SBC-3 6.5.1, device-specific parameter).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModeHeader {
    /// WP: the medium is write-protected.
    pub write_protected: bool,
    /// DPOFUA: FUA is taken on reads and writes.
    pub takes_fua: bool,
}

impl ModeHeader {
    /// From the header of MODE SENSE(6) (SPC-4 7.5.5).
    #[must_use]
    pub fn from_6(data: &[u8; MODE_HEADER_BYTES]) -> Self {
        Self {
            write_protected: data[2] & 0x80 != 0,
            takes_fua: data[2] & 0x10 != 0,
        }
    }
}
