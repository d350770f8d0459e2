//! Reset, other options, shutdown.

use super::super::fake::{Completing, Fetching};
use super::*;
use crate::block::{Health, SubmitError};

fn entries(count: u32) -> Options {
    Options {
        queue_entries: Some(count),
        ..Options::default()
    }
}

#[test]
fn a_reset_forgets_what_was_in_flight_and_goes_on() {
    for fetching in [Fetching::AtKick, Fetching::OnStep(3)] {
        let machine = one_disk();
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        machine.device().fetching = fetching;
        adapter.fill_buffer(BufferId(63), 0, b"kept");
        let old = submit_reads(&mut adapter, 20);
        adapter.ring_doorbell(Q);
        machine.step();
        submit_reads(&mut adapter, 5);
        machine.device().completing = Completing::AtOnce;
        machine.device().fetching = Fetching::AtKick;
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
        assert_clean(&machine);
    }
}

#[test]
fn other_ring_sizes_can_be_taken_while_idle() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    for count in [16, 128, 2, 64] {
        adapter.reconfigure(&entries(count)).unwrap();
        assert_eq!(u32::from(machine.device().queue_entries(2)), count);
        let batch = adapter.limits().max_in_flight;
        assert_eq!(batch, count);
        submit_reads(&mut adapter, batch);
        adapter.ring_doorbell(Q);
        let finished = reap_all(&mut adapter);
        assert_eq!(finished.len(), batch as usize);
        assert!(
            finished.iter().all(|done| done.status.is_ok()),
            "no unit attention"
        );
    }
    let resets = machine.device().seen.resets;
    adapter.reconfigure(&entries(64)).unwrap();
    assert_eq!(machine.device().seen.resets, resets, "nothing to change");
    assert_clean(&machine);
}

#[test]
fn other_options_are_refused_without_harm() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let before = adapter.accesses();
    let bad = ControllerError::BadOption {
        what: "queue_entries",
        value: 3,
    };
    assert_eq!(adapter.reconfigure(&entries(3)), Err(bad));
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 2);
    let busy = Err(ControllerError::InFlight(2));
    assert_eq!(adapter.reconfigure(&entries(16)), busy);
    assert_eq!(adapter.set_buffers(1, 512), busy);
    assert_eq!(adapter.refresh_disk(DiskId(0)), busy);
    assert_eq!(adapter.accesses().mmio, before.mmio);
    adapter.ring_doorbell(Q);
    while machine.device().complete(0) {}
    assert_eq!(reap_all(&mut adapter).len(), 2);
    machine.device().completing = Completing::AtOnce;
    for count in 0..8 {
        machine.memory().fail_after(Some(count));
        let refused = adapter.reconfigure(&entries(16));
        assert!(
            matches!(refused, Err(ControllerError::Dma(_))),
            "{refused:?}"
        );
        assert_eq!(
            run(&mut adapter, &read(0, 0)),
            Status::Ok,
            "the old rings still work"
        );
    }
    assert_clean(&machine);
}

#[test]
fn commands_are_counted_over_all_set_ups() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let before = machine.device().seen.requests;
    assert_eq!(adapter.accesses().commands, before);
    run(&mut adapter, &read(0, 0));
    adapter.reconfigure(&entries(16)).unwrap();
    run(&mut adapter, &read(0, 0));
    adapter.reset().unwrap();
    assert_eq!(adapter.accesses().commands, machine.device().seen.requests);
    assert!(adapter.accesses().commands > before + 2);
    submit_reads(&mut adapter, 3);
    let told = adapter.accesses().commands;
    adapter.reset().unwrap();
    assert!(
        adapter.accesses().commands > told,
        "those never shown count too"
    );
}

#[test]
fn after_shutdown_the_device_has_no_queues() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    adapter.shutdown();
    assert_eq!(machine.device().device_status(), 0);
    assert_eq!(machine.device().queue_entries(2), 0);
    let writes = adapter.accesses().mmio.writes;
    adapter.shutdown();
    assert_eq!(adapter.accesses().mmio.writes, writes, "idempotent");
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Dead));
    adapter.set_buffers(1, 512).unwrap();
    assert_eq!(adapter.take_disk_change(), Ok(false));
    assert_eq!(machine.device().device_status(), 0);
    machine.device().completing = Completing::AtOnce;
    adapter.reset().unwrap();
    assert_eq!(run(&mut adapter, &request(Op::Read, 0, 1, 0)), Status::Ok);
}

#[test]
fn memory_is_freed_after_the_device_let_go_of_it() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    drop(adapter);
    assert_eq!(machine.device().device_status(), 0);
    assert_eq!(machine.memory().live_bytes(), 0);
    machine.step();
    while machine.device().complete(0) {}
    assert_clean(&machine);
}
