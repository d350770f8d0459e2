//! Reset, other options, shutdown.

use super::{Bench, Model, Q, one_disk, read, ready, reap_all, request, run, submit_reads};
use crate::block::{
    BufferId, Controller, ControllerError, DiskId, Health, Op, Status, SubmitError,
};
use crate::fake::scsi::{Completing, Fetching};

pub(crate) fn a_reset_forgets_what_was_in_flight_and_goes_on<B: Bench>() {
    for fetching in [Fetching::AtKick, Fetching::OnStep(3)] {
        let machine = one_disk::<B>();
        let mut adapter = ready::<B>(&machine);
        machine.device().set_completing(Completing::ByHand);
        machine.device().set_fetching(fetching);
        adapter.fill_buffer(BufferId(63), 0, b"kept");
        let old = submit_reads(&mut adapter, 20);
        adapter.ring_doorbell(Q);
        machine.step();
        submit_reads(&mut adapter, 5);
        machine.device().set_completing(Completing::AtOnce);
        machine.device().set_fetching(Fetching::AtKick);
        adapter.reset().unwrap();
        assert_eq!(adapter.in_flight(), 0);
        assert_eq!(reap_all(&mut adapter), []);
        // The unit attention of the reset has been taken; buffers are as before.
        let mut kept = [0; 4];
        adapter.read_buffer(BufferId(63), 0, &mut kept);
        let tag = adapter.submit(Q, &read(0, 0)).unwrap();
        assert!(!old.contains(&tag));
        adapter.ring_doorbell(Q);
        assert_eq!(reap_all(&mut adapter)[0].status, Status::Ok);
        assert_eq!(adapter.health(), Health::Ok);
        assert_eq!(&kept, b"kept");
        B::assert_clean(&machine);
    }
}

pub(crate) fn other_options_are_refused_without_harm<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    let before = adapter.accesses();
    let (no_ring, why) = B::no_ring();
    assert_eq!(adapter.reconfigure(&no_ring), Err(why));
    machine.device().set_completing(Completing::ByHand);
    submit_reads(&mut adapter, 2);
    let busy = Err(ControllerError::InFlight(2));
    assert_eq!(adapter.reconfigure(&B::other_ring()), busy);
    assert_eq!(adapter.set_buffers(1, 512), busy);
    assert_eq!(adapter.refresh_disk(DiskId(0)), busy);
    assert_eq!(adapter.accesses().mmio, before.mmio);
    adapter.ring_doorbell(Q);
    while machine.device().complete(0) {}
    assert_eq!(reap_all(&mut adapter).len(), 2);
    machine.device().set_completing(Completing::AtOnce);
    // Memory for some of the new rings, and then for all.
    let mut allocations = 0;
    loop {
        machine.memory().fail_after(Some(allocations));
        match adapter.reconfigure(&B::other_ring()) {
            Ok(()) => break,
            Err(ControllerError::Dma(_)) => {}
            Err(error) => panic!("{error:?}"),
        }
        let done = run(&mut adapter, &read(0, 0));
        assert_eq!(done, Status::Ok, "the old rings still work");
        allocations += 1;
    }
    assert!(allocations >= 2, "{allocations}");
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    B::assert_clean(&machine);
}

pub(crate) fn commands_are_counted_over_all_set_ups<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    let before = machine.device().fetched();
    assert_eq!(adapter.accesses().commands, before);
    run(&mut adapter, &read(0, 0));
    adapter.reconfigure(&B::other_ring()).unwrap();
    run(&mut adapter, &read(0, 0));
    adapter.reset().unwrap();
    assert_eq!(adapter.accesses().commands, machine.device().fetched());
    assert!(adapter.accesses().commands > before + 2);
}

pub(crate) fn after_shutdown_the_device_has_no_rings<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    machine.device().set_completing(Completing::ByHand);
    submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    adapter.shutdown();
    assert!(machine.device().is_off());
    let writes = adapter.accesses().mmio.writes;
    adapter.shutdown();
    assert_eq!(adapter.accesses().mmio.writes, writes, "idempotent");
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Dead));
    adapter.set_buffers(1, 512).unwrap();
    assert!(machine.device().is_off());
    machine.device().set_completing(Completing::AtOnce);
    adapter.reset().unwrap();
    assert_eq!(run(&mut adapter, &request(Op::Read, 0, 1, 0)), Status::Ok);
}

pub(crate) fn memory_is_freed_after_the_device_let_go_of_it<B: Bench>() {
    let machine = one_disk::<B>();
    let mut adapter = ready::<B>(&machine);
    machine.device().set_completing(Completing::ByHand);
    submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    drop(adapter);
    assert!(machine.device().is_off());
    assert_eq!(machine.memory().live_bytes(), 0);
    machine.step();
    while machine.device().complete(0) {}
    B::assert_clean(&machine);
}
