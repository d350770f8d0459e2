//! Data goes where it belongs, at every length.

use super::super::fake::{FakeNamespace, NvmeConfig};
use super::super::{Nvme, Quirks};
use super::rig::{Q, Rig, machine, one_disk, pattern, plain, request, rig, rig_with};
use crate::block::{BufferId, Controller, DiskId, Lba, Op, Request, Status, SubmitError};
use std::vec;
use std::vec::Vec;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// A controller without a transfer limit, one disk of 512-byte and one of 4 KiB blocks.
fn unlimited() -> Rig {
    let config = NvmeConfig {
        mdts: 0,
        max_pages: usize::MAX,
        ..NvmeConfig::default()
    };
    let disks = vec![
        FakeNamespace::new(1, 1 << 20, 9),
        FakeNamespace::new(2, 1 << 17, 12),
    ];
    let mut rig = rig_with(config, disks, &plain());
    rig.nvme.set_buffers(2, 6 * MIB).unwrap();
    rig
}

/// Writes `bytes` from an offset, looks at the medium, reads back to another offset.
fn round_trip(rig: &mut Rig, disk: u16, lba: u64, bytes: usize, offset: usize) {
    let block_bytes = rig.nvme.disks()[usize::from(disk)].block_size_bytes as usize;
    let blocks = bytes / block_bytes;
    let data = pattern(lba, blocks as u64, block_bytes, bytes as u64);
    rig.nvme.fill_buffer(BufferId(0), offset, &data);
    let write = Request {
        disk: DiskId(disk),
        op: Op::Write,
        lba: Lba(lba),
        blocks: blocks as u32,
        buffer_offset_bytes: offset as u32,
        ..request()
    };
    assert_eq!(rig.run(&write).status, Status::Ok);
    let mut medium = vec![0; bytes];
    rig.hal.device().namespaces[usize::from(disk)]
        .store
        .read(lba, &mut medium);
    assert!(
        medium == data,
        "{bytes} bytes written from {offset} differ on the medium"
    );
    let other_offset = if offset == 0 { block_bytes } else { 0 };
    let read = Request {
        op: Op::Read,
        buffer: BufferId(1),
        buffer_offset_bytes: other_offset as u32,
        ..write
    };
    assert_eq!(rig.run(&read).status, Status::Ok);
    let mut back = vec![0; bytes];
    rig.nvme.read_buffer(BufferId(1), other_offset, &mut back);
    assert!(back == data, "{bytes} bytes read to {other_offset} differ");
}

#[test]
fn every_length_from_a_block_to_5_mib_arrives_exactly() {
    let mut rig = unlimited();
    let lengths = [
        512,
        4 * KIB,
        8 * KIB,
        12 * KIB,
        64 * KIB,
        MIB,
        2 * MIB,
        2 * MIB + 4 * KIB,
        5 * MIB,
    ];
    for (index, bytes) in lengths.into_iter().enumerate() {
        for offset in [0, 512, 3584, 4096, 12_288] {
            round_trip(&mut rig, 0, 1000 * index as u64, bytes, offset);
        }
        if bytes >= 4 * KIB {
            round_trip(&mut rig, 1, 7 * index as u64, bytes, 8192);
        }
    }
    rig.check();
}

#[test]
fn list_pages_are_those_the_length_needs() {
    let mut rig = unlimited();
    // Pages, list pages.
    let cases = [
        (1, 0),
        (2, 0),
        (3, 1),
        (512, 1),
        (514, 2),
        (1023, 2),
        (1280, 3),
    ];
    for (pages, list_pages) in cases {
        rig.hal.device().clear_log();
        round_trip(&mut rig, 0, 0, pages * 4096, 0);
        let log = rig.hal.device().log().to_vec();
        assert_eq!(log[0].list_pages, list_pages, "{pages} pages");
    }
    rig.check();
}

#[test]
fn a_list_of_exactly_512_entries_fills_one_page() {
    let mut rig = unlimited();
    rig.nvme.set_buffers(2, 513 * 4096).unwrap();
    round_trip(&mut rig, 0, 0, 512 * 4096, 0);
    rig.hal.device().clear_log();
    let whole = Request {
        blocks: 513 * 8,
        ..request()
    };
    assert_eq!(rig.run(&whole).status, Status::Ok);
    assert_eq!(rig.hal.device().log()[0].list_pages, 1);
    rig.check();
}

#[test]
fn the_transfer_limit_is_obeyed_to_the_block() {
    for (mdts, bytes) in [(1, 8 * KIB), (3, 32 * KIB), (7, 512 * KIB)] {
        let config = NvmeConfig {
            mdts,
            ..NvmeConfig::default()
        };
        let mut rig = rig(config, &plain());
        rig.nvme.set_buffers(2, MIB).unwrap();
        assert_eq!(rig.nvme.limits().max_transfer_bytes, bytes as u64);
        round_trip(&mut rig, 0, 3, bytes, 512);
        let longer = Request {
            blocks: (bytes / 512 + 1) as u32,
            ..request()
        };
        assert_eq!(rig.nvme.submit(Q, &longer), Err(SubmitError::Invalid));
        rig.check();
    }
}

#[test]
fn without_a_limit_the_field_is_the_limit() {
    let mut rig = unlimited();
    assert_eq!(rig.nvme.limits().max_transfer_bytes, 32 << 20);
    rig.nvme.set_buffers(1, 33 * MIB).unwrap();
    let longest = Request {
        blocks: 65_536,
        ..request()
    };
    assert_eq!(rig.run(&longest).status, Status::Ok);
    assert_eq!(rig.hal.device().log()[0].blocks, 65_536);
    let longer = Request {
        blocks: 65_537,
        ..request()
    };
    assert_eq!(rig.nvme.submit(Q, &longer), Err(SubmitError::Invalid));
    rig.check();
}

#[test]
fn a_limit_on_pages_holds_wherever_the_longest_transfer_starts() {
    let config = NvmeConfig {
        mdts: 0,
        ..NvmeConfig::default()
    };
    let hal = machine(config, one_disk());
    let quirks = Quirks::of(0x1b36, 0x0010);
    let nvme = Nvme::start(hal.clone(), hal.mmio(), quirks, &plain()).unwrap();
    let mut rig = Rig { hal, nvme };
    rig.nvme.set_buffers(2, 6 * MIB).unwrap();
    let longest = 1023 * 4 * KIB;
    assert_eq!(rig.nvme.limits().max_transfer_bytes, longest as u64);
    for offset in [0, 512, 3584, 8192] {
        round_trip(&mut rig, 0, 0, longest, offset);
    }
    let longer = Request {
        blocks: (longest / 512 + 1) as u32,
        ..request()
    };
    assert_eq!(rig.nvme.submit(Q, &longer), Err(SubmitError::Invalid));
    rig.check();
}

#[test]
fn requests_that_name_nothing_are_refused_and_change_nothing() {
    let mut rig = unlimited();
    let at = |lba, blocks| Request {
        lba: Lba(lba),
        blocks,
        ..request()
    };
    let bad = [
        at(1 << 20, 1),
        at((1 << 20) - 1, 2),
        at(u64::MAX, 1),
        at(0, 0),
        Request {
            disk: DiskId(2),
            ..request()
        },
        Request {
            buffer: BufferId(2),
            ..request()
        },
        Request {
            buffer_offset_bytes: 6 * MIB as u32,
            ..request()
        },
        Request {
            buffer_offset_bytes: 6 * MIB as u32 - 511,
            ..request()
        },
        Request {
            buffer_offset_bytes: 2,
            ..request()
        },
        Request {
            op: Op::Trim,
            ..at(0, 0)
        },
        Request {
            op: Op::Trim,
            ..at(1 << 20, 1)
        },
    ];
    for request in bad {
        assert_eq!(
            rig.nvme.submit(Q, &request),
            Err(SubmitError::Invalid),
            "{request:?}"
        );
    }
    let nowhere = crate::block::QueueId(1);
    assert_eq!(
        rig.nvme.submit(nowhere, &request()),
        Err(SubmitError::Invalid)
    );
    assert_eq!(rig.nvme.in_flight(), 0);
    let writes = rig.nvme.accesses().mmio.writes;
    rig.nvme.ring_doorbell(Q);
    rig.nvme.ring_doorbell(nowhere);
    assert_eq!(rig.nvme.accesses().mmio.writes, writes);
    assert_eq!(
        rig.nvme
            .reap(nowhere, &mut [crate::block::Completion::EMPTY; 1]),
        0
    );
}

#[test]
fn flush_durable_write_and_trim_are_what_they_say() {
    let mut rig = unlimited();
    round_trip(&mut rig, 0, 40, 4096, 0);
    rig.hal.device().clear_log();
    let of = |op, lba, blocks| Request {
        op,
        lba: Lba(lba),
        blocks,
        ..request()
    };
    for request in [
        of(Op::Write, 1, 1),
        of(Op::WriteDurable, 2, 1),
        of(Op::Flush, 0, 0),
        of(Op::Trim, 42, 4),
        Request {
            disk: DiskId(1),
            ..of(Op::Flush, 0, 0)
        },
    ] {
        assert_eq!(rig.run(&request).status, Status::Ok);
    }
    let log = rig.hal.device().log().to_vec();
    let seen: Vec<_> = log
        .iter()
        .map(|record| {
            (
                record.opcode,
                record.nsid,
                record.lba,
                record.blocks,
                record.durable,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, 1, 1, 1, false),
            (1, 1, 2, 1, true),
            (0, 1, 0, 0, false),
            (9, 1, 0, 0, false),
            (0, 2, 0, 0, false)
        ]
    );
    let mut left = vec![0; 4096];
    rig.hal.device().namespaces[0].store.read(40, &mut left);
    let data = pattern(40, 8, 512, 4096);
    assert_eq!(left[..1024], data[..1024], "blocks 40 and 41 stay");
    assert!(
        left[1024..3072].iter().all(|&byte| byte == 0),
        "42 to 45 are gone"
    );
    assert_eq!(left[3072..], data[3072..], "46 and 47 stay");
    rig.check();
}

#[test]
fn a_trim_may_be_longer_than_a_transfer_and_absent() {
    let mut rig = unlimited();
    let trim = Request {
        op: Op::Trim,
        blocks: 1 << 20,
        ..request()
    };
    assert_eq!(rig.run(&trim).status, Status::Ok);
    let config = NvmeConfig {
        oncs: 0,
        ..NvmeConfig::default()
    };
    let mut rig = super::rig::rig(config, &plain());
    assert!(!rig.nvme.disks()[0].trim);
    let trim = Request { blocks: 1, ..trim };
    assert_eq!(rig.nvme.submit(Q, &trim), Err(SubmitError::Invalid));
}

#[test]
fn failures_of_the_device_come_through() {
    let mut rig = unlimited();
    rig.hal.device().faults.fail =
        vec![(2, 0x4080, 1), (2, 0x82, 1), (2, 0x281, 1), (2, 0x0008, 1)];
    let seen = [0; 5].map(|_| rig.run(&request()).status);
    assert_eq!(
        seen,
        [
            Status::NvmeStatus(0x80),
            Status::Busy,
            Status::NvmeStatus(0x281),
            Status::Aborted,
            Status::Ok
        ]
    );
    rig.hal.device().namespaces[0].read_only = true;
    let write = Request {
        op: Op::Write,
        ..request()
    };
    assert_eq!(rig.run(&write).status, Status::NvmeStatus(0x20));
}
