//! What a fault's test needs of a controller, whichever it is.

use drivers::block::Controller;
use drivers::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiBus, ScsiUnit};
use drivers::fake::{FakeDevice, FakeHal, FakeMemory};

/// What a disk answers instead of doing what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The block cannot be read.
    Medium,
    /// No space is left.
    Space,
    /// Come again.
    Busy,
    /// The queue of the unit is full.
    TaskSetFull,
    /// Nothing at all.
    Lost,
    /// Half of the data, and success.
    Short,
    /// There is no medium.
    NoMedium,
}

/// Blocks of a disk of 512 MiB.
pub const DISK_BLOCKS: u64 = 1 << 20;

/// One kind of controller: its driver, its device model, and what the model does
/// wrong on request. The disk that suffers is the first of two.
pub trait Rig: 'static {
    /// As a disk's name begins.
    const KIND: &'static str;
    /// Request queues that its jobs use.
    const QUEUES: u16 = 1;
    type Device: FakeDevice + 'static;
    type Driver: Controller + 'static;

    /// A controller with two disks, which works while time passes.
    fn device(memory: &FakeMemory) -> Self::Device;
    fn start(hal: &FakeHal<Self::Device>) -> Self::Driver;
    /// The same with indices of 32 bits close to their end.
    fn start_at_the_end(hal: &FakeHal<Self::Device>) -> Self::Driver {
        Self::start(hal)
    }

    /// `target:lun` or namespace of a disk.
    fn address(disk: u16) -> String;
    /// Reads and writes that the device fetched.
    fn transfers(device: &Self::Device) -> u64;
    /// Rules of the device that the driver broke.
    fn broken_rules(device: &Self::Device) -> Vec<String>;

    /// The first disk refuses so, `times` times, what touches that block, or all.
    fn refuse(device: &mut Self::Device, how: Refusal, block: Option<u64>, times: u32);
    /// Ends all refusals.
    fn heal(device: &mut Self::Device);
    /// Fetches commands and completes none, or goes on.
    fn hold(device: &mut Self::Device, on: bool);
    /// The first disk goes, as it does when it is pulled.
    fn pull(device: &mut Self::Device);
    /// A third disk comes.
    fn add(device: &mut Self::Device);
    /// The first disk takes no writes.
    fn protect(device: &mut Self::Device);
    /// Somebody resets what runs the commands.
    fn reset(device: &mut Self::Device);
    /// The last completion once more.
    fn double(device: &mut Self::Device);
    /// A completion that names no command there can be.
    fn unknown(device: &mut Self::Device);
    /// What `late` needs to send the last completion again at another time.
    fn remember(device: &Self::Device) -> u64;
    /// Sends a completion that was remembered.
    fn late(device: &mut Self::Device, remembered: u64);
    /// States less data than has moved, until healed.
    fn understate(device: &mut Self::Device);
    /// The controller gives up.
    fn break_down(device: &mut Self::Device);
}

/// A disk.
pub fn scsi_disk() -> ScsiUnit {
    let mut unit = ScsiUnit::disk(DISK_BLOCKS, 512);
    unit.keep_log = false;
    unit
}

/// A bus with two of them.
pub fn scsi_bus() -> ScsiBus {
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, scsi_disk());
    bus.insert(1, 0, scsi_disk());
    bus
}

/// How a SCSI disk refuses.
pub fn scsi_fault(how: Refusal, block: Option<u64>, times: u32) -> Fault {
    Fault {
        when: block.map_or(FaultWhen::Any, FaultWhen::Block),
        kind: match how {
            Refusal::Medium => FaultKind::Check(3, 0x11, 0),
            Refusal::Space => FaultKind::Check(7, 0x27, 7),
            Refusal::Busy => FaultKind::Status(0x08),
            Refusal::TaskSetFull => FaultKind::Status(0x28),
            Refusal::Lost => FaultKind::Lost,
            Refusal::Short => FaultKind::Short(2048),
            Refusal::NoMedium => FaultKind::Check(2, 0x3a, 0),
        },
        times,
    }
}

/// Names of the counts that are not zero.
pub fn not_zero(counts: &[(&str, u64)]) -> Vec<String> {
    let broken = counts.iter().filter(|(_, count)| *count > 0);
    broken
        .map(|(name, count)| format!("{name}: {count}"))
        .collect()
}
