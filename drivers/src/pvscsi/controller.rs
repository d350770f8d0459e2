//! An adapter that is ready: the hot path, and the rest of the seam.

use super::features::Features;
use super::messages::{HotPlug, Messages};
use super::options::{Ages, Choices};
use super::queue::{Queue, UnitWords};
use super::regs::Regs;
use super::spec::{COMPLETION_WORDS, cmd, intr};
use super::status;
use crate::block::{
    Accesses, BufferId, Completion, Controller, ControllerError, Disk, DiskId, Health, Ignored,
    InterruptMode, Limits, Options, QueueId, Request, Status, SubmitError, Tag,
};
use crate::hal::{BusAddr, Hal};
use crate::scsi::{self, Other, Units, transfer};
use alloc::string::ToString;
use alloc::vec::Vec;

/// A PVSCSI adapter. [`start`](Self::start) brings it up.
pub struct Pvscsi<H: Hal> {
    // What the hot path uses.
    pub(super) queue: Queue<H::Region>,
    pub(super) units: Units<H, UnitWords>,
    /// `submit` stops at so many unpublished requests: `max_batch`, or 0 if
    /// there is any reason to look closer.
    pub(super) gate: u32,
    /// Something other than reads and writes waits for the doorbell.
    pub(super) other_pending: bool,
    pub(super) suppress_kicks: bool,
    pub(super) regs: Regs<H::Mmio>,
    pub(super) kicks: u64,
    // The rest.
    pub(super) earlier_commands: u64,
    pub(super) bad_completions: u64,
    pub(super) health: Health,
    pub(super) closed: bool,
    pub(super) interrupts: InterruptMode,
    pub(super) choices: Choices,
    pub(super) ages: Ages,
    pub(super) features: Features,
    pub(super) limits: Limits,
    pub(super) ignored: Vec<Ignored>,
    pub(super) messages: Option<Messages<H::Region>>,
    pub(super) scratch: H::Region,
    pub(super) hal: H,
}

impl<H: Hal> Pvscsi<H> {
    /// The next hot-plug message, if there is one. An added unit is not taken
    /// into use: it is listed as ignored.
    pub fn next_message(&mut self) -> Option<HotPlug> {
        let messages = self.messages.as_mut()?;
        match messages.next(self.queue.rings.state()) {
            Ok(message) => {
                if let Some(HotPlug::Added(address)) = message {
                    self.ignored.push(Ignored {
                        address: address.into(),
                        reason: "added while running".to_string(),
                    });
                }
                message
            }
            Err(_) => {
                self.distrust("message index runs away");
                None
            }
        }
    }

    /// Looks closer when the gate stops a submission; `Ok` to go on.
    #[cold]
    #[inline(never)]
    fn open_gate(&mut self) -> Result<(), SubmitError> {
        if self.health != Health::Ok || self.closed {
            return Err(SubmitError::Dead);
        }
        if self.queue.rings.unpublished() != 0 {
            return Err(SubmitError::DoorbellDue);
        }
        if self.queue.tags.in_flight() != 0 {
            return Err(SubmitError::Full);
        }
        self.renew_from(0).map_err(|_| SubmitError::Dead)
    }

    /// Flush and trim.
    #[cold]
    #[inline(never)]
    fn submit_other(&mut self, request: Request) -> Result<Tag, SubmitError> {
        let Other { frame, cdb, list } = self.units.other(&request)?;
        let cookie = request.cookie;
        let tag = match list {
            Some(list) => self.queue.push_list(&frame, cdb, &list, cookie),
            None => self.queue.push(&frame, cdb, BusAddr(0), cookie),
        };
        let tag = tag.ok_or(SubmitError::Full)?;
        self.other_pending = true;
        Ok(tag)
    }

    /// Ends the command that a completion names; false if there is none such.
    #[inline(always)]
    fn finish(&mut self, words: [u64; COMPLETION_WORDS], place: &mut Completion) -> bool {
        let [context, data_bytes, word] = words;
        let Ok((tag, cookie)) = self.queue.tags.finish(context) else {
            return false;
        };
        *place = Completion {
            tag,
            cookie,
            status: Status::Ok,
        };
        if word >> 32 | data_bytes != 0 {
            place.status = self.status_of(tag.slot(), data_bytes, word);
        }
        true
    }

    /// Takes completions that may not be true: some name no command in flight, or
    /// could name one that the device has not been shown.
    #[cold]
    #[inline(never)]
    fn reap_warily(&mut self, ready: u32, out: &mut [Completion]) -> usize {
        let mut next = self.queue.rings.next_completion();
        let end = next.wrapping_add(ready);
        let mut found = 0;
        while next != end && found < out.len() {
            let words = self.queue.rings.completion(next);
            if self.queue.is_unpublished(words[0]) {
                self.distrust("completion of no command");
            } else if self.finish(words, &mut out[found]) {
                found += 1;
            } else {
                self.distrust("completion of no command in flight");
            }
            next = next.wrapping_add(1);
        }
        self.queue.rings.release(next);
        found
    }

    #[cold]
    #[inline(never)]
    fn distrust(&mut self, reason: &'static str) {
        self.bad_completions += 1;
        self.health = Health::Lying(reason);
        self.gate = 0;
    }

    /// Status of a completion that is not plainly good.
    #[cold]
    #[inline(never)]
    fn status_of(&mut self, slot: usize, data_bytes: u64, word: u64) -> Status {
        let (host_status, scsi_status) = ((word >> 32) as u16, (word >> 48) as u16);
        let sense = if scsi_status == 0 {
            [0; scsi::sense::SENSE_BYTES]
        } else {
            self.queue.take_sense(slot, word as u32)
        };
        let status = status::decode(host_status, scsi_status, &sense);
        let expected_bytes = self.queue.shadow(slot).data_bytes();
        // QEMU states no length at all; what it does state counts.
        if status.is_ok() && data_bytes != 0 && data_bytes < expected_bytes {
            return Status::ShortTransfer;
        }
        status
    }

    pub(super) fn apply_interrupts(&mut self) {
        let mut bits = 0;
        if self.interrupts != InterruptMode::Off {
            bits = intr::COMPLETION;
            if self.features.messages {
                bits |= intr::MESSAGE;
            }
        }
        self.regs.enable(bits);
    }

    fn check_idle(&self) -> Result<(), ControllerError> {
        match self.queue.tags.in_flight() {
            0 => Ok(()),
            count => Err(ControllerError::InFlight(count)),
        }
    }
}

impl<H: Hal> Controller for Pvscsi<H> {
    fn kind(&self) -> &'static str {
        "pvscsi"
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

    #[inline(always)]
    fn submit(&mut self, _queue: QueueId, request: &Request) -> Result<Tag, SubmitError> {
        if self.queue.rings.unpublished() >= self.gate {
            self.open_gate()?;
        }
        if request.op as usize >= transfer::KINDS {
            return self.submit_other(*request);
        }
        let (frame, cdb, data) = self.units.transfer(request)?;
        let tag = self.queue.push(frame, cdb, data, request.cookie);
        tag.ok_or(SubmitError::Full)
    }

    #[inline]
    fn ring_doorbell(&mut self, _queue: QueueId) {
        while self.queue.rings.publish() {
            let polling = self.suppress_kicks && !self.other_pending;
            if !(polling && self.queue.rings.device_is_polling()) {
                self.regs.kick(self.other_pending);
                self.kicks += 1;
            }
        }
        self.other_pending = false;
        if self.queue.rings.age() >= self.ages.overdue {
            self.gate = 0;
        }
    }

    #[inline]
    fn reap(&mut self, _queue: QueueId, out: &mut [Completion]) -> usize {
        let Ok(ready) = self.queue.rings.ready() else {
            if self.health == Health::Ok {
                self.distrust("completion index runs away");
            }
            return 0;
        };
        if ready == 0 {
            return 0;
        }
        if self.queue.rings.unpublished() != 0 {
            return self.reap_warily(ready, out);
        }
        let first = self.queue.rings.next_completion();
        let mut next = first;
        let count = out.len().min(ready as usize);
        for place in &mut out[..count] {
            let completion = self.queue.rings.completion(next);
            if !self.finish(completion, place) {
                let found = next.wrapping_sub(first);
                self.queue.rings.release(next);
                let rest = &mut out[found as usize..];
                return found as usize + self.reap_warily(ready - found, rest);
            }
            next = next.wrapping_add(1);
        }
        self.queue.rings.release(next);
        count
    }

    fn in_flight(&self) -> u32 {
        self.queue.tags.in_flight()
    }

    fn health(&self) -> Health {
        self.health
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
        if raised & intr::ALL == 0 {
            return false;
        }
        self.regs.clear(raised);
        true
    }

    fn reset(&mut self) -> Result<(), ControllerError> {
        self.restart()?;
        self.settle_disks()
    }

    fn reconfigure(&mut self, options: &Options) -> Result<(), ControllerError> {
        let choices = Choices::from_options(options)?;
        if choices == self.choices {
            return Ok(());
        }
        self.check_idle()?;
        self.change(choices)
    }

    fn abort(&mut self, _queue: QueueId, tag: Tag) -> Result<(), ControllerError> {
        if !self.queue.tags.is_in_flight(tag) {
            return Ok(());
        }
        if self.regs.is_gone() {
            return Err(self.note_gone());
        }
        // The device can only find what it has been shown.
        self.ring_doorbell(QueueId(0));
        let disk = DiskId(self.queue.shadow(tag.slot()).disk());
        let address = self.units.address(disk)?;
        // context, target, padding.
        let descriptor = [tag.bits(), 0, u32::from(address.target), 0];
        self.regs.command(cmd::ABORT_CMD, &descriptor);
        Ok(())
    }

    fn refresh_disk(&mut self, disk: DiskId) -> Result<(), ControllerError> {
        self.check_idle()?;
        let address = self.units.address(disk)?;
        let fresh = scsi::look_again(self, address)?;
        let longest_bytes = self.limits.max_transfer_bytes;
        self.units.renew_disk(disk, fresh, longest_bytes)
    }

    /// By the message ring.
    fn take_disk_change(&mut self) -> Result<bool, ControllerError> {
        let mut changed = false;
        while self.next_message().is_some() {
            changed = true;
        }
        Ok(changed)
    }

    fn shutdown(&mut self) {
        if !self.closed {
            self.stop();
            self.closed = true;
        }
    }

    fn set_buffers(&mut self, count: u32, size_bytes: usize) -> Result<(), ControllerError> {
        self.check_idle()?;
        // Between two rows is a quiet moment.
        self.renew_from(self.ages.ripe)?;
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
            submit_doorbells: self.kicks,
            completion_doorbells: 0,
            mmio: self.regs.counts(),
            commands: self.earlier_commands + u64::from(self.queue.rings.age()),
            bad_completions: self.bad_completions,
        }
    }
}
