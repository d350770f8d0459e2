//! NVMe.

use super::rig::{DISK_BLOCKS, Refusal, Rig};
use drivers::block::Options;
use drivers::fake::{FakeDevice, FakeHal, FakeMemory};
use drivers::nvme::fake::{FakeNamespace, FakeNvme, Lie, NvmeConfig};
use drivers::nvme::{Nvme, Quirks};

/// With jobs that use so many queues.
pub struct NvmeRig<const QUEUES: u16 = 1>;

/// Unrecovered Read Error, with Do Not Retry.
const MEDIA: u16 = 0x4281;
/// Capacity Exceeded, with Do Not Retry.
const CAPACITY: u16 = 0x4081;
/// Invalid Namespace or Format, with Do Not Retry.
const INVALID_NAMESPACE: u16 = 0x400b;
/// Namespace Not Ready.
const NOT_READY: u16 = 0x0082;

fn namespace(nsid: u32) -> FakeNamespace {
    FakeNamespace::new(nsid, DISK_BLOCKS, 9)
}

impl<const QUEUES: u16> Rig for NvmeRig<QUEUES> {
    const KIND: &'static str = "nvme";
    const QUEUES: u16 = QUEUES;
    type Device = FakeNvme;
    type Driver = Nvme<FakeHal<FakeNvme>>;

    fn device(memory: &FakeMemory) -> FakeNvme {
        let disks = vec![namespace(1), namespace(2)];
        // QEMU answers Invalid Field, but lets no namespace go either.
        let config = NvmeConfig {
            absent_namespace: INVALID_NAMESPACE,
            ..NvmeConfig::default()
        };
        FakeNvme::new(memory, config, disks)
    }
    fn start(hal: &FakeHal<FakeNvme>) -> Self::Driver {
        let (quirks, options) = (Quirks::default(), Options::default());
        Nvme::start(hal.clone(), hal.mmio(), quirks, &options).unwrap()
    }
    fn address(disk: u16) -> String {
        format!("{}", disk + 1)
    }
    fn transfers(device: &FakeNvme) -> u64 {
        device.transfers()
    }
    fn broken_rules(device: &FakeNvme) -> Vec<String> {
        device.violations().to_vec()
    }
    fn refuse(device: &mut FakeNvme, how: Refusal, block: Option<u64>, times: u32) {
        let status = match how {
            Refusal::Medium => MEDIA,
            Refusal::Space => CAPACITY,
            Refusal::Busy => NOT_READY,
            Refusal::Lost => {
                device.faults.lose_commands += times;
                return;
            }
            other => unreachable!("{other:?} does not exist in NVMe"),
        };
        let block = block.unwrap_or(0);
        device.faults.bad_blocks.push((block, status, times));
    }
    fn heal(device: &mut FakeNvme) {
        device.faults = Default::default();
        device.hold = false;
    }
    fn hold(device: &mut FakeNvme, on: bool) {
        device.hold = on;
    }
    fn pull(device: &mut FakeNvme) {
        device.namespaces.retain(|one| one.nsid != 1);
        device.announce_namespace_change();
    }
    fn add(device: &mut FakeNvme) {
        device.namespaces.push(namespace(3));
        device.announce_namespace_change();
    }
    fn protect(device: &mut FakeNvme) {
        device.namespaces[0].read_only = true;
    }
    fn reset(device: &mut FakeNvme) {
        // CC.EN = 0.
        device.write32(0x14, 0);
    }
    fn double(device: &mut FakeNvme) {
        device.faults.lies.push_back(Lie::Doubled);
    }
    fn unknown(device: &mut FakeNvme) {
        device.faults.lies.push_back(Lie::Identifier(0x0200));
    }
    fn remember(_device: &FakeNvme) -> u64 {
        0
    }
    fn late(device: &mut FakeNvme, _remembered: u64) {
        // A generation that was.
        device.faults.lies.push_back(Lie::Identifier(0x8000));
    }
    fn understate(_device: &mut FakeNvme) {
        unreachable!("it states no length");
    }
    fn break_down(device: &mut FakeNvme) {
        device.fail_fatally();
    }
}
