//! The report of a processor fault.

use super::frame::Frame;
use crate::exit;
use crate::memory::guard;
use core::fmt;
use proto::exit::GuestExit;
use x86_64::registers::control::Cr2;

const PAGE_FAULT: u64 = 14;

/// Names of the vectors that the processor raises itself (Intel SDM volume 3, table 6-1).
const NAMES: [&str; 32] = [
    "divide error",
    "debug",
    "NMI",
    "breakpoint",
    "overflow",
    "bound range exceeded",
    "invalid opcode",
    "device not available",
    "double fault",
    "coprocessor segment overrun",
    "invalid TSS",
    "segment not present",
    "stack segment fault",
    "general protection fault",
    "page fault",
    "reserved",
    "x87 floating-point error",
    "alignment check",
    "machine check",
    "SIMD floating-point error",
    "virtualization",
    "control protection",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "hypervisor injection",
    "VMM communication",
    "security",
    "reserved",
];

/// Says what happened and where, and ends the run.
pub(super) fn report(frame: &Frame) -> ! {
    let summary = Summary {
        frame,
        address: (frame.vector == PAGE_FAULT).then(Cr2::read_raw),
    };
    exit::fatal(
        GuestExit::Fault,
        format_args!("{summary}"),
        format_args!("{frame}"),
    )
}

/// One line: what, where, why.
struct Summary<'a> {
    frame: &'a Frame,
    /// What a page fault tried to reach.
    address: Option<u64>,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Frame {
            vector,
            error,
            rip,
            rsp,
            ..
        } = *self.frame;
        let name = NAMES
            .get(vector as usize)
            .unwrap_or(&"unexpected interrupt");
        write!(f, "fault: {name} (vector {vector}, error code {error:#x})")?;
        write!(f, " at rip {rip:#x}, rsp {rsp:#x}")?;
        if let Some(address) = self.address {
            // Error code bits: Intel SDM volume 3, 4.7.
            let access = match (error & 0x10 != 0, error & 2 != 0) {
                (true, _) => "execute",
                (false, true) => "write",
                (false, false) => "read",
            };
            let why = if error & 1 == 0 {
                "not mapped"
            } else {
                "not allowed"
            };
            write!(f, ", cr2 {address:#x}: {access}, {why}")?;
            if let Some(what) = guard::owner(address) {
                write!(f, "; this is the guard page of {what}, which overflowed")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn text(vector: u64, error: u64, address: Option<u64>) -> std::string::String {
        let frame = Frame {
            vector,
            error,
            rip: 0xffff_ffff_8020_1234,
            rsp: 0x5000,
            ..Frame::default()
        };
        let frame = &frame;
        Summary { frame, address }.to_string()
    }

    #[test]
    fn a_page_fault_says_what_was_tried_and_why_it_failed() {
        assert_eq!(
            text(14, 2, Some(0x1000)),
            "fault: page fault (vector 14, error code 0x2) at rip 0xffffffff80201234, \
             rsp 0x5000, cr2 0x1000: write, not mapped"
        );
        assert!(text(14, 0x11, Some(0)).ends_with("cr2 0x0: execute, not allowed"));
        assert!(text(14, 0, Some(8)).ends_with("cr2 0x8: read, not mapped"));
    }

    #[test]
    fn a_guard_page_is_named() {
        guard::add(0x7_7000, "a test stack");
        let text = text(14, 2, Some(0x7_7ff8));
        assert!(text.ends_with("guard page of a test stack, which overflowed"));
    }

    #[test]
    fn other_vectors_have_no_address() {
        assert_eq!(
            text(13, 0x18, None),
            "fault: general protection fault (vector 13, error code 0x18) at rip \
             0xffffffff80201234, rsp 0x5000"
        );
        assert!(text(77, 0, None).starts_with("fault: unexpected interrupt (vector 77"));
    }
}
