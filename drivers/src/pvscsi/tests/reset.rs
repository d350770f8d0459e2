//! Abort, other ring sizes, interrupts.

use super::super::fake::Completing;
use super::*;
use crate::block::{ControllerError, Health, InterruptMode, SubmitError};

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
