//! What controllers and disks are called.

use alloc::format;
use alloc::string::String;
use drivers::block::DiskAddress;

/// `kind@pci`.
pub fn controller_id(kind: &str, pci: &str) -> String {
    format!("{kind}@{pci}")
}

/// `kind@pci:target:lun` or `kind@pci:nsid`.
pub fn disk_id(controller: &str, address: DiskAddress) -> String {
    match address {
        DiskAddress::Scsi { target, lun } => format!("{controller}:{target}:{lun}"),
        DiskAddress::Namespace(nsid) => format!("{controller}:{nsid}"),
    }
}

/// `SCSI c:t` or `NVMe c:n` as vSphere numbers them: adapters of one bus in PCI
/// order, NVMe disks from 0. `adapter` is that number. A logical unit above 0
/// has no name there and gets its number appended.
pub fn name_in_vsphere(adapter: usize, address: DiskAddress) -> String {
    match address {
        DiskAddress::Scsi { target, lun: 0 } => format!("SCSI {adapter}:{target}"),
        DiskAddress::Scsi { target, lun } => format!("SCSI {adapter}:{target}:{lun}"),
        DiskAddress::Namespace(nsid) => format!("NVMe {adapter}:{}", nsid.saturating_sub(1)),
    }
}

/// Whether vSphere counts a controller among the NVMe ones.
pub fn is_nvme(kind: &str) -> bool {
    kind == "nvme"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scsi_and_nvme_disks() {
        let scsi = DiskAddress::Scsi { target: 3, lun: 0 };
        let lun = DiskAddress::Scsi { target: 1, lun: 2 };
        let controller = controller_id("pvscsi", "00:1c.0/00.0");
        assert_eq!(disk_id(&controller, scsi), "pvscsi@00:1c.0/00.0:3:0");
        assert_eq!(
            disk_id("nvme@00:04.0", DiskAddress::Namespace(1)),
            "nvme@00:04.0:1"
        );
        assert_eq!(name_in_vsphere(1, scsi), "SCSI 1:3");
        assert_eq!(name_in_vsphere(0, lun), "SCSI 0:1:2");
        assert_eq!(name_in_vsphere(2, DiskAddress::Namespace(1)), "NVMe 2:0");
    }
}
