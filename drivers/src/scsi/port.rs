//! How the scan reaches the units behind a controller.

use super::Cdb;
use crate::block::{ControllerError, Disk, DiskAddress, Status};

/// Address of a logical unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScsiAddress {
    /// Target number.
    pub target: u16,
    /// Logical unit number.
    pub lun: u16,
}

impl ScsiAddress {
    /// Of a disk; `None` if it is a namespace.
    #[must_use]
    pub const fn of(disk: &Disk) -> Option<Self> {
        match disk.address {
            DiskAddress::Scsi { target, lun } => Some(Self { target, lun }),
            DiskAddress::Namespace(_) => None,
        }
    }
}

impl From<ScsiAddress> for DiskAddress {
    fn from(address: ScsiAddress) -> Self {
        Self::Scsi {
            target: address.target,
            lun: address.lun,
        }
    }
}

/// Longest data that [`ScsiPort::execute`] is asked for, in bytes.
pub const PORT_BYTES: usize = super::luns::LUNS_BYTES;

/// One command at a time to any unit behind a controller, outside measurements.
pub trait ScsiPort {
    /// Sends a command and waits for its end. `data_in` takes what the unit
    /// returns, at most [`PORT_BYTES`]; what it does not return becomes zero. An
    /// empty slice means a command without data.
    ///
    /// [`Status::ShortTransfer`] means that fewer bytes came, which is usual here.
    ///
    /// # Errors
    /// [`ControllerError::TimedOut`] if no answer came: the controller has taken
    /// the command back and can be used on. Others when it cannot.
    fn execute(
        &mut self,
        address: ScsiAddress,
        cdb: &Cdb,
        data_in: &mut [u8],
    ) -> Result<Status, ControllerError>;

    /// Waits a little, some 10 ms, before a command is sent again.
    fn pause(&mut self);
}
