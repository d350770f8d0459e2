//! Kicks by kind, and full rings.

use super::*;
use crate::block::SubmitError;

#[test]
fn only_a_batch_of_reads_and_writes_uses_their_register() {
    let machine = one_disk();
    let mut adapter = ready(&machine, 1);
    let kicks = |adapter: &mut Adapter, ops: &[Op]| {
        let before = machine.device().seen;
        for (cookie, op) in (0..).zip(ops) {
            let blocks = if *op == Op::Flush { 0 } else { 8 };
            adapter.submit(Q, &request(*op, 0, blocks, cookie)).unwrap();
        }
        adapter.ring_doorbell(Q);
        assert_eq!(reap_all(adapter).len(), ops.len());
        let after = machine.device().seen;
        (
            after.rw_kicks - before.rw_kicks,
            after.other_kicks - before.other_kicks,
        )
    };
    assert_eq!(
        kicks(&mut adapter, &[Op::Read, Op::Write, Op::WriteDurable]),
        (1, 0)
    );
    assert_eq!(
        kicks(&mut adapter, &[Op::Read, Op::Flush, Op::Write]),
        (0, 1)
    );
    assert_eq!(kicks(&mut adapter, &[Op::Read]), (1, 0));
}

#[test]
fn a_full_ring_says_so_and_goes_on_after_one_completion() {
    for pages in [1, 2, 4, 8] {
        let machine = one_disk();
        let mut adapter = ready(&machine, pages);
        machine.device().completing = super::super::fake::Completing::ByHand;
        let entries = u32::from(pages) * 32;
        submit_reads(&mut adapter, entries);
        assert_eq!(adapter.in_flight(), entries);
        assert_eq!(
            adapter.submit(Q, &read(0, 0)),
            Err(SubmitError::DoorbellDue)
        );
        adapter.ring_doorbell(Q);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
        // Not the oldest: its ring slot is free all the same.
        machine.device().complete(entries as usize / 2);
        let finished = reap_all(&mut adapter);
        assert_eq!(finished.len(), 1);
        assert_eq!(finished[0].cookie, entries / 2);
        let tag = adapter.submit(Q, &read(0, 77)).unwrap();
        assert_eq!(tag.slot(), finished[0].tag.slot());
        assert_ne!(tag, finished[0].tag);
        assert_eq!(adapter.submit(Q, &read(0, 0)), Err(SubmitError::Full));
        adapter.ring_doorbell(Q);
        while machine.device().complete(0) {}
        assert_eq!(reap_all(&mut adapter).len(), entries as usize);
        assert_clean(&machine);
    }
}
