//! virtio-scsi.

use super::rig::{Refusal, Rig, not_zero, scsi_bus, scsi_disk, scsi_fault};
use drivers::block::Options;
use drivers::fake::{FakeHal, FakeMemory};
use drivers::virtio_scsi::fake::{Completing, Fetching, Quirks as Offers, VirtioModel, regions};
use drivers::virtio_scsi::{Quirks, VirtioScsi};

/// With jobs that use so many queues.
pub struct VirtioRig<const QUEUES: u16 = 1>;

const PACE: Completing = Completing::AfterSteps(3);
/// Requests until its indices wrap, in the middle of the row that is to see it.
const BEFORE_THE_END: u16 = 4_000;
/// The first request queue, behind those for control and events.
const REQUESTS: usize = 2;

impl<const QUEUES: u16> Rig for VirtioRig<QUEUES> {
    const KIND: &'static str = "virtio-scsi";
    const QUEUES: u16 = QUEUES;
    type Device = VirtioModel;
    type Driver = VirtioScsi<FakeHal<VirtioModel>>;

    fn device(memory: &FakeMemory) -> VirtioModel {
        let offers = Offers {
            request_queues: u32::from(QUEUES),
            ..Offers::default()
        };
        let mut model = VirtioModel::with(memory, scsi_bus(), offers);
        model.fetching = Fetching::OnStep(4);
        model.completing = PACE;
        model
    }
    fn start(hal: &FakeHal<VirtioModel>) -> Self::Driver {
        let (quirks, options) = (Quirks::default(), Options::default());
        VirtioScsi::start(hal.clone(), hal.mmio(), regions(), quirks, &options).unwrap()
    }
    fn start_at_the_end(hal: &FakeHal<VirtioModel>) -> Self::Driver {
        hal.device().quirks.indices_from_memory = true;
        let first = u16::MAX - BEFORE_THE_END;
        VirtioScsi::start_with_indices(hal.clone(), hal.mmio(), regions(), first).unwrap()
    }
    fn address(disk: u16) -> String {
        format!("{disk}:0")
    }
    fn transfers(device: &VirtioModel) -> u64 {
        device.seen.transfers
    }
    fn broken_rules(device: &VirtioModel) -> Vec<String> {
        let seen = &device.seen;
        not_zero(&[
            ("widths", seen.wrong_widths),
            ("order", seen.wrong_order),
            ("chains", seen.bad_chains),
            ("ids", seen.shared_ids),
            ("limits", seen.beyond_limits),
            ("lengths", seen.wrong_lengths),
            ("directions", seen.wrong_directions),
        ])
    }
    fn refuse(device: &mut VirtioModel, how: Refusal, block: Option<u64>, times: u32) {
        device.bus.unit(0, 0).plant(scsi_fault(how, block, times));
    }
    fn heal(device: &mut VirtioModel) {
        device.bus.units_mut().for_each(|unit| unit.faults.clear());
        device.completing = PACE;
        device.false_residual_bytes = 0;
    }
    fn hold(device: &mut VirtioModel, on: bool) {
        device.completing = if on { Completing::ByHand } else { PACE };
    }
    fn pull(device: &mut VirtioModel) {
        device.hot_remove(0);
    }
    fn add(device: &mut VirtioModel) {
        device.hot_add(2, 0, scsi_disk());
    }
    fn protect(device: &mut VirtioModel) {
        device.bus.unit(0, 0).write_protected = true;
    }
    fn reset(device: &mut VirtioModel) {
        device.reset_bus();
    }
    fn double(device: &mut VirtioModel) {
        let head = device.last_head();
        device.use_head(REQUESTS, head);
    }
    fn unknown(device: &mut VirtioModel) {
        device.use_head(REQUESTS, 0xbeef);
    }
    fn remember(device: &VirtioModel) -> u64 {
        u64::from(device.last_head())
    }
    fn late(device: &mut VirtioModel, remembered: u64) {
        device.use_head(REQUESTS, remembered as u32);
    }
    fn understate(device: &mut VirtioModel) {
        device.false_residual_bytes = 512;
    }
    fn break_down(device: &mut VirtioModel) {
        device.break_down();
    }
}
