//! A controller that is ready: the hot path, and the rest of the seam.

use super::events::Event;
use super::features::Features;
use super::options::Choices;
use super::queue::{Lie, Queue, Response, UnitWord};
use super::quirks::Quirks;
use super::regs::Regs;
use super::set_up::Queues;
use super::spec::{isr, management};
use super::status;
use crate::block::{
    Accesses, BufferId, Completion, Controller, ControllerError, Disk, DiskId, Health, Ignored,
    InterruptMode, Limits, Options, QueueDoorbells, QueueId, Request, Status, SubmitError, Tag,
};
use crate::hal::{BusAddr, Hal};
use crate::scsi::{self, Other, Units, transfer};
use alloc::string::ToString;
use alloc::vec::Vec;

/// A virtio-scsi controller. [`start`](Self::start) brings it up.
pub struct VirtioScsi<H: Hal> {
    // What the hot path uses.
    pub(super) queues: Vec<Queue<H::Region>>,
    pub(super) units: Units<H, UnitWord>,
    /// Requests are taken.
    pub(super) running: bool,
    pub(super) regs: Regs<H::Mmio>,
    pub(super) kicks: u64,
    /// Commands that were published.
    pub(super) commands: u64,
    pub(super) interrupts: InterruptMode,
    // The rest.
    /// Control and event queue; `None` before the first set-up.
    pub(super) others: Option<Queues<H::Region>>,
    pub(super) bad_completions: u64,
    pub(super) health: Health,
    pub(super) quirks: Quirks,
    pub(super) choices: Choices,
    pub(super) features: Features,
    pub(super) limits: Limits,
    pub(super) ignored: Vec<Ignored>,
    pub(super) scratch: H::Region,
    pub(super) first_index: u16,
    pub(super) hal: H,
}

impl<H: Hal> VirtioScsi<H> {
    /// The next event, if there is one. An added unit is not taken into use: it is
    /// listed as ignored.
    pub fn next_event(&mut self) -> Option<Event> {
        let next = self.others.as_mut()?.events.next();
        self.post_events();
        match next {
            Ok(event) => {
                if let Some(Event::Added(address)) = event {
                    self.ignored.push(Ignored {
                        address: address.into(),
                        reason: "added while running".to_string(),
                    });
                }
                event
            }
            Err(_) => {
                self.distrust("event in no buffer");
                None
            }
        }
    }

    /// Flush and trim.
    #[cold]
    #[inline(never)]
    fn submit_other(&mut self, queue: QueueId, request: Request) -> Result<Tag, SubmitError> {
        let Other { frame, cdb, list } = self.units.other(&request)?;
        let cookie = request.cookie;
        let queue = self.queues.get_mut(usize::from(queue.0));
        let queue = queue.ok_or(SubmitError::Invalid)?;
        let tag = match list {
            Some(list) => queue.push_list(&frame, cdb, &list, cookie),
            None => queue.push(&frame, cdb, BusAddr(0), cookie),
        };
        tag.ok_or(SubmitError::Full)
    }

    /// Takes used entries until `out` is full or there are no more; how many.
    #[inline(always)]
    fn take(&mut self, queue: QueueId, out: &mut [Completion]) -> usize {
        let Some(queue) = self.queues.get_mut(usize::from(queue.0)) else {
            return 0;
        };
        let Ok(ready) = queue.ring.ready() else {
            if self.health == Health::Ok {
                self.distrust("used index runs away");
            }
            return 0;
        };
        let count = out.len().min(usize::from(ready));
        let mut found = 0;
        let mut lie = None;
        for _ in 0..count {
            let used = queue.ring.take();
            match queue.finish(used) {
                Ok((tag, cookie, response)) => {
                    let status = match response {
                        None => Status::Ok,
                        Some(response) => status_of(queue, tag, &response),
                    };
                    out[found] = Completion {
                        tag,
                        cookie,
                        status,
                    };
                    found += 1;
                }
                Err(Lie(reason)) => lie = Some(reason),
            }
        }
        if let Some(reason) = lie {
            self.distrust(reason);
        }
        found
    }

    #[cold]
    #[inline(never)]
    pub(super) fn distrust(&mut self, reason: &'static str) {
        self.bad_completions += 1;
        self.health = Health::Lying(reason);
        self.running = false;
    }

    fn check_idle(&self) -> Result<(), ControllerError> {
        match self.in_flight() {
            0 => Ok(()),
            count => Err(ControllerError::InFlight(count)),
        }
    }
}

/// Status of a command whose response is not plainly good.
#[cold]
#[inline(never)]
fn status_of<R: crate::hal::DmaRegion>(queue: &Queue<R>, tag: Tag, response: &Response) -> Status {
    status::decode(response, &queue.sense(tag.slot(), response.sense_bytes))
}

impl<H: Hal> Controller for VirtioScsi<H> {
    fn kind(&self) -> &'static str {
        "virtio-scsi"
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
    fn submit(&mut self, queue: QueueId, request: &Request) -> Result<Tag, SubmitError> {
        if !self.running {
            return Err(SubmitError::Dead);
        }
        if request.op as usize >= transfer::KINDS {
            return self.submit_other(queue, *request);
        }
        let (frame, cdb, data) = self.units.transfer(request)?;
        let queue = self.queues.get_mut(usize::from(queue.0));
        let queue = queue.ok_or(SubmitError::Invalid)?;
        let tag = queue.push(frame, cdb, data, request.cookie);
        tag.ok_or(SubmitError::Full)
    }

    #[inline]
    fn ring_doorbell(&mut self, queue: QueueId) {
        let Some(queue) = self.queues.get_mut(usize::from(queue.0)) else {
            return;
        };
        let count = queue.ring.unpublished();
        if count == 0 {
            return;
        }
        self.commands += u64::from(count);
        if queue.ring.publish() {
            self.regs.notify(queue.doorbell, queue.number);
            self.kicks += 1;
            queue.kicks += 1;
        }
    }

    #[inline]
    fn reap(&mut self, queue: QueueId, out: &mut [Completion]) -> usize {
        let mut found = self.take(queue, out);
        if self.interrupts != InterruptMode::Off {
            let at = usize::from(queue.0);
            // What came before the interrupt was asked for is not announced.
            while found < out.len() && self.queues.get(at).is_some_and(|it| it.ring.rearm()) {
                match self.take(queue, &mut out[found..]) {
                    0 => break,
                    more => found += more,
                }
            }
        }
        found
    }

    fn in_flight(&self) -> u32 {
        self.queues.iter().map(|queue| queue.tags.in_flight()).sum()
    }

    fn health(&self) -> Health {
        self.health
    }

    /// Off and on again where vectors come or go, which the device must learn
    /// before it runs; nothing may be in flight. Under `Message` every request
    /// queue uses vector 0, and the message must be set up before.
    fn set_interrupts(&mut self, mode: InterruptMode) -> Result<(), ControllerError> {
        let old = self.interrupts;
        if old == mode {
            return Ok(());
        }
        self.check_idle()?;
        if old != InterruptMode::Message && mode != InterruptMode::Message {
            self.interrupts = mode;
            for queue in &self.queues {
                queue.ring.want_interrupts(mode != InterruptMode::Off);
            }
            // The line stays up until its status was read.
            self.acknowledge_interrupt();
            return Ok(());
        }
        self.change(|this| this.interrupts = mode, |this| this.interrupts = old)
    }

    /// By the interrupt status, whose reading clears it. A message needs none.
    fn acknowledge_interrupt(&mut self) -> bool {
        if self.interrupts == InterruptMode::Message {
            return false;
        }
        match self.regs.take_raised() {
            u8::MAX => {
                let _ = self.noted::<()>(Err(ControllerError::Gone));
                false
            }
            raised => raised & (isr::QUEUE | isr::CONFIG) != 0,
        }
    }

    fn reset(&mut self) -> Result<(), ControllerError> {
        self.restart()?;
        self.settle_disks()
    }

    fn reconfigure(&mut self, options: &Options) -> Result<(), ControllerError> {
        let (old, new) = (self.choices, Choices::from_options(options, self.quirks)?);
        if new == old {
            return Ok(());
        }
        self.check_idle()?;
        self.change(|this| this.choices = new, |this| this.choices = old)
    }

    fn abort(&mut self, queue: QueueId, tag: Tag) -> Result<(), ControllerError> {
        let Some(flying) = self.queues.get(usize::from(queue.0)) else {
            return Err(ControllerError::Unsupported);
        };
        if !flying.tags.is_in_flight(tag) {
            return Ok(());
        }
        let disk = DiskId(flying.disk(tag.slot()));
        let id = flying.id_of(tag);
        let UnitWord(lun) = *self.units.wire(disk).ok_or(ControllerError::Unsupported)?;
        self.look()?;
        // The device can only find what it has been shown.
        self.ring_doorbell(queue);
        self.manage(management::ABORT_TASK, lun, id).map(drop)
    }

    fn refresh_disk(&mut self, disk: DiskId) -> Result<(), ControllerError> {
        self.check_idle()?;
        let address = self.units.address(disk)?;
        let fresh = scsi::look_again(self, address)?;
        let longest_bytes = self.limits.max_transfer_bytes;
        self.units.renew_disk(disk, fresh, longest_bytes)
    }

    /// By the event queue.
    fn take_disk_change(&mut self) -> Result<bool, ControllerError> {
        let mut changed = false;
        while self.next_event().is_some() {
            changed = true;
        }
        Ok(changed)
    }

    fn shutdown(&mut self) {
        if self.others.is_some() && self.stop().is_ok() {
            self.others = None;
            self.queues.clear();
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
        let waiting = self
            .queues
            .iter()
            .map(|it| u64::from(it.ring.unpublished()));
        Accesses {
            submit_doorbells: self.kicks,
            completion_doorbells: 0,
            mmio: self.regs.counts(),
            commands: self.commands + waiting.sum::<u64>(),
            bad_completions: self.bad_completions,
        }
    }

    fn queue_doorbells(&self, queue: QueueId) -> QueueDoorbells {
        let queue = self.queues.get(usize::from(queue.0));
        QueueDoorbells {
            submit: queue.map_or(0, |queue| queue.kicks),
            completion: 0,
        }
    }
}
