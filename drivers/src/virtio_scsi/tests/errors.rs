//! Responses, statuses, sense and short transfers.

use super::super::queue::Response;
use super::super::status::decode;
use super::bench::Qemu;
use super::*;
use crate::fake::scsi::{FaultKind, sense_fixed};
use crate::scsi::kit::errors::{check, read_with};

#[test]
fn responses_become_their_kind() {
    for (response, expected) in [
        (1, Status::HostError(1)),
        (2, Status::Aborted),
        (3, Status::NoDevice),
        (4, Status::Aborted),
        (5, Status::Busy),
        (6, Status::HostError(6)),
        (9, Status::HostError(9)),
        (12, Status::NoDevice),
    ] {
        let fault = FaultKind::Transport(response);
        let status = read_with::<Qemu>(&one_disk(), fault);
        assert_eq!(status, expected, "{response}");
    }
}

#[test]
fn a_response_is_read_in_this_order() {
    let answer = |response, status, residual_bytes| Response {
        sense_bytes: 18,
        residual_bytes,
        status,
        response,
    };
    let sense = sense_fixed(5, 0x21, 0);
    assert_eq!(decode(&answer(0, 2, 512), &sense), check(5, 0x21, 0));
    assert_eq!(decode(&answer(3, 2, 0), &sense), Status::NoDevice);
    assert_eq!(decode(&answer(0, 0, 512), &[]), Status::ShortTransfer);
    assert_eq!(decode(&answer(0, 8, 512), &[]), Status::Busy);
    // A recovered error moved its data, unless there is a residual.
    let recovered = sense_fixed(1, 0x17, 1);
    assert_eq!(decode(&answer(0, 2, 0), &recovered), Status::Ok);
    assert_eq!(decode(&answer(0, 2, 1), &recovered), Status::ShortTransfer);
}
