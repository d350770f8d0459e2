//! Bring-up by messages through the doorbell register.

use super::FRAME_BYTES;
use crate::start::StartError;
use drivers::hal::{Clock, Deadline, Mmio};

/// Registers as offsets in bytes, their bits, and functions: the names of Linux
/// 6.1, drivers/message/fusion/lsi/mpi.h and mpi_ioc.h.
mod spec {
    pub const DOORBELL: usize = 0x00;
    pub const INTERRUPT_STATUS: usize = 0x30;
    pub const INTERRUPT_MASK: usize = 0x34;

    pub const STATE_READY: u32 = 1;
    pub const STATE_OPERATIONAL: u32 = 2;
    pub const DOORBELL_ACTIVE: u32 = 1 << 27;
    pub const MESSAGE_UNIT_RESET: u32 = 0x40 << 24;
    pub const HANDSHAKE: u32 = 0x42 << 24;

    /// The adapter has something to read, or took what was written.
    pub const STATUS_DOORBELL: u32 = 1;
    /// It has not taken yet what was written.
    pub const STATUS_BUSY: u32 = 1 << 31;
    /// Neither replies nor the doorbell interrupt.
    pub const MASK_ALL: u32 = 0x09;

    pub const IOC_INIT: u32 = 0x02;
    pub const IOC_FACTS: u32 = 0x03;
    pub const PORT_ENABLE: u32 = 0x06;
    pub const WHO_HOST_DRIVER: u32 = 4;
    pub const MESSAGE_VERSION: u32 = 0x0105;
}

/// Limit for each step, as Linux has it for the slowest of them.
const STEP_MS: u64 = 15_000;

/// Targets to look at; QEMU says 8, but takes disks up to id 8.
pub const TARGETS: u8 = 16;

/// Half-words that are kept of a reply; IOC_FACTS has 40.
type Reply = [u16; 64];

/// What the adapter takes at a time.
pub struct Facts {
    pub credits: u32,
    pub reply_frames: u32,
}

/// An adapter's registers, and time.
pub struct Handshake<'a, M, C> {
    pub registers: &'a M,
    pub clock: &'a C,
}

impl<M: Mmio, C: Clock> Handshake<'_, M, C> {
    /// Ends whatever runs, and waits for the adapter to be ready.
    pub fn make_ready(&self) -> Result<(), StartError> {
        self.registers.write32(spec::INTERRUPT_MASK, spec::MASK_ALL);
        if self.state() != spec::STATE_READY {
            self.registers
                .write32(spec::DOORBELL, spec::MESSAGE_UNIT_RESET);
            self.wait(|this| this.state() == spec::STATE_READY)?;
        }
        Ok(())
    }

    /// Asks what it takes.
    pub fn facts(&self) -> Result<Facts, StartError> {
        let reply = self.exchange(&[spec::IOC_FACTS << 24, 0, 1])?;
        Ok(Facts {
            credits: reply[0x24 / 2].into(),
            reply_frames: reply[0x18 / 2].into(),
        })
    }

    /// Makes it operational, with all frames in the 4 GiB whose upper half is
    /// `high`.
    pub fn initialise(&self, high: u32) -> Result<(), StartError> {
        let buses = 1;
        self.exchange(&[
            spec::IOC_INIT << 24 | spec::WHO_HOST_DRIVER,
            buses << 16 | u32::from(TARGETS) << 8,
            1,
            FRAME_BYTES as u32,
            high,
            // Sense data is not asked for.
            high,
            0,
            0,
            0,
            0,
            spec::MESSAGE_VERSION,
        ])?;
        self.exchange(&[spec::PORT_ENABLE << 24, 0, 1])?;
        self.wait(|this| this.state() == spec::STATE_OPERATIONAL)
    }

    fn state(&self) -> u32 {
        self.registers.read32(spec::DOORBELL) >> 28
    }

    /// Sends a message and takes its reply, word by word; fails if the reply's
    /// IOCStatus, in its bytes 14 and 15, is not success.
    fn exchange(&self, message: &[u32]) -> Result<Reply, StartError> {
        self.acknowledge();
        let words = message.len() as u32;
        self.registers
            .write32(spec::DOORBELL, spec::HANDSHAKE | words << 16);
        self.wait_for_doorbell()?;
        let doorbell = self.registers.read32(spec::DOORBELL);
        if doorbell & spec::DOORBELL_ACTIVE == 0 {
            return Err(StartError::Refused(doorbell));
        }
        self.acknowledge();
        self.wait_until_taken()?;
        for &word in message {
            self.registers.write32(spec::DOORBELL, word);
            self.wait_until_taken()?;
        }
        let mut reply = [0; 64];
        let mut read = 0;
        let mut len = 2;
        while read < len {
            self.wait_for_doorbell()?;
            let half = self.registers.read32(spec::DOORBELL) as u16;
            self.acknowledge();
            if let Some(place) = reply.get_mut(read) {
                *place = half;
            }
            read += 1;
            if read == 2 {
                // Byte 2: the length in 32-bit words.
                len = usize::from(half & 0xff) * 2;
            }
        }
        self.wait_for_doorbell()?;
        self.acknowledge();
        // Bit 15 tells that there is more about it elsewhere.
        match reply[7] & 0x7fff {
            0 => Ok(reply),
            status => Err(StartError::Refused(status.into())),
        }
    }

    fn acknowledge(&self) {
        self.registers.write32(spec::INTERRUPT_STATUS, 0);
    }

    fn interrupt_status(&self) -> u32 {
        self.registers.read32(spec::INTERRUPT_STATUS)
    }

    fn wait_for_doorbell(&self) -> Result<(), StartError> {
        self.wait(|this| this.interrupt_status() & spec::STATUS_DOORBELL != 0)
    }

    fn wait_until_taken(&self) -> Result<(), StartError> {
        self.wait(|this| this.interrupt_status() & spec::STATUS_BUSY == 0)
    }

    fn wait(&self, done: impl Fn(&Self) -> bool) -> Result<(), StartError> {
        Deadline::after_ms(self.clock, STEP_MS)
            .poll(self.clock, || done(self).then_some(()))
            .ok_or(StartError::TimedOut)
    }
}
