//! Devices that say what is not so.

use super::super::fake::{Lie, NvmeConfig};
use super::rig::{Q, Rig, plain, request, rig};
use crate::block::{
    Completion, Controller, ControllerError, Health, Options, QueueId, Request, Status,
    SubmitError, Tag,
};

fn telling(lie: Lie) -> Rig {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.hal.device().faults.lies.push_back(lie);
    rig
}

#[test]
fn false_completions_are_caught_and_harm_no_other_command() {
    let lies = [
        (Lie::Doubled, 4, 0),
        // A slot that is free, a slot that does not exist, a wrong generation.
        (Lie::Identifier(0x0200), 3, 1),
        (Lie::Identifier(0x03ff), 3, 1),
        (Lie::Identifier(0x8000), 3, 1),
        (Lie::Queue(2), 3, 1),
        (Lie::Queue(0), 3, 1),
    ];
    for (lie, good, left) in lies {
        let mut rig = telling(lie);
        rig.send(4, &request());
        rig.hal.step();
        // A pass ends at the false one.
        let mut seen = rig.reap();
        seen.extend(rig.reap());
        assert_eq!(seen.len(), good, "{lie:?}");
        assert_eq!(rig.nvme.in_flight(), left, "{lie:?}");
        assert!(matches!(rig.nvme.health(), Health::Lying(_)), "{lie:?}");
        assert_eq!(rig.nvme.accesses().bad_completions, 1);
        assert_eq!(rig.nvme.submit(Q, &request()), Err(SubmitError::Dead));
        rig.nvme.reset().unwrap();
        assert_eq!((rig.nvme.health(), rig.nvme.in_flight()), (Health::Ok, 0));
        assert!(rig.run(&request()).status.is_ok());
        assert_eq!(rig.hal.memory().violations(), []);
    }
}

#[test]
fn an_old_phase_tag_is_no_completion() {
    let mut rig = telling(Lie::OldPhase);
    rig.send(1, &request());
    rig.hal.step();
    assert!(rig.reap().is_empty());
    assert_eq!(rig.nvme.in_flight(), 1);
    assert_eq!(rig.nvme.health(), Health::Ok);
    assert_eq!(rig.nvme.accesses().completion_doorbells, 0);
    rig.check();
}

#[test]
fn completions_from_before_a_reset_are_not_seen() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.send(5, &request());
    rig.hal.step();
    rig.nvme.reset().unwrap();
    assert!(rig.reap().is_empty());
    assert_eq!(rig.nvme.in_flight(), 0);
    assert!(rig.run(&request()).status.is_ok());
    rig.check();
}

#[test]
fn a_lost_command_is_aborted_in_vain_and_ended_by_a_reset() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.hal.device().faults.lose_commands = 1;
    let tag = rig.nvme.submit(Q, &request()).unwrap();
    rig.nvme.ring_doorbell(Q);
    rig.hal.step();
    assert_eq!(rig.nvme.abort(Q, tag), Ok(()));
    rig.hal.step();
    assert!(rig.reap().is_empty());
    assert_eq!(rig.nvme.in_flight(), 1);
    rig.nvme.reset().unwrap();
    assert_eq!(rig.nvme.in_flight(), 0);
    assert_eq!(rig.nvme.abort(Q, tag), Ok(()), "nothing left to give up");
    assert!(rig.run(&request()).status.is_ok());
    rig.check();
}

#[test]
fn an_abort_that_works_completes_the_command_as_aborted() {
    let config = NvmeConfig {
        aborts: true,
        ..NvmeConfig::default()
    };
    let mut rig = rig(config, &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.hal.device().hold = true;
    let tag = rig.nvme.submit(Q, &request()).unwrap();
    rig.nvme.ring_doorbell(Q);
    rig.hal.step();
    rig.nvme.abort(Q, tag).unwrap();
    let done = rig.reap();
    assert_eq!((done.len(), done[0].tag), (1, tag));
    assert_eq!(done[0].status, Status::Aborted);
    rig.check();
}

/// Three queues, each with a command of the same tag that the device holds.
fn three_alike(config: NvmeConfig) -> (Rig, Tag) {
    let options = Options {
        queues: Some(3),
        ..plain()
    };
    let mut rig = rig(config, &options);
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.hal.device().hold = true;
    let tags = [0, 1, 2].map(|at| {
        let cookie = u32::from(at);
        let asked = Request {
            cookie,
            ..request()
        };
        let tag = rig.nvme.submit(QueueId(at), &asked).unwrap();
        rig.nvme.ring_doorbell(QueueId(at));
        tag
    });
    rig.hal.step();
    assert_eq!([tags[0]; 3], tags, "each queue has tags of its own");
    (rig, tags[0])
}

#[test]
fn an_abort_means_the_command_of_its_own_queue() {
    let (mut rig, tag) = three_alike(NvmeConfig {
        aborts: true,
        ..NvmeConfig::default()
    });
    rig.nvme.abort(QueueId(1), tag).unwrap();
    let mut out = [Completion::EMPTY; 2];
    assert_eq!(rig.nvme.reap(Q, &mut out), 0);
    assert_eq!(rig.nvme.reap(QueueId(2), &mut out), 0);
    assert_eq!(rig.nvme.reap(QueueId(1), &mut out), 1);
    assert_eq!((out[0].cookie, out[0].status), (1, Status::Aborted));
    assert_eq!(rig.nvme.in_flight(), 2);
    rig.check();
}

#[test]
fn a_completion_of_another_queue_ends_nothing() {
    let (mut rig, _) = three_alike(NvmeConfig::default());
    rig.hal.device().faults.lies.push_back(Lie::Queue(2));
    while rig.hal.device().held() > 0 {
        rig.hal.device().complete_held(0);
    }
    let mut out = [Completion::EMPTY; 2];
    assert_eq!(rig.nvme.reap(Q, &mut out), 0);
    assert!(matches!(rig.nvme.health(), Health::Lying(_)));
    assert_eq!(rig.nvme.in_flight(), 3);
}

#[test]
fn a_fatal_state_or_a_pulled_device_shows_when_the_device_is_asked() {
    let mut rig = rig(NvmeConfig::default(), &plain());
    rig.nvme.set_buffers(1, 4096).unwrap();
    rig.hal.device().hold = true;
    let tag = rig.nvme.submit(Q, &request()).unwrap();
    rig.nvme.ring_doorbell(Q);
    rig.hal.device().fail_fatally();
    rig.hal.step();
    let asked = rig.nvme.abort(Q, tag);
    assert!(
        matches!(asked, Err(ControllerError::Refused { .. })),
        "{asked:?}"
    );
    rig.nvme.reset().unwrap();
    assert_eq!(rig.nvme.health(), Health::Ok);
    let tag = rig.nvme.submit(Q, &request()).unwrap();
    rig.hal.unplug();
    assert_eq!(rig.nvme.abort(Q, tag), Err(ControllerError::Gone));
    assert_eq!(rig.nvme.health(), Health::Gone);
    assert_eq!(rig.nvme.submit(Q, &request()), Err(SubmitError::Dead));
    assert_eq!(rig.nvme.reset(), Err(ControllerError::Gone));
    rig.nvme.shutdown();
    assert_eq!(rig.nvme.health(), Health::Gone);
}
