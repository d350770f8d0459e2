//! Any interleaving of submit, reap, aborts and device steps.

use super::support::*;
use crate::hal::BusAddr;
use alloc::collections::BTreeMap;
use proptest::prelude::*;

/// One move of a run.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// Submit up to so many.
    Submit(u8),
    /// Reap with room for so many.
    Reap(u8),
    /// What was submitted is posted.
    Ring,
    /// The device fetches.
    Step,
    /// The device completes its nth open command.
    Complete(u8),
    /// The nth command in flight is to be aborted.
    Abort(u8),
    /// The device sends an event.
    Event,
    /// The next command fails.
    Fail(u8),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => (1..60u8).prop_map(Move::Submit),
        4 => (0..40u8).prop_map(Move::Reap),
        4 => Just(Move::Ring),
        3 => Just(Move::Step),
        6 => any::<u8>().prop_map(Move::Complete),
        1 => any::<u8>().prop_map(Move::Abort),
        1 => Just(Move::Event),
        1 => any::<u8>().prop_map(Move::Fail),
    ];
    proptest::collection::vec(one, 1..150)
}

fn fetching() -> impl Strategy<Value = Fetching> {
    prop_oneof![
        Just(Fetching::AtPost),
        (1..20usize).prop_map(Fetching::OnStep)
    ]
}

/// What the test expects of a run.
struct Run {
    machine: Machine,
    adapter: Adapter,
    /// By cookie: the tag.
    open: BTreeMap<u32, Tag>,
    next_cookie: u32,
    finished: u32,
}

fn key(lba: u64) -> u64 {
    lba ^ 0xa5a5
}

impl Run {
    /// Writes its own number to its own block, from a buffer that no other
    /// command in flight uses.
    fn submit(&mut self) -> bool {
        let cookie = self.next_cookie;
        if self
            .open
            .keys()
            .any(|open| open % BUFFERS == cookie % BUFFERS)
        {
            return false;
        }
        let lba = u64::from(cookie);
        let mut block = [0; 512];
        block[..8].copy_from_slice(&key(lba).to_le_bytes());
        self.adapter
            .fill_buffer(BufferId(cookie % BUFFERS), 0, &block);
        match self.adapter.submit(Q, &request(Op::Write, lba, 1, cookie)) {
            Ok(tag) => {
                let given = self.open.values().any(|open| open.slot() == tag.slot());
                assert!(!given, "slot in flight given again");
                self.open.insert(cookie, tag);
                self.next_cookie += 1;
                true
            }
            Err(SubmitError::Full) => false,
            Err(error) => panic!("{error:?}"),
        }
    }

    fn reap(&mut self, room: usize) {
        let mut out = alloc::vec![Completion::EMPTY; room];
        let count = self.adapter.reap(Q, &mut out);
        for done in &out[..count] {
            let tag = self.open.remove(&done.cookie).expect("completed twice");
            assert_eq!(tag, done.tag);
            let mut head = [0; 8];
            let lba = u64::from(done.cookie);
            let mut device = self.machine.device();
            device.bus.unit(0, 0).store.read(lba, &mut head);
            let expected = match done.status {
                Status::Ok => key(lba),
                Status::Busy | Status::Check(_) | Status::Aborted => 0,
                other => panic!("{other:?}"),
            };
            assert_eq!(
                u64::from_le_bytes(head),
                expected,
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
            Move::Reap(room) => self.reap(usize::from(room)),
            Move::Ring => self.adapter.ring_doorbell(Q),
            Move::Step => self.machine.step(),
            Move::Complete(nth) => {
                let mut device = self.machine.device();
                let open = device.open();
                if open > 0 {
                    device.complete(usize::from(nth) % open);
                }
            }
            Move::Abort(nth) => {
                let tags: Vec<Tag> = self.open.values().copied().collect();
                if let Some(tag) = tags.get(usize::from(nth) % tags.len().max(1)) {
                    self.adapter.abort(Q, *tag).unwrap();
                }
            }
            // QEMU has no frame to spare for events, and sends none.
            Move::Event => {
                let mut device = self.machine.device();
                if !device.quirks.faults_without_frame {
                    device.send_event(0x0f, false);
                }
            }
            Move::Fail(kind) => {
                let kind =
                    [FaultKind::Status(0x28), FaultKind::Check(3, 0x11, 0)][usize::from(kind % 2)];
                self.machine.device().bus.unit(0, 0).plant(Fault {
                    when: FaultWhen::Any,
                    kind,
                    times: 1,
                });
            }
        }
    }

    /// Ends everything, and looks at the whole.
    fn finish(mut self) {
        let mut passes = 0;
        self.make(Move::Ring);
        while self.adapter.in_flight() > 0 || passes < 500 {
            self.make(Move::Step);
            while self.machine.device().complete(0) {}
            self.reap(64);
            passes += 1;
            assert!(passes < 5_000, "a command was lost");
        }
        assert_eq!(self.finished, self.next_cookie);
        assert_eq!(self.adapter.health(), Health::Ok);
        assert!(self.machine.device().seen.most_outstanding <= 128);
        assert_clean(&self.machine);
        assert_frames_home(&self.machine);
    }
}

fn play(machine: Machine, fetching: Fetching, script: &[Move]) {
    let adapter = ready(&machine);
    machine.device().completing = Completing::ByHand;
    machine.device().fetching = fetching;
    let mut run = Run {
        machine,
        adapter,
        open: BTreeMap::new(),
        next_cookie: 0,
        finished: 0,
    };
    for next in script {
        run.make(*next);
    }
    run.finish();
}

/// A machine whose memory starts `pages` below a multiple of 4 GiB.
fn near_a_window(pages: u64) -> Machine {
    let base = BusAddr((7 << 32) - pages * 4096);
    let build = |memory: &FakeMemory| MptModel::new(memory, disk_bus());
    FakeHal::on(FakeMemory::starting_at(base), FakeClock::default(), build)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_request_completes_once_with_its_data(
        script in moves(),
        fetching in fetching(),
        pages in 0..40u64,
    ) {
        play(near_a_window(pages), fetching, &script);
    }

    #[test]
    fn so_it_does_when_every_reply_takes_a_frame(script in moves(), fetching in fetching()) {
        let machine = one_disk();
        machine.device().quirks.context_replies = false;
        play(machine, fetching, &script);
    }

    #[test]
    fn so_it_does_with_firmware(script in moves(), fetching in fetching()) {
        play(firmware(disk_bus()), fetching, &script);
    }

    #[test]
    fn no_reply_whatever_its_value_makes_the_driver_panic(
        values in proptest::collection::vec(any::<u32>(), 1..20),
        frame in any::<[u8; 2]>(),
        context: u32,
    ) {
        let machine = one_disk();
        let mut adapter = ready(&machine);
        machine.device().completing = Completing::ByHand;
        submit_reads(&mut adapter, 20);
        for value in values {
            machine.device().post_reply(value);
        }
        machine.device().reply_with(frame[0], context);
        let _ = reap_all(&machine, &mut adapter);
        let _ = reap_all(&machine, &mut adapter);
        prop_assert!(adapter.in_flight() <= 20);
        prop_assert_eq!(machine.memory().violations(), []);
    }
}
