//! Which disks are found, and what they are said to be.

use super::super::fake::{FakeNamespace, NvmeConfig};
use super::rig::{Rig, plain, rig_with};
use crate::block::{Controller, ControllerError, DiskAddress, DiskId, Lba, Status};
use std::string::ToString;
use std::vec;
use std::vec::Vec;

fn disk(nsid: u32) -> FakeNamespace {
    FakeNamespace::new(nsid, 100, 9)
}

fn found(namespaces: Vec<FakeNamespace>) -> Rig {
    rig_with(NvmeConfig::default(), namespaces, &plain())
}

fn addresses(rig: &Rig) -> Vec<u32> {
    rig.nvme
        .disks()
        .iter()
        .map(|disk| match disk.address {
            DiskAddress::Namespace(nsid) => nsid,
            DiskAddress::Scsi { .. } => panic!("a SCSI address"),
        })
        .collect()
}

#[test]
fn scattered_namespaces_are_found_in_order_and_no_others() {
    let rig = found(vec![disk(1), disk(5), disk(200)]);
    assert_eq!(addresses(&rig), [1, 5, 200]);
    assert!(rig.nvme.ignored().is_empty());
    rig.check();
}

#[test]
fn a_controller_without_namespaces_is_no_error() {
    let rig = found(vec![]);
    assert!(rig.nvme.disks().is_empty() && rig.nvme.ignored().is_empty());
}

#[test]
fn without_a_list_identifiers_are_probed() {
    let without_list = NvmeConfig {
        lists_namespaces: false,
        ..NvmeConfig::default()
    };
    let too_old = NvmeConfig {
        version: 0x0001_0000,
        ..NvmeConfig::default()
    };
    let claims_all = NvmeConfig {
        lists_namespaces: false,
        claimed_namespaces: u32::MAX,
        ..NvmeConfig::default()
    };
    for config in [without_list, too_old, claims_all] {
        let rig = rig_with(config, vec![disk(2), disk(256)], &plain());
        assert_eq!(addresses(&rig), [2, 256]);
        assert!(rig.nvme.ignored().is_empty(), "absent ones are no news");
        rig.check();
    }
}

#[test]
fn long_lists_are_read_to_their_end() {
    let rig = found((1..=1500).map(|index| disk(index * 3)).collect());
    let expected: Vec<u32> = (1..=1500).map(|index| index * 3).collect();
    assert_eq!(addresses(&rig), expected);
    let rig = found((1..=1024).map(disk).collect());
    assert_eq!(rig.nvme.disks().len(), 1024);
}

#[test]
fn a_list_that_does_not_ascend_ends_there() {
    let rig = found(vec![disk(5), disk(3), disk(9)]);
    assert_eq!(addresses(&rig), [5]);
}

#[test]
fn block_sizes_and_identities_are_reported() {
    let mut large = FakeNamespace::new(2, 1 << 40, 12);
    large.format = 3;
    large.preferred_blocks = 4;
    large.nguid = [0xab; 16];
    let mut bare = FakeNamespace::new(3, 1, 9);
    bare.eui64 = [0; 8];
    bare.preferred_blocks = 3;
    let mut e512 = FakeNamespace::new(4, 4096, 9);
    e512.preferred_blocks = 8;
    let rig = found(vec![disk(1), large, bare, e512]);
    let [first, large, bare, e512] = rig.nvme.disks() else {
        panic!("four disks")
    };
    assert_eq!((first.blocks, first.block_size_bytes), (100, 512));
    assert_eq!(first.physical_block_bytes, 512);
    assert_eq!(first.wwid, "eui.5254000000000001");
    assert_eq!(
        (first.model.as_str(), first.serial.as_str()),
        ("Fake NVMe Ctrl", "FAKE-0001")
    );
    assert!(first.durable_writes && first.trim && !first.read_only);
    assert_eq!(first.max_transfer_bytes, 32 << 20);
    assert_eq!((large.blocks, large.block_size_bytes), (1 << 40, 4096));
    assert_eq!(large.physical_block_bytes, 16_384);
    assert_eq!(large.wwid, "eui.abababababababababababababababab");
    assert_eq!((bare.blocks, bare.wwid.as_str()), (1, ""));
    assert_eq!(
        bare.physical_block_bytes, 512,
        "three blocks are no physical block"
    );
    assert_eq!(e512.physical_block_bytes, 4096);
}

#[test]
fn what_cannot_be_used_is_ignored_with_its_reason() {
    let mut metadata = disk(1);
    metadata.metadata_bytes = 8;
    let empty = FakeNamespace::new(2, 0, 9);
    let tiny = FakeNamespace::new(3, 10, 8);
    let endless = FakeNamespace::new(4, u64::MAX, 9);
    let rig = found(vec![metadata, empty, tiny, endless, disk(5)]);
    assert_eq!(addresses(&rig), [5]);
    let reasons: Vec<_> = rig
        .nvme
        .ignored()
        .iter()
        .map(|ignored| (ignored.address, ignored.reason.to_string()))
        .collect();
    let expected = [
        (1, "formatted with 8 bytes of metadata per block"),
        (2, "empty, 0 blocks"),
        (3, "block size of 2^8 bytes"),
        (4, "impossible size of 18446744073709551615 blocks"),
    ]
    .map(|(nsid, reason)| (DiskAddress::Namespace(nsid), reason.to_string()));
    assert_eq!(reasons, expected);
}

#[test]
fn write_protection_is_seen_up_front_both_ways() {
    let mut by_attribute = disk(1);
    by_attribute.read_only = true;
    let mut by_state = disk(2);
    by_state.protection = 1;
    let config = NvmeConfig {
        nwpc: 1,
        ..NvmeConfig::default()
    };
    let rig = rig_with(config, vec![by_attribute, by_state, disk(3)], &plain());
    let read_only: Vec<bool> = rig.nvme.disks().iter().map(|disk| disk.read_only).collect();
    assert_eq!(read_only, [true, true, false]);
    rig.check();
}

#[test]
fn a_changed_namespace_is_noticed_and_read_again() {
    let mut rig = found(vec![disk(1), disk(2)]);
    rig.nvme.set_buffers(1, 4096).unwrap();
    assert_eq!(rig.nvme.take_disk_change(), Ok(false));
    let counts = rig.nvme.accesses().mmio;
    assert_eq!(rig.nvme.take_disk_change(), Ok(false));
    assert_eq!(rig.nvme.accesses().mmio, counts, "looking costs no access");
    for round in 1..=3 {
        rig.hal.step();
        {
            let mut device = rig.hal.device();
            device.namespaces[1].blocks = 100 + round;
            device.namespaces[1].read_only = round == 2;
            device.announce_namespace_change();
        }
        assert_eq!(rig.nvme.take_disk_change(), Ok(true), "round {round}");
        assert_eq!(rig.nvme.take_disk_change(), Ok(false));
        rig.nvme.refresh_disk(DiskId(1)).unwrap();
        assert_eq!(rig.nvme.disks()[1].blocks, 100 + round);
        assert_eq!(rig.nvme.disks()[1].read_only, round == 2);
        // The hot path works with the new size.
        let last = crate::block::Request {
            disk: DiskId(1),
            lba: Lba(99 + round),
            ..super::rig::request()
        };
        assert_eq!(rig.run(&last).status, Status::Ok);
    }
    rig.check();
}

#[test]
fn a_disk_that_went_away_is_no_disk_any_more() {
    let mut rig = found(vec![disk(1), disk(2)]);
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.hal.device().namespaces.remove(1);
    let refreshed = rig.nvme.refresh_disk(DiskId(1));
    assert!(matches!(
        refreshed,
        Err(ControllerError::Refused { answer: 2, .. })
    ));
    assert_eq!(
        rig.run(&super::rig::request()).status,
        Status::Ok,
        "the other one works"
    );
    assert!(rig.nvme.refresh_disk(DiskId(9)).is_err());
}
