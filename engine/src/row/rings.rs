//! Rows that use several request queues, or ring more often than once a fill.
//!
//! A slot belongs to one queue for good, so each queue has an even share of what is in
//! flight. Commands that a queue was given since its last doorbell are linked through
//! their slots: each doorbell stamps its own I/Os, however they lie among the others.

use super::spec::RingSpec;
use super::state::Row;
use super::table::{END, Table};
use alloc::vec::Vec;
use drivers::block::{Completion, Controller, QueueDoorbells, QueueId};

/// One queue.
struct Ring {
    /// Commands since its last doorbell.
    unrung: u32,
    /// The slot that was linked last.
    newest: u16,
    /// Its doorbells before the row.
    before: QueueDoorbells,
}

/// The queues of a row. Most rows have none of this: they use the first queue and ring
/// once a fill.
pub(super) struct Rings {
    rings: Vec<Ring>,
    /// Slots that lie side by side go to the same queue: one of each disk of a crew,
    /// which has every so manyth of them.
    stride: usize,
    /// Most commands that a doorbell publishes.
    most: u32,
    /// Who is looked at and rung first: another one after each pass that found
    /// something, so that no queue is always served before the others.
    first: usize,
    /// Ticks spent in doorbells since it was set to 0.
    pub ringing_ticks: u64,
}

impl Rings {
    /// `max_batch` is the controller's limit for one doorbell.
    pub fn new(spec: RingSpec, stride: usize, max_batch: u32) -> Self {
        let queues = match spec.is_plain() {
            true => 0,
            false => spec.queues.max(1),
        };
        let most = match spec.doorbell_batch {
            0 => max_batch,
            most => most.min(max_batch),
        };
        let ring = |_| Ring {
            unrung: 0,
            newest: END,
            before: QueueDoorbells::default(),
        };
        Self {
            rings: (0..queues).map(ring).collect(),
            stride: stride.max(1),
            most: most.max(1),
            first: 0,
            ringing_ticks: 0,
        }
    }

    /// Remembers the doorbells before the row.
    pub fn begin(&mut self, ctl: &dyn Controller) {
        for (at, ring) in self.rings.iter_mut().enumerate() {
            ring.before = ctl.queue_doorbells(QueueId(at as u16));
        }
    }

    /// Whether the row has any of this.
    #[inline]
    pub const fn is_on(&self) -> bool {
        !self.rings.is_empty()
    }

    /// The queue of a slot.
    #[inline]
    pub fn queue_of(&self, slot: usize) -> QueueId {
        match self.rings.len() {
            0 | 1 => QueueId(0),
            queues => QueueId((slot / self.stride % queues) as u16),
        }
    }

    /// The queue after `queue`, around the end.
    fn after(&self, queue: usize) -> usize {
        if queue + 1 < self.rings.len() {
            queue + 1
        } else {
            0
        }
    }

    /// Counts a command that a queue was given.
    fn note(&mut self, queue: QueueId) {
        if let Some(ring) = self.rings.get_mut(usize::from(queue.0)) {
            ring.unrung += 1;
        }
    }

    /// Remembers that the next doorbell of its queue publishes the I/O in `slot`.
    fn link(&mut self, table: &mut Table<'_>, slot: usize, queue: QueueId) {
        if let Some(ring) = self.rings.get_mut(usize::from(queue.0))
            && table.link(slot, ring.newest)
        {
            ring.newest = slot as u16;
        }
    }

    /// Whether a queue was given as many commands as a doorbell publishes.
    #[inline]
    fn is_due(&self, queue: QueueId) -> bool {
        let ring = self.rings.get(usize::from(queue.0));
        ring.is_some_and(|ring| ring.unrung >= self.most)
    }

    /// What was rung on each queue since the row began, of several.
    pub fn doorbells(&self, ctl: &dyn Controller) -> Vec<QueueDoorbells> {
        if self.rings.len() < 2 {
            return Vec::new();
        }
        let rung = |(at, ring): (usize, &Ring)| {
            let now = ctl.queue_doorbells(QueueId(at as u16));
            QueueDoorbells {
                submit: now.submit.wrapping_sub(ring.before.submit),
                completion: now.completion.wrapping_sub(ring.before.completion),
            }
        };
        self.rings.iter().enumerate().map(rung).collect()
    }
}

impl Row<'_> {
    /// Books a command that was submitted. `counts` if the doorbell that publishes it
    /// is the one that its I/O is stamped with.
    #[inline]
    pub fn note_submitted(&mut self, slot: usize, counts: bool) {
        if !self.rings.is_on() {
            self.unrung += 1;
            return;
        }
        let queue = self.rings.queue_of(slot);
        self.rings.note(queue);
        if counts {
            self.rings.link(&mut self.table, slot, queue);
        }
    }

    /// Rings for the queue of `slot`, if a doorbell is due there. The stamp after it.
    pub fn ring_if_due(&mut self, ctl: &mut dyn Controller, slot: usize, now: u64) -> u64 {
        let queue = self.rings.queue_of(slot);
        if self.rings.is_due(queue) {
            self.ring_queue(ctl, queue, now)
        } else {
            now
        }
    }

    /// Rings once for each queue that was given something. The stamp after that.
    #[inline(never)]
    pub fn ring_queues(&mut self, ctl: &mut dyn Controller, mut now: u64) -> u64 {
        let mut queue = self.rings.first;
        for _ in 0..self.rings.rings.len() {
            now = self.ring_queue(ctl, QueueId(queue as u16), now);
            queue = self.rings.after(queue);
        }
        now
    }

    /// Publishes what a queue was given, if anything: `t2` is now. Returns t3.
    #[inline(never)]
    fn ring_queue(&mut self, ctl: &mut dyn Controller, queue: QueueId, t2: u64) -> u64 {
        let Some(ring) = self.rings.rings.get_mut(usize::from(queue.0)) else {
            return t2;
        };
        let commands = u64::from(core::mem::take(&mut ring.unrung));
        let newest = core::mem::replace(&mut ring.newest, END);
        if commands == 0 {
            return t2;
        }
        self.owned += commands;
        let published = commands.wrapping_mul(t2);
        self.stats.depth_integral = self.stats.depth_integral.wrapping_sub(published);
        ctl.ring_doorbell(queue);
        let t3 = self.clock.now_ticks();
        self.table.stamp_linked(newest, t2, t3);
        let ringing = t3.wrapping_sub(t2);
        self.rings.ringing_ticks += ringing;
        self.gaps.check_doorbell(self.stats, ringing, commands);
        t3
    }

    /// One look at every queue of the row.
    #[inline(never)]
    pub fn reap_queues(&mut self, ctl: &mut dyn Controller) -> usize {
        let mut found = 0;
        let mut queue = self.rings.first;
        for _ in 0..self.rings.rings.len().max(1) {
            let out: &mut [Completion] = &mut self.completions[found..];
            if out.is_empty() {
                break;
            }
            let room = out.len();
            found += ctl.reap(QueueId(queue as u16), out).min(room);
            queue = self.rings.after(queue);
        }
        if found > 0 {
            self.rings.first = self.rings.after(self.rings.first);
        }
        found
    }
}
