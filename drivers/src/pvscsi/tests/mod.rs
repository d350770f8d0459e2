//! The driver against the adapter in memory.

mod bring_up;
mod errors;
mod hot_plug;
mod io;
mod layout;
mod limits;
mod properties;
mod reset;
mod transfer;
mod trouble;

use super::Pvscsi;
use super::fake::PvscsiModel;
use super::options::Ages;
use crate::block::{
    BufferId, Completion, Controller, DiskId, Lba, Op, Options, QueueId, Request, Status, Tag,
};
use crate::fake::FakeHal;
use crate::fake::scsi::ScsiBus;
use alloc::vec::Vec;

type Machine = FakeHal<PvscsiModel>;
type Adapter = Pvscsi<Machine>;

const Q: QueueId = QueueId(0);

fn qemu(bus: ScsiBus) -> Machine {
    FakeHal::new(|memory| PvscsiModel::new(memory, bus))
}

fn esxi(bus: ScsiBus) -> Machine {
    FakeHal::new(|memory| PvscsiModel::esxi(memory, bus))
}

/// QEMU's adapter with one disk of 1 GiB at target 0.
fn one_disk() -> Machine {
    qemu(ScsiBus::with_disk(1 << 21, 512))
}

fn options(ring_pages: u16) -> Options {
    Options {
        ring_pages: Some(ring_pages),
        ..Options::default()
    }
}

fn start(machine: &Machine, ring_pages: u16) -> Adapter {
    Pvscsi::start(machine.clone(), machine.mmio(), &options(ring_pages)).unwrap()
}

/// An adapter with buffers of 64 KiB, one per slot of its ring but 64 at most.
fn ready(machine: &Machine, ring_pages: u16) -> Adapter {
    let mut adapter = start(machine, ring_pages);
    adapter.set_buffers(64, 65_536).unwrap();
    adapter
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

/// Everything that can be reaped now.
fn reap_all(adapter: &mut Adapter) -> Vec<Completion> {
    let mut finished = Vec::new();
    loop {
        let mut out = [Completion::EMPTY; 7];
        let count = adapter.reap(Q, &mut out);
        finished.extend_from_slice(&out[..count]);
        if count < out.len() {
            return finished;
        }
    }
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
    let seen = machine.device().seen;
    assert_eq!(seen.bad_contexts, 0);
    assert_eq!(seen.lists, 0);
    assert_eq!(seen.empty_elements, 0);
    assert_eq!(seen.wrong_lengths, 0);
    assert_eq!(seen.lost, 0);
    assert_eq!(seen.far_jumps, 0);
    assert_eq!(seen.request_overflows, 0);
    assert_eq!(seen.completion_overflows, 0);
}

fn ages(first_index: u32, ripe: u32, overdue: u32) -> Ages {
    Ages {
        first_index,
        ripe,
        overdue,
    }
}

fn start_at(machine: &Machine, ring_pages: u16, ages: Ages) -> Adapter {
    let mut adapter =
        Pvscsi::start_at(machine.clone(), machine.mmio(), &options(ring_pages), ages).unwrap();
    adapter.set_buffers(64, 65_536).unwrap();
    adapter
}

fn submit_reads(adapter: &mut Adapter, count: u32) -> Vec<Tag> {
    (0..count)
        .map(|cookie| {
            adapter
                .submit(Q, &read(u64::from(cookie) * 8, cookie))
                .unwrap()
        })
        .collect()
}
