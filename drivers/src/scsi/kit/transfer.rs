//! What transfers share is never taken for another disk, length or buffer.

use super::{Bench, Model, Q, one_disk, ready, request, run};
use crate::block::{BufferId, Controller, DiskId, Op, Request, Status, SubmitError, Tag};
use crate::fake::scsi::{ScsiBus, ScsiUnit};

const INVALID: Result<Tag, SubmitError> = Err(SubmitError::Invalid);

/// Disks of 1,000 and 100 blocks, and one of 10 with longer blocks.
fn three_disks<B: Bench>() -> B::Adapter {
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, ScsiUnit::disk(1_000, 512));
    bus.insert(1, 0, ScsiUnit::disk(100, 512));
    bus.insert(2, 0, ScsiUnit::disk(10, 4096));
    ready::<B>(&B::machine(bus))
}

fn on(disk: u16, lba: u64, blocks: u32) -> Request {
    Request {
        disk: DiskId(disk),
        ..request(Op::Read, lba, blocks, 0)
    }
}

pub(crate) fn each_disk_ends_where_it_ends<B: Bench>() {
    let mut adapter = three_disks::<B>();
    for (disk, disk_blocks) in [(0, 1_000), (1, 100), (2, 10), (0, 1_000)] {
        for blocks in [8, 1, 10] {
            let last = disk_blocks - u64::from(blocks);
            assert_eq!(adapter.submit(Q, &on(disk, last + 1, blocks)), INVALID);
            assert_eq!(adapter.submit(Q, &on(disk, u64::MAX, blocks)), INVALID);
            assert_eq!(run(&mut adapter, &on(disk, last, blocks)), Status::Ok);
        }
    }
    assert_eq!(adapter.submit(Q, &on(3, 0, 1)), INVALID);
    assert_eq!(adapter.submit(Q, &on(1, 0, 0)), INVALID);
    assert_eq!(adapter.submit(Q, &on(1, 0, 101)), INVALID);
    assert_eq!(adapter.in_flight(), 0);
}

pub(crate) fn nothing_is_read_before_a_first_good_request<B: Bench>() {
    let mut adapter = three_disks::<B>();
    assert_eq!(adapter.submit(Q, &on(0, 0, 0)), INVALID);
    assert_eq!(adapter.submit(Q, &on(9, 0, 1)), INVALID);
}

pub(crate) fn data_stay_inside_their_buffer<B: Bench>() {
    let mut adapter = three_disks::<B>();
    let at = |offset, blocks| Request {
        buffer_offset_bytes: offset,
        ..on(0, 0, blocks)
    };
    adapter.set_buffers(2, 8192).unwrap();
    assert_eq!(run(&mut adapter, &at(0, 16)), Status::Ok);
    assert_eq!(adapter.submit(Q, &at(512, 16)), INVALID);
    assert_eq!(run(&mut adapter, &at(4096, 8)), Status::Ok);
    assert_eq!(adapter.submit(Q, &at(4608, 8)), INVALID);
    assert_eq!(adapter.submit(Q, &at(u32::MAX - 511, 8)), INVALID);
    assert_eq!(adapter.submit(Q, &at(0, 17)), INVALID);
    let beyond = Request {
        buffer: BufferId(2),
        ..at(0, 8)
    };
    assert_eq!(adapter.submit(Q, &beyond), INVALID);
    assert_eq!(run(&mut adapter, &at(0, 16)), Status::Ok);
    adapter.set_buffers(2, 4096).unwrap();
    assert_eq!(adapter.submit(Q, &at(0, 16)), INVALID);
    assert_eq!(run(&mut adapter, &at(0, 8)), Status::Ok);
}

pub(crate) fn a_disk_that_shrank_is_asked_for_no_more<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    assert_eq!(run(&mut adapter, &on(0, 1_000, 8)), Status::Ok);
    machine
        .device()
        .bus()
        .insert(0, 0, ScsiUnit::disk(100, 512));
    adapter.refresh_disk(DiskId(0)).unwrap();
    assert_eq!(adapter.submit(Q, &on(0, 1_000, 8)), INVALID);
    assert_eq!(run(&mut adapter, &on(0, 92, 8)), Status::Ok);
}
