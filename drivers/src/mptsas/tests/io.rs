//! Reads, writes, flushes and trims.

use super::support::*;

fn head_of(machine: &Machine, lba: u64) -> u64 {
    let mut head = [0; 8];
    let mut device = machine.device();
    device.bus.unit(0, 0).store.read(lba, &mut head);
    u64::from_le_bytes(head)
}

#[test]
fn data_goes_both_ways() {
    for machine in [one_disk(), firmware(disk_bus()), parallel(disk_bus())] {
        let mut adapter = ready(&machine);
        let data: Vec<u8> = (0..4096u32)
            .map(|index| (index * 7 + index / 256) as u8)
            .collect();
        adapter.fill_buffer(BufferId(1), 512, &data);
        let write = Request {
            buffer_offset_bytes: 512,
            ..request(Op::Write, 96, 8, 1)
        };
        assert_eq!(run(&machine, &mut adapter, &write), Status::Ok);
        let read_back = Request {
            buffer_offset_bytes: 1024,
            ..request(Op::Read, 96, 8, 2)
        };
        assert_eq!(run(&machine, &mut adapter, &read_back), Status::Ok);
        let mut out = alloc::vec![0; 4096];
        adapter.read_buffer(BufferId(2), 1024, &mut out);
        assert_eq!(out, data);
        let counts = machine.device().bus.unit(0, 0).counts;
        assert_eq!((counts.read_bytes, counts.written_bytes), (4096, 4096));
        assert_clean(&machine);
    }
}

#[test]
fn a_doorbell_is_one_post_per_command_and_each_success_one_read() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let before = adapter.accesses();
    let mut out = [Completion::EMPTY; 32];
    for cookie in 0..20 {
        adapter.submit(Q, &read(0, cookie)).unwrap();
    }
    assert_eq!(adapter.accesses(), before, "nothing is posted yet");
    adapter.ring_doorbell(Q);
    adapter.ring_doorbell(Q);
    assert_eq!(adapter.reap(Q, &mut out), 20);
    let after = adapter.accesses();
    assert_eq!(after.submit_doorbells - before.submit_doorbells, 20);
    assert_eq!(after.commands - before.commands, 20);
    assert_eq!(after.completion_doorbells, before.completion_doorbells);
    assert_eq!(after.mmio.writes - before.mmio.writes, 20);
    // All are back: none that finds nothing.
    assert_eq!(after.mmio.reads - before.mmio.reads, 20);
    // While some are out, the last read finds nothing, but where there is no room.
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 20);
    for _ in 0..8 {
        machine.device().complete(0);
    }
    assert_eq!(adapter.reap(Q, &mut out[..5]), 5);
    assert_eq!(adapter.accesses().mmio.reads - after.mmio.reads, 5);
    assert_eq!(adapter.reap(Q, &mut out), 3);
    assert_eq!(adapter.accesses().mmio.reads - after.mmio.reads, 9);
    assert_eq!(adapter.reap(Q, &mut []), 0);
    assert_eq!(adapter.accesses().mmio.reads - after.mmio.reads, 9);
}

#[test]
fn each_failure_costs_one_write_more() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Any,
        kind: FaultKind::Check(3, 0x11, 0),
        times: 5,
    });
    let before = adapter.accesses();
    submit_reads(&mut adapter, 8);
    let finished = reap_all(&machine, &mut adapter);
    let failed = finished.iter().filter(|done| !done.status.is_ok()).count();
    assert_eq!((finished.len(), failed), (8, 5));
    let after = adapter.accesses();
    assert_eq!(after.completion_doorbells - before.completion_doorbells, 5);
    assert_eq!(after.mmio.writes - before.mmio.writes, 8 + 5);
    assert_frames_home(&machine);
    assert_clean(&machine);
}

#[test]
fn success_in_a_frame_is_success() {
    let machine = one_disk();
    machine.device().quirks.context_replies = false;
    let mut adapter = ready(&machine);
    for cookie in 0..300 {
        assert_eq!(run(&machine, &mut adapter, &read(0, cookie)), Status::Ok);
    }
    assert_frames_home(&machine);
    assert_clean(&machine);
}

#[test]
fn flushes_and_trims_reach_the_disk() {
    let mut bus = disk_bus();
    bus.unit(0, 0).unmap = true;
    let machine = qemu(bus);
    let mut adapter = ready(&machine);
    adapter.fill_buffer(BufferId(0), 0, &7u64.to_le_bytes());
    let write = request(Op::WriteDurable, 50, 1, 0);
    assert_eq!(run(&machine, &mut adapter, &write), Status::Ok);
    assert_eq!(head_of(&machine, 50), 7);
    let flush = request(Op::Flush, 0, 0, 0);
    assert_eq!(run(&machine, &mut adapter, &flush), Status::Ok);
    let trim = request(Op::Trim, 48, 8, 0);
    assert_eq!(run(&machine, &mut adapter, &trim), Status::Ok);
    assert_eq!(head_of(&machine, 50), 0);
    let counts = machine.device().bus.unit(0, 0).counts;
    assert_eq!(
        (counts.durable_writes, counts.flushes, counts.unmaps),
        (1, 1, 1)
    );
    assert_clean(&machine);
}

#[test]
fn trims_that_the_disk_does_not_take_are_refused() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let trim = request(Op::Trim, 0, 8, 0);
    assert_eq!(adapter.submit(Q, &trim), Err(SubmitError::Invalid));
    assert_eq!(adapter.in_flight(), 0);
}

#[test]
fn requests_that_name_nothing_are_refused() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let posts = machine.device().seen.posts;
    let good = read(0, 0);
    for bad in [
        Request {
            disk: DiskId(1),
            ..good
        },
        Request {
            buffer: BufferId(BUFFERS),
            ..good
        },
        Request {
            buffer_offset_bytes: 65_536 - 512,
            ..good
        },
        Request { blocks: 0, ..good },
        Request {
            lba: Lba((1 << 21) - 7),
            ..good
        },
        Request {
            lba: Lba(u64::MAX),
            ..good
        },
        Request {
            op: Op::Trim,
            ..good
        },
    ] {
        assert_eq!(adapter.submit(Q, &bad), Err(SubmitError::Invalid));
    }
    assert_eq!(
        (machine.device().seen.posts, adapter.in_flight()),
        (posts, 0)
    );
}

#[test]
fn disks_are_told_apart() {
    let mut bus = ScsiBus::new();
    for (target, lun) in [(0, 0), (1, 1), (8, 0)] {
        bus.insert(target, lun, ScsiUnit::disk(100, 512));
    }
    let machine = qemu(bus);
    let mut adapter = ready(&machine);
    for disk in 0..3u16 {
        adapter.fill_buffer(BufferId(0), 0, &u64::from(disk + 1).to_le_bytes());
        let write = Request {
            disk: DiskId(disk),
            ..request(Op::Write, 9, 1, 0)
        };
        assert_eq!(run(&machine, &mut adapter, &write), Status::Ok);
    }
    for (number, (target, lun)) in [(1, (0, 0)), (2, (1, 1)), (3, (8, 0))] {
        let mut head = [0; 8];
        let mut device = machine.device();
        device.bus.unit(target, lun).store.read(9, &mut head);
        assert_eq!(u64::from_le_bytes(head), number);
    }
    assert_clean(&machine);
}

#[test]
fn blocks_of_4_kib_lie_at_their_place() {
    let machine = qemu(ScsiBus::with_disk(1000, 4096));
    let mut adapter = ready(&machine);
    adapter.fill_buffer(BufferId(0), 4096, &0x77u64.to_le_bytes());
    assert_eq!(
        run(&machine, &mut adapter, &request(Op::Write, 5, 2, 0)),
        Status::Ok
    );
    assert_eq!(head_of(&machine, 6), 0x77);
    assert_eq!(machine.device().seen.longest_bytes, 8192);
    assert_clean(&machine);
}

/// Writes `bytes` from one contiguous buffer in one command, and compares.
fn one_long_command(bytes: usize, elements: usize) {
    let machine = one_disk();
    let mut adapter = start(&machine);
    adapter.set_buffers(1, bytes).unwrap();
    for at in (0..bytes).step_by(4096) {
        adapter.fill_buffer(BufferId(0), at, &(at as u64 ^ 0x5a5a).to_le_bytes());
    }
    let write = Request {
        buffer: BufferId(0),
        ..request(Op::Write, 64, (bytes / 512) as u32, 0)
    };
    assert_eq!(run(&machine, &mut adapter, &write), Status::Ok);
    for at in (0..bytes).step_by(4096) {
        assert_eq!(head_of(&machine, 64 + at as u64 / 512), at as u64 ^ 0x5a5a);
    }
    let read_back = Request {
        op: Op::Read,
        ..write
    };
    for at in (0..bytes).step_by(4096) {
        adapter.fill_buffer(BufferId(0), at, &[0; 8]);
    }
    assert_eq!(run(&machine, &mut adapter, &read_back), Status::Ok);
    for at in (0..bytes).step_by(4096) {
        let mut head = [0; 8];
        adapter.read_buffer(BufferId(0), at, &mut head);
        assert_eq!(u64::from_le_bytes(head), at as u64 ^ 0x5a5a);
    }
    assert_eq!(machine.device().seen.most_elements, elements);
    assert_eq!(machine.device().seen.longest_bytes, bytes as u64);
    assert_clean(&machine);
}

#[test]
fn five_mib_go_in_one_element() {
    one_long_command(5 << 20, 1);
    one_long_command((2 << 20) + 4096, 1);
}

#[test]
fn longer_buffers_take_several_elements() {
    one_long_command(0xff_f000 + 512, 2);
}

#[test]
fn the_longest_command_fills_its_frame() {
    let machine = one_disk();
    let mut adapter = start(&machine);
    let longest = adapter.limits().max_transfer_bytes;
    adapter.set_buffers(1, longest as usize + 512).unwrap();
    let longest_blocks = (longest / 512) as u32;
    let long = |blocks| Request {
        buffer: BufferId(0),
        ..request(Op::Read, 0, blocks, 0)
    };
    assert_eq!(
        adapter.submit(Q, &long(longest_blocks + 1)),
        Err(SubmitError::Invalid)
    );
    // Not executed, since the model is slow with so much data.
    machine.device().bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Any,
        kind: FaultKind::Status(8),
        times: 1,
    });
    let status = run(&machine, &mut adapter, &long(longest_blocks));
    assert_eq!(status, Status::Busy);
    assert_eq!(machine.device().seen.most_elements, 6);
    assert_clean(&machine);
}

#[test]
fn buffers_are_replaced_only_when_idle() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 2);
    assert_eq!(
        adapter.set_buffers(1, 512),
        Err(ControllerError::InFlight(2))
    );
    assert_eq!(
        adapter.refresh_disk(DiskId(0)),
        Err(ControllerError::InFlight(2))
    );
    while machine.device().complete(0) {}
    assert_eq!(reap_all(&machine, &mut adapter).len(), 2);
    adapter.set_buffers(1, 512).unwrap();
}

#[test]
fn a_disk_that_changed_is_looked_at_again() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().bus.unit(0, 0).blocks = 8;
    machine.device().bus.unit(0, 0).write_protected = true;
    adapter.refresh_disk(DiskId(0)).unwrap();
    assert_eq!(
        (adapter.disks()[0].blocks, adapter.disks()[0].read_only),
        (8, true)
    );
    assert_eq!(adapter.submit(Q, &read(8, 0)), Err(SubmitError::Invalid));
    machine.device().bus.remove_target(0);
    let refused = adapter.refresh_disk(DiskId(0));
    assert!(matches!(refused, Err(ControllerError::Refused { .. })));
}
