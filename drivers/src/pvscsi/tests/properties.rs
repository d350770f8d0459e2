//! Any interleaving of submit, doorbell, reap and device steps.

use super::super::fake::{Completing, Fetching};
use super::*;
use crate::block::{Health, SubmitError};
use alloc::collections::BTreeMap;
use proptest::prelude::*;

/// One move of a run.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// Submit up to so many.
    Submit(u8),
    Doorbell,
    /// Reap with room for so many.
    Reap(u8),
    /// The device fetches.
    Step,
    /// The device completes its nth open command.
    Complete(u8),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        3 => (1..40u8).prop_map(Move::Submit),
        2 => Just(Move::Doorbell),
        3 => (0..40u8).prop_map(Move::Reap),
        2 => Just(Move::Step),
        4 => any::<u8>().prop_map(Move::Complete),
    ];
    proptest::collection::vec(one, 1..200)
}

fn fetching() -> impl Strategy<Value = Fetching> {
    prop_oneof![
        Just(Fetching::AtKick),
        (1..20usize).prop_map(Fetching::OnStep)
    ]
}

/// What the test expects of a run.
struct Run {
    machine: Machine,
    adapter: Adapter,
    /// By cookie: the block the command touches.
    open: BTreeMap<u32, u64>,
    /// By slot in flight, so that tags are seen to differ.
    tags: BTreeMap<usize, Tag>,
    next_cookie: u32,
    finished: u32,
}

impl Run {
    /// Writes its own number to its own block, from a buffer that no other
    /// command in flight uses.
    fn submit(&mut self) -> bool {
        let cookie = self.next_cookie;
        let busy: Vec<u32> = self.open.keys().map(|cookie| cookie % 64).collect();
        if busy.contains(&(cookie % 64)) {
            return false;
        }
        let lba = u64::from(cookie);
        let mut block = [0; 512];
        block[..8].copy_from_slice(&(lba ^ 0xa5a5).to_le_bytes());
        self.adapter.fill_buffer(BufferId(cookie % 64), 0, &block);
        match self.adapter.submit(Q, &request(Op::Write, lba, 1, cookie)) {
            Ok(tag) => {
                assert_eq!(
                    self.tags.insert(tag.slot(), tag),
                    None,
                    "slot in flight given again"
                );
                self.open.insert(cookie, lba);
                self.next_cookie += 1;
                true
            }
            Err(SubmitError::Full | SubmitError::DoorbellDue) => false,
            Err(error) => panic!("{error:?}"),
        }
    }

    fn reap(&mut self, room: usize) {
        let mut out = alloc::vec![Completion::EMPTY; room];
        let count = self.adapter.reap(Q, &mut out);
        for done in &out[..count] {
            assert_eq!(done.status, Status::Ok);
            assert_eq!(
                self.tags.remove(&done.tag.slot()),
                Some(done.tag),
                "not in flight"
            );
            let lba = self.open.remove(&done.cookie).expect("completed twice");
            let mut head = [0; 8];
            let mut device = self.machine.device();
            device.bus.unit(0, 0).store.read(lba, &mut head);
            assert_eq!(
                u64::from_le_bytes(head),
                lba ^ 0xa5a5,
                "data of another command"
            );
            self.finished += 1;
        }
        assert_eq!(self.adapter.in_flight() as usize, self.open.len());
    }

    fn make(&mut self, next: Move) {
        match next {
            Move::Submit(count) => {
                for _ in 0..count {
                    if !self.submit() {
                        break;
                    }
                }
            }
            Move::Doorbell => self.adapter.ring_doorbell(Q),
            Move::Reap(room) => self.reap(usize::from(room)),
            Move::Step => self.machine.step(),
            Move::Complete(nth) => {
                let mut device = self.machine.device();
                let open = device.open();
                if open > 0 {
                    device.complete(usize::from(nth) % open);
                }
            }
        }
    }

    /// Ends everything, and looks at the whole.
    fn finish(mut self) {
        while self.adapter.in_flight() > 0 {
            let before = self.finished;
            self.make(Move::Doorbell);
            for _ in 0..100 {
                self.make(Move::Step);
            }
            while self.machine.device().complete(0) {}
            self.reap(64);
            assert!(self.finished > before, "a command was lost");
        }
        assert_eq!(self.finished, self.next_cookie);
        assert_eq!(self.adapter.health(), Health::Ok);
        let mut device = self.machine.device();
        assert_eq!(
            device.bus.unit(0, 0).counts.writes,
            u64::from(self.next_cookie)
        );
        drop(device);
        assert_clean(&self.machine);
    }
}

fn play(machine: Machine, adapter: Adapter, fetching: Fetching, script: &[Move]) {
    machine.device().completing = Completing::ByHand;
    machine.device().fetching = fetching;
    let mut run = Run {
        machine,
        adapter,
        open: BTreeMap::new(),
        tags: BTreeMap::new(),
        next_cookie: 0,
        finished: 0,
    };
    for next in script {
        run.make(*next);
    }
    run.finish();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn each_request_completes_once_with_its_data(script in moves(), fetching in fetching()) {
        let machine = one_disk();
        let adapter = ready(&machine, 1);
        play(machine, adapter, fetching, &script);
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
        play(machine, adapter, fetching, &script);
    }

    #[test]
    fn so_it_does_while_rings_are_renewed(script in moves(), fetching in fetching()) {
        let machine = one_disk();
        let adapter = start_at(&machine, 1, ages(0, 20, 50));
        play(machine, adapter, fetching, &script);
    }

    #[test]
    fn so_it_does_without_kicks(script in moves(), threshold in 0..40u32) {
        let machine = esxi(ScsiBus::with_disk(1 << 21, 512));
        let adapter = ready(&machine, 1);
        machine.device().set_call_threshold(threshold);
        play(machine, adapter, Fetching::OnStep(7), &script);
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
