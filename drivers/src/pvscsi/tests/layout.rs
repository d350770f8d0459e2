//! Bytes on the wire, written out by hand.

use super::*;
use crate::fake::RegisterWrite;
use crate::fake::scsi::ScsiUnit;
use crate::hal::{BusAddr, DmaRegion};

/// The request ring's first page, as SETUP_RINGS named it.
fn ring_page(machine: &Machine, adapter: &Adapter) -> BusAddr {
    let _ = machine;
    let words = adapter.queue.rings.setup_words();
    BusAddr((u64::from(words[4]) | u64::from(words[5]) << 32) << 12)
}

fn descriptor(machine: &Machine, adapter: &Adapter, slot: u64) -> [u8; 128] {
    let mut bytes = [0; 128];
    let at = ring_page(machine, adapter).add(slot * 128);
    machine.memory().device_read(at, &mut bytes);
    bytes
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// The last number of blocks that the 10-byte form reaches all of.
const REACHED: u64 = 1 << 32;

fn with_disk_at(target: u16, lun: u16, blocks: u64) -> Machine {
    let mut bus = ScsiBus::new();
    let mut unit = ScsiUnit::disk(blocks, 4096);
    unit.unmap = true;
    bus.insert(target, lun, unit);
    qemu(bus)
}

#[test]
fn a_read_has_these_bytes() {
    let machine = with_disk_at(9, 3, REACHED);
    let mut adapter = ready(&machine, 1);
    let slot = u64::from(adapter.queue.rings.next_index() % 32);
    let mut asked = request(Op::Read, 0x1234_5678, 2, 5);
    asked.buffer_offset_bytes = 4096;
    let tag = adapter.submit(Q, &asked).unwrap();
    let bytes = descriptor(&machine, &adapter, slot);
    let buffer = adapter.units.buffer_address(BufferId(5)).unwrap();
    assert_eq!(number(&bytes[..8]), u64::from(tag.bits()));
    assert_eq!(number(&bytes[8..0x10]), buffer.0 + 4096);
    assert_eq!(number(&bytes[0x10..0x18]), 8192);
    assert!(number(&bytes[0x18..0x20]) > 1 << 32);
    assert_eq!(number(&bytes[0x20..0x24]), 96);
    assert_eq!(number(&bytes[0x24..0x28]), 8);
    let cdb = [
        0x28, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
    ];
    assert_eq!(bytes[0x28..0x38], cdb);
    assert_eq!(bytes[0x38], 10);
    assert_eq!(bytes[0x39..0x41], [0, 3, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[0x41..0x45], [0x20, 0, 9, 0]);
    assert_eq!(bytes[0x45..], [0; 59]);
}

#[test]
fn writes_differ_in_direction_and_fua() {
    let machine = with_disk_at(0, 0, REACHED);
    let mut adapter = ready(&machine, 1);
    let slot = u64::from(adapter.queue.rings.next_index() % 32);
    let last = REACHED - 1;
    adapter.submit(Q, &request(Op::Write, last, 1, 0)).unwrap();
    adapter
        .submit(Q, &request(Op::WriteDurable, 7, 1, 1))
        .unwrap();
    let plain = descriptor(&machine, &adapter, slot);
    let cdb = [0x2a, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0];
    assert_eq!(plain[0x28..0x32], cdb);
    assert_eq!(number(&plain[0x24..0x28]), 16);
    let durable = descriptor(&machine, &adapter, slot + 1);
    assert_eq!(durable[0x28..0x32], [0x2a, 8, 0, 0, 0, 7, 0, 0, 1, 0]);
    assert_eq!(number(&durable[0x24..0x28]), 16);
}

#[test]
fn a_larger_disk_is_written_in_the_long_form() {
    let machine = with_disk_at(0, 0, REACHED + 1);
    let mut adapter = ready(&machine, 1);
    let slot = u64::from(adapter.queue.rings.next_index() % 32);
    adapter
        .submit(Q, &request(Op::Write, REACHED, 1, 0))
        .unwrap();
    adapter
        .submit(Q, &request(Op::WriteDurable, 7, 1, 1))
        .unwrap();
    let plain = descriptor(&machine, &adapter, slot);
    assert_eq!(number(&plain[0x24..0x28]), 16);
    let cdb = [0x8a, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];
    assert_eq!(plain[0x28..0x38], cdb);
    assert_eq!(plain[0x38], 16);
    let durable = descriptor(&machine, &adapter, slot + 1);
    let cdb = [0x8a, 8, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0];
    assert_eq!(durable[0x28..0x38], cdb);
}

#[test]
fn flush_has_no_data_and_trim_has_a_list() {
    let machine = with_disk_at(0, 0, REACHED);
    let mut adapter = ready(&machine, 1);
    let slot = u64::from(adapter.queue.rings.next_index() % 32);
    adapter.submit(Q, &request(Op::Flush, 0, 0, 0)).unwrap();
    adapter
        .submit(Q, &request(Op::Trim, 0x11, 0x22, 1))
        .unwrap();
    let flush = descriptor(&machine, &adapter, slot);
    assert_eq!(number(&flush[0x24..0x28]), 4);
    assert_eq!(number(&flush[0x10..0x18]), 0);
    assert_eq!(flush[0x28], 0x35);
    let trim = descriptor(&machine, &adapter, slot + 1);
    assert_eq!(number(&trim[0x24..0x28]), 16);
    assert_eq!(number(&trim[0x10..0x18]), 24);
    assert_eq!(trim[0x28..0x32], [0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0]);
    let mut list = [0; 24];
    let at = BusAddr(number(&trim[8..0x10]));
    machine.memory().device_read(at, &mut list);
    let expected = [
        0, 22, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0, 0, 0, 0x22, 0, 0, 0, 0,
    ];
    assert_eq!(list, expected);
}

#[test]
fn set_up_writes_all_132_words() {
    let machine = one_disk();
    machine.record_writes(true);
    let adapter = start(&machine, 1);
    let writes = machine.recorded_writes();
    let at = writes
        .iter()
        .position(|write| {
            *write
                == RegisterWrite {
                    offset: 0,
                    value: 3,
                }
        })
        .expect("SETUP_RINGS was issued");
    let words: Vec<u64> = writes[at + 1..]
        .iter()
        .take_while(|write| write.offset == 4)
        .map(|write| write.value)
        .collect();
    assert_eq!(words.len(), 132);
    assert_eq!(words[..2], [1, 1]);
    let page = adapter.queue.rings.state().bus_addr().0 >> 12;
    assert_eq!(words[2] | words[3] << 32, page);
    assert!(page > 0x10_0000, "above 4 GiB");
    assert!(
        words[6..68]
            .iter()
            .chain(&words[70..])
            .all(|word| *word == 0)
    );
}

#[test]
fn each_page_of_the_largest_rings_is_named() {
    let machine = one_disk();
    let adapter = start(&machine, 32);
    let words = adapter.queue.rings.setup_words();
    assert_eq!(words[..2], [32, 8]);
    let pages = |range: core::ops::Range<usize>| -> Vec<u64> {
        words[range]
            .chunks(2)
            .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
            .collect()
    };
    for pages in [pages(4..68), pages(68..84)] {
        assert!(pages.windows(2).all(|pair| pair[1] == pair[0] + 1));
    }
    assert_eq!(machine.device().ring_entries(), (1024, 1024));
}
