//! The fastest controller there can be, and clocks.

use drivers::block::{
    Accesses, BufferId, Completion, Controller, ControllerError, Disk, DiskAddress, DiskId, Health,
    Ignored, InterruptMode, Limits, Options, QueueId, Request, Status, SubmitError, Tag,
};
use drivers::hal::Clock;
use std::cell::Cell;
pub use std::time::Instant;

/// The processor's time-stamp counter.
pub struct TscClock {
    clock: quanta::Clock,
    rate: u64,
}

impl TscClock {
    pub fn new() -> Self {
        let clock = quanta::Clock::new();
        let (start, from) = (Instant::now(), clock.raw());
        while start.elapsed().as_millis() < 50 {}
        let ticks = clock.raw() - from;
        let rate = (ticks as f64 / start.elapsed().as_secs_f64()) as u64;
        Self { clock, rate }
    }
}

impl Clock for TscClock {
    #[inline]
    fn now_ticks(&self) -> u64 {
        self.clock.raw()
    }
    fn ticks_per_second(&self) -> u64 {
        self.rate
    }
    fn relax(&self) {}
}

/// A clock that counts its own looks.
pub struct FreeClock(pub Cell<u64>);

impl Clock for FreeClock {
    #[inline]
    fn now_ticks(&self) -> u64 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
    fn ticks_per_second(&self) -> u64 {
        3_000_000_000
    }
    fn relax(&self) {}
}

const SLOTS: usize = 1024;

/// Everything submitted is complete after the doorbell, in order.
pub struct Device {
    limits: Limits,
    disks: [Disk; 1],
    ring: Box<[u32; SLOTS]>,
    written: usize,
    rung: usize,
    reaped: usize,
    buffers: Vec<[u8; 4096]>,
    accesses: Accesses,
}

impl Device {
    pub fn new() -> Self {
        let text = String::new;
        Self {
            limits: Limits {
                queues: 1,
                queue_entries: SLOTS as u32,
                max_in_flight: SLOTS as u32,
                max_batch: SLOTS as u32,
                max_transfer_bytes: 1 << 20,
                max_targets: 1,
                ring_pages: 0,
                doorbell_per_request: false,
                polls_by_register: false,
            },
            disks: [Disk {
                address: DiskAddress::Namespace(1),
                blocks: 1 << 40,
                block_size_bytes: 512,
                physical_block_bytes: 512,
                read_only: false,
                durable_writes: false,
                trim: false,
                max_transfer_bytes: u64::MAX,
                vendor: text(),
                model: text(),
                serial: text(),
                wwid: text(),
            }],
            ring: Box::new([0; SLOTS]),
            written: 0,
            rung: 0,
            reaped: 0,
            buffers: Vec::new(),
            accesses: Accesses::default(),
        }
    }
}

impl Controller for Device {
    fn kind(&self) -> &'static str {
        "fastest"
    }
    fn limits(&self) -> &Limits {
        &self.limits
    }
    fn disks(&self) -> &[Disk] {
        &self.disks
    }
    fn ignored(&self) -> &[Ignored] {
        &[]
    }
    #[inline]
    fn submit(&mut self, _queue: QueueId, request: &Request) -> Result<Tag, SubmitError> {
        if self.written.wrapping_sub(self.reaped) >= SLOTS {
            return Err(SubmitError::Full);
        }
        // All of the request is read, as a driver would.
        std::hint::black_box(request.lba.0 as u32 ^ request.blocks ^ request.buffer.0);
        self.ring[self.written % SLOTS] = request.cookie;
        self.accesses.commands += 1;
        self.written = self.written.wrapping_add(1);
        Ok(Tag::NONE)
    }
    #[inline]
    fn ring_doorbell(&mut self, _queue: QueueId) {
        if self.rung != self.written {
            self.rung = self.written;
            self.accesses.submit_doorbells += 1;
        }
    }
    #[inline]
    fn reap(&mut self, _queue: QueueId, out: &mut [Completion]) -> usize {
        let ready = self.rung.wrapping_sub(self.reaped).min(out.len());
        for place in &mut out[..ready] {
            *place = Completion {
                tag: Tag::NONE,
                cookie: self.ring[self.reaped % SLOTS],
                status: Status::Ok,
            };
            self.reaped = self.reaped.wrapping_add(1);
        }
        ready
    }
    fn in_flight(&self) -> u32 {
        self.written.wrapping_sub(self.reaped) as u32
    }
    fn health(&self) -> Health {
        Health::Ok
    }
    fn set_interrupts(&mut self, _mode: InterruptMode) -> Result<(), ControllerError> {
        Err(ControllerError::Unsupported)
    }
    fn acknowledge_interrupt(&mut self) -> bool {
        false
    }
    fn reset(&mut self) -> Result<(), ControllerError> {
        Ok(())
    }
    fn reconfigure(&mut self, _options: &Options) -> Result<(), ControllerError> {
        Ok(())
    }
    fn abort(&mut self, _queue: QueueId, _tag: Tag) -> Result<(), ControllerError> {
        Err(ControllerError::Unsupported)
    }
    fn refresh_disk(&mut self, _disk: DiskId) -> Result<(), ControllerError> {
        Ok(())
    }
    fn shutdown(&mut self) {}
    fn set_buffers(&mut self, count: u32, _size_bytes: usize) -> Result<(), ControllerError> {
        self.buffers = vec![[0; 4096]; count as usize];
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
}
