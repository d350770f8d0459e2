//! Any interleaving of submit, doorbell, reap and device steps, around the indices of
//! this ring.

use super::bench::Qemu;
use super::*;
use crate::fake::scsi::{Completing, Fetching};
use crate::scsi::kit::properties::{fetching, moves, play};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn each_request_completes_once_with_its_data(script in moves(), fetching in fetching()) {
        let machine = one_disk();
        let adapter = ready(&machine, 1);
        play::<Qemu>(machine, adapter, fetching, &script);
    }

    #[test]
    fn so_it_does_across_the_wrap_of_the_index(
        script in moves(),
        fetching in fetching(),
        before_wrap in 0..600u32,
    ) {
        let machine = esxi(ScsiBus::with_disk(1 << 21, 512));
        let first = 0u32.wrapping_sub(200 + before_wrap);
        let adapter = start_at(&machine, 1, ages(first, u32::MAX, u32::MAX));
        play::<Qemu>(machine, adapter, fetching, &script);
    }

    #[test]
    fn so_it_does_while_rings_are_renewed(script in moves(), fetching in fetching()) {
        let machine = one_disk();
        let adapter = start_at(&machine, 1, ages(0, 20, 50));
        play::<Qemu>(machine, adapter, fetching, &script);
    }

    #[test]
    fn so_it_does_without_kicks(script in moves(), threshold in 0..40u32) {
        let machine = esxi(ScsiBus::with_disk(1 << 21, 512));
        let adapter = ready(&machine, 1);
        machine.device().set_call_threshold(threshold);
        play::<Qemu>(machine, adapter, Fetching::OnStep(7), &script);
    }

    #[test]
    fn no_completion_whatever_its_words_makes_the_driver_panic(
        words in proptest::collection::vec(any::<u64>(), 1..20),
        jump: u32,
    ) {
        let machine = one_disk();
        let mut adapter = ready(&machine, 1);
        machine.device().completing = Completing::ByHand;
        submit_reads(&mut adapter, 20);
        adapter.ring_doorbell(Q);
        for word in words {
            machine.device().post_context(word);
        }
        let _ = reap_all(&mut adapter);
        machine.device().run_away(jump);
        let _ = reap_all(&mut adapter);
        prop_assert!(adapter.in_flight() <= 20);
    }
}
