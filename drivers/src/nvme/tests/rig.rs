//! A machine with one model, and what most tests do with it.

use super::super::fake::{FakeNamespace, FakeNvme, NvmeConfig};
use super::super::{Nvme, Quirks};
use crate::block::{
    BufferId, Completion, Controller, ControllerError, DiskId, Lba, Op, Options, QueueId, Request,
};
use crate::fake::FakeHal;
use std::vec;
use std::vec::Vec;

pub(super) type Hal = FakeHal<FakeNvme>;

/// First queue.
pub(super) const Q: QueueId = QueueId(0);

pub(super) struct Rig {
    pub(super) hal: Hal,
    pub(super) nvme: Nvme<Hal>,
}

pub(super) fn machine(config: NvmeConfig, namespaces: Vec<FakeNamespace>) -> Hal {
    FakeHal::new(|memory| FakeNvme::new(memory, config, namespaces))
}

/// One namespace of 64 MiB in 512-byte blocks.
pub(super) fn one_disk() -> Vec<FakeNamespace> {
    vec![FakeNamespace::new(1, 131_072, 9)]
}

pub(super) fn start(hal: &Hal, options: &Options) -> Result<Nvme<Hal>, ControllerError> {
    Nvme::start(hal.clone(), hal.mmio(), Quirks::default(), options)
}

/// Options without shadow doorbells.
pub(super) fn plain() -> Options {
    Options {
        shadow_doorbells: Some(false),
        ..Options::default()
    }
}

pub(super) fn rig(config: NvmeConfig, options: &Options) -> Rig {
    rig_with(config, one_disk(), options)
}

pub(super) fn rig_with(
    config: NvmeConfig,
    namespaces: Vec<FakeNamespace>,
    options: &Options,
) -> Rig {
    let hal = machine(config, namespaces);
    let nvme = start(&hal, options).unwrap();
    Rig { hal, nvme }
}

/// A read of one block at 0 into buffer 0.
pub(super) fn request() -> Request {
    Request {
        disk: DiskId(0),
        op: Op::Read,
        lba: Lba(0),
        blocks: 1,
        buffer: BufferId(0),
        buffer_offset_bytes: 0,
        cookie: 7,
    }
}

impl Rig {
    /// Nothing was broken by the driver, and no memory touched that is not its own.
    pub(super) fn check(&self) {
        check(&self.hal);
    }

    /// Runs one command to its end.
    pub(super) fn run(&mut self, request: &Request) -> Completion {
        let tag = self.nvme.submit(Q, request).unwrap();
        self.nvme.ring_doorbell(Q);
        self.hal.step();
        let mut out = [Completion::EMPTY; 2];
        assert_eq!(self.nvme.reap(Q, &mut out), 1);
        assert_eq!(out[0].tag, tag);
        assert_eq!(out[0].cookie, request.cookie);
        out[0]
    }

    /// Submits `count` commands like `request` and rings once.
    pub(super) fn send(&mut self, count: u32, request: &Request) {
        for _ in 0..count {
            self.nvme.submit(Q, request).unwrap();
        }
        self.nvme.ring_doorbell(Q);
    }

    /// Reaps all that is there.
    pub(super) fn reap(&mut self) -> Vec<Completion> {
        let mut out = vec![Completion::EMPTY; 4096];
        let found = self.nvme.reap(Q, &mut out);
        out.truncate(found);
        out
    }
}

pub(super) fn check(hal: &Hal) {
    assert_eq!(hal.device().violations(), [""; 0]);
    assert_eq!(hal.memory().violations(), []);
}

/// `blocks` blocks whose every byte depends on block address and place.
pub(super) fn pattern(lba: u64, blocks: u64, block_bytes: usize, seed: u64) -> Vec<u8> {
    let mut data = Vec::with_capacity(blocks as usize * block_bytes);
    for block in lba..lba + blocks {
        for word in 0..block_bytes as u64 / 8 {
            let value = (block << 20 | word).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed;
            data.extend_from_slice(&value.to_le_bytes());
        }
    }
    data
}
