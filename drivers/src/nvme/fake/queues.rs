//! The model's side of the rings and doorbells.

use super::FakeNvme;
use super::fault::Lie;
use super::io::Fetched;
use crate::hal::BusAddr;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::format;
use alloc::vec::Vec;

/// A submission queue that exists.
pub(super) struct SubmissionQueue {
    base: BusAddr,
    pub(super) entries: u32,
    pub(super) head: u32,
    pub(super) tail: u32,
    pub(super) completion_id: u16,
    /// A register write asks for work.
    woken: bool,
    /// Identifiers fetched and not completed.
    pub(super) open: BTreeSet<u16>,
}

impl SubmissionQueue {
    pub(super) fn new(base: BusAddr, entries: u32, completion_id: u16) -> Self {
        Self {
            base,
            entries,
            head: 0,
            tail: 0,
            completion_id,
            woken: false,
            open: BTreeSet::new(),
        }
    }
}

/// A completion that waits for a slot.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    pub(super) submission_id: u16,
    pub(super) id: u16,
    pub(super) status: u16,
    pub(super) result: u32,
    pub(super) old_phase: bool,
}

/// A completion queue that exists.
pub(super) struct CompletionQueue {
    id: u16,
    base: BusAddr,
    entries: u32,
    pub(super) head: u32,
    pub(super) tail: u32,
    phase: bool,
    pub(super) interrupts: bool,
    pending: VecDeque<Pending>,
}

impl CompletionQueue {
    pub(super) fn new(id: u16, base: BusAddr, entries: u32, interrupts: bool) -> Self {
        Self {
            id,
            base,
            entries,
            head: 0,
            tail: 0,
            phase: true,
            interrupts,
            pending: VecDeque::new(),
        }
    }
}

impl FakeNvme {
    fn shadow_at(&self, queue: u16, completion: bool) -> Option<(BusAddr, BusAddr)> {
        let pages = self.pages?;
        let at = (2 * u64::from(queue) + u64::from(completion)) * self.config.stride_bytes() as u64;
        Some((pages.shadow.add(at), pages.events.add(at)))
    }

    fn load32(&self, address: BusAddr) -> u32 {
        let mut bytes = [0; 4];
        self.memory.device_read(address, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn store32(&self, address: BusAddr, value: u32) {
        self.memory.device_write(address, &value.to_le_bytes());
    }

    /// The driver wrote a submission tail.
    pub(super) fn ring_submission(&mut self, id: u16, value: u32) {
        let shadow = self.shadow_at(id, false);
        let Some(queue) = self.submission.get_mut(&id) else {
            return self.violation(format!("tail of queue {id}, which does not exist"));
        };
        if value >= queue.entries {
            return self.violation(format!("tail {value} of queue {id}"));
        }
        queue.woken = true;
        match shadow {
            None => self.move_tail(id, value),
            Some((shadow, _)) => {
                // The page is what counts; of the admin queue only, the device
                // keeps it up to date by itself.
                if id == 0 {
                    self.store32(shadow, value);
                } else if self.load32(shadow) != value {
                    self.violation(format!(
                        "tail {value} of queue {id} differs from its shadow"
                    ));
                }
            }
        }
    }

    fn move_tail(&mut self, id: u16, value: u32) {
        let Some(queue) = self.submission.get_mut(&id) else {
            return;
        };
        let entries = queue.entries;
        if value >= entries {
            return self.violation(format!("shadow tail {value} of queue {id}"));
        }
        let waiting = (queue.tail + entries - queue.head) % entries;
        let added = (value + entries - queue.tail) % entries;
        queue.tail = value;
        if waiting + added >= entries {
            self.violation(format!(
                "queue {id} overrun: {waiting} waiting, {added} added"
            ));
        }
    }

    /// The driver wrote a completion head.
    pub(super) fn ring_completion(&mut self, id: u16, value: u32) {
        if !self.completion.contains_key(&id) {
            return self.violation(format!("head of queue {id}, which does not exist"));
        }
        match self.shadow_at(id, true) {
            None => self.move_head(id, value),
            Some((shadow, _)) => {
                if id == 0 {
                    self.store32(shadow, value);
                }
                self.move_head(id, value);
            }
        }
        self.post();
    }

    fn move_head(&mut self, id: u16, value: u32) {
        let Some(queue) = self.completion.get_mut(&id) else {
            return;
        };
        let entries = queue.entries;
        let posted = (queue.tail + entries - queue.head) % entries;
        let taken = (value + entries - queue.head) % entries;
        if value >= entries || taken > posted {
            return self.violation(format!("head {value} of queue {id}: {posted} posted"));
        }
        queue.head = value;
    }

    /// Fetches and executes what doorbells showed, then posts completions.
    pub(super) fn work(&mut self) {
        if !self.ready || self.fatal {
            return;
        }
        let ids: Vec<u16> = self.submission.keys().copied().collect();
        for id in ids {
            self.work_on(id);
        }
        self.post();
    }

    fn work_on(&mut self, id: u16) {
        match self.submission.get_mut(&id) {
            Some(queue) if queue.woken => queue.woken = false,
            _ => return,
        }
        self.load_tail(id);
        loop {
            // Looked up each time: an admin command may delete queues.
            let Some(queue) = self.submission.get_mut(&id) else {
                return;
            };
            if queue.head == queue.tail {
                return;
            }
            let address = queue.base.add(u64::from(queue.head) * 64);
            queue.head = (queue.head + 1) % queue.entries;
            let mut entry = [0; 64];
            self.memory.device_read(address, &mut entry);
            self.take(id, &entry);
            if let Some((_, event)) = self.shadow_at(id, false)
                && let Some(queue) = self.submission.get(&id)
            {
                self.store32(event, queue.tail);
                self.load_tail(id);
            }
        }
    }

    fn load_tail(&mut self, id: u16) {
        if let Some((shadow, _)) = self.shadow_at(id, false) {
            let tail = self.load32(shadow);
            self.move_tail(id, tail);
        }
    }

    fn take(&mut self, id: u16, entry: &[u8; 64]) {
        let fetched = Fetched::parse(id, entry);
        let command = fetched.id;
        let Some(queue) = self.submission.get_mut(&id) else {
            return;
        };
        if !queue.open.insert(command) {
            self.violation(format!("identifier {command:#x} used twice on queue {id}"));
        }
        if id == 0 {
            self.run_admin(&fetched);
        } else {
            self.note(&fetched);
            if self.faults.lose_commands > 0 {
                self.faults.lose_commands -= 1;
            } else if self.hold {
                self.held.push(fetched);
            } else {
                self.run(fetched);
            }
        }
    }

    /// Completes a command on whatever queue it came from.
    pub(super) fn complete(&mut self, fetched: &Fetched, status: u16, result: u32) {
        let lie = if fetched.queue == 0 {
            None
        } else {
            self.faults.lies.pop_front()
        };
        let Some(queue) = self.submission.get_mut(&fetched.queue) else {
            return;
        };
        queue.open.remove(&fetched.id);
        let mut pending = Pending {
            submission_id: fetched.queue,
            id: fetched.id,
            status,
            result,
            old_phase: lie == Some(Lie::OldPhase),
        };
        match lie {
            Some(Lie::Identifier(flip)) => pending.id ^= flip,
            Some(Lie::Queue(other)) => pending.submission_id = other,
            _ => {}
        }
        let completion_id = queue.completion_id;
        let times = if lie == Some(Lie::Doubled) { 2 } else { 1 };
        if let Some(queue) = self.completion.get_mut(&completion_id) {
            queue.pending.extend(core::iter::repeat_n(pending, times));
        }
    }

    /// Posts every pending completion that finds a free slot.
    pub(super) fn post(&mut self) {
        let ids: Vec<u16> = self.completion.keys().copied().collect();
        for id in ids {
            while self.post_one(id) {}
        }
    }

    fn post_one(&mut self, id: u16) -> bool {
        if self
            .completion
            .get(&id)
            .is_none_or(|queue| queue.pending.is_empty())
        {
            return false;
        }
        if let Some((shadow, event)) = self.shadow_at(id, true) {
            if self.config.wants_heads {
                let head = self.completion[&id].head;
                self.store32(event, head);
            }
            let head = self.load32(shadow);
            self.move_head(id, head);
        }
        let heads = |queue: &u16| self.submission.get(queue).map_or(0, |queue| queue.head);
        let Some(queue) = self.completion.get(&id) else {
            return false;
        };
        if (queue.tail + 1) % queue.entries == queue.head {
            return false;
        }
        let Some(pending) = queue.pending.front().copied() else {
            return false;
        };
        let phase = queue.phase != pending.old_phase;
        let mut entry = [0; 16];
        entry[0..4].copy_from_slice(&pending.result.to_le_bytes());
        entry[8..10].copy_from_slice(&(heads(&pending.submission_id) as u16).to_le_bytes());
        entry[10..12].copy_from_slice(&pending.submission_id.to_le_bytes());
        entry[12..14].copy_from_slice(&pending.id.to_le_bytes());
        let status = pending.status << 1 | u16::from(phase);
        entry[14..16].copy_from_slice(&status.to_le_bytes());
        self.memory
            .device_write(queue.base.add(u64::from(queue.tail) * 16), &entry);
        if let Some(queue) = self.completion.get_mut(&id) {
            queue.pending.pop_front();
            queue.tail = (queue.tail + 1) % queue.entries;
            queue.phase ^= queue.tail == 0;
            let sends = queue.interrupts && self.config.messages;
            self.messages_sent += u64::from(sends && queue.id != 0);
        }
        true
    }
}
