//! One submission queue and its completion queue: the rings, and nothing else.
//!
//! The driver's indices are its own; the device's idea of the submission head
//! (SQHD) is never needed, because a slot is free when its command was reaped
//! and fewer commands are in flight than the ring has slots.

use super::regs::Registers;
use super::spec::{CQE_SHIFT, SQE_SHIFT, Sqe, StatusField, cq_doorbell, cqe, sq_doorbell};
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal, Mmio};

/// A queue pair, which the device need not know yet.
pub(super) struct QueuePair<R> {
    submission: R,
    completion: R,
    id: u16,
    entries: u32,
    /// Next free submission slot, and the tail the device was told last.
    tail: u32,
    rung_tail: u32,
    /// Next completion slot to look at, and the head the device was told last.
    next: Place,
    rung_head: u32,
    sq_doorbell: usize,
    cq_doorbell: usize,
    /// Commands pushed whose completions were not consumed yet.
    open: u32,
}

/// A place in the completion ring.
#[derive(Clone, Copy)]
pub(super) struct Place {
    head: u32,
    /// Phase tag that a new entry has there.
    phase: u32,
}

const START: Place = Place {
    head: 0,
    phase: cqe::PHASE,
};

/// What the device wrote into one completion slot, read once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cqe {
    /// Command identifier.
    pub(super) command: u16,
    /// Submission queue that the command came from.
    pub(super) queue: u16,
    pub(super) status: StatusField,
    at: usize,
}

impl<R: DmaRegion> QueuePair<R> {
    /// Memory for queue `id` with `entries` slots (2..=65536) on each side.
    ///
    /// # Errors
    /// [`DmaError`] when none is left.
    pub(super) fn new<H: Hal<Region = R>>(
        hal: &H,
        id: u16,
        entries: u32,
        stride_bytes: usize,
    ) -> Result<Self, DmaError> {
        let ring = |shift: u32| hal.allocate(DmaLayout::pages((entries as usize) << shift));
        Ok(Self {
            submission: ring(SQE_SHIFT)?,
            completion: ring(CQE_SHIFT)?,
            id,
            entries,
            tail: 0,
            rung_tail: 0,
            next: START,
            rung_head: 0,
            sq_doorbell: sq_doorbell(id, stride_bytes),
            cq_doorbell: cq_doorbell(id, stride_bytes),
            open: 0,
        })
    }

    /// Back to the state of a new pair, while the device does not use it. Old
    /// phase tags must go, or old completions would look new.
    pub(super) fn rewind(&mut self) {
        for slot in 0..self.entries as usize {
            self.completion.write_words(slot << CQE_SHIFT, &[0, 0]);
        }
        (self.tail, self.rung_tail) = (0, 0);
        (self.next, self.rung_head) = (START, 0);
        self.open = 0;
    }

    pub(super) fn id(&self) -> u16 {
        self.id
    }

    pub(super) fn entries(&self) -> u32 {
        self.entries
    }

    /// Addresses of the submission and of the completion ring.
    pub(super) fn bus_addrs(&self) -> [BusAddr; 2] {
        [self.submission.bus_addr(), self.completion.bus_addr()]
    }

    /// Doorbell offsets with the values the device has been told.
    pub(super) fn doorbells(&self) -> [(usize, u32); 2] {
        [
            (self.sq_doorbell, self.rung_tail),
            (self.cq_doorbell, self.rung_head),
        ]
    }

    /// Writes a command into the next slot. The caller keeps fewer than
    /// `entries` commands in flight.
    #[inline]
    pub(super) fn push(&mut self, command: &Sqe) {
        self.submission
            .write_words((self.tail as usize) << SQE_SHIFT, command);
        self.open += 1;
        self.tail += 1;
        if self.tail == self.entries {
            self.tail = 0;
        }
    }

    /// Whether the device was told of all that was pushed.
    #[inline]
    pub(super) fn is_rung(&self) -> bool {
        self.tail == self.rung_tail
    }

    /// Whether half of the completion ring or more was consumed and not given
    /// back. Less never blocks a device: the other half holds what it finished.
    #[inline]
    pub(super) fn owes_much(&self) -> bool {
        self.slots_between(self.rung_head, self.next.head) >= self.entries / 2
    }

    /// Publishes what was pushed, if anything; whether that took a register write.
    #[inline]
    pub(super) fn ring_tail<M: Mmio>(&mut self, registers: &Registers<M, R>) -> bool {
        if self.tail == self.rung_tail {
            return false;
        }
        let wrote = registers.ring(self.sq_doorbell, self.rung_tail, self.tail);
        self.rung_tail = self.tail;
        wrote
    }

    /// Gives the slots of consumed completions back, if any; whether that took a
    /// register write.
    #[inline]
    pub(super) fn ring_head<M: Mmio>(&mut self, registers: &Registers<M, R>) -> bool {
        let head = self.next.head;
        if head == self.rung_head {
            return false;
        }
        let wrote = registers.ring(self.cq_doorbell, self.rung_head, head);
        self.rung_head = head;
        wrote
    }

    /// Both, on the admin queue.
    pub(super) fn ring_admin<M: Mmio>(&mut self, registers: &Registers<M, R>) {
        if self.tail != self.rung_tail {
            registers.ring_admin(self.sq_doorbell, self.rung_tail, self.tail);
            self.rung_tail = self.tail;
        }
        let head = self.next.head;
        if head != self.rung_head {
            registers.ring_admin(self.cq_doorbell, self.rung_head, head);
            self.rung_head = head;
        }
    }

    /// Whether a completion waits.
    pub(super) fn has_completion(&self) -> bool {
        let at = (self.next.head as usize) << CQE_SHIFT;
        self.completion.load32(at + cqe::STATUS) & cqe::PHASE == self.next.phase
    }

    /// Where a pass over the completions starts. The caller keeps the place of
    /// the pass and hands it back by [`consume_to`](Self::consume_to), so that it
    /// stays in registers meanwhile.
    #[inline]
    pub(super) fn place(&self) -> Place {
        self.next
    }

    /// The completion at a place, if there is one.
    #[inline]
    pub(super) fn look(&self, place: Place) -> Option<Cqe> {
        let at = (place.head as usize) << CQE_SHIFT;
        // The phase tag is the ownership word: acquire, then the rest.
        let status = self.completion.load32(at + cqe::STATUS);
        if status & cqe::PHASE != place.phase {
            return None;
        }
        Some(Cqe {
            command: status as u16,
            queue: (self.completion.load32(at + cqe::QUEUE) >> 16) as u16,
            status: StatusField((status >> cqe::STATUS_SHIFT) as u16),
            at,
        })
    }

    /// The place after one that held a completion.
    #[inline]
    pub(super) fn after(&self, mut place: Place) -> Place {
        place.head += 1;
        if place.head == self.entries {
            place.head = 0;
            place.phase ^= cqe::PHASE;
        }
        place
    }

    /// Everything before `place` is consumed.
    #[inline]
    pub(super) fn consume_to(&mut self, place: Place) {
        let consumed = self.slots_between(self.next.head, place.head);
        self.open = self.open.saturating_sub(consumed);
        self.next = place;
    }

    /// Whether every command pushed has completed, as the device has it.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.open == 0
    }

    /// Slots from `from` on to before `to`, around the end of the ring.
    #[inline]
    fn slots_between(&self, from: u32, to: u32) -> u32 {
        if to >= from {
            to - from
        } else {
            to + self.entries - from
        }
    }

    /// Consumes the next completion.
    pub(super) fn next_completion(&mut self) -> Option<Cqe> {
        let completion = self.look(self.next)?;
        self.consume_to(self.after(self.next));
        Some(completion)
    }

    /// Dword 0 of a completion just consumed, which I/O commands do not use.
    pub(super) fn result(&self, completion: &Cqe) -> u32 {
        self.completion.load32(completion.at + cqe::RESULT)
    }
}
