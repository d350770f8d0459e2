//! Any interleaving of submit, doorbell, reap and device steps.

use super::{Bench, Machine, Model, request};
use crate::block::{
    BufferId, Completion, Controller, Health, Op, QueueId, Status, SubmitError, Tag,
};
use crate::fake::scsi::{Completing, Fetching};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use proptest::prelude::*;

/// Most queues of a run.
pub(crate) const MOST_QUEUES: u16 = 4;

/// One move of a run. A queue is named modulo how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Move {
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

pub(crate) fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        3 => (queue(), 1..40u8).prop_map(|(queue, count)| Move::Submit(queue, count)),
        2 => queue().prop_map(Move::Doorbell),
        3 => (queue(), 0..40u8).prop_map(|(queue, room)| Move::Reap(queue, room)),
        2 => Just(Move::Step),
        4 => any::<u8>().prop_map(Move::Complete),
    ];
    proptest::collection::vec(one, 1..200)
}

pub(crate) fn fetching() -> impl Strategy<Value = Fetching> {
    prop_oneof![
        Just(Fetching::AtKick),
        (1..20usize).prop_map(Fetching::OnStep)
    ]
}

/// What the test expects of a run.
pub(crate) struct Run<B: Bench> {
    machine: Machine<B>,
    adapter: B::Adapter,
    /// By cookie: the block the command touches.
    open: BTreeMap<u32, u64>,
    /// By queue and slot in flight, so that tags are seen to differ.
    tags: BTreeMap<(QueueId, usize), Tag>,
    next_cookie: u32,
    finished: u32,
}

impl<B: Bench> Run<B> {
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
            device.bus().unit(0, 0).store.read(lba, &mut head);
            assert_eq!(
                u64::from_le_bytes(head),
                lba ^ 0xa5a5,
                "data of another command"
            );
            self.finished += 1;
        }
        assert_eq!(self.adapter.in_flight() as usize, self.open.len());
    }

    pub(crate) fn make(&mut self, next: Move) {
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
    pub(crate) fn finish(mut self) {
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
            device.bus().unit(0, 0).counts.writes,
            u64::from(self.next_cookie)
        );
        drop(device);
        B::assert_clean(&self.machine);
    }
}

impl<B: Bench> Run<B> {
    pub(crate) fn new(machine: Machine<B>, adapter: B::Adapter, fetching: Fetching) -> Self {
        machine.device().set_completing(Completing::ByHand);
        machine.device().set_fetching(fetching);
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

pub(crate) fn play<B: Bench>(
    machine: Machine<B>,
    adapter: B::Adapter,
    fetching: Fetching,
    script: &[Move],
) {
    let mut run = Run::<B>::new(machine, adapter, fetching);
    for next in script {
        run.make(*next);
    }
    run.finish();
}
