//! Interrupts: asked for, raised, acknowledged, and none while polling.

use super::super::fake::Completing;
use super::*;
use crate::block::{Health, InterruptMode};

#[test]
fn none_are_raised_while_polling() {
    for features in [0, 1 << 29] {
        let all = Offers::default();
        let machine = offering(Offers {
            features: all.features & !features,
            ..all
        });
        let mut adapter = ready(&machine);
        for cookie in 0..100 {
            assert_eq!(run(&mut adapter, &read(0, cookie)), Status::Ok);
        }
        assert_eq!(machine.device().seen.interrupts, 0);
        assert!(!machine.device().line_is_up());
    }
}

#[test]
fn a_line_is_raised_and_its_status_cleared_by_reading() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let resets = machine.device().seen.resets;
    adapter.set_interrupts(InterruptMode::Level).unwrap();
    assert_eq!(machine.device().seen.resets, resets, "no vector, no reset");
    assert!(!adapter.acknowledge_interrupt(), "not ours");
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert!(machine.device().line_is_up());
    assert!(adapter.acknowledge_interrupt());
    assert!(!machine.device().line_is_up());
    assert!(!adapter.acknowledge_interrupt());
    adapter.reset().unwrap();
    adapter.acknowledge_interrupt();
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert!(machine.device().line_is_up(), "kept over a reset");
    adapter.set_interrupts(InterruptMode::Off).unwrap();
    adapter.acknowledge_interrupt();
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert!(!machine.device().line_is_up());
    machine.unplug();
    assert!(!adapter.acknowledge_interrupt());
    assert_eq!(adapter.health(), Health::Gone);
}

#[test]
fn messages_come_by_vector_0_of_request_queues() {
    let machine = offering(Offers {
        request_queues: 2,
        ..Offers::default()
    });
    let two = Options {
        queues: Some(2),
        ..Options::default()
    };
    let mut adapter = ready_with(&machine, &two);
    adapter.set_interrupts(InterruptMode::Message).unwrap();
    assert_eq!(machine.device().vectors(), [0xffff, 0xffff, 0xffff, 0, 0]);
    machine.device().seen.interrupts = 0;
    assert_eq!(
        run(&mut adapter, &read(0, 0)),
        Status::Ok,
        "no unit attention"
    );
    assert_eq!(machine.device().seen.interrupts, 1);
    let reads = adapter.accesses().mmio.reads;
    assert!(!adapter.acknowledge_interrupt());
    assert_eq!(
        adapter.accesses().mmio.reads,
        reads,
        "nothing to acknowledge"
    );
    adapter.set_interrupts(InterruptMode::Off).unwrap();
    assert_eq!(machine.device().vectors()[3..], [0xffff; 2]);
    assert_clean(&machine);
}

#[test]
fn a_vector_that_is_refused_leaves_the_device_polled() {
    let machine = offering(Offers {
        vectors: 0,
        ..Offers::default()
    });
    let mut adapter = ready(&machine);
    let refused = adapter.set_interrupts(InterruptMode::Message);
    assert_eq!(refused, Err(ControllerError::Unsupported));
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert_eq!(machine.device().seen.interrupts, 0);
}

#[test]
fn each_pass_that_finds_no_more_asks_for_the_next_interrupt() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    adapter.set_interrupts(InterruptMode::Level).unwrap();
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 10);
    adapter.ring_doorbell(Q);
    machine.device().seen.interrupts = 0;
    machine.device().complete(0);
    assert_eq!(machine.device().seen.interrupts, 1);
    // Not asked for again before someone has looked.
    machine.device().complete(0);
    assert_eq!(machine.device().seen.interrupts, 1);
    assert_eq!(reap_all(&mut adapter).len(), 2);
    machine.device().complete(0);
    assert_eq!(machine.device().seen.interrupts, 2);
    // A pass without room for all leaves it to the next.
    let mut out = [Completion::EMPTY; 1];
    machine.device().complete(0);
    assert_eq!(adapter.reap(Q, &mut out), 1);
    machine.device().complete(0);
    assert_eq!(machine.device().seen.interrupts, 2);
    assert_eq!(reap_all(&mut adapter).len(), 2);
    machine.device().complete(0);
    assert_eq!(machine.device().seen.interrupts, 3);
}

#[test]
fn a_pass_over_all_queues_misses_no_interrupt() {
    let machine = offering(Offers {
        request_queues: 2,
        ..Offers::default()
    });
    let two = Options {
        queues: Some(2),
        ..Options::default()
    };
    let mut adapter = ready_with(&machine, &two);
    adapter.set_interrupts(InterruptMode::Level).unwrap();
    machine.device().completing = Completing::ByHand;
    for cookie in 0..6 {
        let queue = QueueId((cookie % 2) as u16);
        adapter.submit(queue, &read(0, cookie)).unwrap();
        adapter.ring_doorbell(queue);
    }
    machine.device().complete(1);
    assert!(machine.device().line_is_up());
    assert!(adapter.acknowledge_interrupt());
    assert_eq!(reap_from(&mut adapter, QueueId(0)), []);
    // Behind the pass: to the queue that was looked at, while the other is drained.
    machine.device().complete(0);
    assert_eq!(reap_from(&mut adapter, QueueId(1)).len(), 1);
    assert!(machine.device().line_is_up(), "or the loop would sleep");
    assert!(adapter.acknowledge_interrupt());
    assert_eq!(reap_from(&mut adapter, QueueId(0)).len(), 1);
    assert_eq!(reap_from(&mut adapter, QueueId(1)), []);
    assert!(!machine.device().line_is_up());
}

#[test]
fn other_modes_wait_until_nothing_is_in_flight() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 2);
    let refused = adapter.set_interrupts(InterruptMode::Message);
    assert_eq!(refused, Err(ControllerError::InFlight(2)));
    assert_eq!(adapter.set_interrupts(InterruptMode::Off), Ok(()));
}
