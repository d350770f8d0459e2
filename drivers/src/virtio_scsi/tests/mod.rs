//! The driver against the device in memory.

mod bench;
mod bring_up;
mod errors;
mod events;
mod interrupts;
mod io;
mod kicks;
mod kit;
mod layout;
mod limits;
mod management;
mod properties;
mod regions;
mod reset;
mod ring;
mod trouble;

use super::VirtioScsi;
use super::fake::{Quirks as Offers, VirtioModel, regions};
use super::quirks::Quirks;
use crate::block::{
    BufferId, Completion, Controller, ControllerError, DiskId, Op, Options, QueueId, Status,
};
use crate::fake::FakeHal;
use crate::fake::scsi::ScsiBus;
use crate::scsi::kit::{Q, read, reap_all, reap_from, request, run, submit_reads};
use alloc::vec::Vec;

type Machine = FakeHal<VirtioModel>;
type Adapter = VirtioScsi<Machine>;

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
