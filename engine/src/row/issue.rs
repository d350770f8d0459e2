//! Filling the queue: build, submit, one doorbell.

use super::crew::{Choice, Crew};
use super::driven::Driven;
use super::policy::Policy;
use super::state::Row;
use drivers::block::{BufferId, Controller, Lba, Op, QueueId, Request};
use drivers::hal::Clock;
use proto::pattern;

impl Row<'_> {
    /// Issues as many I/Os as there is room for, and rings. `start` is the stamp
    /// at which it begins; the stamp at which it ends is returned.
    #[inline]
    pub fn fill<P, C, K>(&mut self, ctl: &mut C, clock: &K, start: u64) -> u64
    where
        P: Policy,
        C: Driven + ?Sized,
        K: Clock + ?Sized,
    {
        self.done_since_fill = 0;
        let mut now = start;
        if !self.table.again.is_empty() {
            now = self.send_again(ctl.whole(), now);
        }
        loop {
            let batch = self.batch::<P>(now);
            if batch == 0 {
                if P::GENERAL {
                    self.note_crew(now);
                }
                return now;
            }
            let built = self.build::<P, C, K>(ctl, clock, now, batch);
            self.quota_left -= built.ios as u64;
            let mut building = built.end.wrapping_sub(now);
            if P::GENERAL {
                building = building.wrapping_sub(self.rings.ringing_ticks);
            }
            self.stats.submit_ticks += building;
            self.gaps.check_build(self.stats, building, built.ios);
            now = self.ring::<P, C, K>(ctl, clock, &built);
            if built.ios < batch {
                if P::GENERAL {
                    self.note_crew(built.end);
                }
                return now;
            }
        }
    }

    /// Builds and submits up to `batch` I/Os; fewer if one is not taken.
    ///
    /// One stamp per I/O: the end of one build is the start of the next.
    #[inline]
    fn build<P, C, K>(&mut self, ctl: &mut C, clock: &K, start: u64, batch: usize) -> Built
    where
        P: Policy,
        C: Driven + ?Sized,
        K: Clock + ?Sized,
    {
        let free = self.table.free_len();
        let least = free.saturating_sub(batch);
        if P::GENERAL {
            self.rings.ringing_ticks = 0;
        }
        let mut now = start;
        let mut top = free;
        let mut refused = 0;
        while top > least {
            let t0 = now;
            let taken = if P::GENERAL && self.crew.is_some() {
                let Some(choice) = self.choose(t0) else {
                    break;
                };
                top -= 1;
                self.issue_choice(ctl.whole(), t0, top, choice)
            } else {
                top -= 1;
                self.issue::<P, C>(ctl, t0, top)
            };
            now = clock.now_ticks();
            // A split I/O was stamped at its first piece.
            if P::STAGES && !(P::GENERAL && self.splits) {
                let slot = self.table.free_at(top);
                self.table.stamps(slot).t1 = now;
            }
            if P::GENERAL && self.rings.is_on() {
                now = self.ring_if_due(ctl.whole(), self.table.free_at(top), now);
            }
            if !taken {
                refused = 1;
                break;
            }
        }
        let ios = free - top;
        self.table.keep_free(top);
        if P::READS != P::WRITES {
            self.tracks[usize::from(P::WRITES)].issued += ios as u64;
        }
        if !P::GENERAL {
            self.unrung += (ios - refused) as u64;
        }
        Built { ios, end: now }
    }

    /// How many I/Os the next doorbell shall publish.
    #[inline]
    fn batch<P: Policy>(&self, now: u64) -> usize {
        let free = self.table.free_len();
        if P::GENERAL
            && let Some(crew) = &self.crew
            && !self.suspended
        {
            return self.batch_of(crew, free, now);
        }
        let quota = usize::try_from(self.quota_left).unwrap_or(usize::MAX);
        let room = free.min(quota);
        if self.suspended {
            0
        } else if self.chunk <= 1 {
            room.min(self.max_batch)
        } else if room >= self.chunk {
            self.chunk
        } else if room == quota || self.table.outstanding() == 0 {
            // The rest of the quota, or all there can be.
            room
        } else {
            0
        }
    }

    /// The same of a crew, which may have fewer to start.
    fn batch_of(&self, crew: &Crew, free: usize, now: u64) -> usize {
        let room = free.min(crew.room(now));
        if self.chunk <= 1 || crew.is_rated() {
            room.min(self.max_batch)
        } else if room >= self.chunk {
            self.chunk
        } else if self.table.outstanding() == 0 {
            room
        } else {
            0
        }
    }

    /// The loop shall look when time alone lets a crew start something again, after
    /// a fill that could start nothing at `now`. What could start already waits for
    /// completions: to look for it would keep the loop from halting.
    fn note_crew(&mut self, now: u64) {
        let Some(crew) = &self.crew else { return };
        let ready = crew.ready_at();
        self.crew_wakes_at = if ready > now && self.table.free_len() > 0 {
            ready
        } else {
            u64::MAX
        };
        self.edges.next_event = self.edges.next_event.min(self.crew_wakes_at);
    }

    fn choose(&mut self, now: u64) -> Option<Choice> {
        self.crew.as_mut().and_then(|crew| crew.choose(now))
    }

    /// Issues what a crew chose, in the free slot at `top`.
    fn issue_choice(
        &mut self,
        ctl: &mut dyn Controller,
        t0: u64,
        top: usize,
        choice: Choice,
    ) -> bool {
        let Choice {
            member,
            disk,
            lane,
            op,
            lba,
            blocks,
            due,
        } = choice;
        let disks = self.crew.as_ref().map_or(1, Crew::disks);
        if disks > 1 {
            self.table.bring_up(top, disks, usize::from(disk.0));
        }
        let slot = self.table.place(top, t0, lba << 1 | lane as u64);
        let extra = self.table.extra(slot);
        extra.op = op;
        extra.blocks = blocks;
        extra.member = member;
        extra.disk = disk;
        extra.due = due;
        extra.seq = self.trace.next_seq();
        if op == Op::Flush {
            self.flushes.commands = self.flushes.commands.wrapping_add(1);
        } else {
            self.tracks[lane & 1].issued += 1;
            self.digest.add_of(Self::direction(lane), lba, blocks);
        }
        if matches!(op, Op::Write | Op::WriteDurable) {
            self.make_data(ctl, slot, lba, blocks);
        }
        self.submit_pieces(ctl, slot, lane, lba)
    }

    /// Publishes what was built; its end is t2. Returns t3.
    #[inline]
    fn ring<P, C, K>(&mut self, ctl: &mut C, clock: &K, built: &Built) -> u64
    where
        P: Policy,
        C: Driven + ?Sized,
        K: Clock + ?Sized,
    {
        if P::GENERAL && self.rings.is_on() {
            let t3 = self.ring_queues(ctl.whole(), built.end);
            self.stats.doorbell_ticks += self.rings.ringing_ticks;
            return t3;
        }
        let commands = self.unrung;
        self.unrung = 0;
        self.owned += commands;
        let published = commands.wrapping_mul(built.end);
        self.stats.depth_integral = self.stats.depth_integral.wrapping_sub(published);
        ctl.ring_doorbell(QueueId(0));
        let t3 = clock.now_ticks();
        if P::STAGES {
            self.table.stamp_batch(built.ios, built.end, t3);
        }
        let ringing = t3.wrapping_sub(built.end);
        self.stats.doorbell_ticks += ringing;
        self.gaps.check_doorbell(self.stats, ringing, commands);
        t3
    }

    /// Issues one I/O in the free slot at `top`; false if it, or a piece of it,
    /// was not taken. What is the same for all I/Os of a batch is left to
    /// [`build`](Self::build).
    #[inline(always)]
    fn issue<P: Policy, C: Driven + ?Sized>(&mut self, ctl: &mut C, t0: u64, top: usize) -> bool {
        let lane = if P::READS && P::WRITES {
            self.mix.next_direction() as usize
        } else {
            usize::from(P::WRITES)
        };
        let track = &mut self.tracks[lane & 1];
        let lba = track.start_lba + track.stream.next_index() * u64::from(track.blocks);
        if P::READS && P::WRITES {
            track.issued += 1;
        }
        self.digest.add(Self::direction(lane), lba);
        let slot = self.table.place(top, t0, lba << 1 | lane as u64);
        if P::GENERAL {
            self.table.extra(slot).seq = self.trace.next_seq();
        }
        if P::WRITES && lane == 1 {
            let track = &self.tracks[1];
            let buffer = BufferId(track.buffer_base + slot as u32);
            stamp_keys(ctl, buffer, lba << self.block_shift, track.bs_bytes);
        }
        if P::GENERAL && self.splits {
            return self.submit_pieces(ctl.whole(), slot, lane, lba);
        }
        let track = &self.tracks[lane & 1];
        let request = Request {
            disk: self.disk,
            op: if P::WRITES { track.op } else { Op::Read },
            lba: Lba(lba),
            blocks: track.blocks,
            buffer: BufferId(track.buffer_base + slot as u32),
            buffer_offset_bytes: 0,
            cookie: slot as u32,
        };
        let queue = if P::GENERAL {
            self.rings.queue_of(slot)
        } else {
            QueueId(0)
        };
        match ctl.submit(queue, &request) {
            Ok(tag) => {
                self.table.set_tag(slot, tag);
                if P::GENERAL {
                    self.note_submitted(slot, true);
                }
                true
            }
            Err(error) => self.not_taken(ctl.whole(), lane, request.cookie, error),
        }
    }
}

/// What a batch came to before its doorbell.
struct Built {
    /// I/Os, one that was not taken included.
    ios: usize,
    /// The stamp after the last of them.
    end: u64,
}

/// Keys each unit of a write's buffer to where it goes.
#[inline]
pub(super) fn stamp_keys<C: Controller + ?Sized>(
    ctl: &mut C,
    buffer: BufferId,
    offset_bytes: u64,
    bytes: u64,
) {
    let mut at = 0;
    while at < bytes {
        let key = pattern::key(offset_bytes + at);
        ctl.fill_buffer(buffer, at as usize, &key);
        at += pattern::UNIT_BYTES as u64;
    }
}
