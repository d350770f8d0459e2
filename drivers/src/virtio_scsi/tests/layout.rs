//! Bytes in memory, written out by hand.

use super::*;
use crate::fake::scsi::ScsiUnit;
use crate::hal::BusAddr;

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn bytes_at(machine: &Machine, at: u64, len: usize) -> Vec<u8> {
    let mut bytes = alloc::vec![0; len];
    machine.memory().device_read(BusAddr(at), &mut bytes);
    bytes
}

/// (address, length, flags, next) of a descriptor.
fn descriptor(machine: &Machine, table: u64, index: u64) -> (u64, u64, u64, u64) {
    let bytes = bytes_at(machine, table + 16 * index, 16);
    (
        number(&bytes[..8]),
        number(&bytes[8..12]),
        number(&bytes[12..14]),
        number(&bytes[14..]),
    )
}

/// Head of the request that was pushed last.
fn last_head(machine: &Machine, adapter: &Adapter) -> u64 {
    let queue = &adapter.queues[0];
    let parts = queue.parts();
    let at = adapter.accesses().commands.wrapping_sub(1) % u64::from(parts.entries);
    number(&bytes_at(machine, parts.driver.0 + 4 + 2 * at, 2))
}

/// The last request's chain, as (address, length, device writes).
fn chain(machine: &Machine, adapter: &Adapter) -> Vec<(u64, u64, bool)> {
    let table = adapter.queues[0].parts().descriptors.0;
    let head = last_head(machine, adapter);
    let (address, len, flags, _) = descriptor(machine, table, head);
    let (table, mut at) = if flags & 4 != 0 {
        assert_eq!((len, flags), (48, 4));
        (address, 0)
    } else {
        (table, head)
    };
    let mut links = Vec::new();
    loop {
        let (address, len, flags, next) = descriptor(machine, table, at);
        assert!(address > 1 << 32);
        links.push((address, len, flags & 2 != 0));
        if flags & 1 == 0 {
            return links;
        }
        at = next;
    }
}

fn disk_at(target: u16, lun: u16, blocks: u64, indirect: bool) -> Machine {
    let mut bus = ScsiBus::new();
    let mut unit = ScsiUnit::disk(blocks, 4096);
    unit.unmap = true;
    bus.insert(target, lun, unit);
    let offers = if indirect {
        Offers::default()
    } else {
        direct(64)
    };
    FakeHal::new(|memory| VirtioModel::with(memory, bus, offers))
}

#[test]
fn a_read_has_these_bytes() {
    for indirect in [true, false] {
        let machine = disk_at(9, 300, 1 << 32, indirect);
        let mut adapter = ready(&machine);
        let mut asked = request(Op::Read, 0x1234_5678, 2, 5);
        asked.buffer_offset_bytes = 4096;
        let tag = adapter.submit(Q, &asked).unwrap();
        let links = chain(&machine, &adapter);
        let [header, response, data] = links[..] else {
            panic!("three descriptors: {links:?}");
        };
        assert_eq!((header.1, header.2), (51, false));
        assert_eq!((response.1, response.2), (108, true));
        let buffer = adapter.units.buffer_address(BufferId(5)).unwrap().0 + 4096;
        assert_eq!(data, (buffer, 8192, true));
        let bytes = bytes_at(&machine, header.0, 51);
        assert_eq!(bytes[..8], [1, 9, 0x41, 44, 0, 0, 0, 0]);
        // Above the tag, the number of the queue.
        assert_eq!(number(&bytes[8..16]), 2 << 32 | u64::from(tag.bits()));
        assert_eq!(bytes[16..19], [0, 0, 0], "simple, no priority, no crn");
        let cdb = [0x28, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 2, 0];
        assert_eq!(bytes[19..29], cdb);
        assert_eq!(bytes[29..], [0; 22]);
        assert_eq!(
            bytes_at(&machine, response.0 + 8, 4)[3],
            0xff,
            "not written"
        );
    }
}

#[test]
fn a_write_puts_its_data_before_the_response() {
    for indirect in [true, false] {
        let machine = disk_at(0, 0, (1 << 32) + 1, indirect);
        let mut adapter = ready(&machine);
        for (op, flags) in [(Op::Write, 0), (Op::WriteDurable, 8)] {
            adapter.submit(Q, &request(op, 1 << 32, 1, 3)).unwrap();
            let links = chain(&machine, &adapter);
            let shape: Vec<(u64, bool)> = links.iter().map(|link| (link.1, link.2)).collect();
            assert_eq!(shape, [(51, false), (4096, false), (108, true)]);
            assert_eq!(
                links[1].0,
                adapter.units.buffer_address(BufferId(3)).unwrap().0
            );
            let cdb = [0x8a, flags, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];
            assert_eq!(bytes_at(&machine, links[0].0 + 19, 32)[..16], cdb);
        }
    }
}

#[test]
fn flush_has_no_data_and_trim_has_a_list() {
    for indirect in [true, false] {
        let machine = disk_at(0, 0, 1 << 32, indirect);
        let mut adapter = ready(&machine);
        adapter.submit(Q, &request(Op::Flush, 0, 0, 0)).unwrap();
        let flush = chain(&machine, &adapter);
        let shape: Vec<(u64, bool)> = flush.iter().map(|link| (link.1, link.2)).collect();
        assert_eq!(shape, [(51, false), (108, true)]);
        assert_eq!(bytes_at(&machine, flush[0].0 + 19, 1), [0x35]);
        adapter
            .submit(Q, &request(Op::Trim, 0x11, 0x22, 1))
            .unwrap();
        let trim = chain(&machine, &adapter);
        let shape: Vec<(u64, bool)> = trim.iter().map(|link| (link.1, link.2)).collect();
        assert_eq!(shape, [(51, false), (24, false), (108, true)]);
        let cdb = [0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0];
        assert_eq!(bytes_at(&machine, trim[0].0 + 19, 10), cdb);
        let expected = [
            0, 22, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0, 0, 0, 0x22, 0, 0, 0, 0,
        ];
        assert_eq!(bytes_at(&machine, trim[1].0, 24), expected);
    }
}

#[test]
fn areas_are_aligned_and_written_whole_above_4_gib() {
    let machine = one_disk();
    machine.record_writes(true);
    let adapter = start(&machine);
    let parts = adapter.queues[0].parts();
    assert_eq!(parts.descriptors.0 % 16, 0);
    assert_eq!(parts.driver.0 % 2, 0);
    assert_eq!(parts.device.0 % 4, 0);
    let writes = machine.recorded_writes();
    let last = |offset| {
        let mut to = writes.iter().rev().filter(|write| write.offset == offset);
        to.next().map(|write| write.value).unwrap()
    };
    let whole = |offset| last(offset) | last(offset + 4) << 32;
    assert_eq!(whole(0x20), parts.descriptors.0);
    assert_eq!(whole(0x28), parts.driver.0);
    assert_eq!(whole(0x30), parts.device.0);
    assert!(parts.device.0 > 1 << 32);
    assert_eq!(last(0x16), 2, "the request queue is set up last");
    assert_eq!(
        last(0x3008),
        2,
        "a doorbell is the queue's number at its place"
    );
}
