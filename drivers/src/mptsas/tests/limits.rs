//! As many commands as the adapter takes, and not one more.

use super::support::*;

/// Keeps the queue full over several rounds, whatever the pace.
fn keep_full(machine: &Machine, adapter: &mut Adapter, rounds: u32) {
    let (mut submitted, mut reaped) = (0, 0);
    for _ in 0..rounds {
        loop {
            match adapter.submit(Q, &read(u64::from(submitted), submitted)) {
                Ok(_) => submitted += 1,
                Err(SubmitError::Full) => break,
                Err(error) => panic!("{error:?}"),
            }
        }
        assert_eq!(adapter.in_flight(), adapter.limits().max_in_flight);
        adapter.ring_doorbell(Q);
        machine.step();
        reaped += reap_all(machine, adapter).len() as u32;
    }
    while adapter.in_flight() > 0 {
        machine.step();
        reaped += reap_all(machine, adapter).len() as u32;
    }
    assert_eq!(reaped, submitted);
    assert_eq!(adapter.health(), Health::Ok);
}

#[test]
fn qemus_fifo_never_overflows() {
    for fetching in [Fetching::AtPost, Fetching::OnStep(1), Fetching::OnStep(200)] {
        let machine = one_disk();
        let mut adapter = ready(&machine);
        machine.device().fetching = fetching;
        machine.device().completing = Completing::AfterSteps(1);
        keep_full(&machine, &mut adapter, 40);
        assert_eq!(machine.device().seen.most_outstanding, 127);
        assert_clean(&machine);
        assert_frames_home(&machine);
    }
}

#[test]
fn a_full_queue_that_fails_as_a_whole_finds_its_reply_frames() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 127);
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
    machine.device().bus.unit(0, 0).plant(Fault {
        when: FaultWhen::Any,
        kind: FaultKind::Status(8),
        times: 127,
    });
    while machine.device().complete(0) {}
    assert_eq!(machine.device().free_frames(), 1);
    let finished = reap_all(&machine, &mut adapter);
    assert_eq!(finished.len(), 127);
    assert!(finished.iter().all(|done| done.status == Status::Busy));
    assert_frames_home(&machine);
    assert_clean(&machine);
}

#[test]
fn the_model_shows_what_one_post_more_does() {
    use crate::hal::Mmio;
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().fetching = Fetching::OnStep(1);
    submit_reads(&mut adapter, 127);
    machine.mmio().write32(0x40, 0);
    assert_eq!(machine.device().ioc_state(), 2);
    machine.mmio().write32(0x40, 0);
    assert_eq!(machine.device().ioc_state(), 4);
    assert_eq!(adapter.health(), Health::Fault(6));
}

#[test]
fn the_model_shows_what_one_frame_more_does() {
    use crate::hal::Mmio;
    let machine = one_disk();
    let adapter = ready(&machine);
    machine.mmio().write32(0x44, 0x1000);
    assert_eq!(adapter.health(), Health::Fault(6));
}

#[test]
fn small_adapters_get_small_queues() {
    for (credits, reply_depth, expected) in [
        (2, 128, 1),
        (128, 2, 1),
        (33, 40, 32),
        (40, 33, 32),
        (1024, 1024, 1023),
    ] {
        let machine = one_disk();
        machine.device().quirks.credits = credits;
        machine.device().quirks.reply_depth = reply_depth;
        let mut adapter = ready(&machine);
        assert_eq!(adapter.limits().max_in_flight, expected);
        machine.device().completing = Completing::AfterSteps(0);
        keep_full(&machine, &mut adapter, 3);
        assert_clean(&machine);
        assert_frames_home(&machine);
    }
}
