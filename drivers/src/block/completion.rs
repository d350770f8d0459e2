//! What a controller says of a command.

use super::Tag;
use core::fmt;

/// SCSI sense as far as decisions need it (SPC-4 4.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sense {
    /// Sense key, 0..=15.
    pub key: u8,
    /// Additional sense code.
    pub asc: u8,
    /// Additional sense code qualifier.
    pub ascq: u8,
}

impl fmt::Display for Sense {
    /// `key/code/qualifier` in hexadecimal, as the field writes it: `5/21/00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}/{:02x}/{:02x}", self.key, self.asc, self.ascq)
    }
}

/// How a command ended.
///
/// The kinds are the decisions a caller must make; the numbers explain them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All data moved.
    Ok,
    /// The device has no room now (BUSY, TASK SET FULL, a full host adapter):
    /// the same command may be sent again.
    Busy,
    /// UNIT ATTENTION: something happened to the device before this command,
    /// which was not executed. May be sent again once the reason is looked at.
    UnitAttention(Sense),
    /// The command or a task set was aborted, or a reset ended it.
    Aborted,
    /// The device reports an error (CHECK CONDITION with any other sense key).
    Check(Sense),
    /// Any other SCSI status, as the device gave it.
    ScsiStatus(u8),
    /// NVMe status field: status code type << 8 | status code.
    NvmeStatus(u16),
    /// Fewer bytes moved than asked, though the device reports no error.
    ShortTransfer,
    /// No device answers at that address (any more).
    NoDevice,
    /// The host adapter reports an error of its own; its code.
    HostError(u16),
}

/// What a failed write says of the disk, beyond the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing.
    None,
    /// The disk is write-protected: sense key DATA PROTECT (SPC-4 4.5.6), NVMe
    /// Namespace is Write Protected (NVMe 1.4 figure 127, 0/20).
    Protected,
    /// This block cannot be written, and perhaps none: NVMe Write Fault (NVMe 1.4
    /// figure 130, 2/80), QEMU's answer for a bad block and a read-only node alike.
    Fault,
}

impl Status {
    /// What the status of a write says of the disk.
    #[must_use]
    pub const fn refusal(self) -> Refusal {
        match self {
            Self::Check(Sense { key: 7, .. }) | Self::NvmeStatus(0x020) => Refusal::Protected,
            Self::NvmeStatus(0x280) => Refusal::Fault,
            _ => Refusal::None,
        }
    }

    /// Whether all data moved.
    #[inline]
    #[must_use]
    pub const fn is_ok(self) -> bool {
        matches!(self, Self::Ok)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => write!(f, "ok"),
            Self::Busy => write!(f, "busy"),
            Self::UnitAttention(sense) => write!(f, "unit attention, sense {sense}"),
            Self::Aborted => write!(f, "aborted"),
            Self::Check(sense) => write!(f, "check condition, sense {sense}"),
            Self::ScsiStatus(status) => write!(f, "SCSI status {status:#04x}"),
            Self::NvmeStatus(status) => {
                write!(f, "NVMe status {:x}/{:02x}", status >> 8, status & 0xff)
            }
            Self::ShortTransfer => write!(f, "short transfer"),
            Self::NoDevice => write!(f, "no device"),
            Self::HostError(code) => write!(f, "host adapter status {code:#04x}"),
        }
    }
}

/// One finished command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The tag that `submit` returned.
    pub tag: Tag,
    /// The request's cookie.
    pub cookie: u32,
    /// How it ended.
    pub status: Status,
}

impl Completion {
    /// A place holder for arrays that `reap` fills.
    pub const EMPTY: Self = Self {
        tag: Tag::NONE,
        cookie: 0,
        status: Status::Ok,
    };
}
