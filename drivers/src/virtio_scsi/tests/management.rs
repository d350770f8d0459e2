//! Aborts and resets of units.

use super::super::fake::Completing;
use super::*;
use crate::block::{Health, SubmitError};
use crate::scsi::ScsiAddress;

const UNIT: ScsiAddress = ScsiAddress { target: 0, lun: 0 };

#[test]
fn an_aborted_command_completes_as_such_and_alone() {
    for offers in [Offers::default(), direct(64)] {
        let machine = offering(offers);
        let mut adapter = ready(&machine);
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
        assert_eq!(machine.device().seen.control_kicks, 1, "it has ended");
        while machine.device().complete(0) {}
        let rest = reap_all(&mut adapter);
        assert!(rest.len() == 2 && rest.iter().all(|done| done.status.is_ok()));
        assert_clean(&machine);
    }
}

#[test]
fn an_abort_means_the_command_of_its_own_queue() {
    let machine = offering(Offers {
        request_queues: 3,
        ..Offers::default()
    });
    let options = Options {
        queues: Some(3),
        ..Options::default()
    };
    let mut adapter = ready_with(&machine, &options);
    machine.device().completing = Completing::ByHand;
    let mut tags = Vec::new();
    for at in 0..3 {
        tags.push(adapter.submit(QueueId(at), &read(0, at.into())).unwrap());
        adapter.ring_doorbell(QueueId(at));
    }
    assert_eq!(tags[1], tags[2], "each queue has tags of its own");
    adapter.abort(QueueId(1), tags[1]).unwrap();
    assert_eq!(reap_from(&mut adapter, QueueId(0)), []);
    assert_eq!(reap_from(&mut adapter, QueueId(2)), []);
    let ended = reap_from(&mut adapter, QueueId(1));
    assert_eq!((ended[0].cookie, ended[0].status), (1, Status::Aborted));
    assert_eq!(adapter.in_flight(), 2);
    assert_clean(&machine);
}

#[test]
fn answers_that_nobody_waits_for_make_room() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    for cookie in 0..40 {
        let tag = adapter.submit(Q, &read(0, cookie)).unwrap();
        adapter.abort(Q, tag).unwrap();
        assert_eq!(reap_all(&mut adapter)[0].status, Status::Aborted);
    }
    assert_clean(&machine);
}

#[test]
fn a_device_that_answers_no_abort_takes_only_so_many() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    machine.device().deaf = true;
    let tags = submit_reads(&mut adapter, 9);
    for tag in &tags[..8] {
        adapter.abort(Q, *tag).unwrap();
    }
    let refused = adapter.abort(Q, tags[8]);
    assert!(
        matches!(refused, Err(ControllerError::Refused { .. })),
        "{refused:?}"
    );
    assert_eq!(adapter.in_flight(), 9);
}

#[test]
fn a_reset_of_a_unit_ends_its_commands_and_leaves_attention() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    assert_eq!(adapter.reset_unit(UNIT), Ok(true));
    let finished = reap_all(&mut adapter);
    assert_eq!(finished.len(), 3);
    assert!(finished.iter().all(|done| done.status == Status::Aborted));
    machine.device().completing = Completing::AtOnce;
    assert!(matches!(
        run(&mut adapter, &read(0, 0)),
        Status::UnitAttention(_)
    ));
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    let absent = ScsiAddress { target: 9, lun: 0 };
    assert_eq!(adapter.reset_unit(absent), Ok(false));
    let far = ScsiAddress {
        target: 300,
        lun: 0,
    };
    assert_eq!(adapter.reset_unit(far), Err(ControllerError::Unsupported));
    assert_clean(&machine);
}

#[test]
fn a_reset_that_is_not_answered_ends_in_time() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().deaf = true;
    let timed_out = ControllerError::TimedOut {
        what: "logical unit reset",
        after_ms: 1_000,
    };
    assert_eq!(adapter.reset_unit(UNIT), Err(timed_out));
}

#[test]
fn abort_and_reset_notice_that_the_device_is_gone() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
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
fn an_abort_notices_that_the_device_wants_a_reset() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    let tags = submit_reads(&mut adapter, 1);
    adapter.ring_doorbell(Q);
    machine.device().break_down();
    assert!(adapter.abort(Q, tags[0]).is_err());
    assert_eq!(adapter.health(), Health::Fault(0x4f));
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Dead));
    machine.device().completing = Completing::AtOnce;
    adapter.reset().unwrap();
    assert_eq!(adapter.health(), Health::Ok);
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
}

#[test]
fn an_answer_to_nothing_is_not_believed() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    machine.device().deaf = true;
    let tag = submit_reads(&mut adapter, 1)[0];
    machine.device().completing = Completing::ByHand;
    adapter.abort(Q, tag).unwrap();
    // Of a slot whose request is there, but without an answer.
    machine.device().use_head(0, 0);
    let _ = adapter.reset_unit(UNIT);
    assert!(matches!(adapter.health(), Health::Lying(_)));
    for head in [1, 2, 14, 16, 65_535] {
        let machine = one_disk();
        let mut adapter = ready(&machine);
        machine.device().deaf = true;
        let _ = adapter.manage(0, 1, 1);
        machine.device().use_head(0, head);
        let _ = adapter.reset_unit(UNIT);
        assert!(matches!(adapter.health(), Health::Lying(_)), "head {head}");
    }
}
