//! Registers of a device model.

use crate::hal::{Mmio, MmioCounts};
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

/// A device model behind one BAR.
pub trait FakeDevice {
    /// Size of the BAR in bytes.
    fn bar_len_bytes(&self) -> usize;

    /// A 32-bit load at `offset` bytes.
    fn read32(&mut self, offset: usize) -> u32;

    /// A 32-bit store at `offset` bytes.
    fn write32(&mut self, offset: usize, value: u32);

    /// An 8-bit load; all ones unless the model has registers of that width.
    fn read8(&mut self, offset: usize) -> u8 {
        let _ = offset;
        u8::MAX
    }

    /// A 16-bit load; all ones unless the model has registers of that width.
    fn read16(&mut self, offset: usize) -> u16 {
        let _ = offset;
        u16::MAX
    }

    /// An 8-bit store; dropped unless the model has registers of that width.
    fn write8(&mut self, offset: usize, value: u8) {
        let _ = (offset, value);
    }

    /// A 16-bit store; dropped unless the model has registers of that width.
    fn write16(&mut self, offset: usize, value: u16) {
        let _ = (offset, value);
    }

    /// A 64-bit load; two 32-bit ones, low half first, unless the model says otherwise.
    fn read64(&mut self, offset: usize) -> u64 {
        u64::from(self.read32(offset)) | u64::from(self.read32(offset + 4)) << 32
    }

    /// A 64-bit store; two 32-bit ones, low half first, unless the model says otherwise.
    fn write64(&mut self, offset: usize, value: u64) {
        self.write32(offset, value as u32);
        self.write32(offset + 4, (value >> 32) as u32);
    }

    /// Time passes: the model may fetch, execute and complete.
    fn step(&mut self, now_ticks: u64);
}

/// One register store, as the bus saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterWrite {
    /// Offset in the BAR, in bytes.
    pub offset: usize,
    /// The value, widened.
    pub value: u64,
}

/// A slot of the fake machine: the model and the bus to it.
pub(super) struct Slot<D> {
    pub(super) device: RefCell<D>,
    pub(super) present: Cell<bool>,
    pub(super) record: Cell<bool>,
    pub(super) log: RefCell<Vec<RegisterWrite>>,
    reads: Cell<u64>,
    writes: Cell<u64>,
    bar_len_bytes: usize,
}

impl<D: FakeDevice> Slot<D> {
    pub(super) fn new(device: D) -> Self {
        Self {
            bar_len_bytes: device.bar_len_bytes(),
            device: RefCell::new(device),
            present: Cell::new(true),
            record: Cell::new(false),
            log: RefCell::new(Vec::new()),
            reads: Cell::new(0),
            writes: Cell::new(0),
        }
    }

    pub(super) fn step(&self, now_ticks: u64) {
        if self.present.get() {
            self.device.borrow_mut().step(now_ticks);
        }
    }

    #[inline]
    fn answers(&self, offset: usize, width_bytes: usize) -> bool {
        self.present.get() && offset + width_bytes <= self.bar_len_bytes
    }

    #[inline]
    fn note_write(&self, offset: usize, value: u64) {
        self.writes.set(self.writes.get() + 1);
        if self.record.get() {
            let write = RegisterWrite { offset, value };
            self.log.borrow_mut().push(write);
        }
    }

    fn note_read(&self) {
        self.reads.set(self.reads.get() + 1);
    }
}

/// The registers, as the driver holds them.
pub struct FakeMmio<D> {
    pub(super) slot: Rc<Slot<D>>,
}

impl<D: FakeDevice> Mmio for FakeMmio<D> {
    fn read8(&self, offset: usize) -> u8 {
        self.slot.note_read();
        if !self.slot.answers(offset, 1) {
            return u8::MAX;
        }
        self.slot.device.borrow_mut().read8(offset)
    }

    fn read16(&self, offset: usize) -> u16 {
        assert!(offset.is_multiple_of(2), "16-bit load at {offset:#x}");
        self.slot.note_read();
        if !self.slot.answers(offset, 2) {
            return u16::MAX;
        }
        self.slot.device.borrow_mut().read16(offset)
    }

    fn write8(&self, offset: usize, value: u8) {
        self.slot.note_write(offset, u64::from(value));
        if self.slot.answers(offset, 1) {
            self.slot.device.borrow_mut().write8(offset, value);
        }
    }

    #[inline]
    fn write16(&self, offset: usize, value: u16) {
        assert!(offset.is_multiple_of(2), "16-bit store at {offset:#x}");
        self.slot.note_write(offset, u64::from(value));
        if self.slot.answers(offset, 2) {
            self.slot.device.borrow_mut().write16(offset, value);
        }
    }

    fn read32(&self, offset: usize) -> u32 {
        assert!(offset.is_multiple_of(4), "32-bit load at {offset:#x}");
        self.slot.note_read();
        if !self.slot.answers(offset, 4) {
            return u32::MAX;
        }
        self.slot.device.borrow_mut().read32(offset)
    }

    fn read64(&self, offset: usize) -> u64 {
        assert!(offset.is_multiple_of(8), "64-bit load at {offset:#x}");
        self.slot.note_read();
        if !self.slot.answers(offset, 8) {
            return u64::MAX;
        }
        self.slot.device.borrow_mut().read64(offset)
    }

    #[inline]
    fn write32(&self, offset: usize, value: u32) {
        assert!(offset.is_multiple_of(4), "32-bit store at {offset:#x}");
        self.slot.note_write(offset, u64::from(value));
        if self.slot.answers(offset, 4) {
            self.slot.device.borrow_mut().write32(offset, value);
        }
    }

    fn write64(&self, offset: usize, value: u64) {
        assert!(offset.is_multiple_of(8), "64-bit store at {offset:#x}");
        self.slot.note_write(offset, value);
        if self.slot.answers(offset, 8) {
            self.slot.device.borrow_mut().write64(offset, value);
        }
    }

    fn len_bytes(&self) -> usize {
        self.slot.bar_len_bytes
    }

    fn counts(&self) -> MmioCounts {
        MmioCounts {
            reads: self.slot.reads.get(),
            writes: self.slot.writes.get(),
        }
    }
}
