//! Request frames, byte by byte.

use super::super::queue::{Frame, Queue, UnitWords, Way};
use super::support::*;
use crate::fake::FakeRegion;
use crate::hal::BusAddr;
use crate::scsi::Wire;
use crate::scsi::{Cdb, ScsiAddress};
use proptest::prelude::*;

fn queue(machine: &Machine) -> Queue<FakeRegion> {
    Queue::allocate(machine, 4, 4).unwrap()
}

/// The frame that was written last, by the low half of its address.
fn frame(machine: &Machine, queue: &Queue<FakeRegion>, low: u32) -> [u8; 128] {
    let high = queue.frames.windows().frames.0 >> 32 << 32;
    let mut bytes = [0; 128];
    machine
        .memory()
        .device_read(BusAddr(high | u64::from(low)), &mut bytes);
    bytes
}

fn write(machine: &Machine, cdb: Cdb, way: Way, data: u64, data_bytes: u32) -> [u8; 128] {
    let mut queue = queue(machine);
    let at = ScsiAddress { target: 5, lun: 2 };
    let unit = UnitWords::of(at).unwrap();
    let words = Frame::new(&unit, cdb.len_bytes, way, data_bytes, 0);
    let tag = queue.write(&words, cdb.words, BusAddr(data), 0).unwrap();
    let [low] = *queue.take_posts() else {
        panic!("one post")
    };
    assert_eq!((tag.bits(), low % 64), (4, 0));
    assert_eq!(queue.take_posts(), []);
    frame(machine, &queue, low)
}

#[test]
fn a_read_has_the_bytes_of_the_headers() {
    let machine = one_disk();
    let cdb = Cdb::read(Lba(0x1234_5678), 8);
    let bytes = write(&machine, cdb, Way::IN, 0x12_3456_7000, 4096);
    let sense = u32::from_le_bytes(bytes[0x2c..0x30].try_into().unwrap());
    assert_eq!(sense % 128, 0);
    let mut expected = [0; 128];
    // Target, function 0, length of CDB and sense buffer; context; unit.
    expected[..16].copy_from_slice(&[5, 0, 0, 0, 10, 96, 0, 0, 4, 0, 0, 0, 0, 2, 0, 0]);
    // Direction.
    expected[0x17] = 2;
    expected[0x18..0x22].copy_from_slice(&[0x28, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 8, 0]);
    expected[0x29] = 0x10;
    expected[0x2c..0x30].copy_from_slice(&sense.to_le_bytes());
    expected[0x30..0x3c].copy_from_slice(&[0, 0x10, 0, 0xd3, 0, 0x70, 0x56, 0x34, 0x12, 0, 0, 0]);
    assert_eq!(bytes, expected);
}

#[test]
fn writes_and_commands_without_data_differ_as_they_must() {
    let machine = one_disk();
    let cdb = Cdb::write(Lba(1 << 32), 0x1_0000, true);
    let bytes = write(&machine, cdb, Way::OUT, 0x1000, 512);
    assert_eq!((bytes[4], bytes[0x17], bytes[0x33]), (16, 1, 0xd7));
    let bytes = write(&machine, Cdb::test_unit_ready(), Way::NONE, 0, 0);
    assert_eq!((bytes[4], bytes[0x17]), (6, 0));
    assert_eq!(bytes[0x30..0x3c], [0, 0, 0, 0xd3, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn units_beyond_the_fields_cannot_be_addressed() {
    let of = |target, lun| UnitWords::of(ScsiAddress { target, lun });
    assert!(of(255, 255).is_some());
    assert!(of(256, 0).is_none() && of(0, 256).is_none());
}

proptest! {
    #[test]
    fn a_list_covers_its_buffer_exactly(
        page in 0..1u64 << 40,
        data_bytes in prop_oneof![1..=6 * 0xff_f000u32, 0xff_efffu32..=0xff_f001],
        to_device: bool,
    ) {
        let machine = one_disk();
        let start = page * 4096;
        let way = if to_device { Way::OUT } else { Way::IN };
        let bytes = write(&machine, Cdb::read(Lba(0), 8), way, start, data_bytes);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (mut at, mut next) = (0x30, start);
        loop {
            let head = word(at);
            prop_assert_eq!(next, u64::from(word(at + 4)) | u64::from(word(at + 8)) << 32);
            next += u64::from(head & 0xff_ffff);
            at += 12;
            let direction = if to_device { 0x0400_0000 } else { 0 };
            let last = next == start + u64::from(data_bytes);
            let flags = if last { 0xd300_0000 } else { 0x1200_0000 };
            prop_assert_eq!(head & 0xff00_0000, flags | direction);
            if last {
                break;
            }
            prop_assert!(at + 12 <= 128);
            prop_assert_eq!(head & 0xff_ffff, 0xff_f000);
        }
    }
}
