//! What the device and its disks state is obeyed.

use super::super::fake::Completing;
use super::*;
use crate::block::SubmitError;

#[test]
fn no_command_is_longer_than_max_sectors() {
    let machine = offering(Offers {
        max_sectors: 128,
        ..Offers::default()
    });
    let mut adapter = ready(&machine);
    assert_eq!(adapter.limits().max_transfer_bytes, 65_536);
    assert_eq!(run(&mut adapter, &request(Op::Read, 0, 128, 0)), Status::Ok);
    let longer = adapter.submit(Q, &request(Op::Read, 0, 129, 0));
    assert_eq!(longer, Err(SubmitError::Invalid));
    assert_eq!(machine.device().seen.longest_bytes, 65_536);
    assert_clean(&machine);
}

#[test]
fn no_command_is_longer_than_the_block_limits_page_says() {
    let machine = one_disk();
    machine.device().bus.unit(0, 0).max_transfer_blocks = 16;
    let mut adapter = ready(&machine);
    assert_eq!(adapter.disks()[0].max_transfer_bytes, 8192);
    assert_eq!(run(&mut adapter, &request(Op::Write, 0, 16, 0)), Status::Ok);
    let longer = adapter.submit(Q, &request(Op::Write, 0, 17, 0));
    assert_eq!(longer, Err(SubmitError::Invalid));
}

#[test]
fn one_segment_is_enough() {
    let machine = offering(Offers {
        max_segments: 1,
        ..Offers::default()
    });
    let mut adapter = ready(&machine);
    assert_eq!(run(&mut adapter, &request(Op::Read, 0, 128, 0)), Status::Ok);
    assert_clean(&machine);
}

#[test]
fn no_unit_has_more_commands_than_it_takes_over_all_queues() {
    for (commands, asked, queues, each) in [
        (8, 1, 1, 8),
        (8, 3, 3, 2),
        (1, 1, 1, 1),
        (2, 4, 2, 1),
        (u32::MAX, 1, 1, 256),
        (u32::MAX, 9, 4, 256),
    ] {
        let machine = offering(Offers {
            commands_per_unit: commands,
            request_queues: 4,
            ..Offers::default()
        });
        let options = Options {
            queues: Some(asked),
            ..Options::default()
        };
        let mut adapter = ready_with(&machine, &options);
        let limits = *adapter.limits();
        assert_eq!((limits.queues, limits.max_in_flight), (queues, each));
        machine.device().completing = Completing::ByHand;
        let mut cookie = 0;
        for queue in (0..queues).map(QueueId) {
            while adapter.submit(queue, &read(0, cookie)).is_ok() {
                cookie += 1;
            }
            adapter.ring_doorbell(queue);
        }
        assert_eq!(cookie, each * u32::from(queues));
        assert_eq!(machine.device().open(), cookie as usize);
        while machine.device().complete(0) {}
        let counts = (0..queues).map(|at| reap_from(&mut adapter, QueueId(at)).len());
        assert_eq!(counts.sum::<usize>(), cookie as usize);
        assert_clean(&machine);
    }
}

#[test]
fn rings_are_as_large_as_asked_and_offered() {
    for (offered, asked, entries) in [
        (256, None, 256),
        (64, None, 64),
        (100, None, 64),
        (256, Some(16), 16),
        (256, Some(1024), 256),
        (1024, Some(1024), 1024),
        (32_768, None, 1024),
        (2, None, 2),
    ] {
        let machine = offering(Offers {
            entries: offered,
            commands_per_unit: 10_000,
            ..Offers::default()
        });
        let options = Options {
            queue_entries: asked,
            ..Options::default()
        };
        let mut adapter = ready_with(&machine, &options);
        assert_eq!(machine.device().queue_entries(2), entries);
        assert_eq!(adapter.limits().queue_entries, u32::from(entries));
        let most = adapter.limits().max_in_flight;
        assert_eq!(most, u32::from(entries), "a slot takes one entry");
        submit_reads(&mut adapter, most);
        adapter.ring_doorbell(Q);
        assert_eq!(reap_all(&mut adapter).len(), most as usize);
        assert_clean(&machine);
    }
}

#[test]
fn without_indirect_descriptors_a_command_takes_three() {
    let machine = offering(direct(64));
    let mut adapter = ready(&machine);
    assert_eq!(adapter.limits().max_in_flight, 21);
    for round in 0..10 {
        submit_reads(&mut adapter, 21);
        adapter.ring_doorbell(Q);
        let finished = reap_all(&mut adapter);
        assert_eq!(finished.len(), 21, "round {round}");
        assert!(finished.iter().all(|done| done.status.is_ok()));
    }
    assert_eq!(machine.device().seen.indirect, 0);
    assert_clean(&machine);
}

#[test]
fn each_queue_reaps_its_own() {
    let machine = offering(Offers {
        request_queues: 3,
        ..Offers::default()
    });
    let options = Options {
        queues: Some(2),
        ..Options::default()
    };
    let mut adapter = ready_with(&machine, &options);
    assert_eq!(adapter.limits().queues, 2);
    let kicks = |adapter: &Adapter| [0, 1, 2].map(|at| adapter.queue_doorbells(QueueId(at)).submit);
    let [scan, ..] = kicks(&adapter);
    assert_eq!(machine.device().queue_entries(3), 256);
    assert_eq!(machine.device().queue_entries(4), 0, "not asked for");
    adapter.submit(QueueId(1), &read(0, 7)).unwrap();
    adapter.ring_doorbell(QueueId(0));
    adapter.ring_doorbell(QueueId(1));
    assert_eq!(reap_all(&mut adapter), []);
    assert_eq!(reap_from(&mut adapter, QueueId(1))[0].cookie, 7);
    assert_eq!(kicks(&adapter), [scan, 1, 0]);
    let beyond = adapter.submit(QueueId(2), &read(0, 0));
    assert_eq!(beyond, Err(SubmitError::Invalid));
    let flush = request(Op::Flush, 0, 0, 0);
    assert_eq!(
        adapter.submit(QueueId(2), &flush),
        Err(SubmitError::Invalid)
    );
    adapter.ring_doorbell(QueueId(2));
    assert_eq!(adapter.reap(QueueId(2), &mut [Completion::EMPTY]), 0);
    assert_eq!(
        machine.device().seen.kicks,
        adapter.accesses().submit_doorbells
    );
    assert_clean(&machine);
}
