//! What a response says.

use super::queue::Response;
use super::spec::answer;
use crate::block::Status;
use crate::scsi;

/// The kind of a response; `sense` counts only with CHECK CONDITION. A residual
/// counts where all else is well.
pub(super) fn decode(response: &Response, sense: &[u8]) -> Status {
    match response.response {
        answer::OK => match scsi::status::decode(response.status, sense) {
            Status::Ok if response.residual_bytes != 0 => Status::ShortTransfer,
            status => status,
        },
        answer::BAD_TARGET | answer::INCORRECT_LUN => Status::NoDevice,
        answer::ABORTED | answer::RESET => Status::Aborted,
        answer::BUSY => Status::Busy,
        // OVERRUN among them: our buffers hold what their CDB asks for.
        other => Status::HostError(u16::from(other)),
    }
}
