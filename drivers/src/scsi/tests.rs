//! Byte vectors of the specifications, and scans of a bus in memory.

use super::capacity::Capacity;
use super::identity::{self, Inquiry};
use super::mode::ModeHeader;
use super::*;
use crate::block::{ControllerError, DiskAddress, Lba, Sense, Status};
use crate::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiBus, ScsiUnit};
use alloc::vec::Vec;
use proptest::prelude::*;
use std::string::ToString;

fn bytes(cdb: Cdb) -> Vec<u8> {
    cdb.to_bytes()[..usize::from(cdb.len_bytes)].to_vec()
}

#[test]
fn cdbs_have_the_bytes_of_the_specifications() {
    assert_eq!(
        bytes(Cdb::read(Lba(0x1234_5678), 0x9abc)),
        [0x28, 0, 0x12, 0x34, 0x56, 0x78, 0, 0x9a, 0xbc, 0]
    );
    assert_eq!(
        bytes(Cdb::write(Lba(0xfedc_ba98), 8, true)),
        [0x2a, 8, 0xfe, 0xdc, 0xba, 0x98, 0, 0, 8, 0]
    );
    assert_eq!(
        bytes(Cdb::read(Lba(0x0102_0304_0506_0708), 0x090a_0b0c)),
        [0x88, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0]
    );
    assert_eq!(
        bytes(Cdb::write(Lba(7), 0x1_0000, false)),
        [0x8a, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 1, 0, 0, 0, 0]
    );
    assert_eq!(bytes(Cdb::flush()), [0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes(Cdb::unmap()), [0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0]);
    assert_eq!(bytes(Cdb::test_unit_ready()), [0; 6]);
    assert_eq!(bytes(Cdb::inquiry(36)), [0x12, 0, 0, 0, 36, 0]);
    assert_eq!(
        bytes(Cdb::inquiry_page(0x83, 252)),
        [0x12, 1, 0x83, 0, 252, 0]
    );
    assert_eq!(bytes(Cdb::mode_sense(0x3f, 4)), [0x1a, 8, 0x3f, 0, 4, 0]);
    assert_eq!(
        bytes(Cdb::read_capacity_10()),
        [0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(
        bytes(Cdb::read_capacity_16(32)),
        [0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0]
    );
    assert_eq!(
        bytes(Cdb::report_luns(2048)),
        [0xa0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0]
    );
}

#[test]
fn the_short_form_serves_to_its_last_block() {
    assert_eq!(Cdb::read(Lba(u64::from(u32::MAX)), 0xffff).len_bytes, 10);
    assert_eq!(Cdb::read(Lba(1 << 32), 1).len_bytes, 16);
    assert_eq!(Cdb::write(Lba(0), 0x1_0000, false).len_bytes, 16);
}

#[test]
fn an_unmap_list_has_one_descriptor() {
    let list: Vec<u8> = unmap_list(Lba(0x0102_0304_0506_0708), 0x090a_0b0c)
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    assert_eq!(
        list,
        [
            0, 22, 0, 16, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0
        ]
    );
    assert_eq!(list.len(), UNMAP_LIST_BYTES);
}

#[test]
fn sense_is_read_in_both_formats() {
    let sense = |key, asc, ascq| Some(Sense { key, asc, ascq });
    let fixed = [0x70, 0, 0x66, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x29, 0x03];
    assert_eq!(sense::parse(&fixed), sense(6, 0x29, 3));
    assert_eq!(
        sense::parse(&[0xf1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]),
        sense(5, 0, 0)
    );
    assert_eq!(sense::parse(&[0x72, 0x0b, 0, 6]), sense(0xb, 0, 6));
    assert_eq!(sense::parse(&[0; 18]), None);
    assert_eq!(sense::parse(&[]), None);
}

#[test]
fn statuses_become_decisions() {
    let sense = crate::fake::scsi::sense_fixed;
    assert_eq!(status::decode(0, &[]), Status::Ok);
    assert_eq!(status::decode(2, &sense(1, 0x18, 2)), Status::Ok);
    assert!(matches!(
        status::decode(2, &sense(6, 0x29, 0)),
        Status::UnitAttention(_)
    ));
    assert_eq!(
        status::decode(2, &sense(5, 0x21, 0)).to_string(),
        "check condition, sense 5/21/00"
    );
    assert_eq!(status::decode(2, &[0; 18]), Status::ScsiStatus(2));
    assert_eq!(status::decode(8, &[]), Status::Busy);
    assert_eq!(status::decode(0x28, &[]), Status::Busy);
    assert_eq!(status::decode(0x40, &[]), Status::Aborted);
    assert_eq!(status::decode(0x18, &[]), Status::ScsiStatus(0x18));
}

#[test]
fn capacities_are_read() {
    let mut long = [0; 32];
    long[7] = 99;
    long[10] = 2;
    long[13] = 3;
    long[14] = 0x80;
    let expected = Capacity {
        blocks: 100,
        block_size_bytes: 512,
        physical_block_bytes: 4096,
        provisioned: true,
    };
    assert_eq!(Capacity::from_16(&long), expected);
    let short = Capacity::from_10(&[0, 0, 0, 9, 0, 0, 0x10, 0]).unwrap();
    assert_eq!((short.blocks, short.block_size_bytes), (10, 4096));
    assert_eq!(
        Capacity::from_10(&[0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0]),
        None
    );
}

#[test]
fn identities_are_read() {
    let mut data = [b' '; 36];
    data[0] = 0x65;
    data[8..14].copy_from_slice(b"VMware");
    data[16..28].copy_from_slice(b"Virtual\x07disk");
    let inquiry = Inquiry::from_bytes(&data);
    assert_eq!((inquiry.qualifier, inquiry.device_type), (3, 5));
    assert_eq!(
        (&*inquiry.vendor, &*inquiry.product),
        ("VMware", "Virtual?disk")
    );
    let eui = [0x01, 0x02, 0, 2, 0xab, 0xcd];
    let port = [0x01, 0x13, 0, 1, 0xff];
    let naa = [0x01, 0x03, 0, 2, 0x50, 0x01];
    assert_eq!(
        identity::world_wide_name(&[&port[..], &eui].concat()),
        "eui.abcd"
    );
    assert_eq!(
        identity::world_wide_name(&[&eui[..], &naa].concat()),
        "naa.5001"
    );
    assert_eq!(identity::world_wide_name(&[0x01, 0x03, 0, 99, 1]), "naa.01");
    assert_eq!(
        identity::page_body(&[0, 0x80, 0, 9, 1, 2], 0x80),
        Some(&[1, 2][..])
    );
    assert_eq!(identity::page_body(&[0, 0x80, 0, 1, 1, 2], 0x83), None);
    let mode = ModeHeader::from_6(&[3, 0, 0x90, 0]);
    assert!(mode.write_protected && mode.takes_fua);
}

#[test]
fn luns_are_read_in_both_forms() {
    let list = [
        0, 0, 0, 32, 0, 0, 0, 0, // header
        0, 3, 0, 0, 0, 0, 0, 0, // peripheral 3
        0x41, 0, 0, 0, 0, 0, 0, 0, // flat 256
        0, 0, 0, 0, 0, 0, 0, 0, // peripheral 0
        0, 1, 0, 1, 0, 0, 0, 0, // two levels
        0, 9, 0, 0, 0, 0, 0, 0, // beyond the stated length
    ];
    assert_eq!(luns::parse(&list), [0, 3, 256]);
    assert_eq!(luns::parse(&[0; 7]), []);
    assert_eq!(luns::parse(&[0xff; 12]), []);
}

/// A controller without rings: commands go straight to the bus.
struct Port {
    bus: ScsiBus,
    pauses: u32,
    commands: u32,
}

impl ScsiPort for Port {
    fn execute(
        &mut self,
        at: ScsiAddress,
        cdb: &Cdb,
        data_in: &mut [u8],
    ) -> Result<Status, ControllerError> {
        self.commands += 1;
        data_in.fill(0);
        let Some(reply) = self
            .bus
            .execute(at.target, at.lun, &bytes(*cdb), &[], data_in.len())
        else {
            return Ok(Status::NoDevice);
        };
        if reply.lost {
            return Err(ControllerError::TimedOut {
                what: "INQUIRY",
                after_ms: 5,
            });
        }
        data_in[..reply.data.len()].copy_from_slice(&reply.data);
        let decoded = status::decode(reply.status, &reply.sense);
        let short = decoded.is_ok() && reply.data.len() < data_in.len();
        Ok(if short {
            Status::ShortTransfer
        } else {
            decoded
        })
    }

    fn pause(&mut self) {
        self.pauses += 1;
    }
}

fn scan_of(bus: ScsiBus) -> (Found, Port) {
    let mut port = Port {
        bus,
        pauses: 0,
        commands: 0,
    };
    let found = scan(&mut port, 0..16, 255).unwrap();
    (found, port)
}

fn reasons(found: &Found) -> Vec<&str> {
    found
        .ignored
        .iter()
        .map(|ignored| &*ignored.reason)
        .collect()
}

#[test]
fn a_disk_is_described_as_it_is() {
    let mut unit = ScsiUnit::disk(1 << 33, 512);
    unit.physical_exponent = 3;
    unit.serial = "  SN 1 ".into();
    unit.naa = 0x5000_c500_15ea_71ac;
    unit.max_transfer_blocks = 2048;
    unit.unmap = true;
    unit.write_protected = true;
    let mut bus = ScsiBus::new();
    bus.insert(3, 0, unit);
    let (found, _) = scan_of(bus);
    assert!(found.ignored.is_empty());
    let disk = &found.disks[0];
    assert_eq!(disk.address, DiskAddress::Scsi { target: 3, lun: 0 });
    assert_eq!(
        (
            disk.blocks,
            disk.block_size_bytes,
            disk.physical_block_bytes
        ),
        (1 << 33, 512, 4096)
    );
    assert!(disk.read_only && disk.durable_writes && disk.trim);
    assert_eq!(disk.max_transfer_bytes, 1 << 20);
    assert_eq!((&*disk.vendor, &*disk.model), ("QEMU", "QEMU HARDDISK"));
    assert_eq!(
        (&*disk.serial, &*disk.wwid),
        ("SN 1", "naa.5000c50015ea71ac")
    );
}

#[test]
fn a_disk_that_says_little_is_still_found() {
    let mut unit = ScsiUnit::disk(100, 4096);
    unit.capacity_16 = false;
    unit.vpd = false;
    unit.plant(Fault {
        when: FaultWhen::Opcode(0x1a),
        kind: FaultKind::Check(5, 0x20, 0),
        times: 99,
    });
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, unit);
    let (found, _) = scan_of(bus);
    let disk = &found.disks[0];
    assert_eq!((disk.blocks, disk.block_size_bytes), (100, 4096));
    assert_eq!(disk.max_transfer_bytes, u64::MAX);
    assert!(!disk.read_only && !disk.durable_writes && !disk.trim);
}

#[test]
fn what_is_no_disk_is_ignored_with_a_reason() {
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, ScsiUnit::cd_rom(100));
    bus.insert(1, 0, ScsiUnit::cd_rom(0));
    bus.insert(2, 0, ScsiUnit::disk(0, 512));
    bus.insert(3, 0, ScsiUnit::disk(10, 520));
    bus.insert(4, 0, ScsiUnit::disk(1, 512));
    bus.insert(5, 300, ScsiUnit::disk(1, 512));
    let (found, _) = scan_of(bus);
    assert_eq!(found.disks.len(), 1);
    assert_eq!(found.disks[0].blocks, 1);
    assert_eq!(
        reasons(&found),
        [
            "CD-ROM drive",
            "CD-ROM drive, no medium",
            "disk of size zero or not ready: check condition, sense 2/04/03",
            "disk with blocks of 520 bytes, which is no power of two from 512 on",
            "unit number above 255"
        ]
    );
}

#[test]
fn units_without_unit_0_are_found() {
    let mut bus = ScsiBus::new();
    bus.insert(1, 1, ScsiUnit::disk(8, 512));
    bus.insert(1, 2, ScsiUnit::disk(9, 512));
    let (found, _) = scan_of(bus);
    assert_eq!(
        found
            .disks
            .iter()
            .map(|disk| disk.blocks)
            .collect::<Vec<_>>(),
        [8, 9]
    );
    assert!(found.ignored.is_empty());
}

#[test]
fn attentions_and_busy_are_outlasted() {
    let mut unit = ScsiUnit::disk(77, 512);
    unit.attentions = alloc::vec![(0x29, 0), (0x2a, 9), (0x3f, 0x0e)];
    for (kind, times) in [
        (FaultKind::Status(8), 3),
        (FaultKind::Status(0x28), 2),
        (FaultKind::Check(2, 4, 1), 2),
        (FaultKind::CheckDescriptor(6, 0x28, 0), 1),
    ] {
        unit.plant(Fault {
            when: FaultWhen::Opcode(0x9e),
            kind,
            times,
        });
    }
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, unit);
    let (found, port) = scan_of(bus);
    assert_eq!(found.disks[0].blocks, 77);
    assert_eq!(port.pauses, 7);
}

#[test]
fn a_unit_that_is_busy_for_ever_does_not_hold_the_scan() {
    let mut bus = ScsiBus::with_disk(8, 512);
    let fault = Fault {
        when: FaultWhen::Any,
        kind: FaultKind::Status(8),
        times: u32::MAX,
    };
    bus.unit(0, 0).plant(fault);
    bus.insert(1, 0, ScsiUnit::disk(9, 512));
    let (found, _) = scan_of(bus);
    assert_eq!(found.disks.len(), 1);
    assert_eq!(reasons(&found), ["INQUIRY failed: busy"]);
}

#[test]
fn one_silent_target_is_noted_and_two_end_the_scan() {
    let lost = Fault {
        when: FaultWhen::Any,
        kind: FaultKind::Lost,
        times: 1,
    };
    let mut bus = ScsiBus::with_disk(8, 512);
    bus.unit(0, 0).plant(lost);
    bus.insert(2, 0, ScsiUnit::disk(9, 512));
    let (found, mut port) = scan_of(bus);
    assert_eq!(found.disks.len(), 1);
    assert_eq!(reasons(&found), ["no answer to INQUIRY within 5 ms"]);
    port.bus.unit(0, 0).plant(lost);
    port.bus.unit(2, 0).plant(lost);
    let timed_out = ControllerError::TimedOut {
        what: "INQUIRY",
        after_ms: 5,
    };
    assert_eq!(scan(&mut port, 0..16, 255), Err(timed_out));
}

#[test]
fn an_empty_bus_has_nothing() {
    let (found, port) = scan_of(ScsiBus::new());
    assert_eq!(found, Found::default());
    assert_eq!(port.commands, 16);
}

proptest! {
    #[test]
    fn cdbs_say_what_was_asked(lba: u64, blocks: u32, short: bool) {
        let (lba, blocks) = if short { (lba >> 32, blocks >> 16) } else { (lba, blocks) };
        let cdb = bytes(Cdb::read(Lba(lba), blocks));
        let be = |bytes: &[u8]| bytes.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        let told = match cdb.len() {
            10 => (be(&cdb[2..6]), be(&cdb[7..9])),
            _ => (be(&cdb[2..10]), be(&cdb[10..14])),
        };
        prop_assert_eq!(told, (lba, u64::from(blocks)));
    }

    #[test]
    fn no_answer_of_a_device_makes_the_parsers_panic(data: Vec<u8>) {
        let _ = sense::parse(&data);
        let _ = luns::parse(&data);
        let _ = identity::world_wide_name(&data);
        let _ = identity::page_body(&data, 0x83);
        let _ = identity::max_transfer_blocks(&data);
        let _ = identity::takes_unmap(&data);
    }
}
