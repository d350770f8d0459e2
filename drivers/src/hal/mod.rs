//! What a driver needs of the machine, as values: registers, shared memory, time.
//!
//! These are values and not globals so that every test owns its own machine.

mod clock;
mod dma;
mod mmio;

pub use clock::{Clock, Deadline};
pub use dma::{BusAddr, DmaError, DmaLayout, DmaRegion};
pub use mmio::{Mmio, MmioCounts};

/// A machine, as one driver instance sees it.
///
/// The implementor promises that regions it hands out are zeroed, never move,
/// stay reachable by the device until dropped, and are shared with nobody else.
pub trait Hal {
    /// Registers of one BAR.
    type Mmio: Mmio;
    /// Memory shared with the device.
    type Region: DmaRegion;
    /// Time.
    type Clock: Clock;

    /// Allocates zeroed memory that driver and device share.
    ///
    /// # Errors
    /// [`DmaError`] when no memory of that shape is left.
    fn allocate(&self, layout: DmaLayout) -> Result<Self::Region, DmaError>;

    /// The clock.
    fn clock(&self) -> &Self::Clock;
}
