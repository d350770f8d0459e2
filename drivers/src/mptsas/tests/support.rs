//! Machines, requests, and what must hold after every test.

pub(super) use super::super::Mptsas;
pub(super) use super::super::fake::{Completing, Fetching, MptModel};
pub(super) use crate::block::{
    BufferId, Completion, Controller, ControllerError, DiskId, Health, Lba, Op, Options, QueueId,
    Request, Status, SubmitError, Tag,
};
pub(super) use crate::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiBus, ScsiUnit};
pub(super) use crate::fake::{FakeClock, FakeHal, FakeMemory};
pub(super) use alloc::vec::Vec;

pub(super) type Machine = FakeHal<MptModel>;
pub(super) type Adapter = Mptsas<Machine>;

pub(super) const Q: QueueId = QueueId(0);

/// Buffers of [`ready`].
pub(super) const BUFFERS: u32 = 128;

pub(super) fn qemu(bus: ScsiBus) -> Machine {
    FakeHal::new(|memory| MptModel::new(memory, bus))
}

pub(super) fn firmware(bus: ScsiBus) -> Machine {
    FakeHal::new(|memory| MptModel::firmware(memory, bus))
}

pub(super) fn parallel(bus: ScsiBus) -> Machine {
    FakeHal::new(|memory| MptModel::parallel(memory, bus))
}

/// A bus with one disk of 1 GiB at target 0.
pub(super) fn disk_bus() -> ScsiBus {
    ScsiBus::with_disk(1 << 21, 512)
}

/// QEMU's adapter with that bus.
pub(super) fn one_disk() -> Machine {
    qemu(disk_bus())
}

pub(super) fn try_start(machine: &Machine) -> Result<Adapter, ControllerError> {
    Mptsas::start(machine.clone(), machine.mmio(), &Options::default())
}

pub(super) fn start(machine: &Machine) -> Adapter {
    try_start(machine).unwrap()
}

/// An adapter with [`BUFFERS`] buffers of 64 KiB.
pub(super) fn ready(machine: &Machine) -> Adapter {
    let mut adapter = start(machine);
    adapter.set_buffers(BUFFERS, 65_536).unwrap();
    adapter
}

pub(super) fn request(op: Op, lba: u64, blocks: u32, cookie: u32) -> Request {
    Request {
        disk: DiskId(0),
        op,
        lba: Lba(lba),
        blocks,
        buffer: BufferId(cookie % BUFFERS),
        buffer_offset_bytes: 0,
        cookie,
    }
}

pub(super) fn read(lba: u64, cookie: u32) -> Request {
    request(Op::Read, lba, 8, cookie)
}

pub(super) fn submit_reads(adapter: &mut Adapter, count: u32) -> Vec<Tag> {
    let lba = |cookie| u64::from(cookie) * 8;
    let tags = (0..count)
        .map(|cookie| adapter.submit(Q, &read(lba(cookie), cookie)).unwrap())
        .collect();
    adapter.ring_doorbell(Q);
    tags
}

/// Everything that can be reaped now. A pass ends at a reply that is no
/// completion, so that an empty one counts only where the FIFO is empty too.
pub(super) fn reap_all(machine: &Machine, adapter: &mut Adapter) -> Vec<Completion> {
    let mut finished = Vec::new();
    loop {
        let empty_reads = machine.device().seen.empty_reads;
        let mut out = [Completion::EMPTY; 7];
        let count = adapter.reap(Q, &mut out);
        finished.extend_from_slice(&out[..count]);
        if machine.device().seen.empty_reads > empty_reads {
            return finished;
        }
    }
}

/// Submits, and reaps the one completion there must be.
pub(super) fn run(machine: &Machine, adapter: &mut Adapter, request: &Request) -> Status {
    let tag = adapter.submit(Q, request).unwrap();
    adapter.ring_doorbell(Q);
    let finished = reap_all(machine, adapter);
    assert_eq!(finished.len(), 1, "exactly one completion");
    assert_eq!((finished[0].tag, finished[0].cookie), (tag, request.cookie));
    finished[0].status
}

/// The model must have seen no breach of the protocol.
pub(super) fn assert_clean(machine: &Machine) {
    assert_eq!(machine.memory().violations(), []);
    let device = machine.device();
    let seen = device.seen;
    assert_eq!(seen.credit_overruns, 0, "credits");
    assert_eq!(seen.bad_contexts, 0, "contexts");
    assert_eq!(seen.misaligned_frames, 0, "alignment");
    assert_eq!(seen.reused_frames, 0, "frames in use");
    assert_eq!(seen.changed_frames, 0, "frames changed");
    assert_eq!(seen.doubled_frames, 0, "reply frames");
    assert_eq!(seen.bad_lists, 0, "lists");
    assert_eq!(seen.empty_elements, 0, "empty elements");
    assert_eq!(seen.list_mismatches, 0, "lists and requests");
    assert_eq!(seen.wrong_lengths, 0, "data lengths");
    assert_eq!(seen.overruns, 0, "directions");
    assert_eq!(seen.unknown_functions, 0, "functions");
    assert_ne!(device.ioc_state(), 4, "fault");
}

/// All reply frames are with the adapter again, once nothing is left to reap.
pub(super) fn assert_frames_home(machine: &Machine) {
    let device = machine.device();
    let given = usize::from(device.quirks.reply_depth).min(usize::from(device.quirks.credits) + 8);
    assert_eq!(device.free_frames(), given, "reply frames at home");
}
