//! Reset, abort, other options, shutdown, interrupts.

use super::super::fake::{Completing, Fetching};
use super::*;
use crate::block::{ControllerError, Health, InterruptMode, SubmitError};

#[test]
fn a_reset_forgets_what_was_in_flight_and_goes_on() {
    for fetching in [Fetching::AtKick, Fetching::OnStep(3)] {
        let machine = one_disk();
        let mut adapter = ready(&machine, 1);
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
fn an_aborted_command_completes_as_such_and_alone() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    machine.device().completing = Completing::ByHand;
    let tags = submit_reads(&mut adapter, 3);
    // Not published yet: the abort sees to that.
    adapter.abort(Q, tags[1]).unwrap();
    let finished = reap_all(&mut adapter);
    assert_eq!(finished.len(), 1);
    assert_eq!(
        (finished[0].tag, finished[0].status),
        (tags[1], Status::Aborted)
    );
    assert_eq!(adapter.in_flight(), 2);
    adapter.abort(Q, tags[1]).unwrap();
    assert_eq!(reap_all(&mut adapter), []);
    while machine.device().complete(0) {}
    assert!(
        reap_all(&mut adapter)
            .iter()
            .all(|done| done.status.is_ok())
    );
}

#[test]
fn abort_and_reset_notice_that_the_device_is_gone() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    machine.device().completing = Completing::ByHand;
    let tags = submit_reads(&mut adapter, 1);
    adapter.ring_doorbell(Q);
    machine.unplug();
    assert_eq!(adapter.abort(Q, tags[0]), Err(ControllerError::Gone));
    assert_eq!(adapter.health(), Health::Gone);
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Dead));
    assert_eq!(adapter.reset(), Err(ControllerError::Gone));
}

#[test]
fn other_ring_sizes_can_be_taken_while_idle() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    for pages in [32, 2, 1, 8] {
        adapter.reconfigure(&options(pages)).unwrap();
        assert_eq!(machine.device().ring_entries().0, u32::from(pages) * 32);
        assert_eq!(adapter.limits().max_in_flight, u32::from(pages) * 32);
        let batch = adapter.limits().max_batch;
        submit_reads(&mut adapter, batch);
        adapter.ring_doorbell(Q);
        let finished = reap_all(&mut adapter);
        assert_eq!(finished.len(), batch as usize);
        assert!(
            finished.iter().all(|done| done.status.is_ok()),
            "no unit attention"
        );
    }
    let setups = machine.device().seen.setups;
    adapter.reconfigure(&options(8)).unwrap();
    assert_eq!(machine.device().seen.setups, setups, "nothing to change");
    assert_clean(&machine);
}

#[test]
fn other_options_are_refused_without_harm() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    let before = adapter.accesses();
    let bad = ControllerError::BadOption {
        what: "ring_pages",
        value: 3,
    };
    assert_eq!(adapter.reconfigure(&options(3)), Err(bad));
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 2);
    assert_eq!(
        adapter.reconfigure(&options(2)),
        Err(ControllerError::InFlight(2))
    );
    assert_eq!(
        adapter.set_buffers(1, 512),
        Err(ControllerError::InFlight(2))
    );
    assert_eq!(
        adapter.refresh_disk(DiskId(0)),
        Err(ControllerError::InFlight(2))
    );
    assert_eq!(adapter.accesses().mmio, before.mmio);
    adapter.ring_doorbell(Q);
    while machine.device().complete(0) {}
    assert_eq!(reap_all(&mut adapter).len(), 2);
    machine.memory().fail_after(Some(1));
    assert!(matches!(
        adapter.reconfigure(&options(2)),
        Err(ControllerError::Dma(_))
    ));
    machine.device().completing = Completing::AtOnce;
    assert_eq!(
        run(&mut adapter, &read(0, 0)),
        Status::Ok,
        "the old rings still work"
    );
}

#[test]
fn commands_are_counted_over_all_set_ups() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    let before = machine.device().seen.requests;
    assert_eq!(adapter.accesses().commands, before);
    run(&mut adapter, &read(0, 0));
    adapter.reconfigure(&options(2)).unwrap();
    run(&mut adapter, &read(0, 0));
    adapter.reset().unwrap();
    assert_eq!(adapter.accesses().commands, machine.device().seen.requests);
    assert!(adapter.accesses().commands > before + 2);
}

#[test]
fn after_shutdown_the_device_has_no_rings() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    adapter.shutdown();
    assert!(!machine.device().has_rings());
    assert_eq!(machine.device().interrupt_mask(), 0);
    let writes = adapter.accesses().mmio.writes;
    adapter.shutdown();
    assert_eq!(adapter.accesses().mmio.writes, writes, "idempotent");
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Dead));
    adapter.set_buffers(1, 512).unwrap();
    assert!(!machine.device().has_rings());
}

#[test]
fn memory_is_freed_after_the_device_let_go_of_it() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 4);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    drop(adapter);
    assert!(!machine.device().has_rings());
    assert_eq!(machine.memory().live_bytes(), 0);
    machine.step();
    assert_clean(&machine);
}

#[test]
fn interrupts_are_enabled_raised_and_acknowledged() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    assert_eq!(machine.device().interrupt_mask(), 0);
    assert!(!machine.device().interrupts());
    adapter.set_interrupts(InterruptMode::Level).unwrap();
    assert_eq!(machine.device().interrupt_mask(), 0xf);
    // The scan has left the status raised.
    assert!(adapter.acknowledge_interrupt());
    assert!(!adapter.acknowledge_interrupt(), "not ours");
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert!(machine.device().interrupts());
    assert!(adapter.acknowledge_interrupt());
    assert!(!machine.device().interrupts());
    adapter.reset().unwrap();
    assert_eq!(machine.device().interrupt_mask(), 0xf, "kept over a reset");
    adapter.set_interrupts(InterruptMode::Off).unwrap();
    assert_eq!(machine.device().interrupt_mask(), 0);
    machine.unplug();
    assert!(!adapter.acknowledge_interrupt());
    assert_eq!(adapter.health(), Health::Gone);
}
