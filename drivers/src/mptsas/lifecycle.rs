//! Start, restart and end of an adapter.

use super::Mptsas;
use super::facts::{self, Facts};
use super::handshake;
use super::management::Management;
use super::queue::Queue;
use super::regs::Regs;
use super::spec::{BAR_BYTES, ELEMENT_BYTES, LIST_OFFSET, MAX_ELEMENT_BYTES, REQUEST_FRAME_BYTES};
use crate::block::{Controller, ControllerError, DiskId, Health, InterruptMode, Limits, Options};
use crate::hal::{DmaLayout, Hal, Mmio};
use crate::scsi::{self, Units};
use alloc::vec::Vec;

/// Most credits that are used; adapters of SAS offer several hundred.
const MAX_CREDITS: u16 = 1024;
/// Reply frames beyond one per credit, for events.
const EVENT_FRAMES: u16 = 8;
/// Errands that can wait beside one abort per command.
const SPARE_ERRANDS: usize = 16;
/// Bytes of the page that answers of the scan go to.
const SCRATCH_BYTES: usize = 4096;
const _: () = assert!(scsi::PORT_BYTES <= SCRATCH_BYTES);

/// Commands and reply frames that an adapter takes. One credit is kept for task
/// management, and so is one reply frame: nothing in flight can want for either.
fn capacity(facts: &Facts) -> Result<(u16, u16), ControllerError> {
    let credits = facts.credits.min(MAX_CREDITS);
    let replies = facts.reply_depth.min(credits.saturating_add(EVENT_FRAMES));
    let commands = credits.min(replies).saturating_sub(1);
    if commands == 0 {
        return Err(ControllerError::Refused {
            what: "two requests at a time",
            answer: u64::from(credits.min(replies)),
        });
    }
    Ok((commands, replies))
}

/// Longest single command in bytes: what the scatter elements of one frame hold.
fn max_transfer_bytes(facts: &Facts) -> Result<u64, ControllerError> {
    let frame_bytes = usize::from(facts.request_frame_bytes).min(REQUEST_FRAME_BYTES);
    let elements = frame_bytes.saturating_sub(LIST_OFFSET) / ELEMENT_BYTES;
    if elements == 0 {
        return Err(ControllerError::Refused {
            what: "a request frame with data",
            answer: u64::from(facts.request_frame_bytes),
        });
    }
    Ok(elements as u64 * u64::from(MAX_ELEMENT_BYTES))
}

impl<H: Hal> Mptsas<H> {
    /// Brings an adapter up and finds its disks. `mmio` is its register BAR;
    /// memory decoding and bus mastering are on, and its interrupts are not. No
    /// option of a job means anything to it.
    ///
    /// # Errors
    /// [`ControllerError::Gone`] if its registers read all ones; others as the
    /// device refuses or does not answer.
    pub fn start(hal: H, mmio: H::Mmio, _options: &Options) -> Result<Self, ControllerError> {
        if mmio.len_bytes() < BAR_BYTES {
            return Err(ControllerError::Refused {
                what: "a register BAR of 256 bytes",
                answer: mmio.len_bytes() as u64,
            });
        }
        let regs = Regs::new(mmio);
        // Firmware may have left it running: it must have let go of the old
        // frames before it is given anything else.
        handshake::make_ready(&regs, hal.clock())?;
        let facts = Facts::ask(&regs, hal.clock())?;
        let (commands, replies) = capacity(&facts)?;
        let limits = Limits {
            queues: 1,
            queue_entries: u32::from(commands) + 1,
            max_in_flight: u32::from(commands),
            max_batch: u32::from(commands),
            max_transfer_bytes: max_transfer_bytes(&facts)?,
            max_targets: u32::from(facts.targets),
            ring_pages: 0,
            doorbell_per_request: true,
            polls_by_register: true,
        };
        let queue = Queue::allocate(&hal, commands, replies).map_err(ControllerError::Dma)?;
        let scratch = hal
            .allocate(DmaLayout::pages(SCRATCH_BYTES))
            .map_err(ControllerError::Dma)?;
        let mut adapter = Self {
            queue,
            units: Units::default(),
            regs,
            open: false,
            commands: 0,
            ended: 0,
            errands: 0,
            recycled: 0,
            bad_completions: 0,
            health: Health::Ok,
            closed: false,
            management: Management::new(usize::from(commands) + SPARE_ERRANDS),
            disks_changed: false,
            events: true,
            interrupts: InterruptMode::Off,
            facts,
            limits,
            ignored: Vec::new(),
            scratch,
            hal,
        };
        adapter.set_up()?;
        adapter.find_disks()?;
        Ok(adapter)
    }

    /// What the adapter says of itself.
    #[must_use]
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether the adapter takes the request for events.
    #[must_use]
    pub const fn has_events(&self) -> bool {
        self.events
    }

    /// Makes the READY adapter operational and gives it its reply frames.
    fn set_up(&mut self) -> Result<(), ControllerError> {
        self.initialise()?;
        if self.events
            && let Err(error) = facts::switch_events_on(&self.regs, self.hal.clock())
        {
            if error == ControllerError::Gone {
                return Err(error);
            }
            // It works without; what it was asked may still disturb it.
            self.events = false;
            handshake::reset(&self.regs, self.hal.clock())?;
            self.initialise()?;
        }
        for low_address in self.queue.frames.free_replies() {
            self.regs.give_frame(low_address);
        }
        self.apply_interrupts();
        self.health = Health::Ok;
        self.closed = false;
        self.open = true;
        Ok(())
    }

    fn initialise(&mut self) -> Result<(), ControllerError> {
        let windows = self.queue.frames.windows();
        let targets = facts::initialise(&self.regs, self.hal.clock(), &self.facts, &windows)?;
        self.limits.max_targets = u32::from(targets);
        Ok(())
    }

    /// Resets the device and sets it up again. What was in flight is forgotten.
    pub(super) fn restart(&mut self) -> Result<(), ControllerError> {
        match self.try_restart() {
            Err(ControllerError::Gone) => Err(self.note_gone()),
            other => other,
        }
    }

    fn try_restart(&mut self) -> Result<(), ControllerError> {
        self.forget();
        handshake::reset(&self.regs, self.hal.clock())?;
        self.set_up()
    }

    /// Leaves the device READY, so that it touches no memory any more, and
    /// forgets what was in flight.
    pub(super) fn stop(&mut self) {
        self.forget();
        // There is nobody left to tell of a device that does not stop.
        let _ = handshake::reset(&self.regs, self.hal.clock());
    }

    fn forget(&mut self) {
        self.open = false;
        self.queue.forget_all();
        self.ended = self.commands;
        self.management.clear();
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
        self.open = false;
        self.health = Health::Gone;
        ControllerError::Gone
    }
}

impl<H: Hal> Drop for Mptsas<H> {
    /// The device must have let go of the memory before that is freed.
    fn drop(&mut self) {
        self.shutdown();
    }
}
