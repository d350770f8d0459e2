//! Batches of more than 1,023, and indices near 2^32.

use super::super::fake::{Completing, Fetching};

use super::super::ring::Rings;
use super::*;
use crate::block::SubmitError;

#[test]
fn at_most_1023_requests_wait_for_a_kick() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 32);
    assert_eq!(adapter.limits().max_batch, 1023);
    submit_reads(&mut adapter, 1023);
    assert_eq!(
        adapter.submit(Q, &read(0, 0)),
        Err(SubmitError::DoorbellDue)
    );
    machine.device().completing = Completing::ByHand;
    adapter.ring_doorbell(Q);
    assert_eq!(machine.device().open(), 1023);
    adapter.submit(Q, &read(0, 1023)).unwrap();
    assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
    adapter.ring_doorbell(Q);
    assert_eq!(machine.device().open(), 1024);
    while machine.device().complete(0) {}
    let mut cookies: Vec<u32> = reap_all(&mut adapter)
        .iter()
        .map(|done| done.cookie)
        .collect();
    cookies.sort_unstable();
    assert_eq!(cookies, (0..1024).collect::<Vec<u32>>());
    assert_clean(&machine);
}

#[test]
fn a_ring_shows_1024_requests_in_two_steps() {
    let machine = one_disk();
    let mut rings = Rings::allocate(&machine, 32).unwrap();
    rings.clear(0);
    for _ in 0..1024 {
        rings.push(&[0; 9]);
    }
    assert!(rings.publish());
    assert_eq!(rings.unpublished(), 1);
    assert!(rings.publish());
    assert_eq!(rings.unpublished(), 0);
    assert!(!rings.publish());
}

#[test]
fn small_rings_take_a_batch_as_long_as_they_are() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 16);
    assert_eq!(adapter.limits().max_batch, 512);
    submit_reads(&mut adapter, 512);
    assert_eq!(
        adapter.submit(Q, &read(0, 0)),
        Err(SubmitError::DoorbellDue)
    );
    adapter.ring_doorbell(Q);
    assert_eq!(reap_all(&mut adapter).len(), 512);
}

#[test]
fn a_run_across_the_index_wrap_loses_nothing() {
    for fetching in [Fetching::AtKick, Fetching::OnStep(5)] {
        let machine = esxi(ScsiBus::with_disk(1 << 21, 512));
        let mut adapter = start_at(&machine, 1, ages(u32::MAX - 300, u32::MAX, u32::MAX));
        machine.device().fetching = fetching;
        let mut expected = 0;
        for round in 0..40 {
            for cookie in 0..29 {
                let lba = round * 29 + u64::from(cookie);
                adapter.fill_buffer(BufferId(cookie), 0, &lba.to_le_bytes());
                let asked = request(Op::Write, lba, 1, cookie);
                adapter.submit(Q, &asked).unwrap();
            }
            adapter.ring_doorbell(Q);
            (0..6).for_each(|_| machine.step());
            expected += 29;
            let finished = reap_all(&mut adapter);
            assert_eq!(finished.len(), 29);
            assert!(finished.iter().all(|done| done.status.is_ok()));
        }
        assert!(adapter.queue.rings.next_index() < 1_000, "it has wrapped");
        let mut device = machine.device();
        for lba in 0..expected {
            let mut head = [0; 8];
            device.bus.unit(0, 0).store.read(lba, &mut head);
            assert_eq!(u64::from_le_bytes(head), lba);
        }
        drop(device);
        assert_clean(&machine);
    }
}

#[test]
fn qemus_adapter_stops_at_the_wrap_so_the_rings_never_get_there() {
    // What happens without: the model's count has 64 bits.
    let machine = one_disk();
    machine.device().quirks.indices_from_memory = true;
    let mut adapter = start_at(&machine, 1, ages(u32::MAX - 300, u32::MAX, u32::MAX));
    let mut done = 0;
    for cookie in 0..400 {
        adapter.submit(Q, &read(0, cookie)).ok();
        adapter.ring_doorbell(Q);
        done += reap_all(&mut adapter).len();
    }
    assert!(done < 400, "the model shows the fault");
}

#[test]
fn rings_are_renewed_in_time_and_nobody_notices() {
    let machine = one_disk();
    let mut adapter = start_at(&machine, 1, ages(0, 100, 200));
    machine.device().completing = Completing::ByHand;
    let setups = machine.device().seen.setups;
    let commands = adapter.accesses().commands;
    let (mut submitted, mut reaped, mut refusals) = (0, 0, 0);
    while reaped < 1_000 {
        while submitted < 1_000 {
            match adapter.submit(Q, &read(0, submitted)) {
                Ok(_) => submitted += 1,
                Err(SubmitError::Full | SubmitError::DoorbellDue) => break,
                Err(error) => panic!("{error:?}"),
            }
            refusals += u32::from(adapter.in_flight() < 8);
        }
        adapter.ring_doorbell(Q);
        machine.device().complete(0);
        reaped += reap_all(&mut adapter).len();
        assert!(adapter.queue.rings.age() < 200 + 32);
    }
    assert_eq!(adapter.accesses().commands - commands, 1_000);
    let renewals = machine.device().seen.setups - setups;
    assert!((4..=6).contains(&renewals), "{renewals} renewals");
    assert_eq!(
        machine.device().seen.resets,
        1,
        "no reset, so no unit attention"
    );
    assert!(refusals > 0);
    assert_clean(&machine);
}

#[test]
fn ripe_rings_are_renewed_between_rows() {
    let machine = one_disk();
    let mut adapter = start_at(&machine, 1, ages(0, 100, u32::MAX));
    for cookie in 0..100 {
        assert_eq!(run(&mut adapter, &read(0, cookie)), Status::Ok);
    }
    let setups = machine.device().seen.setups;
    adapter.set_buffers(64, 4096).unwrap();
    assert_eq!(machine.device().seen.setups, setups + 1);
    assert_eq!(adapter.queue.rings.age(), 0);
    adapter.set_buffers(64, 4096).unwrap();
    assert_eq!(machine.device().seen.setups, setups + 1);
    assert_eq!(run(&mut adapter, &read(0, 3)), Status::Ok);
}

#[test]
fn a_device_that_wants_a_reset_first_gets_one() {
    let machine = one_disk();
    machine.device().quirks.rings_need_reset = true;
    let mut adapter = start_at(&machine, 1, ages(0, 100, 200));
    for cookie in 0..500 {
        assert_eq!(run(&mut adapter, &read(0, cookie)), Status::Ok);
    }
    assert!(machine.device().seen.resets > 1);
    assert_clean(&machine);
}

#[test]
fn esxis_rings_are_renewed_behind_a_reset() {
    let machine = esxi(ScsiBus::with_disk(1 << 21, 512));
    let mut adapter = start_at(&machine, 1, ages(0, 100, 200));
    machine.device().set_call_threshold(100);
    machine.device().fetching = Fetching::OnStep(usize::MAX);
    for cookie in 0..500 {
        adapter.submit(Q, &read(0, cookie)).unwrap();
        adapter.ring_doorbell(Q);
        machine.step();
        assert_eq!(reap_all(&mut adapter)[0].status, Status::Ok);
    }
    assert!(machine.device().seen.resets > 1);
    assert_clean(&machine);
}

#[test]
fn kicks_are_left_out_while_the_device_polls() {
    let machine = esxi(ScsiBus::with_disk(1 << 21, 512));
    let mut adapter = ready(&machine, 1);
    let kicks = adapter.accesses().submit_doorbells;
    machine.device().fetching = Fetching::OnStep(usize::MAX);
    machine.device().set_call_threshold(4);
    submit_reads(&mut adapter, 3);
    adapter.ring_doorbell(Q);
    assert_eq!(
        adapter.accesses().submit_doorbells,
        kicks,
        "3 waiting, below 4"
    );
    adapter.submit(Q, &read(0, 3)).unwrap();
    adapter.ring_doorbell(Q);
    assert_eq!(adapter.accesses().submit_doorbells, kicks + 1, "4 waiting");
    machine.step();
    assert_eq!(reap_all(&mut adapter).len(), 4);
    // Anything but reads and writes is always told.
    adapter.submit(Q, &request(Op::Flush, 0, 0, 0)).unwrap();
    adapter.ring_doorbell(Q);
    assert_eq!(adapter.accesses().submit_doorbells, kicks + 2);
    // A device that goes to sleep lowers its threshold.
    machine.step();
    machine.device().set_call_threshold(0);
    adapter.submit(Q, &read(0, 3)).unwrap();
    adapter.ring_doorbell(Q);
    assert_eq!(adapter.accesses().submit_doorbells, kicks + 3);
    machine.step();
    assert_eq!(reap_all(&mut adapter).len(), 2);
    assert_clean(&machine);
}

#[test]
fn kick_suppression_can_be_declined() {
    let machine = esxi(ScsiBus::with_disk(1 << 21, 512));
    machine.device().call_threshold = 100;
    let declined = Options {
        kick_suppression: Some(false),
        ..options(1)
    };
    let mut adapter = Pvscsi::start(machine.clone(), machine.mmio(), &declined).unwrap();
    adapter.set_buffers(64, 65_536).unwrap();
    let kicks = adapter.accesses().submit_doorbells;
    assert_eq!(run(&mut adapter, &read(0, 0)), Status::Ok);
    assert_eq!(adapter.accesses().submit_doorbells, kicks + 1);
}
