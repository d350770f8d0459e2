//! A machine in memory: shared memory, registers, time and SCSI disks, for tests
//! that run a driver on the host without a thread, a sleep or an `unsafe`.
//!
//! A device model implements [`FakeDevice`]; [`FakeHal`] gives it to a driver as
//! a [`Hal`](crate::hal::Hal). Bus addresses start far above 4 GiB, and what a
//! model touches without owning it is recorded by [`FakeMemory`].

mod clock;
mod hal;
mod memory;
mod mmio;
pub mod scsi;
mod words;

#[cfg(test)]
mod tests;

pub use clock::FakeClock;
pub use hal::FakeHal;
pub use memory::{FakeMemory, FakeRegion, View, Violation};
pub use mmio::{FakeDevice, FakeMmio, RegisterWrite};
