//! What a completion says.

use super::spec::btstat;
use crate::block::Status;
use crate::scsi;

/// The kind of a completion that carries a status. The unit's own status comes
/// first: QEMU reports a refused read as CHECK CONDITION with sense *and* as
/// short, and the sense is the reason.
pub(super) fn decode(host_status: u16, scsi_status: u16, sense: &[u8]) -> Status {
    if scsi_status != 0 {
        let Ok(scsi_status) = u8::try_from(scsi_status) else {
            return Status::HostError(host_status);
        };
        let status = scsi::status::decode(scsi_status, sense);
        if !status.is_ok() {
            return status;
        }
    }
    match host_status {
        btstat::SUCCESS
        | btstat::LINKED_COMMAND_COMPLETED
        | btstat::LINKED_COMMAND_COMPLETED_WITH_FLAG => Status::Ok,
        btstat::DATA_UNDERRUN | btstat::DATARUN => Status::ShortTransfer,
        btstat::SELECTION_TIMEOUT => Status::NoDevice,
        btstat::SENT_RESET
        | btstat::RECEIVED_RESET
        | btstat::BUS_RESET
        | btstat::ABORTED
        | btstat::ADAPTER_TIMEOUT => Status::Aborted,
        other => Status::HostError(other),
    }
}
