//! Several adapters behind the seam of one.

use super::homes::{self, Home};
use alloc::vec::Vec;
use drivers::block::{
    Accesses, BufferId, Completion, Controller, ControllerError, Disk, DiskId, Health, Ignored,
    InterruptMode, Limits, Options, QueueDoorbells, QueueId, Request, SubmitError, Tag, TagTable,
};
use proto::job::MAX_QUEUES;

/// Most commands of a group that are in flight, all adapters and queues together.
const MOST_IN_FLIGHT: u32 = 8_192;

/// One adapter of a group.
pub struct Part<'a> {
    /// The adapter.
    pub controller: &'a mut dyn Controller,
    /// Its disk that takes part.
    pub disk: DiskId,
    /// Its interrupts are level-triggered, so it must be acknowledged.
    pub level: bool,
}

struct Member<'a> {
    part: Part<'a>,
    /// Queues that were given commands since their last doorbell, a bit for each.
    unrung: u64,
    end: PartEnd,
}

/// What became of an adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartEnd {
    /// What it said of itself before it was reset, if it was not well.
    pub found_unwell: Option<Health>,
    /// Why it did not come back from a reset.
    pub lost: Option<ControllerError>,
}

/// Several adapters, each with one disk: [`DiskId`] is the adapter's place.
///
/// Commands carry tags of the group's own, so a completion that a driver reports
/// twice is caught here too.
pub struct Group<'a> {
    members: Vec<Member<'a>>,
    disks: Vec<Disk>,
    limits: Limits,
    tags: TagTable,
    /// The adapter's tag of a command, by the slot of the group's.
    inner: Vec<Tag>,
    homes: Vec<Home>,
    /// I/Os that have buffers.
    depth: u32,
    /// Who is reaped and rung first.
    first: usize,
    bad_completions: u64,
}

impl<'a> Group<'a> {
    /// Nothing may be in flight on any of them.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn new(parts: Vec<Part<'a>>) -> Self {
        let all = parts.iter().map(|part| *part.controller.limits());
        let limits = all.reduce(tightest).expect("a group has an adapter");
        let queues = u32::from(limits.queues.clamp(1, MAX_QUEUES));
        let max_in_flight = limits.max_in_flight.saturating_mul(parts.len() as u32);
        let limits = Limits {
            queues: queues as u16,
            max_in_flight: max_in_flight.min(MOST_IN_FLIGHT / queues),
            ..limits
        };
        let tags = limits.max_in_flight * queues;
        let disk = |part: &Part<'_>| part.controller.disks()[usize::from(part.disk.0)].clone();
        Self {
            disks: parts.iter().map(disk).collect(),
            tags: TagTable::new(tags as u16, u32::BITS),
            inner: alloc::vec![Tag::NONE; tags as usize],
            limits,
            homes: Vec::new(),
            depth: MOST_IN_FLIGHT,
            first: 0,
            bad_completions: 0,
            members: parts
                .into_iter()
                .map(|part| Member {
                    part,
                    unrung: 0,
                    end: PartEnd::default(),
                })
                .collect(),
        }
    }

    /// Says how many I/Os share the buffers that [`set_buffers`](Self::set_buffers)
    /// will make.
    pub fn deal_for(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// What became of each adapter.
    pub fn ends(&self) -> impl Iterator<Item = PartEnd> {
        self.members.iter().map(|member| member.end)
    }

    fn each(
        &mut self,
        act: impl FnMut(&mut Member<'a>) -> Result<(), ControllerError>,
    ) -> Result<(), ControllerError> {
        // All are asked, whatever the first says.
        let all: Vec<_> = self.members.iter_mut().map(act).collect();
        all.into_iter().collect()
    }

    /// Puts the group's tags and the callers' cookies into completions from `from`
    /// on, and drops those of no command. How many there are then.
    fn translate(&mut self, out: &mut [Completion], from: usize, to: usize) -> usize {
        let mut kept = from;
        for at in from..to {
            let completion = out[at];
            match self.tags.finish(completion.cookie) {
                Ok((tag, cookie)) => {
                    out[kept] = Completion {
                        tag,
                        cookie,
                        status: completion.status,
                    };
                    kept += 1;
                }
                Err(_) => self.bad_completions += 1,
            }
        }
        kept
    }
}

/// What two adapters can both do; depth is for one of them.
fn tightest(one: Limits, other: Limits) -> Limits {
    Limits {
        queues: one.queues.min(other.queues),
        queue_entries: one.queue_entries.min(other.queue_entries),
        max_in_flight: one.max_in_flight.min(other.max_in_flight),
        max_batch: one.max_batch.min(other.max_batch),
        max_transfer_bytes: one.max_transfer_bytes.min(other.max_transfer_bytes),
        max_targets: one.max_targets.min(other.max_targets),
        ring_pages: one.ring_pages.min(other.ring_pages),
        doorbell_per_request: one.doorbell_per_request || other.doorbell_per_request,
        polls_by_register: one.polls_by_register || other.polls_by_register,
    }
}

/// The bit of a queue.
const fn bit(queue: QueueId) -> u64 {
    1 << (queue.0 % MAX_QUEUES)
}

/// Which of two states is worse.
const fn badness(health: Health) -> u8 {
    match health {
        Health::Ok => 0,
        Health::Lying(_) => 1,
        Health::Fault(_) => 2,
        Health::Gone => 3,
    }
}

impl Controller for Group<'_> {
    fn kind(&self) -> &'static str {
        "group"
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn disks(&self) -> &[Disk] {
        &self.disks
    }

    fn ignored(&self) -> &[Ignored] {
        &[]
    }

    #[inline]
    fn submit(&mut self, queue: QueueId, request: &Request) -> Result<Tag, SubmitError> {
        let at = usize::from(request.disk.0);
        let home = self.homes.get(request.buffer.0 as usize).copied();
        let (Some(member), Some(home)) = (self.members.get_mut(at), home) else {
            return Err(SubmitError::Invalid);
        };
        if home.part != at {
            return Err(SubmitError::Invalid);
        }
        let tag = self.tags.take_noting(request.cookie, at as u64);
        let tag = tag.ok_or(SubmitError::Full)?;
        let own = Request {
            disk: member.part.disk,
            buffer: home.buffer,
            cookie: tag.bits(),
            ..*request
        };
        match member.part.controller.submit(queue, &own) {
            Ok(inner) => {
                self.inner[tag.slot()] = inner;
                member.unrung |= bit(queue);
                Ok(tag)
            }
            Err(error) => {
                let _ = self.tags.finish(tag.bits());
                Err(error)
            }
        }
    }

    /// Rings all in the order in which they are reaped.
    fn ring_doorbell(&mut self, queue: QueueId) {
        let (late, early) = self.members.split_at_mut(self.first);
        for member in early.iter_mut().chain(late) {
            if member.unrung & bit(queue) != 0 {
                member.unrung &= !bit(queue);
                member.part.controller.ring_doorbell(queue);
            }
        }
    }

    /// Asks all in turn. The first that has something is the last to be asked and rung
    /// the next time, so that nobody is always served before the others; where `out`
    /// has no room for all, it is the one that filled it.
    fn reap(&mut self, queue: QueueId, out: &mut [Completion]) -> usize {
        let mut found = 0;
        let mut at = self.first;
        for _ in 0..self.members.len() {
            let next = if at + 1 == self.members.len() {
                0
            } else {
                at + 1
            };
            let before = found;
            loop {
                let room = out.len() - found;
                let controller = &mut self.members[at].part.controller;
                let got = controller.reap(queue, &mut out[found..]).min(room);
                found = self.translate(out, found, found + got);
                if got < room {
                    break;
                }
                if found == out.len() {
                    self.first = next;
                    return found;
                }
            }
            if before == 0 && found > 0 {
                self.first = next;
            }
            at = next;
        }
        found
    }

    fn in_flight(&self) -> u32 {
        let each = |member: &Member<'_>| member.part.controller.in_flight();
        self.members.iter().map(each).sum()
    }

    /// The worst of all.
    fn health(&self) -> Health {
        let all = self.members.iter();
        let all = all.map(|member| member.part.controller.health());
        all.max_by_key(|health| badness(*health))
            .unwrap_or(Health::Ok)
    }

    fn set_interrupts(&mut self, mode: InterruptMode) -> Result<(), ControllerError> {
        self.each(|member| member.part.controller.set_interrupts(mode))
    }

    fn acknowledge_interrupt(&mut self) -> bool {
        let mut raised = false;
        for member in self.members.iter_mut().filter(|member| member.part.level) {
            raised |= member.part.controller.acknowledge_interrupt();
        }
        raised
    }

    /// Those alone that have commands in flight or are not well: the others need none.
    fn reset(&mut self) -> Result<(), ControllerError> {
        let done = self.each(|member| {
            let controller = &mut member.part.controller;
            let health = controller.health();
            if health != Health::Ok {
                member.end.found_unwell = Some(health);
            } else if controller.in_flight() == 0 {
                return Ok(());
            }
            let done = controller.reset();
            member.end.lost = done.err();
            done
        });
        self.tags.forget_all();
        done
    }

    /// Options are an adapter's own.
    fn reconfigure(&mut self, _options: &Options) -> Result<(), ControllerError> {
        Err(ControllerError::Unsupported)
    }

    fn abort(&mut self, queue: QueueId, tag: Tag) -> Result<(), ControllerError> {
        if !self.tags.is_in_flight(tag) {
            return Ok(());
        }
        let at = self.tags.note(tag.slot()) as usize;
        let inner = self.inner[tag.slot()];
        self.members[at].part.controller.abort(queue, inner)
    }

    fn refresh_disk(&mut self, disk: DiskId) -> Result<(), ControllerError> {
        let at = usize::from(disk.0);
        let part = &mut self.members[at].part;
        part.controller.refresh_disk(part.disk)?;
        self.disks[at] = part.controller.disks()[usize::from(part.disk.0)].clone();
        Ok(())
    }

    fn take_disk_change(&mut self) -> Result<bool, ControllerError> {
        let mut changed = false;
        self.each(|member| {
            changed |= member.part.controller.take_disk_change()?;
            Ok(())
        })?;
        Ok(changed)
    }

    fn shutdown(&mut self) {
        for member in &mut self.members {
            member.part.controller.shutdown();
        }
    }

    /// Each adapter has its share of them.
    fn set_buffers(&mut self, count: u32, size_bytes: usize) -> Result<(), ControllerError> {
        let (homes, counts) = homes::deal(count, self.depth, self.members.len());
        let mut counts = counts.into_iter();
        let set = self.each(|member| {
            let count = counts.next().unwrap_or(0);
            member.part.controller.set_buffers(count, size_bytes)
        });
        match set {
            Ok(()) => self.homes = homes,
            Err(ControllerError::InFlight(_)) => {}
            Err(_) => {
                self.homes.clear();
                let _ = self.each(|member| member.part.controller.set_buffers(0, 0));
            }
        }
        set
    }

    fn fill_buffer(&mut self, buffer: BufferId, offset_bytes: usize, data: &[u8]) {
        let Home { part, buffer } = self.homes[buffer.0 as usize];
        let controller = &mut self.members[part].part.controller;
        controller.fill_buffer(buffer, offset_bytes, data);
    }

    fn read_buffer(&self, buffer: BufferId, offset_bytes: usize, out: &mut [u8]) {
        let Home { part, buffer } = self.homes[buffer.0 as usize];
        let controller = &self.members[part].part.controller;
        controller.read_buffer(buffer, offset_bytes, out);
    }

    /// The sum of all.
    fn accesses(&self) -> Accesses {
        let mut sum = Accesses {
            bad_completions: self.bad_completions,
            ..Accesses::default()
        };
        for member in &self.members {
            let one = member.part.controller.accesses();
            sum.submit_doorbells += one.submit_doorbells;
            sum.completion_doorbells += one.completion_doorbells;
            sum.mmio.reads += one.mmio.reads;
            sum.mmio.writes += one.mmio.writes;
            sum.commands += one.commands;
            sum.bad_completions += one.bad_completions;
        }
        sum
    }

    /// The sum of this queue of all.
    fn queue_doorbells(&self, queue: QueueId) -> QueueDoorbells {
        let mut sum = QueueDoorbells::default();
        for member in &self.members {
            let one = member.part.controller.queue_doorbells(queue);
            sum.submit += one.submit;
            sum.completion += one.completion;
        }
        sum
    }
}
