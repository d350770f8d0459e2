//! The driver against the adapter in memory.

mod bench;
mod bring_up;
mod errors;
mod hot_plug;
mod io;
mod kit;
mod layout;
mod limits;
mod properties;
mod reset;
mod trouble;

use super::Pvscsi;
use super::fake::PvscsiModel;
use super::options::Ages;
use crate::block::{BufferId, Controller, DiskId, Op, Options, Status};
use crate::fake::FakeHal;
use crate::fake::scsi::ScsiBus;
use crate::scsi::kit::{Q, read, reap_all, request, run, submit_reads};
use alloc::vec::Vec;

type Machine = FakeHal<PvscsiModel>;
type Adapter = Pvscsi<Machine>;

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
