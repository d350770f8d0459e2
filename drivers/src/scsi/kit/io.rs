//! Reads, writes and the rest, with the data looked at.

use super::{Bench, Model, Q, one_disk, read, ready, reap_all, request, run, submit_reads};
use crate::block::{
    BufferId, Completion, Controller, DiskId, Lba, Op, Request, Status, SubmitError,
};
use crate::fake::scsi::{ScsiBus, ScsiUnit};
use alloc::vec::Vec;

/// Every eight bytes hold their own number and the seed.
fn pattern(seed: u64, len: usize) -> Vec<u8> {
    let mut data = alloc::vec![0; len];
    for (word, number) in data.chunks_exact_mut(8).zip(0u64..) {
        word.copy_from_slice(&(number << 8 | seed).to_le_bytes());
    }
    data
}

pub(crate) fn what_was_written_is_read_back_and_neighbours_stay<B: Bench>() {
    for (block_bytes, blocks) in [(512, 1), (512, 8), (512, 24), (4096, 1), (4096, 3)] {
        let machine = B::machine(ScsiBus::with_disk(1000, block_bytes));
        let mut adapter = ready::<B>(&machine);
        let len = (blocks * block_bytes) as usize;
        let data = pattern(7, len);
        adapter.fill_buffer(BufferId(0), 0, &[data.clone(), pattern(9, 4096)].concat());
        assert_eq!(
            run(&mut adapter, &request(Op::Write, 100, blocks, 0)),
            Status::Ok
        );
        let written: Vec<u64> = machine.device().bus().unit(0, 0).store.written().collect();
        assert_eq!(
            written,
            (100..100 + u64::from(blocks)).collect::<Vec<u64>>()
        );
        assert_eq!(
            run(&mut adapter, &request(Op::Read, 100, blocks, 1)),
            Status::Ok
        );
        let mut seen = alloc::vec![0; len + 512];
        adapter.read_buffer(BufferId(1), 0, &mut seen);
        assert_eq!(seen[..len], data);
        assert_eq!(seen[len..], [0; 512], "no byte beyond the request");
        B::assert_clean(&machine);
    }
}

pub(crate) fn five_mebibytes_and_more_go_in_one_command<B: Bench>() {
    for mib in [5, 16] {
        let machine = one_disk::<B>();
        let mut adapter = B::start(&machine).unwrap();
        adapter.set_buffers(1, mib << 20).unwrap();
        let data = pattern(3, mib << 20);
        adapter.fill_buffer(BufferId(0), 0, &data);
        let blocks = (mib << 11) as u32;
        assert_eq!(
            run(&mut adapter, &request(Op::Write, 4096, blocks, 0)),
            Status::Ok
        );
        adapter.fill_buffer(BufferId(0), 0, &alloc::vec![0; mib << 20]);
        assert_eq!(
            run(&mut adapter, &request(Op::Read, 4096, blocks, 0)),
            Status::Ok
        );
        let mut seen = alloc::vec![0; mib << 20];
        adapter.read_buffer(BufferId(0), 0, &mut seen);
        assert!(seen == data);
        assert_eq!(machine.device().longest_bytes(), (mib << 20) as u64);
        B::assert_clean(&machine);
    }
}

pub(crate) fn addresses_beyond_32_bits_reach_the_right_block<B: Bench>() {
    let machine = B::machine(ScsiBus::with_disk(1 << 40, 512));
    let mut adapter = ready::<B>(&machine);
    for lba in [0, 0xffff_ffff, 1 << 32, (1 << 40) - 1] {
        assert_eq!(
            run(&mut adapter, &request(Op::Write, lba, 1, 0)),
            Status::Ok
        );
    }
    let written: Vec<u64> = machine.device().bus().unit(0, 0).store.written().collect();
    assert_eq!(written, [0, 0xffff_ffff, 1 << 32, (1 << 40) - 1]);
}

pub(crate) fn each_disk_gets_its_own_requests<B: Bench>() {
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, ScsiUnit::disk(100, 512));
    bus.insert(5, 2, ScsiUnit::disk(200, 4096));
    let machine = B::machine(bus);
    let mut adapter = ready::<B>(&machine);
    let mut asked = request(Op::Write, 199, 1, 0);
    assert_eq!(adapter.submit(Q, &asked), Err(SubmitError::Invalid));
    asked.disk = DiskId(1);
    assert_eq!(run(&mut adapter, &asked), Status::Ok);
    let mut device = machine.device();
    assert_eq!(device.bus().unit(0, 0).counts.writes, 0);
    assert_eq!(device.bus().unit(5, 2).counts.written_bytes, 4096);
}

pub(crate) fn flush_durable_writes_and_trim_do_what_they_say<B: Bench>() {
    let mut unit = ScsiUnit::disk(1000, 512);
    unit.unmap = true;
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, unit);
    let machine = B::machine(bus);
    let mut adapter = ready::<B>(&machine);
    assert_eq!(
        run(&mut adapter, &request(Op::WriteDurable, 10, 4, 0)),
        Status::Ok
    );
    assert_eq!(run(&mut adapter, &request(Op::Flush, 0, 0, 1)), Status::Ok);
    assert_eq!(run(&mut adapter, &request(Op::Trim, 11, 2, 2)), Status::Ok);
    let mut device = machine.device();
    let unit = device.bus().unit(0, 0);
    assert_eq!(
        (
            unit.counts.durable_writes,
            unit.counts.flushes,
            unit.counts.unmaps
        ),
        (1, 1, 1)
    );
    assert_eq!(unit.store.written().collect::<Vec<u64>>(), [10, 13]);
}

pub(crate) fn trims_in_flight_keep_their_own_ranges<B: Bench>() {
    let mut unit = ScsiUnit::disk(1000, 512);
    unit.unmap = true;
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, unit);
    let machine = B::machine(bus);
    let mut adapter = ready::<B>(&machine);
    assert_eq!(run(&mut adapter, &request(Op::Write, 10, 8, 0)), Status::Ok);
    for (cookie, lba) in [11, 13, 16].into_iter().enumerate() {
        let trim = request(Op::Trim, lba, 1, cookie as u32);
        adapter.submit(Q, &trim).expect("room");
    }
    adapter.ring_doorbell(Q);
    assert_eq!(reap_all(&mut adapter).len(), 3);
    let written: Vec<u64> = machine.device().bus().unit(0, 0).store.written().collect();
    assert_eq!(written, [10, 12, 14, 15, 17]);
}

pub(crate) fn trim_needs_a_disk_that_takes_it<B: Bench>() {
    let mut adapter = ready::<B>(&one_disk::<B>());
    let refused = adapter.submit(Q, &request(Op::Trim, 0, 8, 0));
    assert_eq!(refused, Err(SubmitError::Invalid));
}

pub(crate) fn requests_that_name_nothing_are_refused_unseen<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    let good = read(0, 0);
    let last = (1 << 21) - 8;
    for bad in [
        Request {
            disk: DiskId(1),
            ..good
        },
        Request {
            disk: DiskId(1),
            op: Op::Flush,
            ..good
        },
        Request { blocks: 0, ..good },
        Request {
            lba: Lba(last + 1),
            ..good
        },
        Request {
            lba: Lba(u64::MAX),
            ..good
        },
        Request {
            buffer: BufferId(64),
            ..good
        },
        Request {
            blocks: 129,
            ..good
        },
        Request {
            buffer_offset_bytes: 65_536 - 4095,
            ..good
        },
        Request {
            buffer_offset_bytes: u32::MAX,
            ..good
        },
    ] {
        assert_eq!(
            adapter.submit(Q, &bad),
            Err(SubmitError::Invalid),
            "{bad:?}"
        );
    }
    assert_eq!(adapter.in_flight(), 0);
    assert_eq!(
        run(
            &mut adapter,
            &Request {
                lba: Lba(last),
                ..good
            }
        ),
        Status::Ok
    );
    B::assert_clean(&machine);
}

pub(crate) fn a_batch_costs_one_doorbell_and_no_read<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    let before = adapter.accesses();
    submit_reads(&mut adapter, 64);
    assert_eq!(
        adapter.accesses().mmio,
        before.mmio,
        "submit touches the ring alone"
    );
    adapter.ring_doorbell(Q);
    adapter.ring_doorbell(Q);
    assert_eq!(reap_all(&mut adapter).len(), 64);
    let after = adapter.accesses();
    assert_eq!(after.submit_doorbells - before.submit_doorbells, 1);
    assert_eq!(after.mmio.writes - before.mmio.writes, 1);
    assert_eq!(after.mmio.reads, before.mmio.reads);
    assert_eq!(after.commands - before.commands, 64);
    assert_eq!((after.completion_doorbells, after.bad_completions), (0, 0));
}

pub(crate) fn reap_fills_what_it_is_given_and_keeps_the_rest<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    submit_reads(&mut adapter, 5);
    adapter.ring_doorbell(Q);
    let mut out = [Completion::EMPTY; 3];
    assert_eq!(adapter.reap(Q, &mut []), 0);
    assert_eq!(adapter.reap(Q, &mut out), 3);
    assert_eq!(out.map(|completion| completion.cookie), [0, 1, 2]);
    assert_eq!(adapter.in_flight(), 2);
    assert_eq!(adapter.reap(Q, &mut out), 2);
    assert_eq!(adapter.reap(Q, &mut out), 0);
}
