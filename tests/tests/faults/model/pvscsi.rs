//! PVSCSI.

use super::rig::{Refusal, Rig, not_zero, scsi_bus, scsi_disk, scsi_fault};
use drivers::block::Options;
use drivers::fake::{FakeDevice, FakeHal, FakeMemory};
use drivers::pvscsi::Pvscsi;
use drivers::pvscsi::fake::{Completing, Fetching, PvscsiModel, Quirks};

pub struct PvscsiRig;

/// Requests until its indices wrap, in the middle of the row that is to see it.
const BEFORE_THE_END: u32 = 4_000;
const PACE: Completing = Completing::AfterSteps(3);

impl Rig for PvscsiRig {
    const KIND: &'static str = "pvscsi";
    type Device = PvscsiModel;
    type Driver = Pvscsi<FakeHal<PvscsiModel>>;

    fn device(memory: &FakeMemory) -> PvscsiModel {
        let mut model = PvscsiModel::new(memory, scsi_bus());
        model.fetching = Fetching::OnStep(4);
        model.completing = PACE;
        model
    }
    fn start(hal: &FakeHal<PvscsiModel>) -> Self::Driver {
        Pvscsi::start(hal.clone(), hal.mmio(), &Options::default()).unwrap()
    }
    fn start_at_the_end(hal: &FakeHal<PvscsiModel>) -> Self::Driver {
        // QEMU's adapter stops for good at the end, so that its rings are made anew
        // before; ESXi's goes on.
        hal.device().quirks = Quirks {
            indices_from_memory: true,
            wide_consumer: false,
            ..Quirks::qemu()
        };
        let options = Options::default();
        let first = u32::MAX - BEFORE_THE_END;
        Pvscsi::start_with_indices(hal.clone(), hal.mmio(), &options, first).unwrap()
    }
    fn address(disk: u16) -> String {
        format!("{disk}:0")
    }
    fn transfers(device: &PvscsiModel) -> u64 {
        device.seen.transfers
    }
    fn broken_rules(device: &PvscsiModel) -> Vec<String> {
        let seen = &device.seen;
        not_zero(&[
            ("contexts", seen.bad_contexts),
            ("empty elements", seen.empty_elements),
            ("lengths", seen.wrong_lengths),
            ("directions", seen.lost),
            ("jumps", seen.far_jumps),
            ("request overflows", seen.request_overflows),
            ("completion overflows", seen.completion_overflows),
        ])
    }
    fn refuse(device: &mut PvscsiModel, how: Refusal, block: Option<u64>, times: u32) {
        device.bus.unit(0, 0).plant(scsi_fault(how, block, times));
    }
    fn heal(device: &mut PvscsiModel) {
        device.bus.units_mut().for_each(|unit| unit.faults.clear());
        device.completing = PACE;
        device.quirks.states_lengths = false;
        device.unstated_bytes = 0;
    }
    fn hold(device: &mut PvscsiModel, on: bool) {
        device.completing = if on { Completing::ByHand } else { PACE };
    }
    fn pull(device: &mut PvscsiModel) {
        device.hot_remove(0);
    }
    fn add(device: &mut PvscsiModel) {
        device.hot_add(2, 0, scsi_disk());
    }
    fn protect(device: &mut PvscsiModel) {
        device.bus.unit(0, 0).write_protected = true;
    }
    fn reset(device: &mut PvscsiModel) {
        // RESET_BUS.
        device.write32(0, 4);
    }
    fn double(device: &mut PvscsiModel) {
        let context = device.last_context();
        device.post_context(context);
    }
    fn unknown(device: &mut PvscsiModel) {
        device.post_context(0xdead_beef);
    }
    fn remember(device: &PvscsiModel) -> u64 {
        device.last_context()
    }
    fn late(device: &mut PvscsiModel, remembered: u64) {
        device.post_context(remembered);
    }
    fn understate(device: &mut PvscsiModel) {
        device.quirks.states_lengths = true;
        device.unstated_bytes = 512;
    }
    fn break_down(_device: &mut PvscsiModel) {
        unreachable!("it has no such state");
    }
}
