//! Which disks and controllers are found, whatever order they were given in, behind
//! bridges, and again at the next boot.

use serde_json::Value;
use tests::{Called, call_with, device, null};

/// A controller of QEMU's, where it sits, and the name that the guest gives it.
struct Place {
    device: &'static str,
    at: &'static str,
    name: &'static str,
}

/// Bridges of a PCI Express machine: a root port, and a bridge in a bridge.
const EXPRESS: [&str; 3] = [
    "pcie-root-port,id=express,addr=0x10,chassis=1,slot=1",
    "pci-bridge,id=outer,addr=0x11,chassis_nr=2",
    "pci-bridge,id=inner,bus=outer,addr=2,chassis_nr=3",
];
/// Bridges of a PCI machine.
const CONVENTIONAL: [&str; 2] = [
    "pci-bridge,id=outer,addr=0x11,chassis_nr=2",
    "pci-bridge,id=inner,bus=outer,addr=2,chassis_nr=3",
];

const fn place(device: &'static str, at: &'static str, name: &'static str) -> Place {
    Place { device, at, name }
}

/// In the order of their names. The machine has a pvscsi at 00:03.0 besides.
const PLACES: [Place; 8] = [
    place("pvscsi", "addr=5", "pvscsi@00:05.0"),
    place("mptsas1068", "addr=6", "lsisas@00:06.0"),
    place("pvscsi", "addr=7", "pvscsi@00:07.0"),
    place("pvscsi", "bus=outer,addr=1", "pvscsi@00:11.0/01.0"),
    place("pvscsi", "bus=inner,addr=4", "pvscsi@00:11.0/02.0/04.0"),
    place("mptsas1068", "bus=inner,addr=5", "lsisas@00:11.0/02.0/05.0"),
    place("pvscsi", "bus=outer,addr=3", "pvscsi@00:11.0/03.0"),
    place("mptsas1068", "addr=0x12", "lsisas@00:12.0"),
];
const ON_PORT: Place = place("pvscsi", "bus=express,addr=0", "pvscsi@00:10.0/00.0");

/// Identifies a machine with these controllers, given in this order, each with a
/// disk of as many MiB as its name is long, and gives what was found.
fn found<'a>(
    flags: &[&str],
    machine: &str,
    bridges: &[&str],
    places: impl Iterator<Item = &'a Place>,
) -> Vec<(String, u64)> {
    let mut args = vec!["-machine".to_owned(), machine.to_owned()];
    args.extend(bridges.iter().flat_map(|bridge| device(bridge)));
    for (number, place) in places.enumerate() {
        let Place {
            device: kind,
            at,
            name,
        } = place;
        args.extend(device(&format!("{kind},id=c{number},{at}")));
        args.extend(null(&format!("d{number}"), mib(name) << 20));
        args.extend(device(&format!("scsi-hd,bus=c{number}.0,drive=d{number}")));
    }
    let flags = [&["--controller", "pvscsi"], flags].concat();
    disks(&call_with("identify", &flags, &args))
}

fn mib(name: &str) -> u64 {
    name.len() as u64
}

/// Names and MiB of the disks.
fn disks(called: &Called) -> Vec<(String, u64)> {
    assert_eq!(called.code, 0, "{}", called.err);
    let one = |disk: &Value| {
        let bytes = disk["blocks"].as_u64()? * disk["block_size"].as_u64()?;
        Some((disk["id"].as_str()?.to_owned(), bytes >> 20))
    };
    let all: Option<Vec<_>> = called.disks().iter().map(one).collect();
    all.expect("disks have names and sizes")
}

#[test]
fn names_follow_addresses_and_not_the_order_of_the_command_line() {
    let mut express: Vec<&Place> = PLACES.iter().collect();
    express.insert(3, &ON_PORT);
    let conventional = express
        .iter()
        .copied()
        .filter(|place| place.at != ON_PORT.at);
    let conventional: Vec<&Place> = conventional.collect();
    // Without firmware the guest numbers the buses itself; a BIOS has done it.
    let machines = [
        (&[][..], "q35", &EXPRESS[..], &express),
        (&["--firmware", "bios"], "q35", &EXPRESS, &express),
        (&[], "pc", &CONVENTIONAL, &conventional),
    ];
    for (flags, machine, bridges, places) in machines {
        let mut expected = vec![("pvscsi@00:03.0:0:0".to_owned(), 200 << 10)];
        let named = |place: &&Place| (format!("{}:0:0", place.name), mib(place.name));
        expected.extend(places.iter().map(named));
        let forwards = found(flags, machine, bridges, places.iter().copied());
        assert_eq!(forwards, expected, "{machine} {flags:?}");
        if !flags.is_empty() {
            continue;
        }
        let backwards = found(flags, machine, bridges, places.iter().rev().copied());
        assert_eq!(backwards, expected, "{machine} {flags:?}");
    }
}

#[test]
fn every_disk_is_found_at_every_boot() {
    // All that QEMU's mptsas1068 takes: targets 0 to 8, two units each.
    let mut units = Vec::new();
    for (target, lun) in (0..9).flat_map(|target| [(target, 0), (target, 1)]).skip(1) {
        let node = format!("t{target}l{lun}");
        units.extend(null(&node, 1 << 20));
        units.extend(device(&format!(
            "scsi-hd,bus=controller3.0,channel=0,scsi-id={target},lun={lun},drive={node}"
        )));
    }
    let cases = [
        ("pvscsi", "1", &[][..], 1),
        ("pvscsi", "8", &[], 8),
        ("pvscsi", "64", &[], 64),
        ("lsisas", "1", &[], 1),
        ("lsisas", "8", &[], 8),
        ("lsisas", "1", &units, 18),
        ("nvme", "64", &[], 64),
        ("virtio-scsi", "1", &[], 1),
        ("virtio-scsi", "8", &[], 8),
        ("virtio-scsi", "64", &[], 64),
    ];
    for (kind, count, more, expected) in cases {
        let flags = ["--controller", kind, "--disks", count];
        let boots = [(); 2].map(|()| disks(&call_with("identify", &flags, more)));
        assert_eq!(boots[0].len(), expected, "{kind}: {:?}", boots[0]);
        assert_eq!(boots[0], boots[1], "{kind}");
    }
}
