//! The registers, by what they do.

use super::spec::{cmd, intr, reg};
use crate::hal::{Mmio, MmioCounts};
use core::sync::atomic::{Ordering, compiler_fence};

/// Typed access to the registers.
pub(super) struct Regs<M> {
    mmio: M,
}

impl<M: Mmio> Regs<M> {
    pub(super) const fn new(mmio: M) -> Self {
        Self { mmio }
    }

    pub(super) fn counts(&self) -> MmioCounts {
        self.mmio.counts()
    }

    /// Issues a command and returns its status.
    pub(super) fn command(&self, command: u32, descriptor: &[u32]) -> u32 {
        // The descriptor may name memory that was just written.
        compiler_fence(Ordering::SeqCst);
        self.mmio.write32(reg::COMMAND, command);
        for word in descriptor {
            self.mmio.write32(reg::COMMAND_DATA, *word);
        }
        self.mmio.read32(reg::COMMAND_STATUS)
    }

    /// Resets adapter and bus, and returns once that is done: the read behind
    /// it flushes the write.
    pub(super) fn reset(&self) {
        self.mmio.write32(reg::COMMAND, cmd::ADAPTER_RESET);
        self.raised();
    }

    /// Whether the device is off the bus. Its interrupt status has four bits, so
    /// that all ones can mean nothing else.
    pub(super) fn is_gone(&self) -> bool {
        self.raised() == u32::MAX
    }

    /// Raised interrupts.
    pub(super) fn raised(&self) -> u32 {
        self.mmio.read32(reg::INTR_STATUS)
    }

    /// Clears raised interrupts.
    pub(super) fn clear(&self, bits: u32) {
        self.mmio.write32(reg::INTR_STATUS, bits & intr::ALL);
    }

    /// Enables just these interrupts.
    pub(super) fn enable(&self, bits: u32) {
        self.mmio.write32(reg::INTR_MASK, bits);
    }

    /// Makes the device process the request ring. `other` if anything but reads
    /// and writes was published.
    #[inline]
    pub(super) fn kick(&self, other: bool) {
        // No store to the ring may sink below the register write.
        compiler_fence(Ordering::SeqCst);
        let register = if other {
            reg::KICK_NON_RW_IO
        } else {
            reg::KICK_RW_IO
        };
        self.mmio.write32(register, 0);
    }
}
