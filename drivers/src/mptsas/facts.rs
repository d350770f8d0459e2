//! What an adapter says of itself, and what it is told at the start.

use super::handshake::{REPLY_BYTES, exchange, wait_for_state};
use super::regs::Regs;
use super::spec::{
    CAPABILITY_HI_PRI, FULL_INIT_VERSION, HEADER_VERSION, MAX_TARGETS, PORT_TYPE_PARALLEL,
    REPLY_FRAME_BYTES, WANTED_TARGETS, WHO_HOST_DRIVER, doorbell, function, ioc_status,
};
use crate::block::ControllerError;
use crate::hal::{BusAddr, Clock, Mmio};

/// How long most messages may take, in milliseconds.
const MESSAGE_MS: u64 = 5_000;
/// How long a port may look for devices (L waits as long for discovery).
const PORT_ENABLE_MS: u64 = 60_000;

/// What IOC_FACTS and PORT_FACTS say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Version of the message interface, such as 0x0105.
    pub message_version: u16,
    /// Firmware version: unit, minor, major and device in four bytes.
    pub firmware: u32,
    /// Product.
    pub product: u16,
    /// Requests that may be outstanding.
    pub credits: u16,
    /// Reply frames that it takes.
    pub reply_depth: u16,
    /// Longest request frame in bytes.
    pub request_frame_bytes: u16,
    /// Targets as it counts them, 1..=256; QEMU counts one too few.
    pub targets: u16,
    /// Capability bits.
    pub capabilities: u32,
    /// Parallel SCSI, not SAS.
    pub parallel: bool,
    /// Its own id on a parallel bus, which no disk has.
    pub own_target: u16,
}

fn half(reply: &[u8; REPLY_BYTES], at: usize) -> u16 {
    u16::from_le_bytes([reply[at], reply[at + 1]])
}

fn word(reply: &[u8; REPLY_BYTES], at: usize) -> u32 {
    u32::from(half(reply, at)) | u32::from(half(reply, at + 2)) << 16
}

impl Facts {
    /// Asks a READY adapter.
    pub(super) fn ask<M: Mmio>(
        regs: &Regs<M>,
        clock: &impl Clock,
    ) -> Result<Self, ControllerError> {
        let request = [u32::from(function::IOC_FACTS) << 24, 0, 0];
        let ioc = exchange(regs, clock, "IOC_FACTS", &request, MESSAGE_MS)?;
        let request = [u32::from(function::PORT_FACTS) << 24, 0, 0];
        let port = exchange(regs, clock, "PORT_FACTS", &request, MESSAGE_MS)?;
        Ok(Self::from_replies(&ioc, &port))
    }

    fn from_replies(ioc: &[u8; REPLY_BYTES], port: &[u8; REPLY_BYTES]) -> Self {
        Self {
            message_version: half(ioc, 0x00),
            reply_depth: half(ioc, 0x18),
            request_frame_bytes: half(ioc, 0x1a).saturating_mul(4),
            product: half(ioc, 0x1e),
            credits: half(ioc, 0x24),
            // 256 does not fit into the byte, and is said as 0.
            targets: match ioc[0x2e] {
                0 => MAX_TARGETS,
                count => u16::from(count),
            },
            capabilities: word(ioc, 0x34),
            firmware: word(ioc, 0x38),
            parallel: port[0x15] == PORT_TYPE_PARALLEL,
            own_target: half(port, 0x18),
        }
    }

    /// Task management has a FIFO of its own.
    pub(super) const fn has_hi_pri(&self) -> bool {
        self.capabilities & CAPABILITY_HI_PRI != 0
    }
}

/// What a READY adapter is told of the host's memory. Each pool lies within one
/// window of 4 GiB, so that one upper half serves all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Windows {
    /// Where request and reply frames lie.
    pub(super) frames: BusAddr,
    /// Where sense data goes.
    pub(super) sense: BusAddr,
}

/// Makes a READY adapter OPERATIONAL, and returns how many targets it takes.
pub(super) fn initialise<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
    facts: &Facts,
    windows: &Windows,
) -> Result<u16, ControllerError> {
    let wanted = facts.targets.max(WANTED_TARGETS);
    let targets = match send_init(regs, clock, facts, windows, wanted) {
        // More than it says it has was worth a try.
        Err(ControllerError::Refused { answer, .. })
            if answer == u64::from(ioc_status::INVALID_FIELD) && wanted > facts.targets =>
        {
            send_init(regs, clock, facts, windows, facts.targets)?;
            facts.targets
        }
        other => {
            other?;
            wanted
        }
    };
    let request = [u32::from(function::PORT_ENABLE) << 24, 0, 0];
    exchange(regs, clock, "PORT_ENABLE", &request, PORT_ENABLE_MS)?;
    let (state, what) = (doorbell::OPERATIONAL, "the adapter to be operational");
    wait_for_state(regs, clock, state, what, PORT_ENABLE_MS)?;
    Ok(targets)
}

fn send_init<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
    facts: &Facts,
    windows: &Windows,
    targets: u16,
) -> Result<(), ControllerError> {
    let message = init_message(windows, targets);
    let words = if facts.message_version >= FULL_INIT_VERSION {
        message.len()
    } else {
        SHORT_INIT_WORDS
    };
    exchange(regs, clock, "IOC_INIT", &message[..words], MESSAGE_MS)?;
    Ok(())
}

/// Words of IOC_INIT before its version fields existed.
const SHORT_INIT_WORDS: usize = 6;

/// IOC_INIT (L `MSG_IOC_INIT`): WhoInit, Function; MaxDevices, MaxBuses;
/// context; ReplyFrameSize; HostMfaHighAddr; SenseBufferHighAddr; no host
/// signalling and no host page buffer; MsgVersion, HeaderVersion.
fn init_message(windows: &Windows, targets: u16) -> [u32; 11] {
    let buses = 1 << 16;
    [
        u32::from(WHO_HOST_DRIVER) | u32::from(function::IOC_INIT) << 24,
        // 256 is 0.
        u32::from(targets as u8) << 8 | buses,
        0,
        REPLY_FRAME_BYTES as u32,
        (windows.frames.0 >> 32) as u32,
        (windows.sense.0 >> 32) as u32,
        0,
        0,
        0,
        0,
        u32::from(FULL_INIT_VERSION) | u32::from(HEADER_VERSION) << 16,
    ]
}

/// Switches events on; whether the adapter takes that. Its own answer is not
/// waited for beyond the handshake: events come as replies.
pub(super) fn switch_events_on<M: Mmio>(
    regs: &Regs<M>,
    clock: &impl Clock,
) -> Result<(), ControllerError> {
    let request = [1 | u32::from(function::EVENT_NOTIFICATION) << 24, 0, 0];
    exchange(regs, clock, "EVENT_NOTIFICATION", &request, MESSAGE_MS)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_lie_where_the_headers_say() {
        let mut ioc = [0; REPLY_BYTES];
        ioc[..2].copy_from_slice(&[0x05, 0x01]);
        ioc[0x18..0x1c].copy_from_slice(&[128, 0, 128, 0]);
        ioc[0x1e..0x20].copy_from_slice(&[0x02, 0x21]);
        ioc[0x24..0x26].copy_from_slice(&[0x34, 0x12]);
        ioc[0x2e] = 8;
        ioc[0x34] = 1;
        ioc[0x38..0x3c].copy_from_slice(&[0, 92, 32, 1]);
        let mut port = [0; REPLY_BYTES];
        port[0x15] = 0x30;
        port[0x18] = 8;
        let facts = Facts::from_replies(&ioc, &port);
        let expected = Facts {
            message_version: 0x0105,
            firmware: 0x0120_5c00,
            product: 0x2102,
            credits: 0x1234,
            reply_depth: 128,
            request_frame_bytes: 512,
            targets: 8,
            capabilities: 1,
            parallel: false,
            own_target: 8,
        };
        assert_eq!(facts, expected);
        assert!(facts.has_hi_pri());
        ioc[0x2e] = 0;
        port[0x15] = 1;
        let facts = Facts::from_replies(&ioc, &port);
        assert_eq!((facts.targets, facts.parallel), (256, true));
    }

    #[test]
    fn the_first_message_has_the_bytes_of_the_headers() {
        let windows = Windows {
            frames: BusAddr(0x12_3450_0000),
            sense: BusAddr(0x34_0000_1000),
        };
        let bytes: alloc::vec::Vec<u8> = init_message(&windows, 256)
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let mut expected = [0; 44];
        expected[0x00] = 4;
        expected[0x03] = 2;
        expected[0x06] = 1;
        expected[0x0c] = 80;
        expected[0x10] = 0x12;
        expected[0x14] = 0x34;
        expected[0x28..].copy_from_slice(&[0x05, 0x01, 0x00, 0x13]);
        assert_eq!(bytes, expected);
        assert_eq!(init_message(&windows, 16)[1], 16 << 8 | 1 << 16);
    }
}
