//! Used entries that are none.

use super::super::fake::Completing;
use super::bench::Qemu;
use super::*;
use crate::block::Health;
use crate::scsi::kit::trouble::{assert_lying, assert_recovers};

#[test]
fn a_head_of_no_slot_is_not_believed() {
    for (offers, heads) in [
        (Offers::default(), &[128, 255, 256, 65_536, u32::MAX][..]),
        (direct(64), &[1, 2, 4, 63, 64, 1 << 31][..]),
    ] {
        for head in heads {
            let machine = offering(offers);
            let mut adapter = ready(&machine);
            machine.device().completing = Completing::ByHand;
            submit_reads(&mut adapter, 3);
            adapter.ring_doorbell(Q);
            machine.device().use_head(2, *head);
            assert_eq!(reap_all(&mut adapter), []);
            assert_eq!(adapter.in_flight(), 3);
            assert_eq!(adapter.health(), Health::Lying("used entry of no slot"));
            assert_lying(&mut adapter, 1);
            assert_recovers::<Qemu>(&machine, &mut adapter);
        }
    }
}

#[test]
fn a_completion_without_a_response_is_not_believed() {
    for offers in [Offers::default(), direct(64)] {
        let machine = offering(offers);
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        let tag = submit_reads(&mut adapter, 1)[0];
        adapter.ring_doorbell(Q);
        let stride = if machine.device().seen.indirect == 0 {
            3
        } else {
            1
        };
        machine.device().use_head(2, tag.slot() as u32 * stride);
        assert_eq!(reap_all(&mut adapter), []);
        assert_eq!(adapter.in_flight(), 1);
        assert_eq!(
            adapter.health(),
            Health::Lying("completion without a response")
        );
    }
}
