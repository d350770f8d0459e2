//! The machine, its controllers and its disks.

use crate::job::DiskNames;
use alloc::collections::BTreeMap;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// The machine as the guest sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuestInfo {
    /// `tcg`, `kvm`, `vmware`, `hyper-v`, `none` or the raw signature.
    pub hypervisor: String,
    /// How it was booted: `pvh`, `uefi`, `bios`.
    pub boot: String,
    /// Where the job came from: `fw_cfg`, `guestinfo`, `ramdisk`, `builtin`.
    pub job_source: String,
    /// TSC rate in kHz.
    pub tsc_khz: u64,
    /// How the rate was found.
    pub tsc_source: String,
    /// Disagreement of the cross-check in parts per million; `None` if there was no second source.
    pub tsc_spread_ppm: Option<u32>,
    /// The second source.
    pub tsc_cross_check: Option<String>,
    /// Cost of two back-to-back clock reads in TSC cycles, median.
    pub timer_cost_cycles: u64,
    /// Cost of one turn of an empty polling loop in TSC cycles, median.
    pub empty_loop_cycles: u64,
    /// Processors that the firmware lists as usable.
    pub cpus: u32,
    /// Usable memory in MiB.
    pub memory_mib: u64,
    /// From the loader's entry to the end of bring-up, in ns by the TSC.
    pub boot_ns: u64,
}

/// One controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControllerInfo {
    /// `kind@pci-path`, unique in the machine.
    pub id: String,
    /// `pvscsi`, `lsisas`, `nvme`, `virtio-scsi`.
    pub kind: String,
    /// PCI path such as `00:03.0`; behind bridges `00:1c.0/00.0`.
    pub pci: String,
    /// PCI `vendor:device` in hex.
    pub pci_id: String,
    /// Interrupt modes that the device offers: `msix`, `msi`, `intx`.
    pub interrupts: alloc::vec::Vec<String>,
    /// Every limit and feature as the driver knows it, by name.
    pub limits: BTreeMap<String, u64>,
    /// Its base address registers as the guest sees them; records of older guests
    /// have none.
    #[serde(default)]
    pub bars: alloc::vec::Vec<BarInfo>,
}

/// One base address register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarInfo {
    /// Number of its (first) register, 0 to 5.
    pub index: u8,
    /// `memory64`, `memory32` or `io`.
    pub space: String,
    /// Reads have no side effects.
    pub prefetchable: bool,
    /// Address, or first port; 0 is unassigned.
    pub address: u64,
    /// Size in bytes, or ports.
    pub size_bytes: u64,
}

/// One disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiskInfo {
    /// `kind@pci-path:target:lun` or `kind@pci-path:nsid`.
    pub id: String,
    /// As vSphere shows it, such as `SCSI 1:0`.
    pub name_in_vsphere: String,
    /// The controller's id.
    pub controller: String,
    /// Serial number; empty where there is none.
    pub serial: String,
    /// World-wide name; empty where there is none.
    pub wwid: String,
    /// Vendor.
    pub vendor: String,
    /// Model.
    pub model: String,
    /// Capacity in logical blocks.
    pub blocks: u64,
    /// Logical block size in bytes.
    pub block_size: u32,
    /// Write-protected by the device.
    pub read_only: bool,
    /// The guard allows writes.
    pub write_allowed: bool,
    /// Why, for a person: `stamped as scratch`, `allow_write`, `holds ext4` ..
    pub write_reason: String,
    /// The word for what it holds, which `allow_write` must repeat; `None` where it holds
    /// nothing or where no job would write. Records of older guests have none.
    #[serde(default)]
    pub holds: Option<String>,
}

impl DiskInfo {
    /// The names that stand for it.
    #[must_use]
    pub fn names(&self) -> DiskNames<'_> {
        DiskNames {
            id: &self.id,
            wwid: &self.wwid,
            controller: &self.controller,
        }
    }
}

/// Something that answered but is not measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IgnoredInfo {
    /// Its id, formed as a disk's.
    pub id: String,
    /// Why.
    pub reason: String,
}
