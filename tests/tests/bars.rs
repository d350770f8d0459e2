//! Base addresses as the guest reads them are those that QEMU decodes.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tests::{Machine, call, device, flash, heard, null, raw};

/// Space, first address and size of a register.
type Bar = (String, u64, u64);
/// Registers by controller and number.
type Bars = BTreeMap<(String, u64), Bar>;

/// What `info pci` says of the functions whose ids are names of controllers.
fn in_qemu(printed: &str, names: &[&str]) -> Bars {
    let (mut all, mut bars) = (Bars::new(), Vec::new());
    for line in printed.lines().map(str::trim) {
        if line.starts_with("Bus ") {
            bars.clear();
        } else if let Some(bar) = line.strip_prefix("BAR") {
            bars.push(parse(bar).unwrap_or_else(|| panic!("{line}")));
        } else if let Some(id) = line.strip_prefix("id \"c") {
            let name = id.trim_end_matches('"').parse().map(|at: usize| names[at]);
            let name = name.expect("an id of ours").to_owned();
            let named = |(index, bar)| ((name.clone(), index), bar);
            all.extend(bars.drain(..).map(named));
        }
    }
    all
}

/// `0: 64 bit prefetchable memory at 0xfe000000 [0xfe003fff].`
fn parse(text: &str) -> Option<(u64, Bar)> {
    let (index, rest) = text.split_once(": ")?;
    let (space, rest) = rest.split_once(" at 0x")?;
    let (first, rest) = rest.split_once(" [0x")?;
    let last = rest.trim_end_matches("].");
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (first, last) = (number(first)?, number(last)?);
    let bar = (space.to_owned(), first, last - first + 1);
    Some((index.parse().ok()?, bar))
}

/// What the guest says of its controllers, in QEMU's words.
fn in_guest(controllers: &[Value]) -> Bars {
    let mut all = Bars::new();
    for controller in controllers {
        for bar in controller["bars"].as_array().into_iter().flatten() {
            let space = match (bar["space"].as_str(), bar["prefetchable"].as_bool()) {
                (Some("io"), _) => "I/O",
                (Some("memory32"), Some(false)) => "32 bit memory",
                (Some("memory64"), Some(false)) => "64 bit memory",
                (Some("memory64"), Some(true)) => "64 bit prefetchable memory",
                other => panic!("{other:?}"),
            };
            let number = |name: &str| bar[name].as_u64().expect("a number");
            let id = controller["id"].as_str().expect("an id").to_owned();
            let key = (id, number("index"));
            let whole = (space.into(), number("address"), number("size_bytes"));
            assert_eq!(all.insert(key, whole), None, "{controller:#}");
        }
    }
    all
}

/// Boots until the guest has found all, and gives both views.
fn both(image: &Path, uefi: bool, memory_mib: &str) -> (Bars, Bars) {
    let dir = tempfile::tempdir().unwrap();
    let mut parts = vec![
        ["-m".into(), memory_mib.into()],
        raw("boot", image, true),
        device("virtio-blk-pci,drive=boot,bootindex=0"),
        device("pcie-root-port,id=express,addr=0x10,chassis=1,slot=1"),
        device("pvscsi,id=c0,addr=5"),
        device("mptsas1068,id=c1,addr=6"),
        device("nvme,id=c2,addr=7,serial=a"),
        device("nvme,id=c3,bus=express,addr=0,serial=b"),
        device("virtio-scsi-pci,id=c4,addr=8"),
    ];
    let names = [
        "pvscsi@00:05.0",
        "lsisas@00:06.0",
        "nvme@00:07.0",
        "nvme@00:10.0/00.0",
        "virtio-scsi@00:08.0",
    ];
    for (number, disk) in [
        "scsi-hd,bus=c0.0",
        "scsi-hd,bus=c1.0",
        "nvme-ns,bus=c2",
        "nvme-ns,bus=c3",
        "scsi-hd,bus=c4.0",
    ]
    .into_iter()
    .enumerate()
    {
        parts.push(null(&format!("d{number}"), 64 << 20));
        parts.push(device(&format!("{disk},drive=d{number}")));
    }
    if uefi {
        parts.extend(flash(dir.path()));
    }
    let mut machine = Machine::start(&parts);
    machine.read_until("{\"record\":\"plan\"");
    let printed = machine.monitor.human("info pci");
    let said = heard(&machine.log);
    let booted = if uefi { "uefi" } else { "bios" };
    assert_eq!(said.guest.expect("a machine")["boot"], booted);
    assert_eq!(said.disks.len(), names.len(), "{:?}", said.notes);
    (in_guest(&said.controllers), in_qemu(&printed, &names))
}

#[test]
fn the_guest_reads_the_addresses_that_qemu_decodes() {
    let called = call("image", &["--format", "raw"]);
    assert_eq!(called.code, 0, "{}", called.err);
    for (uefi, memory_mib) in [
        (false, "512"),
        (false, "8192"),
        (true, "512"),
        (true, "8192"),
    ] {
        let (guest, qemu) = both(&called.file("ioprobe.img"), uefi, memory_mib);
        assert_eq!(guest, qemu, "uefi {uefi}, {memory_mib} MiB");
        let registers = |id: &str, bar: u64| guest[&(id.to_owned(), bar)].clone();
        // OVMF places 64-bit registers above 4 GiB, and so above what half a read sees.
        for (id, bar, expected) in [
            ("nvme@00:07.0", 0, "64 bit memory"),
            ("virtio-scsi@00:08.0", 4, "64 bit prefetchable memory"),
        ] {
            let (space, at, size_bytes) = registers(id, bar);
            assert_eq!((space.as_str(), size_bytes), (expected, 16_384), "{id}");
            assert_eq!(at >> 32 != 0, uefi, "{id} at {at:#x}, {memory_mib} MiB");
        }
        assert_ne!(registers("nvme@00:10.0/00.0", 0).1, 0);
    }
}
