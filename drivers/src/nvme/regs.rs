//! The registers of one controller, and every wait on them.

use super::shadow::ShadowDoorbells;
use super::spec::{Cap, Csts, cq_doorbell, register};
use crate::block::ControllerError;
use crate::hal::{BusAddr, Clock, Deadline, DmaRegion, Mmio, MmioCounts};
use core::sync::atomic::{Ordering, fence};

/// Registers of a controller that answers.
pub(super) struct Registers<M, R> {
    mmio: M,
    cap: Cap,
    /// Set while the device reads I/O doorbells from memory.
    pub(super) shadow: Option<ShadowDoorbells<R>>,
}

impl<M: Mmio, R: DmaRegion> Registers<M, R> {
    /// Reads CAP, as two halves: the access every controller takes.
    pub(super) fn new(mmio: M) -> Result<Self, ControllerError> {
        let low = mmio.read32(register::CAP);
        let high = mmio.read32(register::CAP + 4);
        // Either half has reserved bits that are zero.
        if low == u32::MAX || high == u32::MAX {
            return Err(ControllerError::Gone);
        }
        Ok(Self {
            mmio,
            cap: Cap(u64::from(low) | u64::from(high) << 32),
            shadow: None,
        })
    }

    pub(super) fn cap(&self) -> Cap {
        self.cap
    }

    pub(super) fn counts(&self) -> MmioCounts {
        self.mmio.counts()
    }

    /// Most I/O queue pairs whose doorbells lie inside the BAR.
    pub(super) fn max_queue_pairs(&self) -> u16 {
        let stride = self.cap.doorbell_stride_bytes();
        let fits = |queue: u16| {
            register::DOORBELLS + cq_doorbell(queue, stride) + 4 <= self.mmio.len_bytes()
        };
        (1..=1024).take_while(|&queue| fits(queue)).count() as u16
    }

    /// CSTS.
    ///
    /// # Errors
    /// [`ControllerError::Gone`] if it reads all ones.
    pub(super) fn status(&self) -> Result<Csts, ControllerError> {
        let status = Csts(self.mmio.read32(register::CSTS));
        if status.is_gone() {
            Err(ControllerError::Gone)
        } else {
            Ok(status)
        }
    }

    /// VS: major << 16 | minor << 8 | tertiary.
    pub(super) fn version(&self) -> u32 {
        self.mmio.read32(register::VS)
    }

    pub(super) fn config(&self) -> u32 {
        self.mmio.read32(register::CC)
    }

    pub(super) fn set_config(&self, value: u32) {
        fence(Ordering::Release);
        self.mmio.write32(register::CC, value);
    }

    /// Addresses and size of the admin queues, which the device takes over when
    /// it is enabled.
    pub(super) fn set_admin_queues(&self, entries: u32, submission: BusAddr, completion: BusAddr) {
        let last = entries - 1;
        self.mmio.write32(register::AQA, last << 16 | last);
        for (at, address) in [(register::ASQ, submission), (register::ACQ, completion)] {
            self.mmio.write32(at, address.0 as u32);
            self.mmio.write32(at + 4, (address.0 >> 32) as u32);
        }
    }

    /// Waits for CSTS.RDY to be `ready`, no longer than CAP.TO allows.
    ///
    /// # Errors
    /// [`ControllerError::Gone`]; [`ControllerError::Refused`] when the device
    /// reports a fatal state instead of getting ready; `TimedOut`.
    pub(super) fn wait_ready(
        &self,
        clock: &impl Clock,
        ready: bool,
    ) -> Result<(), ControllerError> {
        let what = if ready {
            "controller ready"
        } else {
            "controller off"
        };
        let after_ms = self.cap.ready_timeout_ms();
        Deadline::after_ms(clock, after_ms)
            .poll(clock, || match self.status() {
                Err(gone) => Some(Err(gone)),
                Ok(status) if ready && status.is_fatal() => Some(Err(ControllerError::Refused {
                    what: "enable: fatal status (CSTS.CFS)",
                    answer: u64::from(status.0),
                })),
                Ok(status) => (status.is_ready() == ready).then_some(Ok(())),
            })
            .unwrap_or(Err(ControllerError::TimedOut { what, after_ms }))
    }

    /// Masks (or unmasks) interrupt vector 0. Only while MSI-X is off.
    pub(super) fn mask_vector_0(&self, masked: bool) {
        let at = if masked {
            register::INTMS
        } else {
            register::INTMC
        };
        self.mmio.write32(at, 1);
    }

    /// Publishes a tail or head that moved from `old` to `new`; `at` is the
    /// doorbell's offset. Whether it took a register write.
    #[inline]
    pub(super) fn ring(&self, at: usize, old: u32, new: u32) -> bool {
        if let Some(shadow) = &self.shadow
            && !shadow.publish(at, old, new)
        {
            return false;
        }
        self.write_doorbell(at, new);
        true
    }

    /// The same for the admin queue, whose register is always written (5.7).
    pub(super) fn ring_admin(&self, at: usize, old: u32, new: u32) {
        if let Some(shadow) = &self.shadow {
            shadow.publish(at, old, new);
        }
        self.write_doorbell(at, new);
    }

    #[inline]
    fn write_doorbell(&self, at: usize, value: u32) {
        // Queue entries before the doorbell that shows them.
        fence(Ordering::Release);
        self.mmio.write32(register::DOORBELLS + at, value);
    }
}
