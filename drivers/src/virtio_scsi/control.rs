//! The control queue: task management.

use super::regs::Parts;
use super::ring::Ring;
use super::spec::{descriptor, management};
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};

/// Requests that can wait for their answer at once.
const SLOTS: u16 = 8;
/// Shared memory of a slot: request, answer.
const SLOT_BYTES: usize = 64;
const ANSWER_AT: usize = 32;
/// Descriptors of a slot.
const CHAIN_ENTRIES: u16 = 2;

/// The control queue.
pub(super) struct Control<R> {
    pub(super) ring: Ring<R>,
    descriptors: R,
    slots: R,
    /// Slots whose request is with the device.
    busy: [bool; SLOTS as usize],
    count: u16,
    /// Offset of the doorbell.
    pub(super) doorbell: usize,
}

/// The device used something that it was not given, or gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lie;

impl<R: DmaRegion> Control<R> {
    /// For a queue of at most `max_entries`, a power of two from 2 on.
    pub(super) fn allocate<H: Hal<Region = R>>(
        hal: &H,
        max_entries: u16,
    ) -> Result<Self, DmaError> {
        let entries = max_entries.min(SLOTS * CHAIN_ENTRIES);
        let region = |bytes: usize| hal.allocate(DmaLayout::pages(bytes));
        Ok(Self {
            ring: Ring::allocate(hal, entries)?,
            descriptors: region(usize::from(entries) * descriptor::BYTES)?,
            slots: region(usize::from(SLOTS) * SLOT_BYTES)?,
            busy: [false; SLOTS as usize],
            count: entries / CHAIN_ENTRIES,
            doorbell: 0,
        })
    }

    /// Writes the descriptors, which never change, and forgets what was asked. The
    /// ring has been cleared.
    pub(super) fn lay_out(&mut self) {
        self.busy = [false; SLOTS as usize];
        for slot in 0..usize::from(self.count) {
            let address = self.slots.bus_addr().add((slot * SLOT_BYTES) as u64);
            let answer = (slot as u64 * 2 + 1) << descriptor::NEXT_SHIFT;
            let words = [
                address.0,
                u64::from(management::BYTES) | descriptor::NEXT | answer,
                address.add(ANSWER_AT as u64).0,
                1 | descriptor::WRITE,
            ];
            self.descriptors
                .write_words(slot * 2 * descriptor::BYTES, &words);
        }
    }

    pub(super) fn parts(&self) -> Parts {
        self.ring.parts(BusAddr(self.descriptors.bus_addr().0))
    }

    /// Writes a request; the slot it waits in, or `None` where all wait.
    pub(super) fn push(&mut self, function: u64, lun: u64, id: u64) -> Option<u16> {
        let free = self.busy[..usize::from(self.count)]
            .iter()
            .position(|busy| !busy)?;
        self.busy[free] = true;
        let at = free * SLOT_BYTES;
        self.slots.write_words(at, &[function, lun, id]);
        self.slots
            .write_bytes(at + ANSWER_AT, &[management::UNWRITTEN]);
        self.ring.push(free as u16 * CHAIN_ENTRIES);
        Some(free as u16)
    }

    /// Takes one answer: its slot and its code.
    ///
    /// # Errors
    /// [`Lie`].
    pub(super) fn take(&mut self) -> Result<Option<(u16, u8)>, Lie> {
        if self.ring.ready().map_err(|_| Lie)? == 0 {
            return Ok(None);
        }
        let head = self.ring.take().head;
        let slot = (head / u32::from(CHAIN_ENTRIES)) as usize;
        let chained = head.is_multiple_of(u32::from(CHAIN_ENTRIES));
        match self.busy.get_mut(slot) {
            Some(busy) if *busy && chained => *busy = false,
            _ => return Err(Lie),
        }
        let mut answer = [0];
        self.slots
            .read_bytes(slot * SLOT_BYTES + ANSWER_AT, &mut answer);
        match answer[0] {
            management::UNWRITTEN => Err(Lie),
            code => Ok(Some((slot as u16, code))),
        }
    }
}
