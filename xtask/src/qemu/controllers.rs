//! The controllers that QEMU can offer, as data.

use super::device_option::{DeviceOption, OptionTarget, sets, with_options};
use proto::job::Irq;

/// How a disk is attached behind a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiskStyle {
    /// A `scsi-hd` at target N, LUN 0.
    Scsi,
    /// An `nvme-ns` with namespace identifier N + 1.
    Namespace,
}

/// One kind of controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControllerKind {
    /// As users and the guest name it.
    pub name: &'static str,
    /// QEMU's device, with what it always needs.
    device: &'static str,
    style: DiskStyle,
    /// The property that bounds its request queues, where QEMU gives it fewer than a
    /// job may ask for.
    queues: Option<&'static str>,
    /// Disks that one can carry.
    pub max_disks: u32,
    /// How it announces completions, unless properties change that.
    pub interrupts: &'static [Irq],
}

/// All of them.
pub const KINDS: [ControllerKind; 4] = [
    ControllerKind {
        name: "pvscsi",
        device: "pvscsi",
        style: DiskStyle::Scsi,
        queues: None,
        max_disks: 64,
        interrupts: &[Irq::Msi, Irq::Intx],
    },
    ControllerKind {
        name: "lsisas",
        device: "mptsas1068",
        style: DiskStyle::Scsi,
        queues: None,
        max_disks: 8,
        interrupts: &[Irq::Msi, Irq::Intx],
    },
    ControllerKind {
        name: "nvme",
        device: "nvme,serial=ioprobe",
        style: DiskStyle::Namespace,
        queues: None,
        max_disks: 256,
        interrupts: &[Irq::Msix, Irq::Intx],
    },
    ControllerKind {
        name: "virtio-scsi",
        device: "virtio-scsi-pci",
        style: DiskStyle::Scsi,
        queues: Some("num_queues"),
        max_disks: 256,
        interrupts: &[Irq::Msix, Irq::Intx],
    },
];

/// First PCI device number given out on bus 0 of q35; 0 is the host bridge.
const FIRST_SLOT: u8 = 3;

/// Controllers that one machine takes: from device number 31 on there is the south
/// bridge.
pub const MOST: usize = 31 - FIRST_SLOT as usize;

/// A controller with its place in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controller {
    /// What it is.
    pub kind: ControllerKind,
    /// PCI device number on bus 0, function 0.
    slot: u8,
}

/// The kind of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<ControllerKind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}

impl Controller {
    /// The `index`th controller of a machine.
    ///
    /// # Panics
    /// If there are more controllers than [`MOST`].
    #[must_use]
    pub fn nth(kind: ControllerKind, index: usize) -> Self {
        let slot = FIRST_SLOT + u8::try_from(index).expect("few controllers");
        Self { kind, slot }
    }

    /// QEMU's id.
    fn qemu_id(&self) -> String {
        format!("controller{}", self.slot)
    }

    /// `-device` of the controller itself, with room for so many request queues unless
    /// an option says how many.
    #[must_use]
    pub fn device(&self, options: &[DeviceOption], queues: u16) -> String {
        let (id, slot) = (self.qemu_id(), self.slot);
        let mut device = format!("{},id={id},addr={slot:#x}", self.kind.device);
        let is_for = |to: &OptionTarget| match to {
            OptionTarget::Controllers => true,
            OptionTarget::Kind(kind) => kind == self.kind.name,
            OptionTarget::Disks => false,
        };
        if let Some(key) = self.kind.queues
            && queues > 1
            && !sets(options, key, is_for)
        {
            device.push_str(&format!(",{key}={queues}"));
        }
        with_options(device, options, is_for)
    }

    /// `-device` of its disk number `index` on the block node `node`.
    #[must_use]
    pub fn disk_device(&self, index: u32, node: &str, options: &[DeviceOption]) -> String {
        let bus = self.qemu_id();
        let device = match self.kind.style {
            DiskStyle::Scsi => format!(
                "scsi-hd,id=disk-{node},bus={bus}.0,channel=0,scsi-id={index},lun=0,drive={node}"
            ),
            DiskStyle::Namespace => {
                format!(
                    "nvme-ns,id=disk-{node},bus={bus},nsid={},drive={node}",
                    index + 1
                )
            }
        };
        with_options(device, options, |to| *to == OptionTarget::Disks)
    }

    /// Of a disk on this controller that a user added by `-device`: the name that
    /// the guest gives to it, and its block node. `None` for any other device.
    #[must_use]
    pub fn added_disk(&self, device: &str) -> Option<(String, String)> {
        let (driver, rest) = device.split_once(',')?;
        let value = |key: &str| {
            let mut pairs = rest.split(',').filter_map(|pair| pair.split_once('='));
            pairs.find(|pair| pair.0 == key).map(|pair| pair.1)
        };
        let bus = self.qemu_id();
        let index = match (self.kind.style, driver) {
            (DiskStyle::Scsi, "scsi-hd") => {
                let first_unit = value("lun").is_none_or(|lun| lun == "0");
                let here = value("bus")? == format!("{bus}.0") && first_unit;
                here.then(|| value("scsi-id")?.parse().ok())?
            }
            (DiskStyle::Namespace, "nvme-ns") => {
                let here = value("bus")? == bus;
                here.then(|| value("nsid")?.parse::<u32>().ok()?.checked_sub(1))?
            }
            _ => None,
        }?;
        Some((self.disk_id(index), value("drive")?.to_owned()))
    }

    /// The name that the guest gives to it.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}@00:{:02x}.0", self.kind.name, self.slot)
    }

    /// The name that the guest gives to its disk number `index`.
    #[must_use]
    pub fn disk_id(&self, index: u32) -> String {
        let id = self.id();
        match self.kind.style {
            DiskStyle::Scsi => format!("{id}:{index}:0"),
            DiskStyle::Namespace => format!("{id}:{}", index + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(name: &str) -> Controller {
        Controller::nth(by_name(name).unwrap(), 0)
    }

    #[test]
    fn scsi_disks_are_named_by_target() {
        let pvscsi = first("pvscsi");
        assert_eq!(pvscsi.device(&[], 4), "pvscsi,id=controller3,addr=0x3");
        assert_eq!(
            pvscsi.disk_device(2, "node2", &[]),
            "scsi-hd,id=disk-node2,bus=controller3.0,channel=0,scsi-id=2,lun=0,drive=node2"
        );
        assert_eq!(pvscsi.disk_id(2), "pvscsi@00:03.0:2:0");
    }

    #[test]
    fn namespaces_count_from_one() {
        let nvme = Controller::nth(by_name("nvme").unwrap(), 8);
        assert_eq!(
            nvme.device(&[], 1),
            "nvme,serial=ioprobe,id=controller11,addr=0xb"
        );
        assert_eq!(
            nvme.disk_device(0, "n", &[]),
            "nvme-ns,id=disk-n,bus=controller11,nsid=1,drive=n"
        );
        assert_eq!(nvme.disk_id(0), "nvme@00:0b.0:1");
    }

    #[test]
    fn added_disks_are_known_by_their_place() {
        let scsi = first("pvscsi");
        let added = scsi.added_disk("scsi-hd,bus=controller3.0,scsi-id=5,drive=bad,lun=0");
        let expected = ("pvscsi@00:03.0:5:0".to_owned(), "bad".to_owned());
        assert_eq!(added, Some(expected));
        let own = first("nvme");
        let added = own.added_disk("nvme-ns,id=d,bus=controller3,nsid=2,drive=more");
        let expected = ("nvme@00:03.0:2".to_owned(), "more".to_owned());
        assert_eq!(added, Some(expected));
        for other in [
            "pvscsi,id=late,addr=9",
            "scsi-hd,bus=late.0,scsi-id=5,drive=bad",
            "scsi-hd,bus=controller3.0,scsi-id=5,lun=1,drive=bad",
            "scsi-hd,bus=controller3.0,drive=bad",
            "scsi-cd,bus=controller3.0,scsi-id=5,drive=bad",
            "VGA",
        ] {
            assert_eq!(scsi.added_disk(other), None, "{other}");
        }
    }

    #[test]
    fn there_are_as_many_queues_as_a_job_asks_for_unless_an_option_says_so() {
        let virtio = first("virtio-scsi");
        let start = "virtio-scsi-pci,id=controller3,addr=0x3";
        assert_eq!(virtio.device(&[], 1), start);
        assert_eq!(virtio.device(&[], 4), format!("{start},num_queues=4"));
        for (text, end) in [
            ("num_queues=2", ",num_queues=2"),
            ("virtio-scsi.num_queues=3", ",num_queues=3"),
            ("nvme.num_queues=2", ",num_queues=4"),
            ("cmd_per_lun=9", ",num_queues=4,cmd_per_lun=9"),
        ] {
            let options = [text.parse().unwrap()];
            assert_eq!(virtio.device(&options, 4), format!("{start}{end}"));
        }
    }

    #[test]
    fn unknown_kind_is_none() {
        assert_eq!(by_name("ahci"), None);
    }
}
