//! A link that remembers, and sessions on fake controllers.

use core::cell::RefCell;
use drivers::block::{
    Accesses, BufferId, Completion, Controller, ControllerError, Disk, DiskId, Health, Ignored,
    InterruptMode, Limits, Options, QueueDoorbells, QueueId, Request, SubmitError, Tag,
};
use engine::fake::{Device, HandClock, NoCounters};
use engine::session::{Adapter, Inject, Link, NoLine, NoWallClock, Setup, WallClock, run};
use proto::exit::GuestExit;
use proto::job::{Params, Rw};
use proto::record::Record;
use proto::result::{DiskInfo, Run};
use std::rc::Rc;

/// What went over the line, in order.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a test keeps a few dozen")]
pub enum Line {
    Record(Record),
    Sync(u32),
}

#[derive(Default)]
pub struct Remembering {
    pub lines: Vec<Line>,
}

impl Link for Remembering {
    fn record(&mut self, record: &Record) {
        self.lines.push(Line::Record(record.clone()));
    }

    fn sync(&mut self, number: u32) {
        self.lines.push(Line::Sync(number));
    }
}

/// A device that the test can still look at after the session.
#[derive(Clone)]
pub struct Shared(
    pub Rc<RefCell<Device>>,
    &'static str,
    Vec<Disk>,
    Vec<Ignored>,
    Limits,
);

impl Shared {
    pub fn new(device: Device, kind: &'static str) -> Self {
        let (disks, ignored) = (device.disks.clone(), device.ignored.clone());
        let limits = device.limits;
        Self(Rc::new(RefCell::new(device)), kind, disks, ignored, limits)
    }
}

impl Controller for Shared {
    fn kind(&self) -> &'static str {
        self.1
    }
    fn limits(&self) -> &Limits {
        &self.4
    }
    fn disks(&self) -> &[Disk] {
        &self.2
    }
    fn ignored(&self) -> &[Ignored] {
        &self.3
    }
    fn submit(&mut self, queue: QueueId, request: &Request) -> Result<Tag, SubmitError> {
        self.0.borrow_mut().submit(queue, request)
    }
    fn ring_doorbell(&mut self, queue: QueueId) {
        self.0.borrow_mut().ring_doorbell(queue);
    }
    fn reap(&mut self, queue: QueueId, out: &mut [Completion]) -> usize {
        self.0.borrow_mut().reap(queue, out)
    }
    fn in_flight(&self) -> u32 {
        self.0.borrow().in_flight()
    }
    fn health(&self) -> Health {
        self.0.borrow().health
    }
    fn set_interrupts(&mut self, mode: InterruptMode) -> Result<(), ControllerError> {
        self.0.borrow_mut().set_interrupts(mode)
    }
    fn acknowledge_interrupt(&mut self) -> bool {
        self.0.borrow_mut().acknowledge_interrupt()
    }
    fn reset(&mut self) -> Result<(), ControllerError> {
        self.0.borrow_mut().reset()
    }
    fn reconfigure(&mut self, options: &Options) -> Result<(), ControllerError> {
        let done = self.0.borrow_mut().reconfigure(options);
        self.4 = self.0.borrow().limits;
        done
    }
    fn abort(&mut self, queue: QueueId, tag: Tag) -> Result<(), ControllerError> {
        self.0.borrow_mut().abort(queue, tag)
    }
    fn refresh_disk(&mut self, disk: DiskId) -> Result<(), ControllerError> {
        let outcome = self.0.borrow_mut().refresh_disk(disk);
        self.2 = self.0.borrow().disks.clone();
        outcome
    }
    fn shutdown(&mut self) {
        self.0.borrow_mut().shutdown();
    }
    fn set_buffers(&mut self, count: u32, size_bytes: usize) -> Result<(), ControllerError> {
        self.0.borrow_mut().set_buffers(count, size_bytes)
    }
    fn fill_buffer(&mut self, buffer: BufferId, offset_bytes: usize, data: &[u8]) {
        self.0.borrow_mut().fill_buffer(buffer, offset_bytes, data);
    }
    fn read_buffer(&self, buffer: BufferId, offset_bytes: usize, out: &mut [u8]) {
        self.0.borrow().read_buffer(buffer, offset_bytes, out);
    }
    fn accesses(&self) -> Accesses {
        self.0.borrow().accesses()
    }
    fn queue_doorbells(&self, queue: QueueId) -> QueueDoorbells {
        self.0.borrow().queue_doorbells(queue)
    }
}

/// One session.
pub struct Outcome {
    pub exit: GuestExit,
    pub lines: Vec<Line>,
}

impl Outcome {
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.lines.iter().filter_map(|line| match line {
            Line::Record(record) => Some(record),
            Line::Sync(_) => None,
        })
    }

    pub fn rows(&self) -> Vec<&Run> {
        self.records()
            .filter_map(|record| match record {
                Record::Row(run) => Some(&**run),
                _ => None,
            })
            .collect()
    }

    pub fn disks(&self) -> Vec<&DiskInfo> {
        self.records()
            .filter_map(|record| match record {
                Record::Disk(disk) => Some(disk),
                _ => None,
            })
            .collect()
    }

    pub fn notes(&self) -> Vec<&str> {
        self.records()
            .filter_map(|record| match record {
                Record::Note(note) => Some(note.text.as_str()),
                _ => None,
            })
            .collect()
    }
}

/// Writes before the first row on a disk that may be written and takes writes.
pub const REHEARSAL: usize = 1;

pub const DISK_BYTES: u64 = 64 << 20;

pub fn clock() -> HandClock {
    HandClock::new(5_000_000, 10, 500)
}

/// A device of one 64 MiB disk that answers in 20 us.
pub fn device(clock: &HandClock) -> Device {
    Device::new(clock, 64, DISK_BYTES / 512, 512, 20_000)
}

/// `number_ios=100` of this kind.
pub fn job(name: &str, rw: Rw) -> Params {
    let mut params = Params::new(name);
    params.rw = rw;
    params.iodepth = 4;
    params.number_ios = Some(100);
    params
}

pub fn adapter(pci: &str, shared: &Shared) -> Adapter<HandClock> {
    Adapter {
        pci: pci.into(),
        pci_id: "15ad:07c0".into(),
        bars: Vec::new(),
        interrupts: vec!["msix".into()],
        line: Box::new(NoLine),
        controller: Box::new(shared.clone()),
    }
}

pub fn session(clock: &HandClock, adapters: Vec<Adapter<HandClock>>, jobs: &[Params]) -> Outcome {
    session_with(clock, adapters, jobs, Inject::None)
}

pub fn session_with(
    clock: &HandClock,
    adapters: Vec<Adapter<HandClock>>,
    jobs: &[Params],
    inject: Inject,
) -> Outcome {
    session_at(clock, adapters, jobs, inject, &mut NoWallClock)
}

pub fn session_at(
    clock: &HandClock,
    adapters: Vec<Adapter<HandClock>>,
    jobs: &[Params],
    inject: Inject,
    wall: &mut dyn WallClock,
) -> Outcome {
    let mut link = Remembering::default();
    let exit = run(Setup {
        clock,
        link: &mut link,
        counters: &NoCounters,
        wall,
        adapters,
        jobs,
        origin_ticks: 1_000_000,
        records_sent: 2,
        inject,
    });
    Outcome {
        exit,
        lines: link.lines,
    }
}

/// A session of one pvscsi adapter at `00:03.0`.
pub fn single(device: Device, clock: &HandClock, jobs: &[Params]) -> (Outcome, Shared) {
    let shared = Shared::new(device, "pvscsi");
    let outcome = session(clock, vec![adapter("00:03.0", &shared)], jobs);
    (outcome, shared)
}
