//! Doorbells that are left out, and those that must not be.

use super::super::fake::Fetching;
use super::super::ring::passes;
use super::*;

fn suppressing(on: bool) -> Options {
    Options {
        kick_suppression: Some(on),
        ..Options::default()
    }
}

/// With event indices, and with the flag alone.
fn both() -> [Offers; 2] {
    let all = Offers::default();
    let flags = Offers {
        features: all.features & !(1 << 29),
        ..all
    };
    [all, flags]
}

#[test]
fn the_event_counts_from_old_inclusive_to_new_exclusive() {
    assert!(passes(5, 5, 6), "the device waits for exactly this entry");
    assert!(passes(7, 5, 9));
    assert!(!passes(9, 5, 9), "not beyond what was published");
    assert!(!passes(4, 5, 9), "already passed");
    assert!(passes(65_535, 65_530, 3) && passes(0, 65_530, 3));
    assert!(!passes(3, 65_530, 3));
}

#[test]
fn a_device_that_sleeps_is_told_once_a_batch() {
    for offers in both() {
        let machine = offering(offers);
        let mut adapter = ready(&machine);
        for batch in [1, 32, 128] {
            let before = adapter.accesses().submit_doorbells;
            submit_reads(&mut adapter, batch);
            adapter.ring_doorbell(Q);
            assert_eq!(adapter.accesses().submit_doorbells, before + 1);
            assert_eq!(reap_all(&mut adapter).len(), batch as usize);
        }
        assert_clean(&machine);
    }
}

#[test]
fn a_device_that_polls_is_not_told() {
    for offers in both() {
        let machine = offering(offers);
        let mut adapter = ready(&machine);
        machine.device().fetching = Fetching::OnStep(usize::MAX);
        machine.device().set_polling(true);
        let before = adapter.accesses().submit_doorbells;
        for cookie in 0..40 {
            adapter.submit(Q, &read(0, cookie)).unwrap();
            adapter.ring_doorbell(Q);
            if cookie % 8 == 7 {
                machine.step();
                assert_eq!(reap_all(&mut adapter).len(), 8);
            }
        }
        assert_eq!(adapter.accesses().submit_doorbells, before);
        assert_eq!(machine.device().seen.kicks, before);
        machine.device().set_polling(false);
        adapter.submit(Q, &read(0, 0)).unwrap();
        adapter.ring_doorbell(Q);
        assert_eq!(adapter.accesses().submit_doorbells, before + 1);
        machine.step();
        assert_eq!(reap_all(&mut adapter).len(), 1);
        assert_clean(&machine);
    }
}

#[test]
fn suppression_can_be_declined() {
    for offers in both() {
        let machine = offering(offers);
        let mut adapter = ready_with(&machine, &suppressing(false));
        assert!(!adapter.features().event_index);
        assert_eq!(machine.device().features() >> 29 & 1, 0);
        machine.device().fetching = Fetching::OnStep(usize::MAX);
        machine.device().set_polling(true);
        let before = adapter.accesses().submit_doorbells;
        submit_reads(&mut adapter, 3);
        adapter.ring_doorbell(Q);
        adapter.ring_doorbell(Q);
        assert_eq!(adapter.accesses().submit_doorbells, before + 1);
        machine.step();
        assert_eq!(reap_all(&mut adapter).len(), 3);
        assert_clean(&machine);
    }
}

#[test]
fn weak_fences_decline_it_unless_the_job_asks() {
    let start = |options: &Options| {
        let machine = one_disk();
        let quirks = Quirks::with_weak_fences(true);
        let mmio = machine.mmio();
        let adapter = VirtioScsi::start(machine.clone(), mmio, regions(), quirks, options);
        adapter.unwrap().features().event_index
    };
    assert!(!start(&Options::default()));
    assert!(!start(&suppressing(false)));
    assert!(start(&suppressing(true)));
}

#[test]
fn the_choice_can_change_while_idle() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    assert!(adapter.features().event_index);
    adapter.reconfigure(&suppressing(false)).unwrap();
    assert!(!adapter.features().event_index);
    assert_eq!(
        run(&mut adapter, &read(0, 0)),
        Status::Ok,
        "no unit attention"
    );
    let resets = machine.device().seen.resets;
    adapter.reconfigure(&suppressing(false)).unwrap();
    assert_eq!(machine.device().seen.resets, resets, "nothing to change");
}
