//! The registers, by what they do.

use super::spec::{diagnostic, doorbell, interrupt, reg};
use crate::hal::{Mmio, MmioCounts};
use core::sync::atomic::{Ordering, compiler_fence};

/// What the doorbell says of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State(pub(super) u32);

impl State {
    /// Off the bus: no adapter has state 15.
    pub(super) const fn is_gone(self) -> bool {
        self.0 == u32::MAX
    }

    /// Whether it is in one of the states of [`doorbell`].
    pub(super) const fn is(self, state: u32) -> bool {
        self.0 & doorbell::STATE_MASK == state
    }

    /// Whether somebody's handshake is going on.
    pub(super) const fn in_handshake(self) -> bool {
        self.0 & doorbell::ACTIVE != 0
    }

    /// The code, if it has given up.
    pub(super) const fn fault(self) -> Option<u32> {
        if self.is(doorbell::FAULT) && !self.is_gone() {
            Some(self.0 & doorbell::DATA_MASK)
        } else {
            None
        }
    }
}

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

    /// State of the adapter. Not to be asked during a handshake: each read of
    /// the doorbell consumes a half-word of the reply.
    pub(super) fn state(&self) -> State {
        State(self.mmio.read32(reg::DOORBELL))
    }

    /// Next half-word of a reply.
    pub(super) fn half_word(&self) -> u16 {
        (self.mmio.read32(reg::DOORBELL) & doorbell::DATA_MASK) as u16
    }

    /// Writes a function, or a word of a message.
    pub(super) fn write_doorbell(&self, value: u32) {
        self.mmio.write32(reg::DOORBELL, value);
    }

    /// Raised interrupts, masked ones included.
    pub(super) fn raised(&self) -> u32 {
        self.mmio.read32(reg::INT_STATUS)
    }

    /// Clears the doorbell's interrupt; that of the replies ends when they are read.
    pub(super) fn clear_doorbell(&self) {
        self.mmio.write32(reg::INT_STATUS, 0);
    }

    /// Lets replies interrupt, or nothing.
    pub(super) fn enable(&self, replies: bool) {
        let mask = if replies {
            interrupt::DOORBELL
        } else {
            interrupt::MASK_ALL
        };
        self.mmio.write32(reg::INT_MASK, mask);
    }

    /// Writes the keys that unlock the diagnostic register.
    pub(super) fn unlock_diagnostic(&self) {
        for key in diagnostic::KEYS {
            self.mmio.write32(reg::WRITE_SEQUENCE, key);
        }
    }

    /// The diagnostic register.
    pub(super) fn diagnostic(&self) -> u32 {
        self.mmio.read32(reg::DIAGNOSTIC)
    }

    /// Resets the adapter, whatever it does. The register must be unlocked.
    pub(super) fn reset_adapter(&self, diagnostic: u32) {
        self.mmio
            .write32(reg::DIAGNOSTIC, diagnostic | diagnostic::RESET);
    }

    /// Posts a request frame, by the low half of its address.
    #[inline]
    pub(super) fn post(&self, low_address: u32) {
        // No store to the frame may sink below the register write.
        compiler_fence(Ordering::SeqCst);
        self.mmio.write32(reg::REQUEST_FIFO, low_address);
    }

    /// The same past all that waits, where the adapter has such a FIFO.
    pub(super) fn post_first(&self, low_address: u32) {
        compiler_fence(Ordering::SeqCst);
        self.mmio.write32(reg::HI_PRI_FIFO, low_address);
    }

    /// Takes the next reply, or [`NO_REPLY`](super::spec::NO_REPLY).
    #[inline]
    pub(super) fn take_reply(&self) -> u32 {
        let reply = self.mmio.read32(reg::REPLY_FIFO);
        // No load of what the reply announces may rise above the register read.
        compiler_fence(Ordering::SeqCst);
        reply
    }

    /// Gives a reply frame (back) to the adapter.
    pub(super) fn give_frame(&self, low_address: u32) {
        compiler_fence(Ordering::SeqCst);
        self.mmio.write32(reg::REPLY_FIFO, low_address);
    }
}
