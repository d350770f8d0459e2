//! What the kit needs of a driver's tests and of its device model.

use crate::block::{
    BufferId, Completion, Controller, ControllerError, DiskId, Lba, Op, Options, QueueId, Request,
    Status, Tag,
};
use crate::fake::scsi::{Completing, Fetching, ScsiBus};
use crate::fake::{FakeDevice, FakeHal, FakeMemory};
use alloc::vec::Vec;

/// A machine with the bench's device in it.
pub(crate) type Machine<B> = FakeHal<<B as Bench>::Model>;

/// The queue that all tests of the kit use.
pub(crate) const Q: QueueId = QueueId(0);

/// A driver and its device model.
pub(crate) trait Bench {
    /// The device.
    type Model: Model;
    /// The driver.
    type Adapter: Controller;

    /// Numbers of completions that no device can have to tell when it has three
    /// commands.
    const TOO_MANY: [u32; 4];
    /// Longest that a start may take with a device that never answers.
    const MUTE_START_NS: u64;

    /// Options of another ring than [`start`](Self::start) takes.
    fn other_ring() -> Options;
    /// Options of a ring that cannot be, and how they are refused.
    fn no_ring() -> (Options, ControllerError);

    /// The device with these units.
    fn device(memory: &FakeMemory, bus: ScsiBus) -> Self::Model;

    /// Starts the driver with a ring for 64 requests at least.
    fn start(machine: &Machine<Self>) -> Result<Self::Adapter, ControllerError>;

    /// The model must have seen no breach of the protocol.
    fn assert_clean(machine: &Machine<Self>);

    /// A machine with these units.
    fn machine(bus: ScsiBus) -> Machine<Self> {
        FakeHal::new(|memory| Self::device(memory, bus))
    }
}

/// A device model that works at the pace it is told to, and lies on demand.
pub(crate) trait Model: FakeDevice + 'static {
    /// Its units.
    fn bus(&mut self) -> &mut ScsiBus;
    /// When it completes what it fetched.
    fn set_completing(&mut self, completing: Completing);
    /// When it fetches what was published.
    fn set_fetching(&mut self, fetching: Fetching);
    /// Whether it answers nothing at all.
    fn set_mute(&mut self, mute: bool);
    /// It leaves old sense where it was when it has none.
    fn leave_old_sense(&mut self) {}
    /// Completes its nth open command, if there is one.
    fn complete(&mut self, nth: usize) -> bool;
    /// Commands that it has fetched and not completed.
    fn open(&self) -> usize;
    /// Commands that it has fetched since it was built.
    fn fetched(&self) -> u64;
    /// Most bytes that a command had.
    fn longest_bytes(&self) -> u64;
    /// It has no rings, and announces nothing.
    fn is_off(&self) -> bool;
    /// Says so many completions that it does not write.
    fn run_away(&mut self, count: u32);
    /// Tells of the completion that it told of last.
    fn tell_again(&mut self);
    /// Tells of a completion of no command.
    fn tell_of_none(&mut self);
    /// Tells of a completion of a command that it was not shown.
    fn tell_early(&mut self, tag: Tag);
}

/// A machine with one disk of 1 GiB.
pub(crate) fn one_disk<B: Bench>() -> Machine<B> {
    B::machine(ScsiBus::with_disk(1 << 21, 512))
}

/// A driver with 64 buffers of 64 KiB.
pub(crate) fn ready<B: Bench>(machine: &Machine<B>) -> B::Adapter {
    let mut adapter = B::start(machine).unwrap();
    adapter.set_buffers(64, 65_536).unwrap();
    adapter
}

/// A request to the first disk, with a buffer by its cookie.
pub(crate) fn request(op: Op, lba: u64, blocks: u32, cookie: u32) -> Request {
    Request {
        disk: DiskId(0),
        op,
        lba: Lba(lba),
        blocks,
        buffer: BufferId(cookie % 64),
        buffer_offset_bytes: 0,
        cookie,
    }
}

/// A read of 4 KiB.
pub(crate) fn read(lba: u64, cookie: u32) -> Request {
    request(Op::Read, lba, 8, cookie)
}

/// Everything that can be reaped now from a queue.
pub(crate) fn reap_from(adapter: &mut dyn Controller, queue: QueueId) -> Vec<Completion> {
    let mut finished = Vec::new();
    loop {
        let mut out = [Completion::EMPTY; 7];
        let count = adapter.reap(queue, &mut out);
        finished.extend_from_slice(&out[..count]);
        if count < out.len() {
            return finished;
        }
    }
}

/// Everything that can be reaped now.
pub(crate) fn reap_all(adapter: &mut dyn Controller) -> Vec<Completion> {
    reap_from(adapter, Q)
}

/// Submits, rings, and reaps the one completion there must be.
pub(crate) fn run(adapter: &mut dyn Controller, request: &Request) -> Status {
    let tag = adapter.submit(Q, request).unwrap();
    adapter.ring_doorbell(Q);
    let finished = reap_all(adapter);
    assert_eq!(finished.len(), 1, "exactly one completion");
    assert_eq!((finished[0].tag, finished[0].cookie), (tag, request.cookie));
    finished[0].status
}

/// Submits reads of places that follow each other.
pub(crate) fn submit_reads(adapter: &mut dyn Controller, count: u32) -> Vec<Tag> {
    let submit = |cookie| {
        let asked = read(u64::from(cookie) * 8, cookie);
        adapter.submit(Q, &asked).unwrap()
    };
    (0..count).map(submit).collect()
}
