//! The driver and its device model for the kit.

use super::{Adapter, Machine, Offers, VirtioModel, assert_clean, direct, try_start};
use crate::block::{ControllerError, Options, Tag};
use crate::fake::FakeMemory;
use crate::fake::scsi::{Completing, Fetching, ScsiBus};
use crate::scsi::kit::{Bench, Model};

/// On the device of QEMU.
pub(super) struct Qemu;
/// On one without indirect descriptors.
pub(super) struct Direct;

/// Of the first request queue.
const QUEUE: usize = 2;

fn entries(count: u32) -> Options {
    Options {
        queue_entries: Some(count),
        ..Options::default()
    }
}

/// Makes a bench of each device, which differ in what they offer alone.
macro_rules! benches {
    ($($bench:ident: $offers:expr;)*) => {
        $(impl Bench for $bench {
            type Model = VirtioModel;
            type Adapter = Adapter;

            const TOO_MANY: [u32; 4] = [4, 129, 1 << 15, u16::MAX as u32];
            const MUTE_START_NS: u64 = 13_000_000_000;

            fn other_ring() -> Options {
                entries(16)
            }

            fn no_ring() -> (Options, ControllerError) {
                let refused = ControllerError::BadOption {
                    what: "queue_entries",
                    value: 3,
                };
                (entries(3), refused)
            }

            fn device(memory: &FakeMemory, bus: ScsiBus) -> VirtioModel {
                VirtioModel::with(memory, bus, $offers)
            }

            fn start(machine: &Machine) -> Result<Adapter, ControllerError> {
                try_start(machine, &Options::default())
            }

            fn assert_clean(machine: &Machine) {
                assert_clean(machine);
            }
        })*
    };
}

benches! {
    Qemu: Offers::default();
    Direct: direct(256);
}

impl Model for VirtioModel {
    fn bus(&mut self) -> &mut ScsiBus {
        &mut self.bus
    }

    fn set_completing(&mut self, completing: Completing) {
        self.completing = completing;
    }

    fn set_fetching(&mut self, fetching: Fetching) {
        self.fetching = fetching;
    }

    fn set_mute(&mut self, mute: bool) {
        self.mute = mute;
    }

    fn leave_old_sense(&mut self) {
        self.leaves_sense = true;
    }

    fn complete(&mut self, nth: usize) -> bool {
        Self::complete(self, nth)
    }

    fn open(&self) -> usize {
        Self::open(self)
    }

    fn fetched(&self) -> u64 {
        self.seen.requests
    }

    fn longest_bytes(&self) -> u64 {
        self.seen.longest_bytes
    }

    fn is_off(&self) -> bool {
        self.device_status() == 0 && self.queue_entries(QUEUE) == 0
    }

    fn run_away(&mut self, count: u32) {
        Self::run_away(self, QUEUE, count as u16);
    }

    fn tell_again(&mut self) {
        let last = self.last_head();
        self.use_head(QUEUE, last);
    }

    fn tell_of_none(&mut self) {
        self.use_head(QUEUE, 77);
    }

    fn tell_early(&mut self, tag: Tag) {
        let head = tag.slot() as u32;
        self.use_head(QUEUE, head);
    }
}
