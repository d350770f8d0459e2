//! What a SCSI status means for a caller.

use super::sense;
use super::spec::{code, key};
use crate::block::Status;

/// The kind of a SCSI status; `sense_data` counts only with CHECK CONDITION.
///
/// A recovered error is a success. Without valid sense data a CHECK CONDITION
/// stays a bare status.
#[must_use]
pub fn decode(scsi_status: u8, sense_data: &[u8]) -> Status {
    match scsi_status {
        code::GOOD | code::CONDITION_MET => Status::Ok,
        code::CHECK_CONDITION => match sense::parse(sense_data) {
            Some(sense) if sense.key == key::RECOVERED_ERROR => Status::Ok,
            Some(sense) if sense.key == key::UNIT_ATTENTION => Status::UnitAttention(sense),
            Some(sense) => Status::Check(sense),
            None => Status::ScsiStatus(scsi_status),
        },
        code::BUSY | code::TASK_SET_FULL => Status::Busy,
        code::TASK_ABORTED => Status::Aborted,
        other => Status::ScsiStatus(other),
    }
}
