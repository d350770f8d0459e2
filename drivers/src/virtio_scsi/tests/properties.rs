//! Any interleaving of submit, doorbell, reap and device steps.

use super::super::fake::{Completing, Fetching};
use super::*;
use crate::block::{Health, InterruptMode, SubmitError};
use alloc::collections::BTreeMap;
use proptest::prelude::*;

/// Most queues of a run.
const MOST_QUEUES: u16 = 4;

/// One move of a run. A queue is named modulo how many there are.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// Submit to a queue, up to so many.
    Submit(u16, u8),
    Doorbell(u16),
    /// Reap a queue, with room for so many.
    Reap(u16, u8),
    /// The device fetches.
    Step,
    /// The device completes its nth open command.
    Complete(u8),
}

fn queue() -> impl Strategy<Value = u16> {
    0..12u16
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        3 => (queue(), 1..40u8).prop_map(|(queue, count)| Move::Submit(queue, count)),
        2 => queue().prop_map(Move::Doorbell),
        3 => (queue(), 0..40u8).prop_map(|(queue, room)| Move::Reap(queue, room)),
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
    /// By queue and slot in flight, so that tags are seen to differ.
    tags: BTreeMap<(QueueId, usize), Tag>,
    next_cookie: u32,
    finished: u32,
}

impl Run {
    /// Writes its own number to its own block, from a buffer that no other
    /// command in flight uses.
    fn submit(&mut self, queue: QueueId) -> bool {
        let cookie = self.next_cookie;
        let busy: Vec<u32> = self.open.keys().map(|cookie| cookie % 64).collect();
        if busy.contains(&(cookie % 64)) {
            return false;
        }
        let lba = u64::from(cookie);
        let mut block = [0; 512];
        block[..8].copy_from_slice(&(lba ^ 0xa5a5).to_le_bytes());
        self.adapter.fill_buffer(BufferId(cookie % 64), 0, &block);
        let asked = request(Op::Write, lba, 1, cookie);
        match self.adapter.submit(queue, &asked) {
            Ok(tag) => {
                assert_eq!(
                    self.tags.insert((queue, tag.slot()), tag),
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

    fn queue(&self, named: u16) -> QueueId {
        QueueId(named % self.adapter.limits().queues)
    }

    fn reap(&mut self, queue: QueueId, room: usize) {
        let mut out = alloc::vec![Completion::EMPTY; room];
        let count = self.adapter.reap(queue, &mut out);
        for done in &out[..count] {
            assert_eq!(done.status, Status::Ok);
            assert_eq!(
                self.tags.remove(&(queue, done.tag.slot())),
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
            Move::Submit(queue, count) => {
                for _ in 0..count {
                    if !self.submit(self.queue(queue)) {
                        break;
                    }
                }
            }
            Move::Doorbell(queue) => self.adapter.ring_doorbell(self.queue(queue)),
            Move::Reap(queue, room) => self.reap(self.queue(queue), usize::from(room)),
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
            for queue in 0..MOST_QUEUES {
                self.make(Move::Doorbell(queue));
            }
            for _ in 0..100 {
                self.make(Move::Step);
            }
            while self.machine.device().complete(0) {}
            for queue in 0..self.adapter.limits().queues {
                self.reap(QueueId(queue), 64);
            }
            assert!(self.finished > before, "a command was lost");
        }
        assert_eq!(self.finished, self.next_cookie);
        assert_eq!(self.adapter.health(), Health::Ok);
        let kicks = |at| self.adapter.queue_doorbells(QueueId(at)).submit;
        let of_queues: u64 = (0..self.adapter.limits().queues).map(kicks).sum();
        assert_eq!(of_queues, self.adapter.accesses().submit_doorbells);
        let mut device = self.machine.device();
        assert_eq!(
            device.bus.unit(0, 0).counts.writes,
            u64::from(self.next_cookie)
        );
        drop(device);
        assert_clean(&self.machine);
    }
}

impl Run {
    fn new(machine: Machine, adapter: Adapter, fetching: Fetching) -> Self {
        machine.device().completing = Completing::ByHand;
        machine.device().fetching = fetching;
        Self {
            machine,
            adapter,
            open: BTreeMap::new(),
            tags: BTreeMap::new(),
            next_cookie: 0,
            finished: 0,
        }
    }
}

fn play(machine: Machine, adapter: Adapter, fetching: Fetching, script: &[Move]) {
    let mut run = Run::new(machine, adapter, fetching);
    for next in script {
        run.make(*next);
    }
    run.finish();
}

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
        play(machine, adapter, fetching, &script);
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
        play(machine, adapter, fetching, &script);
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
        play(machine, adapter, fetching, &script);
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
            let mut run = Run::new(machine, adapter, Fetching::OnStep(7));
            for (at, next) in script.iter().enumerate() {
                run.make(*next);
                run.machine.device().set_polling(naps[at % naps.len()]);
            }
            run.machine.device().set_polling(false);
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
