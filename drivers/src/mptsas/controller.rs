//! An adapter that is ready: the hot path, and the rest of the seam.

use super::facts::Facts;
use super::management::{Errand, Management};
use super::queue::{Queue, UnitWords};
use super::regs::Regs;
use super::spec::{ADDRESS_REPLY, NO_REPLY, interrupt};
use crate::block::{
    Accesses, BufferId, Completion, Controller, ControllerError, Disk, DiskId, Health, Ignored,
    InterruptMode, Limits, Options, QueueId, Request, Status, SubmitError, Tag,
};
use crate::hal::{BusAddr, Hal};
use crate::scsi::{self, Other, Units, transfer};
use alloc::vec::Vec;

/// A Fusion-MPT adapter. [`start`](Self::start) brings it up.
pub struct Mptsas<H: Hal> {
    // What the hot path uses.
    pub(super) queue: Queue<H::Region>,
    pub(super) units: Units<H, UnitWords>,
    pub(super) regs: Regs<H::Mmio>,
    /// Requests are taken.
    pub(super) open: bool,
    /// Posted.
    pub(super) commands: u64,
    /// Of these, completed or forgotten.
    pub(super) ended: u64,
    // The rest.
    pub(super) errands: u64,
    pub(super) recycled: u64,
    pub(super) bad_completions: u64,
    pub(super) health: Health,
    pub(super) closed: bool,
    pub(super) management: Management,
    pub(super) disks_changed: bool,
    pub(super) events: bool,
    pub(super) interrupts: InterruptMode,
    pub(super) facts: Facts,
    pub(super) limits: Limits,
    pub(super) ignored: Vec<Ignored>,
    pub(super) scratch: H::Region,
    pub(super) hal: H,
}

impl<H: Hal> Mptsas<H> {
    /// Flush and trim.
    #[cold]
    #[inline(never)]
    fn submit_other(&mut self, request: &Request) -> Result<Tag, SubmitError> {
        let Other { frame, cdb, list } = self.units.other(request)?;
        let cookie = request.cookie;
        let written = match list {
            Some(list) => self.queue.write_unmap(&frame, cdb, &list, cookie),
            None => self.queue.write(&frame, cdb, BusAddr(0), cookie),
        };
        written.ok_or(SubmitError::Full)
    }

    /// Ends the command that a context names; `None` if there is none such.
    #[inline(always)]
    pub(super) fn finish(&mut self, context: u32) -> Option<(Tag, u32)> {
        if !self.queue.is_unposted(context)
            && let Ok(ended) = self.queue.tags.finish(context)
        {
            return Some(ended);
        }
        self.distrust("completion of no command in flight");
        None
    }

    #[cold]
    pub(super) fn distrust(&mut self, reason: &'static str) {
        self.bad_completions += 1;
        self.health = Health::Lying(reason);
        self.open = false;
    }

    /// State of the adapter, looked up in its doorbell.
    fn look(&self) -> Health {
        let state = self.regs.state();
        if state.is_gone() {
            Health::Gone
        } else if let Some(code) = state.fault() {
            Health::Fault(code)
        } else if state.is(super::spec::doorbell::OPERATIONAL) {
            Health::Ok
        } else {
            Health::Lying("it is no longer operational, though nobody reset it")
        }
    }

    /// Looks the state up, and fails if it is not good.
    pub(super) fn check_alive(&mut self, what: &'static str) -> Result<(), ControllerError> {
        match self.look() {
            Health::Ok => return Ok(()),
            health => self.health = health,
        }
        self.open = false;
        Err(match self.health {
            Health::Gone => ControllerError::Gone,
            Health::Fault(code) => ControllerError::Refused {
                what,
                answer: u64::from(code),
            },
            Health::Lying(_) | Health::Ok => ControllerError::Refused { what, answer: 0 },
        })
    }

    /// Resets a disk's target, as soon as no other task management is on its way.
    /// What is in flight there still completes through `reap`, as aborted; every
    /// disk of the target then reports UNIT ATTENTION.
    ///
    /// # Errors
    /// As [`Controller::abort`].
    pub fn reset_target(&mut self, disk: DiskId) -> Result<(), ControllerError> {
        self.check_alive("task management")?;
        let at = self.units.address(disk)?;
        self.run_errand(Errand::ResetTarget(at.target))
    }

    pub(super) fn apply_interrupts(&mut self) {
        self.regs.enable(self.interrupts != InterruptMode::Off);
    }

    fn check_idle(&self) -> Result<(), ControllerError> {
        match self.queue.tags.in_flight() {
            0 => Ok(()),
            count => Err(ControllerError::InFlight(count)),
        }
    }
}

impl<H: Hal> Controller for Mptsas<H> {
    fn kind(&self) -> &'static str {
        if self.facts.parallel {
            "lsilogic"
        } else {
            "lsisas"
        }
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn disks(&self) -> &[Disk] {
        self.units.disks()
    }

    fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    #[inline]
    fn submit(&mut self, _queue: QueueId, request: &Request) -> Result<Tag, SubmitError> {
        if !self.open {
            return Err(SubmitError::Dead);
        }
        if request.op as usize >= transfer::KINDS {
            return self.submit_other(request);
        }
        let (frame, cdb, data) = self.units.transfer(request)?;
        let tag = self.queue.write(frame, cdb, data, request.cookie);
        tag.ok_or(SubmitError::Full)
    }

    /// One post for each request: the adapter has no other way to take them. They
    /// follow each other, as each leaves the guest and wakes the device.
    #[inline]
    fn ring_doorbell(&mut self, _queue: QueueId) {
        let posts = self.queue.take_posts();
        for low_address in posts {
            self.regs.post(*low_address);
        }
        self.commands += posts.len() as u64;
    }

    #[inline]
    fn reap(&mut self, _queue: QueueId, out: &mut [Completion]) -> usize {
        let mut found = 0;
        // Once all have ended, there is nothing to wait for but notices, which
        // the next pass sees: a read that finds nothing is an exit for nothing,
        // unless it is wanted to clear the interrupt.
        let open = match self.interrupts {
            InterruptMode::Off => (self.commands - self.ended) as usize,
            _ => usize::MAX,
        };
        for place in out.iter_mut() {
            let value = self.regs.take_reply();
            if value & ADDRESS_REPLY == 0 {
                // A context by itself means success.
                let Some((tag, cookie)) = self.finish(value) else {
                    return found;
                };
                *place = Completion {
                    tag,
                    cookie,
                    status: Status::Ok,
                };
            } else if value == NO_REPLY {
                return found;
            } else if let Some(completion) = self.read_reply(value << 1) {
                *place = completion;
            } else {
                // No more than one such reply per pass, so that a pass ends
                // whatever the adapter sends.
                return found;
            }
            found += 1;
            self.ended += 1;
            if found == open {
                return found;
            }
        }
        found
    }

    fn in_flight(&self) -> u32 {
        self.queue.tags.in_flight()
    }

    /// Costs one register access: nothing in memory tells that the adapter has
    /// given up.
    fn health(&self) -> Health {
        if self.health != Health::Ok || self.closed {
            return self.health;
        }
        self.look()
    }

    fn set_interrupts(&mut self, mode: InterruptMode) -> Result<(), ControllerError> {
        self.interrupts = mode;
        self.apply_interrupts();
        Ok(())
    }

    fn acknowledge_interrupt(&mut self) -> bool {
        let raised = self.regs.raised();
        if raised == u32::MAX {
            self.note_gone();
            return false;
        }
        if raised & interrupt::DOORBELL != 0 {
            self.regs.clear_doorbell();
        }
        // It ends when `reap` has read the last reply.
        raised & interrupt::REPLY != 0
    }

    fn reset(&mut self) -> Result<(), ControllerError> {
        self.restart()?;
        self.settle_disks()
    }

    /// Nothing that a job can choose is known to this device.
    fn reconfigure(&mut self, _options: &Options) -> Result<(), ControllerError> {
        Ok(())
    }

    fn abort(&mut self, queue: QueueId, tag: Tag) -> Result<(), ControllerError> {
        if !self.queue.tags.is_in_flight(tag) {
            return Ok(());
        }
        self.ring_doorbell(queue);
        self.check_alive("task management")?;
        let disk = DiskId(self.queue.shadow(tag.slot()).disk());
        let at = self.units.address(disk)?;
        self.run_errand(Errand::Abort { tag, at })
    }

    fn refresh_disk(&mut self, disk: DiskId) -> Result<(), ControllerError> {
        self.check_idle()?;
        let address = self.units.address(disk)?;
        let fresh = scsi::look_again(self, address)?;
        let longest_bytes = self.limits.max_transfer_bytes;
        self.units.renew_disk(disk, fresh, longest_bytes)
    }

    fn take_disk_change(&mut self) -> Result<bool, ControllerError> {
        Ok(core::mem::take(&mut self.disks_changed))
    }

    fn shutdown(&mut self) {
        if !self.closed {
            self.closed = true;
            self.stop();
        }
    }

    fn set_buffers(&mut self, count: u32, size_bytes: usize) -> Result<(), ControllerError> {
        self.check_idle()?;
        self.units.set_buffers(&self.hal, count, size_bytes)
    }

    fn fill_buffer(&mut self, buffer: BufferId, offset_bytes: usize, data: &[u8]) {
        self.units.fill_buffer(buffer, offset_bytes, data);
    }

    fn read_buffer(&self, buffer: BufferId, offset_bytes: usize, out: &mut [u8]) {
        self.units.read_buffer(buffer, offset_bytes, out);
    }

    fn accesses(&self) -> Accesses {
        Accesses {
            submit_doorbells: self.commands + self.errands,
            completion_doorbells: self.recycled,
            mmio: self.regs.counts(),
            commands: self.commands,
            bad_completions: self.bad_completions,
        }
    }
}
