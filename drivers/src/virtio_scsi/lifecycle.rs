//! Start, restart and end of a controller.

use super::VirtioScsi;
use super::features::Features;
use super::options::Choices;
use super::quirks::Quirks;
use super::regions::Regions;
use super::regs::Regs;
use super::spec::device_status;
use crate::block::{Controller, ControllerError, DiskId, Health, InterruptMode, Limits, Options};
use crate::hal::{DmaLayout, Hal};
use crate::scsi::{self, PORT_BYTES, Units};
use alloc::vec::Vec;

/// Highest target that a LUN field can name.
const MAX_TARGET: u16 = 255;

/// Before the device has been asked.
const NO_LIMITS: Limits = Limits {
    queues: 0,
    queue_entries: 0,
    max_in_flight: 0,
    max_batch: 0,
    max_transfer_bytes: 0,
    max_targets: 0,
    ring_pages: 0,
    doorbell_per_request: false,
    polls_by_register: false,
};

impl<H: Hal> VirtioScsi<H> {
    /// Brings a controller up and finds its disks. `mmio` is the BAR that
    /// `regions` names; memory decoding and bus mastering are on, and its
    /// interrupts are not.
    ///
    /// # Errors
    /// [`ControllerError::BadOption`] before the device sees anything;
    /// [`ControllerError::Gone`] if its registers read all ones; others as the
    /// device refuses or does not answer.
    pub fn start(
        hal: H,
        mmio: H::Mmio,
        regions: Regions,
        quirks: Quirks,
        options: &Options,
    ) -> Result<Self, ControllerError> {
        Self::start_at(hal, mmio, regions, quirks, options, 0)
    }

    /// The same with request queues whose indices start at `first_index`, and a
    /// device that takes them from memory, for tests of the wrap at 2^16.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    #[cfg(feature = "fake")]
    pub fn start_with_indices(
        hal: H,
        mmio: H::Mmio,
        regions: Regions,
        first_index: u16,
    ) -> Result<Self, ControllerError> {
        let (quirks, options) = (Quirks::default(), Options::default());
        Self::start_at(hal, mmio, regions, quirks, &options, first_index)
    }

    /// `first_index` is where the indices of request queues start: 0, but for
    /// tests of the wrap.
    pub(super) fn start_at(
        hal: H,
        mmio: H::Mmio,
        regions: Regions,
        quirks: Quirks,
        options: &Options,
        first_index: u16,
    ) -> Result<Self, ControllerError> {
        let choices = Choices::from_options(options, quirks)?;
        let regs = Regs::new(mmio, regions)?;
        regs.status()?;
        // Firmware may have left its own queues alive: the device must have let
        // go of them before it is given anything else.
        regs.reset(hal.clock())?;
        let scratch = hal
            .allocate(DmaLayout::pages(PORT_BYTES))
            .map_err(ControllerError::Dma)?;
        let mut controller = Self {
            queues: Vec::new(),
            units: Units::default(),
            running: false,
            regs,
            kicks: 0,
            commands: 0,
            interrupts: InterruptMode::Off,
            others: None,
            bad_completions: 0,
            health: Health::Ok,
            quirks,
            choices,
            features: Features::default(),
            limits: NO_LIMITS,
            ignored: Vec::new(),
            scratch,
            first_index,
            hal,
        };
        controller.set_up()?;
        controller.find_disks()?;
        Ok(controller)
    }

    /// What the device offers.
    #[must_use]
    pub const fn features(&self) -> &Features {
        &self.features
    }

    fn find_disks(&mut self) -> Result<(), ControllerError> {
        let targets = 0..=self.features.max_target.min(MAX_TARGET);
        let max_lun = self.features.max_lun;
        let found = scsi::scan(self, targets, max_lun)?;
        self.units
            .set_disks(found.disks, self.limits.max_transfer_bytes);
        self.ignored = found.ignored;
        Ok(())
    }

    /// Resets the device and sets it up again. What was in flight is forgotten.
    pub(super) fn restart(&mut self) -> Result<(), ControllerError> {
        let done = self.stop().and_then(|()| self.set_up());
        self.noted(done)
    }

    /// Resets the device, so that it touches no memory any more, and forgets
    /// what was in flight.
    pub(super) fn stop(&mut self) -> Result<(), ControllerError> {
        self.running = false;
        self.regs.reset(self.hal.clock())?;
        for queue in &mut self.queues {
            self.commands += u64::from(queue.ring.unpublished());
            queue.tags.forget_all();
        }
        Ok(())
    }

    /// Restarts with another setting, or with the old one where that fails for
    /// want of memory or is not supported.
    pub(super) fn change(
        &mut self,
        set: impl FnOnce(&mut Self),
        unset: impl FnOnce(&mut Self),
    ) -> Result<(), ControllerError> {
        set(self);
        match self.restart() {
            Ok(()) => self.settle_disks(),
            Err(error @ (ControllerError::Dma(_) | ControllerError::Unsupported)) => {
                unset(self);
                self.restart()?;
                self.settle_disks()?;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes the UNIT ATTENTION that a reset leaves at every disk, so that no
    /// workload meets it.
    pub(super) fn settle_disks(&mut self) -> Result<(), ControllerError> {
        for index in 0..self.units.disks().len() {
            let address = self.units.address(DiskId(index as u16))?;
            scsi::settle(self, address)?;
        }
        Ok(())
    }

    /// Looks whether the device still works.
    ///
    /// # Errors
    /// [`ControllerError::Gone`]; [`ControllerError::Refused`] if it wants a reset.
    pub(super) fn look(&mut self) -> Result<(), ControllerError> {
        let status = self.regs.status();
        let status = self.noted(status)?;
        if status & device_status::NEEDS_RESET == 0 {
            return Ok(());
        }
        self.health = Health::Fault(u32::from(status));
        self.running = false;
        Err(ControllerError::Refused {
            what: "to work on without a reset (DEVICE_NEEDS_RESET)",
            answer: u64::from(status),
        })
    }

    /// Notes what an operation revealed of the device.
    pub(super) fn noted<T>(
        &mut self,
        result: Result<T, ControllerError>,
    ) -> Result<T, ControllerError> {
        match result {
            Ok(_) => {}
            Err(ControllerError::Gone) => {
                self.health = Health::Gone;
                self.running = false;
            }
            Err(_) if !self.running => {
                let status = self.regs.status().unwrap_or(device_status::GONE);
                self.health = Health::Fault(u32::from(status));
            }
            Err(_) => {}
        }
        result
    }
}

impl<H: Hal> Drop for VirtioScsi<H> {
    /// The device must have let go of the memory before that is freed.
    fn drop(&mut self) {
        self.shutdown();
    }
}
