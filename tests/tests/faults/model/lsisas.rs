//! LSI Logic SAS.

use super::rig::{Refusal, Rig, not_zero, scsi_bus, scsi_disk, scsi_fault};
use drivers::block::Options;
use drivers::fake::scsi::{Fault, FaultKind, FaultWhen};
use drivers::fake::{FakeHal, FakeMemory};
use drivers::mptsas::Mptsas;
use drivers::mptsas::fake::{Completing, Fetching, MptModel};

pub struct LsisasRig;

const PACE: Completing = Completing::AfterSteps(3);
/// SAS device status change.
const EVENT: u32 = 0x0f;
/// MPI_IOCSTATUS_SCSI_RESIDUAL_MISMATCH.
const RESIDUAL_MISMATCH: u16 = 0x49;

impl Rig for LsisasRig {
    const KIND: &'static str = "lsisas";
    type Device = MptModel;
    type Driver = Mptsas<FakeHal<MptModel>>;

    fn device(memory: &FakeMemory) -> MptModel {
        let mut model = MptModel::new(memory, scsi_bus());
        model.fetching = Fetching::OnStep(4);
        model.completing = PACE;
        model
    }
    fn start(hal: &FakeHal<MptModel>) -> Self::Driver {
        Mptsas::start(hal.clone(), hal.mmio(), &Options::default()).unwrap()
    }
    fn address(disk: u16) -> String {
        format!("{disk}:0")
    }
    fn transfers(device: &MptModel) -> u64 {
        device.seen.transfers
    }
    fn broken_rules(device: &MptModel) -> Vec<String> {
        let seen = &device.seen;
        not_zero(&[
            ("credits", seen.credit_overruns),
            ("contexts", seen.bad_contexts),
            ("alignment", seen.misaligned_frames),
            ("frames used again", seen.reused_frames),
            ("frames changed", seen.changed_frames),
            ("frames given twice", seen.doubled_frames),
            ("lists", seen.bad_lists + seen.list_mismatches),
            ("empty elements", seen.empty_elements),
            ("lengths", seen.wrong_lengths),
            ("overruns", seen.overruns),
            ("functions", seen.unknown_functions),
        ])
    }
    fn refuse(device: &mut MptModel, how: Refusal, block: Option<u64>, times: u32) {
        device.bus.unit(0, 0).plant(scsi_fault(how, block, times));
    }
    fn heal(device: &mut MptModel) {
        device.bus.units_mut().for_each(|unit| unit.faults.clear());
        device.completing = PACE;
    }
    fn hold(device: &mut MptModel, on: bool) {
        device.completing = if on { Completing::ByHand } else { PACE };
    }
    fn pull(device: &mut MptModel) {
        device.bus.remove_target(0);
        device.send_event(EVENT, false);
    }
    fn add(device: &mut MptModel) {
        device.bus.insert(2, 0, scsi_disk());
        device.send_event(EVENT, false);
    }
    fn protect(device: &mut MptModel) {
        device.bus.unit(0, 0).write_protected = true;
    }
    fn reset(device: &mut MptModel) {
        device.reset_bus();
    }
    fn double(device: &mut MptModel) {
        let reply = device.last_reply();
        device.post_reply(reply);
    }
    fn unknown(device: &mut MptModel) {
        device.post_reply(0x0123_4567);
    }
    fn remember(device: &MptModel) -> u64 {
        u64::from(device.last_reply())
    }
    fn late(device: &mut MptModel, remembered: u64) {
        device.post_reply(remembered as u32);
    }
    fn understate(device: &mut MptModel) {
        device.bus.unit(0, 0).plant(Fault {
            when: FaultWhen::Any,
            kind: FaultKind::Transport(RESIDUAL_MISMATCH),
            times: u32::MAX,
        });
    }
    fn break_down(device: &mut MptModel) {
        device.give_up(0x1234);
    }
}
