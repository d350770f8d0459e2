//! Ways from QEMU's firmwares to one boot image.

use super::{Called, Machine, call, device, flash, heard, null, raw};
use proto::exit::GuestExit;
use std::fs;
use std::path::Path;
use xtask::serial::Transcript;

/// Whose job writes to every disk but the boot medium, if nothing stops it.
const EVERYWHERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/everywhere.fio");

/// A way that leads from a firmware to the image.
pub struct Way {
    /// The bus, for a person.
    pub name: &'static str,
    devices: &'static [&'static str],
    /// OVMF, as Debian builds it, has a driver.
    pub by_uefi: bool,
    /// As the guest names it, if it drives that kind.
    id: Option<&'static str>,
}

const fn way(
    name: &'static str,
    devices: &'static [&'static str],
    by_uefi: bool,
    id: Option<&'static str>,
) -> Way {
    Way {
        name,
        devices,
        by_uefi,
        id,
    }
}

/// All of them.
pub const WAYS: [Way; 7] = [
    way("CD", &["ide-cd,bus=ide.0,"], true, None),
    way("SATA", &["ide-hd,bus=ide.0,"], true, None),
    way(
        "NVMe",
        &["nvme,addr=0xa,serial=boot,"],
        true,
        Some("nvme@00:0a.0:1"),
    ),
    way("virtio-blk", &["virtio-blk-pci,addr=0xa,"], true, None),
    way(
        "USB",
        &["qemu-xhci,id=usb,addr=0xa", "usb-storage,bus=usb.0,"],
        true,
        None,
    ),
    way(
        "pvscsi",
        &["pvscsi,id=boot,addr=0xa", "scsi-hd,bus=boot.0,"],
        false,
        Some("pvscsi@00:0a.0:0:0"),
    ),
    way(
        "mptsas1068",
        &["mptsas1068,id=boot,addr=0xa", "scsi-hd,bus=boot.0,"],
        false,
        Some("lsisas@00:0a.0:0:0"),
    ),
];

/// Boots the image to the end of its job, writable, and sees that it stays the same.
fn boot(image: &Path, way: &Way, uefi: bool, data: &[[String; 2]]) -> (Transcript, Option<i32>) {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("boot");
    fs::copy(image, &copy).unwrap();
    let mut parts = vec![["-m", "256"].map(String::from), raw("boot", &copy, false)];
    let (last, first) = way.devices.split_last().expect("a device");
    parts.extend(first.iter().map(|one| device(one)));
    parts.push(device(&format!("{last}drive=boot,bootindex=0")));
    parts.extend_from_slice(data);
    if uefi {
        parts.extend(flash(dir.path()));
    }
    let mut machine = Machine::start(&parts);
    let code = machine.read_to_end();
    let said = heard(&machine.log);
    let at = format!("{} by {}", way.name, if uefi { "UEFI" } else { "BIOS" });
    let guest = said.guest.as_ref();
    let guest = guest.unwrap_or_else(|| panic!("{at}: {}", machine.log));
    assert_eq!(guest["boot"], if uefi { "uefi" } else { "bios" }, "{at}");
    let ignored = said.ignored.iter().map(|one| one["id"].as_str().unwrap());
    assert_eq!(ignored.collect::<Vec<_>>(), Vec::from_iter(way.id), "{at}");
    let same = fs::read(&copy).unwrap() == fs::read(image).unwrap();
    assert!(same, "{at}: the boot medium changed");
    (said, code)
}

/// Boots an [`image_that_writes_everywhere`], which writes to every other disk.
///
/// # Panics
/// If it does not, or the boot medium changes.
pub fn write_everywhere(image: &Path, way: &Way, uefi: bool) {
    let dir = tempfile::tempdir().unwrap();
    let mut data = Vec::new();
    let disks = [
        ("pvscsi,id=a,addr=7", "scsi-hd,bus=a.0"),
        ("mptsas1068,id=b,addr=8", "scsi-hd,bus=b.0"),
        ("nvme,id=c,addr=9,serial=c", "nvme-ns,bus=c"),
    ];
    for (number, (controller, disk)) in disks.into_iter().enumerate() {
        let node = format!("data{number}");
        let path = dir.path().join(&node);
        fs::write(&path, vec![0; 16 << 20]).unwrap();
        data.push(raw(&node, &path, false));
        data.push(device(controller));
        data.push(device(&format!("{disk},drive={node}")));
    }
    let (said, code) = boot(image, way, uefi, &data);
    assert_eq!(said.rows.len(), disks.len());
    for (number, row) in said.rows.iter().enumerate() {
        assert!(row.run.write.ios > 0, "{:?}", row.run.reason);
        let data = fs::read(dir.path().join(format!("data{number}"))).unwrap();
        assert!(data.iter().any(|&byte| byte != 0), "nothing was written");
    }
    assert_eq!(code, Some(GuestExit::Pass.qemu_status()));
}

/// Boots an [`image_of_its_own`]; gives how many rows ran, all of them well.
///
/// # Panics
/// If one did not, or the boot medium changes.
#[must_use]
pub fn run_quick(image: &Path, way: &Way, uefi: bool) -> usize {
    let data = [
        null("data", 200 << 30),
        device("pvscsi,id=a,addr=7"),
        device("scsi-hd,bus=a.0,drive=data"),
    ];
    let (said, code) = boot(image, way, uefi, &data);
    assert_eq!(said.hello.expect("a first record").job_source, "builtin");
    assert_eq!(code, Some(GuestExit::Pass.qemu_status()), "{:?}", said.text);
    said.rows.len()
}

/// An image whose job writes to every other disk, and would to its own medium.
///
/// # Panics
/// If it cannot be made.
#[must_use]
pub fn image_that_writes_everywhere() -> Called {
    image(&["--job", EVERYWHERE])
}

/// An image that runs what is built in.
///
/// # Panics
/// If it cannot be made.
#[must_use]
pub fn image_of_its_own() -> Called {
    image(&[])
}

fn image(job: &[&str]) -> Called {
    let called = call("image", &[&["--format", "raw"], job].concat());
    assert_eq!(called.code, 0, "{}", called.err);
    called
}
