//! Full queues.

use super::super::fake::Completing;
use super::*;
use crate::block::SubmitError;

#[test]
fn a_full_queue_says_so_and_goes_on_after_one_completion() {
    for (offers, slots) in [
        (Offers::default(), 128),
        (direct(64), 21),
        (direct(1024), 128),
        (direct(4), 1),
    ] {
        let machine = offering(offers);
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        assert_eq!(adapter.limits().max_in_flight, slots);
        submit_reads(&mut adapter, slots);
        assert_eq!(adapter.in_flight(), slots);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
        adapter.ring_doorbell(Q);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
        // Not the oldest: its slot is free all the same.
        machine.device().complete(slots as usize / 2);
        let finished = reap_all(&mut adapter);
        assert_eq!(finished.len(), 1);
        assert_eq!(finished[0].cookie, slots / 2);
        let tag = adapter.submit(Q, &read(0, 77)).unwrap();
        assert_eq!(tag.slot(), finished[0].tag.slot());
        assert_ne!(tag, finished[0].tag);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
        adapter.ring_doorbell(Q);
        while machine.device().complete(0) {}
        assert_eq!(reap_all(&mut adapter).len(), slots as usize);
        assert_clean(&machine);
    }
}
