//! Several jobs at the same time, and all that makes an I/O wait before it starts:
//! fixed rates, pauses, a depth that is being sought.
//!
//! A member is one of fio's `numjobs`, or the part of it that runs on one disk of
//! several. Members take turns as far as they have room; what one may not start yet
//! is left to the next. Of several disks, each has its share of the slots of I/Os in
//! flight, because each has its share of their buffers.

use crate::workload::Worker;
use alloc::vec::Vec;
use drivers::block::{DiskId, Op};

/// One of the jobs of a crew.
#[derive(Clone, Debug)]
pub struct Seat {
    /// What it does.
    pub worker: Worker,
    /// I/Os that it may have in flight.
    pub depth: u32,
    /// Which of the crew's disks it works on.
    pub disk: DiskId,
    /// Which of fio's `numjobs` it is, or is a part of.
    pub numjob: u16,
}

/// What a crew is made of.
#[derive(Clone, Debug)]
pub struct CrewSpec {
    /// The jobs, at least one.
    pub seats: Vec<Seat>,
    /// Of a row on several disks at once, how many: from [`DiskId`] 0 on, each of
    /// them with every so manyth slot.
    pub disks: Option<u16>,
    /// What the second direction does: [`Op::Write`], [`Op::WriteDurable`] or [`Op::Trim`].
    pub changing_op: Op,
    /// A flush after so many writes of a member (fio `fsync`, `fdatasync`); 0 is never.
    pub flush_every: [u32; 2],
    /// Pause of a member once its last `think_ios` I/Os are done; 0 is none.
    pub think_ticks: u64,
    /// I/Os between two pauses.
    pub think_ios: u32,
}

/// An I/O to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub member: u16,
    pub disk: DiskId,
    /// 0 read, 1 write, trim or flush.
    pub lane: usize,
    pub op: Op,
    pub lba: u64,
    pub blocks: u32,
    /// When it was meant to start, of a fixed rate; else 0.
    pub due: u64,
}

/// Where a member stands between two pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Think {
    /// It may start so many more.
    Working(u32),
    /// It waits for what it has in flight.
    Quiescing,
    /// It pauses until then.
    Until(u64),
}

#[derive(Clone, Debug)]
struct Member {
    worker: Worker,
    depth: u32,
    disk: DiskId,
    numjob: u16,
    /// Its share's index.
    share: usize,
    in_flight: u32,
    ios_left: u64,
    blocks_left: u64,
    think: Think,
    writes: u64,
    flush_next: bool,
}

impl Member {
    const fn is_spent(&self) -> bool {
        (self.ios_left == 0 || self.blocks_left == 0) && !self.flush_next
    }

    /// The stamp from which on it can start something, if it has room.
    fn ready_at(&self) -> u64 {
        match self.think {
            Think::Quiescing => return u64::MAX,
            Think::Until(then) => return then,
            Think::Working(_) => {}
        }
        if self.flush_next {
            return 0;
        }
        let mut at = u64::MAX;
        let both = self.worker.mix.directions();
        for (arrival, issued) in self.worker.arrivals.iter().zip(both) {
            if issued {
                at = at.min(arrival.as_ref().map_or(0, crate::workload::Arrival::due));
            }
        }
        at
    }

    /// Which direction is next, and when it was meant to start; `None` if it is too
    /// early for both.
    fn direction(&mut self, now: u64) -> Option<(usize, u64)> {
        if self.worker.arrivals.iter().all(Option::is_none) {
            return Some((self.worker.mix.next_direction() as usize, 0));
        }
        let lane = self.worker.mix.peek() as usize;
        let due = |lane: usize| {
            let arrival = self.worker.arrivals[lane & 1].as_ref();
            arrival.map_or(0, crate::workload::Arrival::due)
        };
        // As in fio: where the one whose turn it is must wait, the other goes first.
        let [reads, writes] = self.worker.mix.directions();
        let lane = if due(lane) > now && reads && writes && due(1 - lane) <= now {
            1 - lane
        } else {
            self.worker.mix.next_direction();
            lane
        };
        if due(lane) > now {
            return None;
        }
        let due = self.worker.arrivals[lane & 1]
            .as_mut()
            .map_or(0, crate::workload::Arrival::take);
        Some((lane, due))
    }
}

/// The room of one disk, and what was done there.
#[derive(Clone, Copy, Debug)]
struct Share {
    in_flight: u32,
    limit: u32,
    /// I/Os completed in the window.
    ios: u64,
}

pub(super) struct Crew {
    members: Vec<Member>,
    shares: Vec<Share>,
    /// I/Os that all may have in flight together.
    pub limit: u32,
    in_flight: u32,
    turn: usize,
    changing_op: Op,
    flush_every: [u32; 2],
    think_ticks: u64,
    think_ios: u32,
    rated: bool,
}

impl Crew {
    /// A crew that may have `limit` I/Os in flight for now, of `depth` slots.
    pub fn new(spec: CrewSpec, start: u64, limit: u32, depth: u32, bounded: bool) -> Self {
        let disks = u32::from(spec.disks.unwrap_or(1).max(1));
        let rated = |worker: &Worker| worker.arrivals.iter().any(Option::is_some);
        let think = match spec.think_ticks {
            0 => u32::MAX,
            _ => spec.think_ios.max(1),
        };
        let mut crew = Self {
            shares: (0..disks)
                .map(|number| Share {
                    in_flight: 0,
                    limit: depth / disks + u32::from(number < depth % disks),
                    ios: 0,
                })
                .collect(),
            limit,
            in_flight: 0,
            turn: 0,
            changing_op: spec.changing_op,
            flush_every: spec.flush_every,
            think_ticks: spec.think_ticks,
            think_ios: think,
            rated: spec.seats.iter().any(|seat| rated(&seat.worker)),
            members: spec
                .seats
                .into_iter()
                .map(|seat| Member {
                    share: match spec.disks {
                        Some(_) => usize::from(seat.disk.0),
                        None => 0,
                    },
                    depth: seat.depth.max(1),
                    disk: seat.disk,
                    numjob: seat.numjob,
                    worker: seat.worker,
                    in_flight: 0,
                    ios_left: u64::MAX,
                    blocks_left: u64::MAX,
                    think: Think::Working(think),
                    writes: 0,
                    flush_next: false,
                })
                .collect(),
        };
        for member in &mut crew.members {
            for arrival in member.worker.arrivals.iter_mut().flatten() {
                arrival.start(start);
            }
        }
        if bounded {
            crew.open_window();
        }
        crew
    }

    /// Whether I/Os have an intended start.
    pub const fn is_rated(&self) -> bool {
        self.rated
    }

    /// Quotas count from now on.
    pub fn open_window(&mut self) {
        for share in &mut self.shares {
            share.ios = 0;
        }
        for member in &mut self.members {
            member.ios_left = member.worker.quota_ios;
            member.blocks_left = member.worker.quota_blocks;
        }
    }

    /// Whether nothing will ever be started any more.
    pub fn is_spent(&self) -> bool {
        self.members.iter().all(Member::is_spent)
    }

    /// The stamp from which on something can be started; `u64::MAX` where only a
    /// completion makes that possible.
    pub fn ready_at(&self) -> u64 {
        if self.in_flight >= self.limit {
            return u64::MAX;
        }
        let members = self
            .members
            .iter()
            .filter(|member| self.has_room(member) && !member.is_spent());
        members.map(Member::ready_at).min().unwrap_or(u64::MAX)
    }

    /// Whether a member may have one more in flight.
    #[inline]
    fn has_room(&self, member: &Member) -> bool {
        let share = &self.shares[member.share];
        member.in_flight < member.depth && share.in_flight < share.limit
    }

    /// Which of fio's `numjobs` a member is, or is a part of.
    pub fn numjob_of(&self, member: u16) -> u16 {
        let member = self.members.get(usize::from(member));
        member.map_or(0, |member| member.numjob)
    }

    /// Disks that divide the slots among them.
    pub const fn disks(&self) -> usize {
        self.shares.len()
    }

    /// I/Os of each disk in the window.
    pub fn ios_by_disk(&self) -> Vec<u64> {
        self.shares.iter().map(|share| share.ios).collect()
    }

    /// An I/O of a member was good.
    #[inline]
    pub fn count(&mut self, member: u16) {
        if let Some(member) = self.members.get(usize::from(member)) {
            self.shares[member.share].ios += 1;
        }
    }

    /// Most I/Os that can be started at `now`: an upper bound.
    pub fn room(&self, now: u64) -> usize {
        if self.ready_at() > now {
            return 0;
        }
        (self.limit - self.in_flight) as usize
    }

    /// What starts next.
    #[inline]
    pub fn choose(&mut self, now: u64) -> Option<Choice> {
        if self.in_flight >= self.limit {
            return None;
        }
        for _ in 0..self.members.len() {
            let at = self.turn;
            self.turn += 1;
            if self.turn == self.members.len() {
                self.turn = 0;
            }
            if let Some(choice) = self.choose_of(at, now) {
                let member = &mut self.members[at];
                member.in_flight += 1;
                self.shares[member.share].in_flight += 1;
                self.in_flight += 1;
                return Some(choice);
            }
        }
        None
    }

    fn choose_of(&mut self, at: usize, now: u64) -> Option<Choice> {
        if !self.has_room(&self.members[at]) || self.members[at].is_spent() {
            return None;
        }
        let member = &mut self.members[at];
        match member.think {
            Think::Quiescing => return None,
            Think::Until(then) if then > now => return None,
            Think::Until(_) => member.think = Think::Working(self.think_ios),
            Think::Working(_) => {}
        }
        if member.flush_next {
            member.flush_next = false;
            return Some(Choice {
                member: at as u16,
                disk: member.disk,
                lane: 1,
                op: Op::Flush,
                lba: 0,
                blocks: 0,
                due: 0,
            });
        }
        let (lane, due) = member.direction(now)?;
        let (lba, blocks) = member.worker.courses[lane & 1].next_extent();
        member.ios_left = member.ios_left.saturating_sub(1);
        member.blocks_left = member.blocks_left.saturating_sub(u64::from(blocks));
        if let Think::Working(left) = &mut member.think
            && self.think_ticks > 0
        {
            *left -= 1;
            if *left == 0 {
                member.think = Think::Quiescing;
            }
        }
        if lane == 1 {
            member.writes += 1;
            let due = |every: &u32| *every > 0 && member.writes.is_multiple_of(u64::from(*every));
            member.flush_next = self.flush_every.iter().any(due);
        }
        Some(Choice {
            member: at as u16,
            disk: member.disk,
            lane,
            op: if lane == 0 {
                Op::Read
            } else {
                self.changing_op
            },
            lba: member.worker.start_lba + lba,
            blocks,
            due,
        })
    }

    /// An I/O of a member is done, or lost.
    #[inline]
    pub fn done(&mut self, member: u16, now: u64) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let Some(member) = self.members.get_mut(usize::from(member)) else {
            return;
        };
        member.in_flight = member.in_flight.saturating_sub(1);
        let share = &mut self.shares[member.share];
        share.in_flight = share.in_flight.saturating_sub(1);
        if member.in_flight == 0 && member.think == Think::Quiescing {
            member.think = Think::Until(now.saturating_add(self.think_ticks));
        }
    }
}
