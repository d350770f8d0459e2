//! Any interleaving: every command completes once, and all data is exact.

use super::super::fake::{FakeNamespace, NvmeConfig};
use super::rig::{Rig, check, pattern, rig_with};
use crate::block::{
    BufferId, Completion, Controller, DiskId, Lba, Op, Options, QueueId, Request, SubmitError, Tag,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::vec;
use std::vec::Vec;

/// Blocks of a slot's own region on the disk, and bytes of its own buffer.
const REGION_BLOCKS: u64 = 64;
const BUFFER_BYTES: usize = 40 * 1024;

#[derive(Clone, Debug)]
enum Step {
    /// Queue, write or read, first block in the region, blocks, offset in blocks.
    Submit(u16, bool, u64, u32, u32),
    Ring(u16),
    Work,
    CompleteHeld(usize),
    Reap(u16, usize),
}

/// Most queues of a run; steps name one modulo how many there are.
const MOST_QUEUES: u16 = 4;

fn queue() -> impl Strategy<Value = u16> {
    0..12u16
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (queue(), any::<bool>(), 0..48u64, 1..16u32, 0..60u32)
            .prop_map(|(queue, write, lba, blocks, offset)| Step::Submit(queue, write, lba, blocks, offset)),
        2 => (queue()).prop_map(Step::Ring),
        3 => Just(Step::Work),
        4 => any::<usize>().prop_map(Step::CompleteHeld),
        3 => (queue(), 0..5usize).prop_map(|(queue, room)| Step::Reap(queue, room)),
    ];
    prop::collection::vec(step, 1..300)
}

/// What the test knows of one command in flight.
struct Open {
    request: Request,
    data: Vec<u8>,
}

/// The driver, and a model of the disk that needs no device.
struct Model {
    rig: Rig,
    queues: u16,
    open: HashMap<(u16, Tag), Open>,
    /// Regions that no command uses, so that order never matters.
    free: Vec<u32>,
    blocks: BTreeMap<u64, Vec<u8>>,
    cookie: u32,
}

impl Model {
    fn new(config: NvmeConfig, options: &Options, regions: u32) -> Self {
        let blocks = REGION_BLOCKS * u64::from(regions);
        let mut rig = rig_with(config, vec![FakeNamespace::new(1, blocks, 9)], options);
        rig.nvme.set_buffers(regions, BUFFER_BYTES).unwrap();
        Self {
            queues: rig.nvme.limits().queues,
            rig,
            open: HashMap::new(),
            free: (0..regions).collect(),
            blocks: BTreeMap::new(),
            cookie: 0,
        }
    }

    fn expected(&self, request: &Request) -> Vec<u8> {
        (request.lba.0..request.lba.0 + u64::from(request.blocks))
            .flat_map(|lba| {
                self.blocks
                    .get(&lba)
                    .cloned()
                    .unwrap_or_else(|| vec![0; 512])
            })
            .collect()
    }

    fn submit(&mut self, queue: u16, write: bool, lba: u64, blocks: u32, offset: u32) {
        let Some(region) = self.free.pop() else {
            return;
        };
        self.cookie += 1;
        let request = Request {
            disk: DiskId(0),
            op: if write { Op::Write } else { Op::Read },
            lba: Lba(u64::from(region) * REGION_BLOCKS + lba),
            blocks,
            buffer: BufferId(region),
            buffer_offset_bytes: offset * 512,
            cookie: self.cookie,
        };
        let data = if write {
            pattern(request.lba.0, blocks.into(), 512, self.cookie.into())
        } else {
            self.expected(&request)
        };
        let filled = if write {
            data.clone()
        } else {
            vec![0xee; data.len()]
        };
        self.rig
            .nvme
            .fill_buffer(request.buffer, offset as usize * 512, &filled);
        match self.rig.nvme.submit(QueueId(queue), &request) {
            Ok(tag) => {
                let twice = self.open.insert((queue, tag), Open { request, data });
                assert!(twice.is_none(), "two commands in flight with one tag");
            }
            Err(error) => {
                assert_eq!(error, SubmitError::Full);
                let depth = self.open.keys().filter(|(open, _)| *open == queue).count();
                assert_eq!(depth as u32, self.rig.nvme.limits().max_in_flight);
                self.free.push(region);
            }
        }
    }

    fn reap(&mut self, queue: u16, room: usize) -> usize {
        let mut out = vec![Completion::EMPTY; room];
        let found = self.rig.nvme.reap(QueueId(queue), &mut out);
        for done in &out[..found] {
            let open = self
                .open
                .remove(&(queue, done.tag))
                .expect("a command in flight");
            assert!(done.status.is_ok());
            assert_eq!(done.cookie, open.request.cookie);
            if open.request.op == Op::Write {
                for (index, block) in open.data.chunks(512).enumerate() {
                    self.blocks
                        .insert(open.request.lba.0 + index as u64, block.to_vec());
                }
            } else {
                let mut back = vec![0; open.data.len()];
                let at = open.request.buffer_offset_bytes as usize;
                self.rig
                    .nvme
                    .read_buffer(open.request.buffer, at, &mut back);
                assert!(back == open.data, "{:?} read something else", open.request);
            }
            self.free.push(open.request.buffer.0);
        }
        found
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Submit(queue, write, lba, blocks, offset) => {
                self.submit(queue % self.queues, write, lba, blocks, offset);
            }
            Step::Ring(queue) => self.rig.nvme.ring_doorbell(QueueId(queue % self.queues)),
            Step::Work => self.rig.hal.step(),
            Step::CompleteHeld(index) => {
                let mut device = self.rig.hal.device();
                let held = device.held();
                if held > 0 {
                    device.complete_held(index % held);
                }
            }
            Step::Reap(queue, room) => {
                self.reap(queue % self.queues, room);
            }
        }
        assert_eq!(self.rig.nvme.in_flight() as usize, self.open.len());
    }

    /// Rings, and works until nothing is in flight; the medium then equals the model.
    fn finish(mut self) {
        for queue in 0..self.queues {
            self.rig.nvme.ring_doorbell(QueueId(queue));
        }
        self.rig.hal.device().hold = false;
        for _ in 0..4 {
            self.rig.hal.step();
            while self.rig.hal.device().held() > 0 {
                self.rig.hal.device().complete_held(0);
            }
            for queue in 0..self.queues {
                while self.reap(queue, 3) > 0 {}
            }
        }
        assert_eq!(self.open.len(), 0, "commands that never completed");
        let all = self.rig.nvme.accesses();
        assert_eq!(all.bad_completions, 0);
        let (mut submit, mut completion) = (0, 0);
        for queue in 0..self.queues {
            let of = self.rig.nvme.queue_doorbells(QueueId(queue));
            submit += of.submit;
            completion += of.completion;
        }
        assert_eq!(
            (submit, completion),
            (all.submit_doorbells, all.completion_doorbells)
        );
        let device = self.rig.hal.device();
        for (lba, block) in &self.blocks {
            let mut medium = vec![0; 512];
            device.namespaces[0].store.read(*lba, &mut medium);
            assert!(medium == *block, "block {lba} differs on the medium");
        }
        drop(device);
        check(&self.rig.hal);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn every_command_completes_once_with_its_data(
        steps in steps(),
        entries in 2..9u32,
        shadow in any::<bool>(),
        immediate in any::<bool>(),
        hold in any::<bool>(),
        wants_heads in any::<bool>(),
        stride in 0..5u8,
        queues in 1..=MOST_QUEUES,
    ) {
        let config = NvmeConfig {
            immediate,
            wants_heads,
            doorbell_stride: stride,
            ..NvmeConfig::default()
        };
        let options = Options {
            queue_entries: Some(entries),
            queues: Some(queues),
            shadow_doorbells: Some(shadow),
            ..Options::default()
        };
        let mut model = Model::new(config, &options, 20);
        model.rig.hal.device().hold = hold;
        for step in &steps {
            model.step(step);
        }
        model.finish();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn lengths_up_to_5_mib_arrive_exactly(
        commands in prop::collection::vec((any::<bool>(), 0..2000u64, 1..10_241u32, 0..2048u32), 1..6),
    ) {
        let config = NvmeConfig { mdts: 0, max_pages: usize::MAX, ..NvmeConfig::default() };
        let disk = FakeNamespace::new(1, 20_000, 9);
        let mut rig = rig_with(config, vec![disk], &Options::default());
        rig.nvme.set_buffers(1, 6 << 20).unwrap();
        let mut medium = vec![0; 20_000 * 512];
        for (seed, (write, lba, blocks, offset)) in commands.into_iter().enumerate() {
            let request = Request {
                disk: DiskId(0),
                op: if write { Op::Write } else { Op::Read },
                lba: Lba(lba),
                blocks,
                buffer: BufferId(0),
                buffer_offset_bytes: offset * 512,
                cookie: seed as u32,
            };
            let at = lba as usize * 512;
            let range = at..at + blocks as usize * 512;
            if write {
                let data = pattern(lba, blocks.into(), 512, seed as u64);
                rig.nvme.fill_buffer(BufferId(0), offset as usize * 512, &data);
                medium[range.clone()].copy_from_slice(&data);
            }
            assert!(rig.run(&request).status.is_ok());
            let mut back = vec![0; range.len()];
            rig.nvme.read_buffer(BufferId(0), offset as usize * 512, &mut back);
            assert!(back == medium[range], "{request:?}");
        }
        rig.check();
    }
}
