//! The driver and its device model for the kit.

use super::{Adapter, Machine, Pvscsi, PvscsiModel, assert_clean, options};
use crate::block::{ControllerError, Options, Tag};
use crate::fake::FakeMemory;
use crate::fake::scsi::{Completing, Fetching, ScsiBus};
use crate::scsi::kit::{Bench, Model};

/// On the adapter of QEMU.
pub(super) struct Qemu;
/// On the adapter of ESXi.
pub(super) struct Esxi;

/// 64 requests.
const RING_PAGES: u16 = 2;

/// Makes a bench of each adapter, which differ in the model alone.
macro_rules! benches {
    ($($bench:ident: $new:ident)*) => {
        $(impl Bench for $bench {
            type Model = PvscsiModel;
            type Adapter = Adapter;

            const TOO_MANY: [u32; 4] = [4, 129, 1 << 31, u32::MAX];
            const MUTE_START_NS: u64 = 11_000_000_000;

            fn other_ring() -> Options {
                options(4)
            }

            fn no_ring() -> (Options, ControllerError) {
                let refused = ControllerError::BadOption {
                    what: "ring_pages",
                    value: 3,
                };
                (options(3), refused)
            }

            fn device(memory: &FakeMemory, bus: ScsiBus) -> PvscsiModel {
                PvscsiModel::$new(memory, bus)
            }

            fn start(machine: &Machine) -> Result<Adapter, ControllerError> {
                Pvscsi::start(machine.clone(), machine.mmio(), &options(RING_PAGES))
            }

            fn assert_clean(machine: &Machine) {
                assert_clean(machine);
            }
        })*
    };
}

benches! {
    Qemu: new
    Esxi: esxi
}

impl Model for PvscsiModel {
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
        !self.has_rings() && self.interrupt_mask() == 0
    }

    fn run_away(&mut self, count: u32) {
        Self::run_away(self, count);
    }

    fn tell_again(&mut self) {
        let last = self.last_context();
        self.post_context(last);
    }

    fn tell_of_none(&mut self) {
        self.post_context(77);
    }

    fn tell_early(&mut self, _tag: Tag) {
        let early = self.unpublished_context().expect("a request");
        self.post_context(early);
    }
}
