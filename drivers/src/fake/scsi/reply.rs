//! What a unit answers.

use alloc::vec::Vec;

/// Which way the data of a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// No data.
    None,
    /// Device to memory.
    In,
    /// Memory to device.
    Out,
}

/// The answer to one command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScsiReply {
    /// SCSI status: 0 good, 2 check condition, 8 busy, 0x28 task set full.
    pub status: u8,
    /// Sense data; empty without a check condition.
    pub sense: Vec<u8>,
    /// Data for the initiator.
    pub data: Vec<u8>,
    /// Bytes that moved, either way.
    pub moved_bytes: u64,
    /// A status of the transport instead of the unit's, in the controller's own code.
    pub transport: Option<u16>,
    /// The unit never answers.
    pub lost: bool,
}

impl ScsiReply {
    pub(super) fn good() -> Self {
        Self::default()
    }

    pub(super) fn data(mut data: Vec<u8>, room_bytes: usize) -> Self {
        data.truncate(room_bytes);
        Self {
            moved_bytes: data.len() as u64,
            data,
            ..Self::default()
        }
    }

    pub(super) fn status(status: u8) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// Check condition with fixed-format sense.
    #[must_use]
    pub fn check(key: u8, asc: u8, ascq: u8) -> Self {
        Self {
            status: 2,
            sense: sense_fixed(key, asc, ascq),
            ..Self::default()
        }
    }
}

/// Sense data in fixed format, 18 bytes (SPC-4 4.5.3).
#[must_use]
pub fn sense_fixed(key: u8, asc: u8, ascq: u8) -> Vec<u8> {
    let mut sense = alloc::vec![0; 18];
    sense[0] = 0x70;
    sense[2] = key;
    sense[7] = 10;
    sense[12] = asc;
    sense[13] = ascq;
    sense
}

/// Sense data in descriptor format, 8 bytes (SPC-4 4.5.2).
pub(super) fn sense_descriptor(key: u8, asc: u8, ascq: u8) -> Vec<u8> {
    alloc::vec![0x72, key, asc, ascq, 0, 0, 0, 0]
}
