//! A machine with one device model in it.

use super::mmio::Slot;
use super::{FakeClock, FakeDevice, FakeMemory, FakeMmio, FakeRegion, RegisterWrite};
use crate::hal::{DmaError, DmaLayout, Hal};
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefMut;

/// A fake machine, as a driver of the device `D` sees it. Clones are the same machine.
pub struct FakeHal<D> {
    slot: Rc<Slot<D>>,
    memory: FakeMemory,
    clock: FakeClock,
}

impl<D> Clone for FakeHal<D> {
    fn clone(&self) -> Self {
        Self {
            slot: self.slot.clone(),
            memory: self.memory.clone(),
            clock: self.clock.clone(),
        }
    }
}

impl<D: FakeDevice + 'static> FakeHal<D> {
    /// A machine with memory and clock of its own; `build` makes the device.
    pub fn new(build: impl FnOnce(&FakeMemory) -> D) -> Self {
        Self::on(FakeMemory::default(), FakeClock::default(), build)
    }

    /// A machine with the given memory and clock, which others may share.
    pub fn on(memory: FakeMemory, clock: FakeClock, build: impl FnOnce(&FakeMemory) -> D) -> Self {
        let slot = Rc::new(Slot::new(build(&memory)));
        let watched = Rc::downgrade(&slot);
        clock.watch(Rc::new(move |now_ticks| {
            if let Some(slot) = watched.upgrade() {
                slot.step(now_ticks);
            }
        }));
        Self {
            slot,
            memory,
            clock,
        }
    }

    /// The device's registers.
    #[must_use]
    pub fn mmio(&self) -> FakeMmio<D> {
        FakeMmio {
            slot: self.slot.clone(),
        }
    }

    /// The device, to look at or to change its behaviour; let go of it before
    /// the driver is called again.
    #[must_use]
    pub fn device(&self) -> RefMut<'_, D> {
        self.slot.device.borrow_mut()
    }

    /// The memory.
    #[must_use]
    pub fn memory(&self) -> &FakeMemory {
        &self.memory
    }

    /// Lets the device work on once.
    pub fn step(&self) {
        self.slot.step(self.clock.peek_ticks());
    }

    /// Pulls the device: registers read all ones, and it does nothing any more.
    pub fn unplug(&self) {
        self.slot.present.set(false);
    }

    /// Starts (or stops) recording register stores, from an empty record.
    pub fn record_writes(&self, on: bool) {
        self.slot.record.set(on);
        self.slot.log.borrow_mut().clear();
    }

    /// The recorded register stores.
    #[must_use]
    pub fn recorded_writes(&self) -> Vec<RegisterWrite> {
        self.slot.log.borrow().clone()
    }
}

impl<D: FakeDevice + 'static> Hal for FakeHal<D> {
    type Mmio = FakeMmio<D>;
    type Region = FakeRegion;
    type Clock = FakeClock;

    fn allocate(&self, layout: DmaLayout) -> Result<FakeRegion, DmaError> {
        self.memory.allocate(layout)
    }

    fn clock(&self) -> &FakeClock {
        &self.clock
    }
}
