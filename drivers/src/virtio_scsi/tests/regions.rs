//! Where the capabilities say that the registers are.

use super::super::Regions;
use super::*;

/// A capability of 16 bytes, or 20 with a multiplier.
fn capability(kind: u8, bar: u8, offset: u32, len: u32, multiplier: Option<u32>) -> Vec<u8> {
    let mut bytes = alloc::vec![9, 0, if multiplier.is_some() { 20 } else { 16 }, kind];
    bytes.extend_from_slice(&[bar, 0, 0, 0]);
    bytes.extend_from_slice(&offset.to_le_bytes());
    bytes.extend_from_slice(&len.to_le_bytes());
    if let Some(multiplier) = multiplier {
        bytes.extend_from_slice(&multiplier.to_le_bytes());
    }
    bytes
}

/// What QEMU 7.2 lists, in its order.
fn qemu_list() -> Vec<Vec<u8>> {
    alloc::vec![
        capability(5, 0, 0, 0, Some(0)),
        capability(2, 4, 0x3000, 0x1000, Some(4)),
        capability(4, 4, 0x2000, 0x1000, None),
        capability(3, 4, 0x1000, 0x1000, None),
        capability(1, 4, 0, 0x1000, None),
    ]
}

fn find(list: &[Vec<u8>]) -> Result<Regions, &'static str> {
    Regions::find(list.iter().map(Vec::as_slice), |bar| bar == 4)
}

#[test]
fn qemus_list_is_understood() {
    assert_eq!(find(&qemu_list()), Ok(regions()));
}

#[test]
fn without_the_modern_structures_the_reason_names_the_option() {
    for list in [&[][..], &qemu_list()[..4]] {
        assert!(find(list).unwrap_err().contains("disable-modern=on"));
    }
    for missing in [1, 2, 3] {
        let mut list = qemu_list();
        list.remove(missing);
        assert!(find(&list).unwrap_err().contains("missing"));
    }
}

#[test]
fn the_first_usable_one_of_a_kind_counts() {
    // As with modern-pio-notify=on: doorbells in ports, too.
    let mut list = qemu_list();
    list.insert(0, capability(2, 2, 0, 4, Some(0)));
    list.push(capability(1, 4, 0x100, 0x1000, None));
    list.push(capability(2, 4, 0x3800, 0x800, Some(2)));
    assert_eq!(find(&list), Ok(regions()));
    let spread = capability(4, 1, 0x2000, 0x1000, None);
    list[3] = spread;
    let found = Regions::find(list.iter().map(Vec::as_slice), |bar| bar == 4 || bar == 1);
    assert!(found.unwrap_err().contains("several BARs"));
}

#[test]
fn one_that_is_too_small_or_cut_or_odd_does_not_count() {
    for bad in [
        capability(1, 4, 0, 0x37, None),
        capability(1, 4, 2, 0x1000, None),
        capability(1, 4, 0, 0x1000, None)[..15].to_vec(),
        capability(1, 7, 0, 0x1000, None),
    ] {
        let mut list = qemu_list();
        list[4] = bad;
        assert!(find(&list).is_err());
    }
    let mut list = qemu_list();
    list[1] = capability(2, 4, 0x3000, 0x1000, None);
    assert!(find(&list).is_err(), "no multiplier");
}

#[test]
fn doorbells_may_lie_a_page_apart() {
    // As with page-per-vq=on.
    let machine = one_disk();
    machine.device().doorbell_bytes = 0x400;
    let apart = Regions {
        notify_multiplier: 0x400,
        ..regions()
    };
    let (quirks, options) = (Quirks::default(), Options::default());
    let hal = machine.clone();
    let mut adapter = VirtioScsi::start(hal, machine.mmio(), apart, quirks, &options).unwrap();
    adapter.set_buffers(64, 65_536).unwrap();
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert_clean(&machine);
}
