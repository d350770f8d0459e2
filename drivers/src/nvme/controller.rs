//! The controller as everything above it sees it.

use super::admin::AdminQueue;
use super::bring_up::Wanted;
use super::identify::ControllerInfo;
use super::io::{IoQueue, Lie, Namespace};
use super::prp::PrpLists;
use super::quirks::Quirks;
use super::regs::Registers;
use super::spec::{CDW10, Csts, PAGE_BYTES, admin, word0};
use crate::block::{
    Accesses, BufferId, BufferPool, Completion, Controller, ControllerError, Disk, DiskId, Health,
    Ignored, InterruptMode, Limits, Op, Options, QueueDoorbells, QueueId, Request, SubmitError,
    Tag,
};
use crate::hal::Hal;
use alloc::vec::Vec;

/// An NVMe controller that is ready for I/O.
pub struct Nvme<H: Hal> {
    pub(super) hal: H,
    pub(super) registers: Registers<H::Mmio, H::Region>,
    /// `None` only while the value is dropped.
    pub(super) admin: Option<AdminQueue<H::Region>>,
    pub(super) queues: Vec<IoQueue<H::Region>>,
    pub(super) namespaces: Vec<Namespace>,
    buffers: BufferPool<H>,
    lists: PrpLists<H::Region>,
    pub(super) info: ControllerInfo,
    pub(super) limits: Limits,
    pub(super) disks: Vec<Disk>,
    pub(super) ignored: Vec<Ignored>,
    pub(super) wanted: Wanted,
    pub(super) quirks: Quirks,
    pub(super) interrupts: InterruptMode,
    /// A level-triggered interrupt waits behind the mask for `reap`.
    masked: bool,
    health: Health,
    /// Requests are taken.
    running: bool,
    /// The device is known to touch no memory.
    pub(super) off: bool,
    accesses: Accesses,
}

impl<H: Hal> Nvme<H> {
    /// Brings the controller behind `mmio` (BAR0) up, in polled mode.
    ///
    /// # Errors
    /// [`ControllerError`]; the device is off then, as far as it obeys.
    pub fn start(
        hal: H,
        mmio: H::Mmio,
        quirks: Quirks,
        options: &Options,
    ) -> Result<Self, ControllerError> {
        let wanted = Wanted::from_options(options, quirks)?;
        let registers = Registers::new(mmio)?;
        let cap = registers.cap();
        if !cap.has_nvm_commands() || cap.min_page_bytes() > PAGE_BYTES {
            return Err(ControllerError::Refused {
                what: "NVM commands with 4 KiB pages (CAP)",
                answer: cap.0,
            });
        }
        let admin =
            AdminQueue::new(&hal, cap.doorbell_stride_bytes()).map_err(ControllerError::Dma)?;
        let mut controller = Self {
            hal,
            registers,
            admin: Some(admin),
            queues: Vec::new(),
            namespaces: Vec::new(),
            buffers: BufferPool::default(),
            lists: PrpLists::empty(),
            info: ControllerInfo::default(),
            limits: NO_LIMITS,
            disks: Vec::new(),
            ignored: Vec::new(),
            wanted,
            quirks,
            interrupts: InterruptMode::Off,
            masked: false,
            health: Health::Ok,
            running: false,
            // Whatever it does, it does to memory that is not ours.
            off: true,
            accesses: Accesses::default(),
        };
        controller.switch_off()?;
        controller.switch_on()?;
        controller.info = controller.identify_controller()?;
        controller.create_queues()?;
        controller.discover()?;
        controller.listen()?;
        controller.running = true;
        Ok(controller)
    }

    /// What the controller says of itself.
    #[must_use]
    pub fn info(&self) -> &ControllerInfo {
        &self.info
    }

    /// Whether shadow doorbells are in force.
    #[must_use]
    pub fn uses_shadow_doorbells(&self) -> bool {
        self.registers.shadow.is_some()
    }

    fn listen(&mut self) -> Result<(), ControllerError> {
        if !self.info.namespace_notices {
            return Ok(());
        }
        let admin = self.admin.as_mut().ok_or(ControllerError::Gone)?;
        admin.arm_events(&self.registers, self.hal.clock())
    }

    /// Off and on again; what was in flight is gone once it is off.
    fn restart(&mut self) -> Result<(), ControllerError> {
        self.running = false;
        self.masked = false;
        let done = self.restart_device();
        self.health = match done {
            Ok(()) => Health::Ok,
            Err(ControllerError::Gone) => Health::Gone,
            Err(_) => self.fault(),
        };
        self.running = done.is_ok();
        done
    }

    fn restart_device(&mut self) -> Result<(), ControllerError> {
        self.switch_off()?;
        self.forget_commands();
        self.switch_on()?;
        self.create_queues()?;
        self.listen()
    }

    fn is_fatal(&self) -> bool {
        self.registers.status().is_ok_and(Csts::is_fatal)
    }

    fn fault(&self) -> Health {
        match self.registers.status() {
            Ok(status) => Health::Fault(status.0),
            Err(_) => Health::Gone,
        }
    }

    fn forget_commands(&mut self) {
        for queue in &mut self.queues {
            queue.tags.forget_all();
        }
    }

    fn idle(&self) -> Result<(), ControllerError> {
        match self.in_flight() {
            0 => Ok(()),
            count => Err(ControllerError::InFlight(count)),
        }
    }

    /// Lets the line up again once `queue` is drained. A queue that still holds
    /// completions would raise it at once, for nothing, since its turn in the pass
    /// comes; what comes to an earlier queue behind the pass must be heard, so after
    /// the last queue it is let up in any case.
    #[cold]
    #[inline(never)]
    fn unmask_after(&mut self, queue: QueueId) {
        let is_last = usize::from(queue.0) + 1 == self.queues.len();
        if is_last || !self.queues.iter().any(|it| it.pair.has_completion()) {
            self.masked = false;
            self.registers.mask_vector_0(false);
        }
    }

    #[cold]
    fn caught(&mut self, lie: &Lie) {
        self.accesses.bad_completions += 1;
        self.health = Health::Lying(lie.0);
        self.running = false;
    }

    /// Notes what an operation revealed of the controller.
    fn noted<T>(&mut self, result: Result<T, ControllerError>) -> Result<T, ControllerError> {
        match result {
            Err(ControllerError::Gone) => self.health = Health::Gone,
            Err(ControllerError::TimedOut { .. }) => self.health = self.fault(),
            // A command that was refused says nothing of the controller, unless it
            // was so because of the controller's state.
            Err(ControllerError::Refused { .. }) if self.is_fatal() => self.health = self.fault(),
            _ => return result,
        }
        self.running = false;
        result
    }
}

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

impl<H: Hal> Controller for Nvme<H> {
    fn kind(&self) -> &'static str {
        "nvme"
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn disks(&self) -> &[Disk] {
        &self.disks
    }

    fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    #[inline]
    fn submit(&mut self, queue: QueueId, request: &Request) -> Result<Tag, SubmitError> {
        if !self.running {
            return Err(SubmitError::Dead);
        }
        let (Some(queue), Some(namespace)) = (
            self.queues.get_mut(usize::from(queue.0)),
            self.namespaces.get(usize::from(request.disk.0)),
        ) else {
            return Err(SubmitError::Invalid);
        };
        let tag = if request.op as u8 <= Op::WriteDurable as u8 {
            queue.submit_transfer(namespace, request, &self.buffers, &self.lists)?
        } else {
            queue.submit_other(namespace, request)?
        };
        self.accesses.commands += 1;
        Ok(tag)
    }

    #[inline]
    fn ring_doorbell(&mut self, queue: QueueId) {
        if let Some(queue) = self.queues.get_mut(usize::from(queue.0)) {
            if queue.pair.is_rung() {
                return;
            }
            self.accesses.submit_doorbells += queue.ring_tail(&self.registers);
            self.accesses.completion_doorbells += queue.ring_head(&self.registers);
        }
    }

    #[inline]
    fn reap(&mut self, queue: QueueId, out: &mut [Completion]) -> usize {
        let which = queue;
        let Some(queue) = self.queues.get_mut(usize::from(which.0)) else {
            return 0;
        };
        let mut found = 0;
        let mut lie = None;
        let mut at = queue.pair.place();
        for room in &mut *out {
            let Some(completion) = queue.pair.look(at) else {
                break;
            };
            at = queue.pair.after(at);
            match queue.finish(&completion) {
                Ok(finished) => *room = finished,
                Err(caught) => {
                    lie = Some(caught);
                    break;
                }
            }
            found += 1;
        }
        queue.pair.consume_to(at);
        // Slots are given back with the next doorbell, so that several passes share
        // one write; at once where there may be no next one, where the device runs
        // short of slots, and where its interrupt falls only with the last of them.
        if queue.pair.is_idle() || queue.pair.owes_much() || self.interrupts != InterruptMode::Off {
            self.accesses.completion_doorbells += queue.ring_head(&self.registers);
        }
        if let Some(lie) = lie {
            self.caught(&lie);
        }
        if self.masked && found < out.len() {
            self.unmask_after(which);
        }
        found
    }

    fn in_flight(&self) -> u32 {
        self.queues.iter().map(|queue| queue.tags.in_flight()).sum()
    }

    fn health(&self) -> Health {
        self.health
    }

    /// Makes the queues anew, since a completion queue cannot change its mind;
    /// nothing may be in flight. Under `Message` every queue uses vector 0, and
    /// the message must be set up before.
    fn set_interrupts(&mut self, mode: InterruptMode) -> Result<(), ControllerError> {
        if self.interrupts == mode {
            return Ok(());
        }
        self.idle()?;
        self.interrupts = mode;
        self.restart()
    }

    fn acknowledge_interrupt(&mut self) -> bool {
        // Under MSI-X the mask registers must not be touched, and there is
        // nothing to silence (3.1.3).
        if self.interrupts != InterruptMode::Level {
            return false;
        }
        let raised = self.queues.iter().any(|queue| queue.pair.has_completion());
        if !self.masked {
            // The line stays up until heads are given back: hold it down till then.
            self.registers.mask_vector_0(true);
            self.masked = true;
        }
        raised
    }

    fn reset(&mut self) -> Result<(), ControllerError> {
        self.restart()
    }

    fn reconfigure(&mut self, options: &Options) -> Result<(), ControllerError> {
        let wanted = Wanted::from_options(options, self.quirks)?;
        if wanted == self.wanted {
            return Ok(());
        }
        self.idle()?;
        self.wanted = wanted;
        self.restart()
    }

    fn abort(&mut self, queue: QueueId, tag: Tag) -> Result<(), ControllerError> {
        let Some(queue) = self.queues.get(usize::from(queue.0)) else {
            return Err(ControllerError::Unsupported);
        };
        let alive = self.registers.status();
        let id = u64::from(queue.pair.id());
        let bits = u64::from(tag.bits());
        let flying = queue.tags.is_in_flight(tag);
        self.noted(alive)?;
        if !flying {
            return Ok(());
        }
        let mut command = [0; 8];
        command[0] = word0(admin::ABORT, 0);
        command[CDW10] = bits << 16 | id;
        // Bit 0 of the result says that it was not aborted, which is no failure
        // of the asking: the command completes either way.
        let asked = self.execute("abort", command).map(drop);
        self.noted(asked)
    }

    fn refresh_disk(&mut self, disk: DiskId) -> Result<(), ControllerError> {
        self.idle()?;
        let refreshed = self.refresh(usize::from(disk.0));
        self.noted(refreshed)
    }

    fn take_disk_change(&mut self) -> Result<bool, ControllerError> {
        let admin = self.admin.as_mut().ok_or(ControllerError::Gone)?;
        let changed = admin.take_namespace_change(&self.registers, self.hal.clock());
        self.noted(changed)
    }

    fn shutdown(&mut self) {
        self.running = false;
        if self.off {
            return;
        }
        self.announce_shutdown();
        match self.switch_off() {
            Ok(()) => {}
            Err(ControllerError::Gone) => {
                self.off = true;
                self.health = Health::Gone;
            }
            // Its memory stays out of anyone's reach, see `drop`.
            Err(_) => self.health = self.fault(),
        }
        if self.off {
            self.forget_commands();
        }
    }

    fn set_buffers(&mut self, count: u32, size_bytes: usize) -> Result<(), ControllerError> {
        self.idle()?;
        self.lists = PrpLists::empty();
        self.buffers
            .replace(&self.hal, count, size_bytes)
            .map_err(ControllerError::Dma)?;
        match PrpLists::build(&self.hal, &self.buffers, count, size_bytes) {
            Ok(lists) => self.lists = lists,
            Err(error) => {
                self.buffers = BufferPool::default();
                return Err(ControllerError::Dma(error));
            }
        }
        Ok(())
    }

    fn fill_buffer(&mut self, buffer: BufferId, offset_bytes: usize, data: &[u8]) {
        self.buffers.fill(buffer, offset_bytes, data);
    }

    fn read_buffer(&self, buffer: BufferId, offset_bytes: usize, out: &mut [u8]) {
        self.buffers.read(buffer, offset_bytes, out);
    }

    fn accesses(&self) -> Accesses {
        let strays = self.admin.as_ref().map_or(0, AdminQueue::strays);
        Accesses {
            mmio: self.registers.counts(),
            bad_completions: self.accesses.bad_completions + strays,
            ..self.accesses
        }
    }

    fn queue_doorbells(&self, queue: QueueId) -> QueueDoorbells {
        let queue = self.queues.get(usize::from(queue.0));
        queue.map_or_else(QueueDoorbells::default, |queue| queue.doorbells)
    }
}

impl<H: Hal> Drop for Nvme<H> {
    fn drop(&mut self) {
        self.shutdown();
        if !self.off {
            // A device that cannot be stopped keeps what it may still write to.
            core::mem::forget(core::mem::take(&mut self.queues));
            core::mem::forget(core::mem::take(&mut self.buffers));
            core::mem::forget(core::mem::replace(&mut self.lists, PrpLists::empty()));
            core::mem::forget(self.registers.shadow.take());
            core::mem::forget(self.admin.take());
        }
    }
}
