//! The driver against the device in memory.

mod bring_up;
mod errors;
mod events;
mod interrupts;
mod io;
mod kicks;
mod layout;
mod limits;
mod management;
mod properties;
mod regions;
mod reset;
mod ring;
mod transfer;
mod trouble;

use super::VirtioScsi;
use super::fake::{Quirks as Offers, VirtioModel, regions};
use super::quirks::Quirks;
use crate::block::{
    BufferId, Completion, Controller, ControllerError, DiskId, Lba, Op, Options, QueueId, Request,
    Status, Tag,
};
use crate::fake::FakeHal;
use crate::fake::scsi::ScsiBus;
use alloc::vec::Vec;

type Machine = FakeHal<VirtioModel>;
type Adapter = VirtioScsi<Machine>;

const Q: QueueId = QueueId(0);

fn qemu(bus: ScsiBus) -> Machine {
    FakeHal::new(|memory| VirtioModel::new(memory, bus))
}

/// A device with one disk of 1 GiB at target 0 that offers something of its own.
fn offering(offers: Offers) -> Machine {
    let bus = ScsiBus::with_disk(1 << 21, 512);
    FakeHal::new(|memory| VirtioModel::with(memory, bus, offers))
}

/// QEMU's device with one disk of 1 GiB at target 0.
fn one_disk() -> Machine {
    offering(Offers::default())
}

/// The same without indirect descriptors.
fn direct(entries: u16) -> Offers {
    let all = Offers::default();
    Offers {
        features: all.features & !(1 << 28),
        entries,
        ..all
    }
}

fn try_start(machine: &Machine, options: &Options) -> Result<Adapter, ControllerError> {
    let quirks = Quirks::default();
    VirtioScsi::start(machine.clone(), machine.mmio(), regions(), quirks, options)
}

fn start_with(machine: &Machine, options: &Options) -> Adapter {
    try_start(machine, options).unwrap()
}

fn start(machine: &Machine) -> Adapter {
    start_with(machine, &Options::default())
}

/// A controller with 64 buffers of 64 KiB.
fn ready_with(machine: &Machine, options: &Options) -> Adapter {
    let mut adapter = start_with(machine, options);
    adapter.set_buffers(64, 65_536).unwrap();
    adapter
}

fn ready(machine: &Machine) -> Adapter {
    ready_with(machine, &Options::default())
}

fn request(op: Op, lba: u64, blocks: u32, cookie: u32) -> Request {
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

fn read(lba: u64, cookie: u32) -> Request {
    request(Op::Read, lba, 8, cookie)
}

/// Everything that can be reaped now from a queue.
fn reap_from(adapter: &mut Adapter, queue: QueueId) -> Vec<Completion> {
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

fn reap_all(adapter: &mut Adapter) -> Vec<Completion> {
    reap_from(adapter, Q)
}

/// Submits, rings, and reaps the one completion there must be.
fn run(adapter: &mut Adapter, request: &Request) -> Status {
    let tag = adapter.submit(Q, request).unwrap();
    adapter.ring_doorbell(Q);
    let finished = reap_all(adapter);
    assert_eq!(finished.len(), 1, "exactly one completion");
    assert_eq!((finished[0].tag, finished[0].cookie), (tag, request.cookie));
    finished[0].status
}

/// The model must have seen no breach of the protocol.
fn assert_clean(machine: &Machine) {
    assert_eq!(machine.memory().violations(), []);
    let device = machine.device();
    let seen = device.seen;
    assert_eq!(seen.wrong_widths, 0);
    assert_eq!(seen.wrong_order, 0);
    assert_eq!(seen.bad_chains, 0);
    assert_eq!(seen.shared_ids, 0);
    assert_eq!(seen.beyond_limits, 0);
    assert_eq!(seen.wrong_lengths, 0);
    assert_eq!(seen.wrong_directions, 0);
    assert!(seen.most_per_unit <= u64::from(device.quirks.commands_per_unit));
}

fn submit_reads(adapter: &mut Adapter, count: u32) -> Vec<Tag> {
    let mut submit = |cookie| {
        let asked = read(u64::from(cookie) * 8, cookie);
        adapter.submit(Q, &asked).unwrap()
    };
    (0..count).map(&mut submit).collect()
}
