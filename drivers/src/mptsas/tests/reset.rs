//! Reset, shutdown, interrupts.

use super::support::*;
use crate::block::InterruptMode;

#[test]
fn a_reset_forgets_what_was_in_flight_and_goes_on() {
    for machine in [one_disk(), firmware(disk_bus())] {
        let mut adapter = ready(&machine);
        adapter.fill_buffer(BufferId(63), 0, b"kept");
        machine.device().completing = Completing::ByHand;
        let tags = submit_reads(&mut adapter, 40);
        adapter.abort(Q, tags[3]).unwrap();
        let completed = machine.device().oldest_context().unwrap();
        machine.device().completing = Completing::AtOnce;
        adapter.reset().unwrap();
        assert_eq!((adapter.in_flight(), adapter.health()), (0, Health::Ok));
        assert_eq!(reap_all(&machine, &mut adapter), []);
        // No attention is left for a workload.
        assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::Ok);
        let mut kept = [0; 4];
        adapter.read_buffer(BufferId(63), 0, &mut kept);
        assert_eq!(&kept, b"kept");
        assert_clean(&machine);
        assert_frames_home(&machine);
        // What was in flight before never completes.
        machine.device().post_reply(completed);
        assert_eq!(reap_all(&machine, &mut adapter), []);
        assert!(matches!(adapter.health(), Health::Lying(_)));
    }
}

#[test]
fn a_reset_ends_a_fault() {
    for machine in [one_disk(), firmware(disk_bus())] {
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        submit_reads(&mut adapter, 40);
        machine.device().give_up(6);
        assert_eq!(adapter.health(), Health::Fault(6));
        machine.device().completing = Completing::AtOnce;
        adapter.reset().unwrap();
        assert_eq!(machine.device().seen.hard_resets, 1);
        assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::Ok);
        assert_frames_home(&machine);
    }
}

#[test]
fn a_gentle_reset_that_has_no_end_is_followed_by_a_hard_one() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().ignores_gentle_reset = true;
    adapter.reset().unwrap();
    let seen = machine.device().seen;
    assert_eq!((seen.gentle_resets, seen.hard_resets), (0, 1));
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::Ok);
    assert_frames_home(&machine);
}

#[test]
fn a_shutdown_leaves_it_ready_and_is_done_once() {
    for open in [0, 5] {
        let machine = one_disk();
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        submit_reads(&mut adapter, open);
        adapter.shutdown();
        assert_eq!(machine.device().ioc_state(), 1);
        assert_eq!(machine.device().open(), 0);
        assert_eq!(machine.device().interrupt_mask(), 9);
        let accesses = adapter.accesses();
        adapter.shutdown();
        assert_eq!(adapter.accesses(), accesses);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Dead));
        assert_eq!(adapter.health(), Health::Ok);
        drop(adapter);
        machine.step();
        assert_eq!(machine.device().seen.gentle_resets, 1);
        assert_eq!(machine.memory().live_bytes(), 0);
        assert_eq!(machine.memory().violations(), []);
    }
}

#[test]
fn memory_is_freed_only_once_the_device_has_let_go_of_it() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 5);
    drop(adapter);
    assert_eq!(machine.device().ioc_state(), 1);
    while machine.device().complete(0) {}
    assert_eq!(machine.memory().violations(), []);
}

#[test]
fn after_a_shutdown_a_reset_brings_it_back() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    adapter.shutdown();
    adapter.reset().unwrap();
    assert_eq!(run(&machine, &mut adapter, &read(0, 0)), Status::Ok);
    adapter.shutdown();
    assert_eq!(machine.device().ioc_state(), 1);
}

#[test]
fn an_adapter_that_is_gone_is_left_alone() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.unplug();
    assert_eq!(adapter.reset(), Err(ControllerError::Gone));
    assert_eq!(adapter.health(), Health::Gone);
    adapter.shutdown();
    assert_eq!(adapter.in_flight(), 0);
}

#[test]
fn interrupts_are_raised_as_chosen() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    submit_reads(&mut adapter, 1);
    assert!(!machine.device().interrupts());
    adapter.set_interrupts(InterruptMode::Level).unwrap();
    assert!(machine.device().interrupts());
    assert!(adapter.acknowledge_interrupt());
    // The pass reads on though all are back: only that lowers the line.
    let mut out = [Completion::EMPTY; 2];
    assert_eq!(adapter.reap(Q, &mut out), 1);
    assert!(!machine.device().interrupts());
    assert!(!adapter.acknowledge_interrupt());
    // A reset keeps the choice, and that of nothing too.
    adapter.reset().unwrap();
    assert_eq!(machine.device().interrupt_mask(), 1);
    adapter.set_interrupts(InterruptMode::Off).unwrap();
    submit_reads(&mut adapter, 1);
    assert!(!machine.device().interrupts());
    machine.unplug();
    assert!(!adapter.acknowledge_interrupt());
    assert_eq!(adapter.health(), Health::Gone);
}

#[test]
fn no_option_changes_anything() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    let options = Options {
        ring_pages: Some(32),
        queue_entries: Some(7),
        ..Options::default()
    };
    let accesses = adapter.accesses();
    adapter.reconfigure(&options).unwrap();
    assert_eq!(adapter.accesses(), accesses);
}

#[test]
fn what_was_written_before_a_reset_is_not_posted_after_it() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    adapter.submit(Q, &read(0, 0)).unwrap();
    adapter.reset().unwrap();
    let posts = machine.device().seen.posts;
    adapter.ring_doorbell(Q);
    assert_eq!(machine.device().seen.posts, posts);
    assert_eq!(run(&machine, &mut adapter, &read(0, 1)), Status::Ok);
}
