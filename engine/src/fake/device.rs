//! A controller that answers by script.

use super::{HandClock, Media, Wire};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use drivers::block::{
    Accesses, BufferId, Completion, Controller, ControllerError, Disk, DiskAddress, DiskId, Health,
    Ignored, InterruptMode, Limits, Op, Options, QueueDoorbells, QueueId, Request, Status,
    SubmitError, Tag, TagTable,
};
use drivers::hal::{DmaError, DmaLayout};

/// How the device answers one command.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// From the doorbell until it can be reaped; `u64::MAX` for never.
    pub ticks: u64,
    /// Its status.
    pub status: Status,
}

impl Answer {
    /// Success after `ticks`.
    #[must_use]
    pub const fn ok(ticks: u64) -> Self {
        Self {
            ticks,
            status: Status::Ok,
        }
    }
}

/// Decides the answer to a command by its number, from 0, over all disks.
pub type Plan = Box<dyn FnMut(u64, &Request) -> Answer>;

/// Something that happens to the device.
pub type Hook = Box<dyn FnMut(&mut Device)>;

struct InFlight {
    queue: QueueId,
    due: u64,
    tag: Tag,
    bits: u32,
    request: Request,
    status: Status,
    rung: bool,
}

/// The controller. Fields are public where tests set or read them.
pub struct Device {
    /// Limits it states.
    pub limits: Limits,
    /// Disks it shows.
    pub disks: Vec<Disk>,
    /// What it shows as ignored.
    pub ignored: Vec<Ignored>,
    /// Contents by disk.
    pub media: Vec<Media>,
    /// Answers.
    pub plan: Plan,
    /// Ticks that a submit, a doorbell and a reap take.
    pub costs: [u64; 3],
    /// What it says of itself.
    pub health: Health,
    /// It is gone once it was given this many commands.
    pub gone_after_commands: u64,
    /// It has a notice that disks changed.
    pub notice: bool,
    /// Called when it is asked about a disk again.
    pub on_refresh: Option<Hook>,
    /// Asked to abort, it does.
    pub aborts: bool,
    /// Cookies of completions that it makes up in the next reap.
    pub lies: Vec<u32>,
    /// Most bytes of buffers that it can have.
    pub memory_bytes: u64,
    /// Requests per doorbell, in order, as far as room was reserved.
    pub batches: Vec<u32>,
    /// Doorbells of each queue.
    pub rung: Vec<u64>,
    /// Commands that each queue had in flight, at most.
    pub deepest: Vec<usize>,
    /// Requests in order, as far as room was reserved.
    pub log: Vec<Request>,
    /// Resets, refreshes, shutdowns and aborts made.
    pub calls: [u32; 4],
    /// Where its interrupts go; without it, it has none.
    pub wire: Option<Wire>,
    /// How it announces completions.
    pub interrupts: InterruptMode,
    /// Options of the last `reconfigure`.
    pub options: Options,
    clock: HandClock,
    tags: TagTable,
    flight: Vec<InFlight>,
    buffers: Vec<Vec<u8>>,
    accesses: Accesses,
}

impl Device {
    /// A disk of `blocks` blocks of `block_bytes`, and room for `slots` commands,
    /// each answered `ticks` after its doorbell.
    #[must_use]
    pub fn new(clock: &HandClock, slots: u16, blocks: u64, block_bytes: u32, ticks: u64) -> Self {
        Self {
            limits: Limits {
                queues: 1,
                queue_entries: u32::from(slots),
                max_in_flight: u32::from(slots),
                max_batch: u32::from(slots),
                max_transfer_bytes: 1 << 20,
                max_targets: 4,
                ring_pages: 8,
                doorbell_per_request: false,
                polls_by_register: false,
            },
            disks: vec![disk(0, blocks, block_bytes)],
            ignored: Vec::new(),
            media: vec![Media::new(block_bytes as usize)],
            plan: Box::new(move |_, _| Answer::ok(ticks)),
            costs: [0; 3],
            health: Health::Ok,
            gone_after_commands: u64::MAX,
            notice: false,
            on_refresh: None,
            aborts: true,
            lies: Vec::new(),
            memory_bytes: 1 << 30,
            batches: Vec::with_capacity(1 << 16),
            rung: vec![0],
            deepest: vec![0],
            log: Vec::with_capacity(1 << 16),
            calls: [0; 4],
            wire: None,
            interrupts: InterruptMode::Off,
            options: Options::default(),
            clock: clock.clone(),
            tags: TagTable::new(slots, 32),
            flight: Vec::with_capacity(usize::from(slots)),
            buffers: Vec::new(),
            accesses: Accesses::default(),
        }
    }

    /// Offers so many queues, each with the slots that it has.
    pub fn offer_queues(&mut self, queues: u16) {
        let slots = self.limits.max_in_flight as usize * usize::from(queues);
        self.limits.queues = queues;
        self.rung = vec![0; usize::from(queues)];
        self.deepest = vec![0; usize::from(queues)];
        self.tags = TagTable::new(slots as u16, 32);
        self.flight.reserve(slots);
    }

    /// Adds a disk at the next target.
    pub fn add_disk(&mut self, blocks: u64, block_bytes: u32) {
        let target = self.disks.len() as u16;
        self.disks.push(disk(target, blocks, block_bytes));
        self.media.push(Media::new(block_bytes as usize));
    }

    /// Reads in the log.
    #[must_use]
    pub fn reads(&self) -> usize {
        self.log
            .iter()
            .filter(|request| request.op == Op::Read)
            .count()
    }

    /// Writes in the log.
    #[must_use]
    pub fn writes(&self) -> usize {
        self.log
            .iter()
            .filter(|request| request.op == Op::Write)
            .count()
    }

    fn execute(&mut self, request: &Request) {
        let disk = usize::from(request.disk.0);
        if matches!(request.op, Op::Flush | Op::Trim) {
            return;
        }
        let bytes = request.blocks as usize * self.disks[disk].block_size_bytes as usize;
        let start = request.buffer_offset_bytes as usize;
        let buffer = &mut self.buffers[request.buffer.0 as usize][start..start + bytes];
        match request.op {
            Op::Read => self.media[disk].read(request.lba.0, buffer),
            Op::Write | Op::WriteDurable => self.media[disk].write(request.lba.0, buffer),
            Op::Flush | Op::Trim => {}
        }
    }

    /// A command will complete at `due`.
    fn announce(&self, due: u64) {
        if let Some(wire) = &self.wire
            && self.interrupts != InterruptMode::Off
            && due != u64::MAX
        {
            wire.raise_at(due);
        }
    }

    fn valid(&self, request: &Request) -> bool {
        let Some(disk) = self.disks.get(usize::from(request.disk.0)) else {
            return false;
        };
        match request.op {
            Op::Flush => return request.blocks == 0,
            Op::Trim => {
                let end = request.lba.0 + u64::from(request.blocks);
                return disk.trim && request.blocks > 0 && end <= disk.blocks;
            }
            Op::Read | Op::Write | Op::WriteDurable => {}
        }
        let bytes = u64::from(request.blocks) * u64::from(disk.block_size_bytes);
        let end = u64::from(request.buffer_offset_bytes) + bytes;
        let buffer = self.buffers.get(request.buffer.0 as usize);
        request.blocks > 0
            && bytes <= self.limits.max_transfer_bytes.min(disk.max_transfer_bytes)
            && request.lba.0 + u64::from(request.blocks) <= disk.blocks
            && buffer.is_some_and(|buffer| end <= buffer.len() as u64)
    }
}

fn disk(target: u16, blocks: u64, block_bytes: u32) -> Disk {
    Disk {
        address: DiskAddress::Scsi { target, lun: 0 },
        blocks,
        block_size_bytes: block_bytes,
        physical_block_bytes: block_bytes,
        read_only: false,
        durable_writes: true,
        trim: false,
        max_transfer_bytes: u64::MAX,
        vendor: String::from("FAKE"),
        model: String::from("Disk"),
        serial: String::new(),
        wwid: String::new(),
    }
}

impl Controller for Device {
    fn kind(&self) -> &'static str {
        "pvscsi"
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

    fn submit(&mut self, queue: QueueId, request: &Request) -> Result<Tag, SubmitError> {
        if self.health != Health::Ok {
            return Err(SubmitError::Dead);
        }
        if !self.valid(request) || queue.0 >= self.limits.queues {
            return Err(SubmitError::Invalid);
        }
        let own = self.flight.iter().filter(|command| command.queue == queue);
        let unrung = own.clone().filter(|command| !command.rung).count();
        if unrung >= self.limits.max_batch as usize {
            return Err(SubmitError::DoorbellDue);
        }
        let own = own.count();
        if own >= self.limits.max_in_flight as usize {
            return Err(SubmitError::Full);
        }
        let deepest = &mut self.deepest[usize::from(queue.0)];
        *deepest = (*deepest).max(own + 1);
        let tag = self.tags.take(request.cookie).ok_or(SubmitError::Full)?;
        let answer = (self.plan)(self.accesses.commands, request);
        self.accesses.commands += 1;
        if self.accesses.commands >= self.gone_after_commands {
            self.health = Health::Gone;
        }
        self.clock.advance(self.costs[0]);
        if self.log.len() < self.log.capacity() {
            self.log.push(*request);
        }
        self.flight.push(InFlight {
            queue,
            due: answer.ticks,
            tag,
            bits: tag.to_bits(self.tags.slot_bits()),
            request: *request,
            status: answer.status,
            rung: false,
        });
        Ok(tag)
    }

    fn ring_doorbell(&mut self, queue: QueueId) {
        let mut published = 0;
        let now = self.clock.peek();
        for at in 0..self.flight.len() {
            let command = &mut self.flight[at];
            if command.rung || command.queue != queue {
                continue;
            }
            command.rung = true;
            command.due = command.due.saturating_add(now);
            published += 1;
            let due = command.due;
            self.announce(due);
        }
        if published > 0 {
            let writes = if self.limits.doorbell_per_request {
                u64::from(published)
            } else {
                1
            };
            self.accesses.submit_doorbells += writes;
            self.rung[usize::from(queue.0)] += writes;
            self.accesses.mmio.writes += writes;
            self.clock.advance(self.costs[1] * writes);
            if self.batches.len() < self.batches.capacity() {
                self.batches.push(published);
            }
        }
    }

    fn reap(&mut self, queue: QueueId, out: &mut [Completion]) -> usize {
        self.clock.advance(self.costs[2]);
        let now = self.clock.peek();
        let mut found = 0;
        while found < out.len() {
            if let Some(cookie) = self.lies.pop() {
                out[found] = Completion {
                    cookie,
                    ..Completion::EMPTY
                };
                found += 1;
                continue;
            }
            let ready = self.flight.iter().position(|command| {
                let done = command.due <= now && command.due != u64::MAX;
                command.queue == queue && command.rung && done
            });
            let Some(at) = ready else { break };
            let command = self.flight.remove(at);
            let Ok((tag, cookie)) = self.tags.finish(command.bits) else {
                continue;
            };
            if command.status.is_ok() {
                self.execute(&command.request);
            }
            out[found] = Completion {
                tag,
                cookie,
                status: command.status,
            };
            found += 1;
        }
        found
    }

    fn in_flight(&self) -> u32 {
        self.tags.in_flight()
    }

    fn health(&self) -> Health {
        self.health
    }

    fn set_interrupts(&mut self, mode: InterruptMode) -> Result<(), ControllerError> {
        if self.wire.is_none() {
            return Err(ControllerError::Unsupported);
        }
        self.interrupts = mode;
        Ok(())
    }

    fn acknowledge_interrupt(&mut self) -> bool {
        self.wire.as_ref().is_some_and(Wire::acknowledge)
    }

    fn reset(&mut self) -> Result<(), ControllerError> {
        self.calls[0] += 1;
        self.flight.clear();
        self.tags.forget_all();
        match self.health {
            Health::Gone => Err(ControllerError::Gone),
            _ => {
                self.health = Health::Ok;
                Ok(())
            }
        }
    }

    fn reconfigure(&mut self, options: &Options) -> Result<(), ControllerError> {
        if let Some(pages) = options.ring_pages
            && (!pages.is_power_of_two() || pages > 32)
        {
            return Err(ControllerError::BadOption {
                what: "ring_pages",
                value: u64::from(pages),
            });
        }
        self.options = *options;
        Ok(())
    }

    fn abort(&mut self, queue: QueueId, tag: Tag) -> Result<(), ControllerError> {
        self.calls[3] += 1;
        if !self.aborts {
            return Err(ControllerError::Unsupported);
        }
        let named = |command: &&mut InFlight| (command.queue, command.tag) == (queue, tag);
        for command in self.flight.iter_mut().filter(named) {
            command.due = 0;
            command.status = Status::Aborted;
        }
        Ok(())
    }

    fn refresh_disk(&mut self, _disk: DiskId) -> Result<(), ControllerError> {
        self.calls[1] += 1;
        if let Some(mut hook) = self.on_refresh.take() {
            hook(self);
            self.on_refresh = Some(hook);
        }
        match self.health {
            Health::Gone => Err(ControllerError::Gone),
            _ => Ok(()),
        }
    }

    fn take_disk_change(&mut self) -> Result<bool, ControllerError> {
        Ok(core::mem::take(&mut self.notice))
    }

    fn shutdown(&mut self) {
        self.calls[2] += 1;
    }

    fn set_buffers(&mut self, count: u32, size_bytes: usize) -> Result<(), ControllerError> {
        if !self.flight.is_empty() {
            return Err(ControllerError::InFlight(self.in_flight()));
        }
        self.buffers.clear();
        if u64::from(count) * size_bytes as u64 > self.memory_bytes {
            let layout = DmaLayout::pages(size_bytes);
            return Err(ControllerError::Dma(DmaError { layout }));
        }
        self.buffers = vec![vec![0; size_bytes]; count as usize];
        Ok(())
    }

    fn fill_buffer(&mut self, buffer: BufferId, offset_bytes: usize, data: &[u8]) {
        let buffer = &mut self.buffers[buffer.0 as usize];
        buffer[offset_bytes..offset_bytes + data.len()].copy_from_slice(data);
    }

    fn read_buffer(&self, buffer: BufferId, offset_bytes: usize, out: &mut [u8]) {
        let buffer = &self.buffers[buffer.0 as usize];
        out.copy_from_slice(&buffer[offset_bytes..offset_bytes + out.len()]);
    }

    fn accesses(&self) -> Accesses {
        self.accesses
    }

    fn queue_doorbells(&self, queue: QueueId) -> QueueDoorbells {
        QueueDoorbells {
            submit: self.rung.get(usize::from(queue.0)).copied().unwrap_or(0),
            completion: 0,
        }
    }
}
