//! Filling the queue: build, submit, one doorbell.

use super::policy::Policy;
use super::state::Row;
use super::table::Slot;
use drivers::block::{BufferId, Controller, Lba, Request};
use drivers::hal::Clock;
use proto::pattern;

impl<C: Controller, K: Clock> Row<'_, C, K> {
    /// Issues as many I/Os as there is room for, and rings. `start` is the stamp
    /// at which it begins; the stamp at which it ends is returned.
    ///
    /// One stamp per I/O: the end of one build is the start of the next.
    #[inline]
    pub fn fill<P: Policy>(&mut self, start: u64) -> u64 {
        self.done_since_fill = 0;
        let mut now = start;
        if !self.table.again.is_empty() {
            now = self.send_again(now);
        }
        loop {
            let batch = self.batch();
            if batch == 0 {
                return now;
            }
            let first = now;
            let mut starts = 0u64;
            let mut built = 0;
            while built < batch {
                let before = self.unrung;
                let taken = self.issue::<P>(now);
                let t0 = now;
                now = self.clock.now_ticks();
                let commands = if P::GENERAL { self.unrung - before } else { 1 };
                starts = starts.wrapping_add(t0.wrapping_mul(commands));
                built += 1;
                if P::STAGES {
                    self.stamp_built(t0, now);
                }
                if !taken {
                    if !P::GENERAL {
                        starts = starts.wrapping_sub(t0);
                    }
                    break;
                }
            }
            self.quota_left -= built as u64;
            let building = now.wrapping_sub(first);
            if self.posts {
                self.stats.doorbell_ticks += building;
            } else {
                self.stats.submit_ticks += building;
            }
            self.gaps
                .check_build(self.stats, building, built, self.posts);
            now = self.ring::<P>(now, built, starts);
            if built < batch {
                return now;
            }
        }
    }

    /// How many I/Os the next doorbell shall publish.
    #[inline]
    fn batch(&self) -> usize {
        let free = self.table.free_len();
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

    #[inline]
    fn stamp_built(&mut self, t0: u64, now: u64) {
        let posts = self.posts;
        if self.splits {
            // Stamped piece by piece.
            return;
        }
        let stamps = self.table.stamps_of_last();
        if posts {
            // Build and post are one call: it is all doorbell.
            stamps.t1 = t0;
            stamps.t2 = t0;
            stamps.t3 = now;
        } else {
            stamps.t1 = now;
        }
    }

    /// Publishes what was submitted; `now` is t2. Returns t3.
    #[inline]
    fn ring<P: Policy>(&mut self, now: u64, built: usize, starts: u64) -> u64 {
        let commands = self.unrung;
        self.unrung = 0;
        self.owned += commands;
        let published = if self.posts {
            starts
        } else {
            commands.wrapping_mul(now)
        };
        self.stats.depth_integral = self.stats.depth_integral.wrapping_sub(published);
        self.ctl.ring_doorbell(self.queue);
        if self.posts {
            return now;
        }
        let t3 = self.clock.now_ticks();
        if P::STAGES {
            self.table.stamp_batch(built, now, t3);
        }
        self.stats.doorbell_ticks += t3.wrapping_sub(now);
        self.gaps.check_doorbell(self.stats, t3.wrapping_sub(now));
        t3
    }

    /// Issues one I/O; false if it, or a piece of it, was not taken.
    #[inline(always)]
    fn issue<P: Policy>(&mut self, t0: u64) -> bool {
        let lane = if P::READS && P::WRITES {
            self.mix.next_direction() as usize
        } else {
            usize::from(P::WRITES)
        };
        let track = &mut self.tracks[lane & 1];
        let offset_bytes = track.start_bytes + track.stream.next_index() * track.bs_bytes;
        track.issued += 1;
        self.digest.add(Self::direction(lane), offset_bytes);
        let slot = self.table.take(Slot {
            t0,
            place: offset_bytes << 1 | lane as u64,
        });
        if P::WRITES && lane == 1 {
            let track = &self.tracks[1];
            let buffer = BufferId(track.buffer_base + slot as u32);
            stamp_keys(self.ctl, buffer, offset_bytes, track.bs_bytes);
        }
        if P::GENERAL && self.splits {
            return self.submit_pieces(slot, lane, offset_bytes);
        }
        let track = &self.tracks[lane & 1];
        let request = Request {
            disk: self.disk,
            op: track.op,
            lba: Lba(offset_bytes >> self.block_shift),
            blocks: track.blocks,
            buffer: BufferId(track.buffer_base + slot as u32),
            buffer_offset_bytes: 0,
            cookie: slot as u32,
        };
        match self.ctl.submit(self.queue, &request) {
            Ok(tag) => {
                self.table.set_tag(slot, tag);
                self.unrung += 1;
                true
            }
            Err(error) => self.not_taken(lane, request.cookie, error),
        }
    }
}

/// Keys each unit of a write's buffer to where it goes.
#[inline]
pub(super) fn stamp_keys<C: Controller>(
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
