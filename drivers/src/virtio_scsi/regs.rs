//! The registers, by what they do.

use super::regions::Regions;
use super::spec::{NO_VECTOR, common, config, device_status};
use crate::block::ControllerError;
use crate::hal::{BusAddr, Clock, Deadline, Mmio, MmioCounts};
use core::sync::atomic::{Ordering, compiler_fence};

/// How long a reset may take in milliseconds.
const RESET_MS: u64 = 2_000;

/// Typed access to the registers.
pub(super) struct Regs<M> {
    mmio: M,
    at: Regions,
}

/// Addresses of a queue's three parts, and its interrupt vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) descriptors: BusAddr,
    pub(super) driver: BusAddr,
    pub(super) device: BusAddr,
    pub(super) entries: u16,
    pub(super) vector: u16,
}

impl<M: Mmio> Regs<M> {
    /// # Errors
    /// [`ControllerError::Refused`] if a structure leaves the BAR.
    pub(super) fn new(mmio: M, at: Regions) -> Result<Self, ControllerError> {
        let ends = [
            at.common + common::BYTES,
            at.device + config::BYTES,
            at.isr + 1,
            at.notify + 2,
        ];
        if ends.iter().any(|end| *end > mmio.len_bytes()) {
            return Err(ControllerError::Refused {
                what: "a BAR that holds all structures of virtio",
                answer: mmio.len_bytes() as u64,
            });
        }
        Ok(Self { mmio, at })
    }

    pub(super) fn counts(&self) -> MmioCounts {
        self.mmio.counts()
    }

    /// The device status.
    ///
    /// # Errors
    /// [`ControllerError::Gone`] if it reads all ones.
    pub(super) fn status(&self) -> Result<u8, ControllerError> {
        match self.mmio.read8(self.at.common + common::STATUS) {
            device_status::GONE => Err(ControllerError::Gone),
            status => Ok(status),
        }
    }

    pub(super) fn set_status(&self, status: u8) {
        // What the status makes the device look at must have been written.
        compiler_fence(Ordering::SeqCst);
        self.mmio.write8(self.at.common + common::STATUS, status);
    }

    /// Resets the device, and returns once it touches no memory any more.
    ///
    /// # Errors
    /// [`ControllerError::Gone`], [`ControllerError::TimedOut`].
    pub(super) fn reset(&self, clock: &impl Clock) -> Result<(), ControllerError> {
        self.set_status(0);
        let done = Deadline::after_ms(clock, RESET_MS).poll(clock, || match self.status() {
            Ok(0) => Some(Ok(())),
            Ok(_) => None,
            Err(gone) => Some(Err(gone)),
        });
        done.unwrap_or(Err(ControllerError::TimedOut {
            what: "reset",
            after_ms: RESET_MS,
        }))
    }

    /// All features that the device offers.
    pub(super) fn offered(&self) -> u64 {
        let half = |select: u32| {
            self.common32(common::DEVICE_FEATURE_SELECT, select);
            let at = self.at.common + common::DEVICE_FEATURE;
            u64::from(self.mmio.read32(at))
        };
        half(0) | half(1) << 32
    }

    /// Tells which of them are used.
    pub(super) fn accept(&self, features: u64) {
        for select in 0..2 {
            self.common32(common::DRIVER_FEATURE_SELECT, select);
            self.common32(common::DRIVER_FEATURE, (features >> (32 * select)) as u32);
        }
    }

    fn common32(&self, register: usize, value: u32) {
        self.mmio.write32(self.at.common + register, value);
    }

    fn common16(&self, register: usize, value: u16) {
        self.mmio.write16(self.at.common + register, value);
    }

    /// Most entries of a queue; 0 if there is no such queue.
    pub(super) fn max_entries(&self, queue: u16) -> u16 {
        self.common16(common::QUEUE_SELECT, queue);
        self.mmio.read16(self.at.common + common::QUEUE_SIZE)
    }

    /// Gives a queue its memory and returns the offset of its doorbell.
    ///
    /// # Errors
    /// [`ControllerError::Unsupported`] if it does not take its vector;
    /// [`ControllerError::Refused`] if its doorbell lies outside the BAR.
    pub(super) fn enable(&self, queue: u16, parts: &Parts) -> Result<usize, ControllerError> {
        self.common16(common::QUEUE_SELECT, queue);
        self.common16(common::QUEUE_SIZE, parts.entries);
        self.common16(common::QUEUE_VECTOR, parts.vector);
        let vector = self.mmio.read16(self.at.common + common::QUEUE_VECTOR);
        if parts.vector != NO_VECTOR && vector != parts.vector {
            return Err(ControllerError::Unsupported);
        }
        let addresses = [
            (common::QUEUE_DESCRIPTORS, parts.descriptors),
            (common::QUEUE_DRIVER, parts.driver),
            (common::QUEUE_DEVICE, parts.device),
        ];
        for (register, address) in addresses {
            self.common32(register, address.0 as u32);
            self.common32(register + 4, (address.0 >> 32) as u32);
        }
        let off = self.mmio.read16(self.at.common + common::QUEUE_NOTIFY_OFF);
        let doorbell = self.at.notify + usize::from(off) * self.at.notify_multiplier;
        if doorbell + 2 > self.mmio.len_bytes() || !doorbell.is_multiple_of(2) {
            return Err(ControllerError::Refused {
                what: "a doorbell inside the BAR",
                answer: doorbell as u64,
            });
        }
        self.common16(common::QUEUE_ENABLE, 1);
        Ok(doorbell)
    }

    /// The vector of configuration changes.
    pub(super) fn set_config_vector(&self, vector: u16) {
        self.common16(common::CONFIG_VECTOR, vector);
    }

    /// Changes while the device configuration does.
    pub(super) fn generation(&self) -> u8 {
        self.mmio.read8(self.at.common + common::GENERATION)
    }

    pub(super) fn config32(&self, field: usize) -> u32 {
        self.mmio.read32(self.at.device + field)
    }

    pub(super) fn config16(&self, field: usize) -> u16 {
        self.mmio.read16(self.at.device + field)
    }

    pub(super) fn set_config32(&self, field: usize, value: u32) {
        self.mmio.write32(self.at.device + field, value);
    }

    /// Takes and clears the interrupt status.
    pub(super) fn take_raised(&self) -> u8 {
        self.mmio.read8(self.at.isr)
    }

    /// Makes the device look at a queue.
    #[inline]
    pub(super) fn notify(&self, doorbell: usize, queue: u16) {
        // No store to the ring may sink below the register write.
        compiler_fence(Ordering::SeqCst);
        self.mmio.write16(doorbell, queue);
    }
}
