//! What a reply says of a command.

use super::frames::Reply;
use super::spec::{ioc_status, reply, scsi_state};
use crate::block::Status;
use crate::scsi::{self, sense::SENSE_BYTES};

/// The parts of a SCSI IO reply that decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    ioc_status: u16,
    scsi_status: u8,
    scsi_state: u8,
    transfer_bytes: u32,
    /// Bytes of sense data, as stated.
    pub(super) sense_bytes: u32,
}

impl Verdict {
    pub(super) const fn of(frame: &Reply) -> Self {
        Self {
            ioc_status: frame.half(reply::IOC_STATUS) & ioc_status::MASK,
            scsi_status: frame.byte(reply::SCSI_STATUS),
            scsi_state: frame.byte(reply::SCSI_STATE),
            transfer_bytes: frame.word(reply::TRANSFER_COUNT),
            sense_bytes: frame.word(reply::SENSE_COUNT),
        }
    }

    /// Whether sense data was written.
    pub(super) const fn has_sense(&self) -> bool {
        self.scsi_state & scsi_state::AUTOSENSE_VALID != 0
    }

    /// The kind of the command's end. `expected_bytes` is what it was to move;
    /// `parallel` tells a 53c1030.
    pub(super) fn status(
        &self,
        sense: &[u8; SENSE_BYTES],
        expected_bytes: u32,
        parallel: bool,
    ) -> Status {
        match self.ioc_status {
            // An underrun stands beside the unit's own status, which comes first:
            // QEMU reports every status but GOOD so.
            ioc_status::SUCCESS | ioc_status::RECOVERED | ioc_status::DATA_UNDERRUN => {
                self.scsi(sense, expected_bytes, parallel)
            }
            ioc_status::BUSY | ioc_status::INSUFFICIENT_RESOURCES => Status::Busy,
            ioc_status::INVALID_BUS | ioc_status::INVALID_TARGET | ioc_status::DEVICE_NOT_THERE => {
                Status::NoDevice
            }
            ioc_status::TASK_TERMINATED
            | ioc_status::IOC_TERMINATED
            | ioc_status::EXT_TERMINATED => Status::Aborted,
            ioc_status::RESIDUAL_MISMATCH => Status::ShortTransfer,
            other => Status::HostError(other),
        }
    }

    fn scsi(&self, sense: &[u8; SENSE_BYTES], expected_bytes: u32, parallel: bool) -> Status {
        if self.scsi_state & scsi_state::TERMINATED != 0 {
            return Status::Aborted;
        }
        if self.scsi_state & scsi_state::NO_STATUS != 0 {
            return Status::HostError(self.ioc_status);
        }
        let known = if self.has_sense() { &sense[..] } else { &[] };
        let status = scsi::status::decode(self.scsi_status, known);
        if !status.is_ok() || self.scsi_status != 0 {
            // Of a command that did not simply end well, the count says nothing.
            return status;
        }
        if self.transfer_bytes == expected_bytes {
            return Status::Ok;
        }
        match self.ioc_status {
            ioc_status::DATA_UNDERRUN => Status::ShortTransfer,
            // The 53c1030 may lose data of a read and not notice (L
            // `mptscsih_io_done` sends such a command again).
            _ if parallel && self.transfer_bytes < expected_bytes => Status::Busy,
            _ => Status::Ok,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Sense;

    const NOT_THERE: Sense = Sense {
        key: 5,
        asc: 0x25,
        ascq: 0,
    };

    fn verdict(ioc_status: u16, scsi_status: u8, scsi_state: u8, transfer_bytes: u32) -> Status {
        let mut sense = [0; SENSE_BYTES];
        sense[..14].copy_from_slice(&[0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x25, 0]);
        let verdict = Verdict {
            ioc_status,
            scsi_status,
            scsi_state,
            transfer_bytes,
            sense_bytes: 18,
        };
        verdict.status(&sense, 4096, false)
    }

    #[test]
    fn the_units_status_comes_before_the_underrun() {
        assert_eq!(verdict(0x45, 2, 1, 0), Status::Check(NOT_THERE));
        assert_eq!(verdict(0x45, 8, 1, 0), Status::Busy);
        assert_eq!(verdict(0x45, 0x28, 1, 0), Status::Busy);
        assert_eq!(verdict(0x45, 0x18, 1, 0), Status::ScsiStatus(0x18));
        assert_eq!(verdict(0, 2, 1, 4096), Status::Check(NOT_THERE));
        // Sense that is not said to be valid is not looked at.
        assert_eq!(verdict(0x45, 2, 2, 0), Status::ScsiStatus(2));
    }

    #[test]
    fn a_true_underrun_is_short() {
        assert_eq!(verdict(0x45, 0, 0, 512), Status::ShortTransfer);
        // Wrapped below zero, as QEMU states it for a request longer than its CDB.
        assert_eq!(verdict(0x45, 0, 0, 12_288), Status::ShortTransfer);
        assert_eq!(verdict(0x45, 0, 0, 4096), Status::Ok);
        assert_eq!(verdict(0x49, 0, 0, 512), Status::ShortTransfer);
        assert_eq!(verdict(0, 0, 0, 4096), Status::Ok);
        assert_eq!(verdict(0x40, 0, 0, 4096), Status::Ok);
    }

    #[test]
    fn codes_of_the_adapter_become_decisions() {
        for code in [2, 6] {
            assert_eq!(verdict(code, 0, 4, 0), Status::Busy);
        }
        for code in [0x41, 0x42, 0x43] {
            assert_eq!(verdict(code, 0, 4, 0), Status::NoDevice);
        }
        for code in [0x48, 0x4b, 0x4c] {
            assert_eq!(verdict(code, 0, 4, 0), Status::Aborted);
        }
        for code in [1, 3, 4, 7, 0x44, 0x46, 0x47, 0x4a] {
            assert_eq!(verdict(code, 0, 4, 0), Status::HostError(code));
        }
        assert_eq!(verdict(0, 0, 8, 0), Status::Aborted);
        assert_eq!(verdict(0, 0, 4, 0), Status::HostError(0));
    }

    #[test]
    fn the_parallel_chip_may_lose_data_unnoticed() {
        let verdict = Verdict {
            ioc_status: 0,
            scsi_status: 0,
            scsi_state: 0,
            transfer_bytes: 512,
            sense_bytes: 0,
        };
        let sense = [0; SENSE_BYTES];
        assert_eq!(verdict.status(&sense, 4096, true), Status::Busy);
        assert_eq!(verdict.status(&sense, 4096, false), Status::Ok);
    }
}
