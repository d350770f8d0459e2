//! Reads, writes and the rest, with the data looked at.

use super::super::fake::Completing;
use super::*;
use crate::block::SubmitError;
use crate::fake::scsi::ScsiUnit;

fn pattern(seed: u8, len: usize) -> Vec<u8> {
    (0..len)
        .map(|at| (at as u8).wrapping_mul(31) ^ seed)
        .collect()
}

#[test]
fn what_was_written_is_read_back_and_neighbours_stay() {
    for (block_bytes, blocks) in [(512, 1), (512, 8), (512, 24), (4096, 1), (4096, 3)] {
        let machine = qemu(ScsiBus::with_disk(1000, block_bytes));
        let mut adapter = ready(&machine);
        let len = (blocks * block_bytes) as usize;
        let data = pattern(7, len);
        adapter.fill_buffer(BufferId(0), 0, &[data.clone(), pattern(9, 4096)].concat());
        assert_eq!(
            run(&mut adapter, &request(Op::Write, 100, blocks, 0)),
            Status::Ok
        );
        let written: Vec<u64> = machine.device().bus.unit(0, 0).store.written().collect();
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
        assert_clean(&machine);
    }
}

#[test]
fn five_mebibytes_and_more_go_in_one_command_without_a_list() {
    for mib in [5, 16] {
        let machine = one_disk();
        let mut adapter = start(&machine);
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
        assert_eq!(machine.device().seen.longest_bytes, (mib << 20) as u64);
        assert_clean(&machine);
    }
}

#[test]
fn addresses_beyond_32_bits_reach_the_right_block() {
    let machine = qemu(ScsiBus::with_disk(1 << 40, 512));
    let mut adapter = ready(&machine);
    for lba in [0, 0xffff_ffff, 1 << 32, (1 << 40) - 1] {
        assert_eq!(
            run(&mut adapter, &request(Op::Write, lba, 1, 0)),
            Status::Ok
        );
    }
    let written: Vec<u64> = machine.device().bus.unit(0, 0).store.written().collect();
    assert_eq!(written, [0, 0xffff_ffff, 1 << 32, (1 << 40) - 1]);
}

#[test]
fn each_disk_gets_its_own_requests() {
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, ScsiUnit::disk(100, 512));
    bus.insert(5, 2, ScsiUnit::disk(200, 4096));
    let machine = qemu(bus);
    let mut adapter = ready(&machine);
    let mut asked = request(Op::Write, 199, 1, 0);
    assert_eq!(adapter.submit(Q, &asked), Err(SubmitError::Invalid));
    asked.disk = DiskId(1);
    assert_eq!(run(&mut adapter, &asked), Status::Ok);
    let mut device = machine.device();
    assert_eq!(device.bus.unit(0, 0).counts.writes, 0);
    assert_eq!(device.bus.unit(5, 2).counts.written_bytes, 4096);
}

#[test]
fn flush_durable_writes_and_trim_do_what_they_say() {
    let mut unit = ScsiUnit::disk(1000, 512);
    unit.unmap = true;
    let mut bus = ScsiBus::new();
    bus.insert(0, 0, unit);
    let machine = qemu(bus);
    let mut adapter = ready(&machine);
    assert_eq!(
        run(&mut adapter, &request(Op::WriteDurable, 10, 4, 0)),
        Status::Ok
    );
    assert_eq!(run(&mut adapter, &request(Op::Flush, 0, 0, 1)), Status::Ok);
    assert_eq!(run(&mut adapter, &request(Op::Trim, 11, 2, 2)), Status::Ok);
    let mut device = machine.device();
    let unit = device.bus.unit(0, 0);
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

#[test]
fn trim_needs_a_disk_that_takes_it() {
    let mut adapter = ready(&one_disk());
    let refused = adapter.submit(Q, &request(Op::Trim, 0, 8, 0));
    assert_eq!(refused, Err(SubmitError::Invalid));
}

#[test]
fn requests_that_name_nothing_are_refused_unseen() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
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
    assert_clean(&machine);
}

#[test]
fn a_batch_costs_one_doorbell_and_no_read() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
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

#[test]
fn a_full_queue_says_so_and_goes_on_after_one_completion() {
    for (offers, slots) in [
        (Offers::default(), 128),
        (direct(64), 21),
        (direct(1024), 128),
        (direct(4), 1),
    ] {
        let machine = offering(offers);
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        assert_eq!(adapter.limits().max_in_flight, slots);
        submit_reads(&mut adapter, slots);
        assert_eq!(adapter.in_flight(), slots);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
        adapter.ring_doorbell(Q);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
        // Not the oldest: its slot is free all the same.
        machine.device().complete(slots as usize / 2);
        let finished = reap_all(&mut adapter);
        assert_eq!(finished.len(), 1);
        assert_eq!(finished[0].cookie, slots / 2);
        let tag = adapter.submit(Q, &read(0, 77)).unwrap();
        assert_eq!(tag.slot(), finished[0].tag.slot());
        assert_ne!(tag, finished[0].tag);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
        adapter.ring_doorbell(Q);
        while machine.device().complete(0) {}
        assert_eq!(reap_all(&mut adapter).len(), slots as usize);
        assert_clean(&machine);
    }
}

#[test]
fn reap_fills_what_it_is_given_and_keeps_the_rest() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
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
