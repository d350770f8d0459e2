//! Start, restart and end of an adapter.

use super::Pvscsi;
use super::features::{self, Features};
use super::messages::Messages;
use super::options::{Ages, Choices};
use super::queue::Queue;
use super::regs::Regs;
use super::spec::{ADAPTER_TARGET, BAR_BYTES, MAX_UNCONSUMED, PAGE_BYTES, STATUS_FAILED, cmd};
use crate::block::{Controller, ControllerError, DiskId, Health, InterruptMode, Limits, Options};
use crate::hal::{DmaLayout, Hal, Mmio};
use crate::scsi::{self, Units};
use alloc::vec::Vec;

/// Longest single command in bytes: well inside the 32 MiB that Linux sends to
/// this adapter on ESXi.
const MAX_TRANSFER_BYTES: u64 = 16 << 20;
/// Highest unit number that a descriptor can carry where QEMU looks for it.
const MAX_LUN: u16 = 255;

const _: () = assert!(scsi::PORT_BYTES <= PAGE_BYTES);

impl<H: Hal> Pvscsi<H> {
    /// Brings an adapter up and finds its disks. `mmio` is its register BAR;
    /// memory decoding and bus mastering are on, and its interrupts are not.
    ///
    /// # Errors
    /// [`ControllerError::BadOption`] before the device sees anything;
    /// [`ControllerError::Gone`] if its registers read all ones; others as the
    /// device refuses or does not answer.
    pub fn start(hal: H, mmio: H::Mmio, options: &Options) -> Result<Self, ControllerError> {
        Self::start_at(hal, mmio, options, Ages::DEFAULT)
    }

    /// The same with rings whose indices start at `first_index`, and an adapter that
    /// takes them from memory, for tests of the wrap at 2^32.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    #[cfg(feature = "fake")]
    pub fn start_with_indices(
        hal: H,
        mmio: H::Mmio,
        options: &Options,
        first_index: u32,
    ) -> Result<Self, ControllerError> {
        let ages = Ages {
            first_index,
            ..Ages::DEFAULT
        };
        Self::start_at(hal, mmio, options, ages)
    }

    pub(super) fn start_at(
        hal: H,
        mmio: H::Mmio,
        options: &Options,
        ages: Ages,
    ) -> Result<Self, ControllerError> {
        let choices = Choices::from_options(options)?;
        if mmio.len_bytes() < BAR_BYTES {
            return Err(ControllerError::Refused {
                what: "a register BAR of 32 KiB",
                answer: mmio.len_bytes() as u64,
            });
        }
        let regs = Regs::new(mmio);
        if regs.is_gone() {
            return Err(ControllerError::Gone);
        }
        // Firmware may have left its own rings alive: the device must have let
        // go of them before it is given anything else.
        regs.enable(0);
        let features = Features {
            told_targets: features::told_targets(&hal, &regs).map_err(ControllerError::Dma)?,
            messages: false,
            call_threshold: false,
        };
        let queue = Queue::allocate(&hal, choices.ring_pages).map_err(ControllerError::Dma)?;
        let scratch = hal
            .allocate(DmaLayout::pages(PAGE_BYTES))
            .map_err(ControllerError::Dma)?;
        let mut adapter = Self {
            limits: limits(&queue, choices.ring_pages, &features),
            regs,
            queue,
            scratch,
            units: Units::default(),
            messages: None,
            gate: 0,
            other_pending: false,
            suppress_kicks: false,
            kicks: 0,
            earlier_commands: 0,
            bad_completions: 0,
            health: Health::Ok,
            closed: false,
            interrupts: InterruptMode::Off,
            choices,
            ages,
            features,
            ignored: Vec::new(),
            hal,
        };
        adapter.regs.reset();
        adapter.set_up()?;
        adapter.find_disks()?;
        Ok(adapter)
    }

    /// What the adapter offers.
    #[must_use]
    pub const fn features(&self) -> &Features {
        &self.features
    }

    /// Gives the reset (or quiet) device its rings, and everything that depends
    /// on them. Nothing may be in flight.
    pub(super) fn set_up(&mut self) -> Result<(), ControllerError> {
        self.set_up_rings()?;
        if features::knows(&self.regs, cmd::SETUP_MSG_RING) {
            self.set_up_messages()?;
        }
        self.suppress_kicks = false;
        if features::knows(&self.regs, cmd::SETUP_REQCALLTHRESHOLD) {
            let wanted = u32::from(self.choices.kick_suppression);
            let answer = self.regs.command(cmd::SETUP_REQCALLTHRESHOLD, &[wanted]);
            self.features.call_threshold = true;
            self.suppress_kicks = wanted == 1 && !matches!(answer, 0 | STATUS_FAILED);
        }
        self.apply_interrupts();
        self.health = Health::Ok;
        self.closed = false;
        self.gate = self.limits.max_batch;
        Ok(())
    }

    fn set_up_rings(&mut self) -> Result<(), ControllerError> {
        let rings = &mut self.queue.rings;
        self.earlier_commands += u64::from(rings.age());
        rings.clear(self.ages.first_index);
        self.other_pending = false;
        let answer = self.regs.command(cmd::SETUP_RINGS, &rings.setup_words());
        if answer == STATUS_FAILED {
            if self.regs.is_gone() {
                return Err(self.note_gone());
            }
            return Err(ControllerError::Refused {
                what: "SETUP_RINGS",
                answer: u64::from(answer),
            });
        }
        Ok(())
    }

    fn set_up_messages(&mut self) -> Result<(), ControllerError> {
        if self.messages.is_none() {
            let fresh = Messages::allocate(&self.hal).map_err(ControllerError::Dma)?;
            self.messages = Some(fresh);
        }
        if let Some(messages) = &mut self.messages {
            messages.clear();
            let words = messages.setup_words();
            let answer = self.regs.command(cmd::SETUP_MSG_RING, &words);
            self.features.messages = answer != STATUS_FAILED;
        }
        Ok(())
    }

    fn find_disks(&mut self) -> Result<(), ControllerError> {
        let skip_own = self.features.is_vmware();
        let targets = (0..self.limits.max_targets as u16)
            .filter(|target| !(skip_own && *target == ADAPTER_TARGET));
        let found = scsi::scan(self, targets, MAX_LUN)?;
        self.units
            .set_disks(found.disks, self.limits.max_transfer_bytes);
        self.ignored = found.ignored;
        Ok(())
    }

    /// Resets the device and sets it up again. What was in flight is forgotten.
    pub(super) fn restart(&mut self) -> Result<(), ControllerError> {
        self.stop();
        if self.regs.is_gone() {
            return Err(self.note_gone());
        }
        self.set_up()
    }

    /// Resets the device, so that it touches no memory any more, and forgets
    /// what was in flight. Requests still in the ring are fetched first, so that
    /// the reset ends them too (L `pvscsi_host_reset`).
    pub(super) fn stop(&mut self) {
        self.gate = 0;
        self.regs.enable(0);
        self.regs.kick(true);
        self.regs.reset();
        self.queue.tags.forget_all();
    }

    /// Sets the rings up anew, if nothing is in flight and they are `age`
    /// requests old.
    pub(super) fn renew_from(&mut self, age: u32) -> Result<(), ControllerError> {
        if self.queue.tags.in_flight() != 0 || self.queue.rings.age() < age || self.closed {
            return Ok(());
        }
        if self.features.is_vmware() {
            // It may be looking at the ring by itself, so that the index must
            // not move back before it has let go of it.
            self.restart()?;
            return self.settle_disks();
        }
        match self.set_up() {
            Err(ControllerError::Refused { .. }) => {
                // The device wants a reset before it takes other rings. No kick
                // now: its old rings have been cleared.
                self.regs.reset();
                self.set_up()?;
                self.settle_disks()
            }
            other => other,
        }
    }

    /// Takes the new rings of `choices` in use. The old ones are freed once the
    /// device has let go of them.
    pub(super) fn change(&mut self, choices: Choices) -> Result<(), ControllerError> {
        let queue = Queue::allocate(&self.hal, choices.ring_pages).map_err(ControllerError::Dma)?;
        self.stop();
        self.earlier_commands += u64::from(self.queue.rings.age());
        self.queue = queue;
        self.choices = choices;
        self.limits = limits(&self.queue, choices.ring_pages, &self.features);
        if self.regs.is_gone() {
            return Err(self.note_gone());
        }
        self.set_up()?;
        self.settle_disks()
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

    pub(super) fn note_gone(&mut self) -> ControllerError {
        self.gate = 0;
        self.health = Health::Gone;
        ControllerError::Gone
    }
}

fn limits<R: crate::hal::DmaRegion>(
    queue: &Queue<R>,
    ring_pages: u16,
    features: &Features,
) -> Limits {
    let entries = queue.rings.entries();
    Limits {
        queues: 1,
        queue_entries: entries,
        max_in_flight: entries,
        max_batch: entries.min(MAX_UNCONSUMED),
        max_transfer_bytes: MAX_TRANSFER_BYTES,
        max_targets: features.targets(),
        ring_pages,
        doorbell_per_request: false,
        polls_by_register: false,
    }
}

impl<H: Hal> Drop for Pvscsi<H> {
    /// The device must have let go of the memory before that is freed.
    fn drop(&mut self) {
        self.shutdown();
    }
}
