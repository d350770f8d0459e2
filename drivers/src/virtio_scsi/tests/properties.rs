//! Any interleaving of submit, doorbell, reap and device steps, whatever the device
//! offers, and around the indices of this ring.

use super::bench::Qemu;
use super::*;
use crate::block::InterruptMode;
use crate::fake::scsi::{Completing, Fetching};
use crate::scsi::kit::properties::{MOST_QUEUES, Run, fetching, moves, play};
use proptest::prelude::*;

fn ready_at(machine: &Machine, first_index: u16) -> Adapter {
    let (quirks, options) = (Quirks::default(), Options::default());
    let hal = machine.clone();
    let mut adapter = VirtioScsi::start_at(
        hal,
        machine.mmio(),
        regions(),
        quirks,
        &options,
        first_index,
    )
    .unwrap();
    adapter.set_buffers(64, 65_536).unwrap();
    adapter
}

/// As the device is offered, or without indirect descriptors, or without event
/// indices.
fn offers() -> impl Strategy<Value = Offers> {
    let all = Offers::default();
    prop_oneof![
        Just(all),
        Just(direct(64)),
        Just(Offers {
            features: all.features & !(1 << 29),
            entries: 16,
            ..all
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn each_request_completes_once_with_its_data(
        script in moves(),
        fetching in fetching(),
        offers in offers(),
        suppress: bool,
        queues in 1..=MOST_QUEUES,
    ) {
        let offers = Offers { request_queues: u32::from(MOST_QUEUES), ..offers };
        let machine = offering(offers);
        let options = Options {
            kick_suppression: Some(suppress),
            queues: Some(queues),
            ..Options::default()
        };
        let adapter = ready_with(&machine, &options);
        play::<Qemu>(machine, adapter, fetching, &script);
    }

    #[test]
    fn so_it_does_across_the_wrap_of_the_index(
        script in moves(),
        fetching in fetching(),
        offers in offers(),
        before_wrap in 0..600u16,
    ) {
        let offers = Offers { indices_from_memory: true, ..offers };
        let machine = offering(offers);
        let first = 0u16.wrapping_sub(before_wrap);
        let adapter = ready_at(&machine, first);
        play::<Qemu>(machine, adapter, fetching, &script);
    }

    #[test]
    fn so_it_does_with_interrupts(
        script in moves(),
        fetching in fetching(),
        offers in offers(),
        queues in 1..=MOST_QUEUES,
    ) {
        let offers = Offers { request_queues: u32::from(MOST_QUEUES), ..offers };
        let machine = offering(offers);
        let options = Options { queues: Some(queues), ..Options::default() };
        let mut adapter = ready_with(&machine, &options);
        adapter.set_interrupts(InterruptMode::Message).unwrap();
        play::<Qemu>(machine, adapter, fetching, &script);
    }

    #[test]
    fn a_device_that_sleeps_and_polls_in_turn_loses_no_request(
        script in moves(),
        naps in proptest::collection::vec(any::<bool>(), 1..20),
    ) {
        for features in [0, 1 << 29] {
            let all = Offers::default();
            let machine = offering(Offers { features: all.features & !features, ..all });
            let adapter = ready(&machine);
            let mut run = Run::<Qemu>::new(machine.clone(), adapter, Fetching::OnStep(7));
            for (at, next) in script.iter().enumerate() {
                run.make(*next);
                machine.device().set_polling(naps[at % naps.len()]);
            }
            machine.device().set_polling(false);
            run.finish();
        }
    }

    #[test]
    fn no_used_entry_whatever_it_names_makes_the_driver_panic(
        heads in proptest::collection::vec(any::<u32>(), 1..20),
        small in proptest::collection::vec(0..300u32, 1..20),
        jump: u16,
        offers in offers(),
    ) {
        let machine = offering(offers);
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        submit_reads(&mut adapter, 15);
        adapter.ring_doorbell(Q);
        for head in heads.into_iter().chain(small) {
            machine.device().use_head(2, head);
            let _ = reap_all(&mut adapter);
        }
        machine.device().run_away(2, jump);
        let _ = reap_all(&mut adapter);
        prop_assert!(adapter.in_flight() <= 15);
    }

    #[test]
    fn no_event_whatever_its_words_makes_the_driver_panic(
        events in proptest::collection::vec(any::<(u32, u16, u32)>(), 1..40),
        jump: u16,
    ) {
        let machine = one_disk();
        let mut adapter = start(&machine);
        for (event, target, reason) in events {
            machine.device().tell(event, target, reason);
            adapter.take_disk_change().unwrap();
        }
        machine.device().run_away(1, jump);
        let _ = adapter.take_disk_change();
        machine.device().run_away(0, jump);
        let _ = adapter.reset_unit(crate::scsi::ScsiAddress { target: 0, lun: 0 });
        prop_assert_eq!(adapter.in_flight(), 0);
    }
}
