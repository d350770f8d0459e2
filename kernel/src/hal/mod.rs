//! The machine behind [`drivers::hal`]: registers, shared memory, ports, time.
//!
//! Everything that touches hardware from safe code passes through here, and is
//! counted where it is made. `unsafe` of the volatile accesses lives in one file.

pub mod backdoor;
mod clock;
pub mod counters;
pub mod cpu;
mod dma;
pub mod firmware;
pub mod io_apic;
pub mod kvm_clock;
pub mod local_apic;
mod mmio;
pub mod port;
mod screen_memory;
mod volatile;

pub use clock::TscClock;
pub use dma::DmaMemory;
pub use mmio::MmioRegion;
pub use screen_memory::ScreenMemory;

use drivers::hal::{DmaError, DmaLayout, Hal};

/// This machine, as one driver sees it. Cheap to copy: it owns nothing.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    clock: TscClock,
}

impl Machine {
    /// The machine, with the clock that its drivers shall use.
    #[must_use]
    pub const fn new(clock: TscClock) -> Self {
        Self { clock }
    }
}

impl Hal for Machine {
    type Mmio = MmioRegion;
    type Region = DmaMemory;
    type Clock = TscClock;

    fn allocate(&self, layout: DmaLayout) -> Result<DmaMemory, DmaError> {
        DmaMemory::allocate(layout)
    }

    fn clock(&self) -> &TscClock {
        &self.clock
    }
}
