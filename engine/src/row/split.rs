//! I/Os longer than one command, and commands that are sent later.

use super::state::Row;
use super::tally::Failure;
use drivers::block::{Controller, QueueId, SubmitError};

/// Marks a deferred command that the device was never given.
const NEVER_SENT: u32 = 1 << 31;

/// Most commands of one I/O.
pub const MAX_PIECES: u64 = 1 << 15;

impl Row<'_> {
    /// Submits every piece of an I/O; those that are not taken are sent later.
    pub fn submit_pieces(
        &mut self,
        ctl: &mut dyn Controller,
        slot: usize,
        lane: usize,
        lba: u64,
    ) -> bool {
        let pieces = self.pieces(slot, lane);
        let extra = self.table.extra(slot);
        extra.pieces_left = pieces;
        extra.failed = false;
        let mut taken = true;
        for piece in 0..pieces {
            let request = self.request(slot, lane, lba, piece);
            if piece > 0 {
                self.count_commands(slot, lane, 1);
            }
            if !taken {
                self.defer(lane, request.cookie);
                continue;
            }
            if piece > 0 && self.rings.is_on() {
                let now = self.clock.now_ticks();
                self.ring_if_due(ctl, slot, now);
            }
            match ctl.submit(self.rings.queue_of(slot), &request) {
                Ok(tag) => {
                    self.table.set_tag(slot, tag);
                    self.note_submitted(slot, true);
                }
                Err(error) => taken = self.not_taken(ctl, lane, request.cookie, error),
            }
            if piece == 0 {
                self.table.stamps(slot).t1 = self.clock.now_ticks();
            }
        }
        taken
    }

    /// A command that the driver did not take: later, or never. Always false.
    #[cold]
    pub fn not_taken(
        &mut self,
        ctl: &dyn Controller,
        lane: usize,
        cookie: u32,
        error: SubmitError,
    ) -> bool {
        self.defer(lane, cookie);
        match error {
            SubmitError::Full | SubmitError::DoorbellDue => {}
            SubmitError::Invalid => self.give_up(Failure::Refused),
            SubmitError::Dead => self.give_up(Failure::of_health(ctl.health())),
        }
        false
    }

    fn defer(&mut self, lane: usize, cookie: u32) {
        let slot = self.index_of(cookie);
        self.count_commands(slot, lane, u64::MAX);
        self.table.again.push(cookie | NEVER_SENT);
        // At the next look at the clock.
        self.edges.next_event = 0;
    }

    /// Sends deferred commands, as far as the driver takes them and their time
    /// has come. Returns the stamp after the doorbell.
    #[cold]
    pub fn send_again(&mut self, ctl: &mut dyn Controller, now: u64) -> u64 {
        if self.suspended || now < self.again_at {
            return now;
        }
        let mut sent = 0;
        while sent < self.table.again.len() {
            let deferred = self.table.again[sent];
            let cookie = deferred & !NEVER_SENT;
            let index = (cookie & 0xffff) as usize;
            let slot = self.table.slot(index);
            let piece = (cookie >> 16) as u16;
            let request = self.request(index, slot.lane(), slot.lba(), piece);
            match ctl.submit(self.rings.queue_of(index), &request) {
                Ok(tag) => {
                    self.table.set_tag(index, tag);
                    self.count_commands(index, slot.lane(), 1);
                    // A retry lies inside the time in flight; a first sending does not.
                    self.note_submitted(index, deferred & NEVER_SENT != 0);
                    sent += 1;
                    if self.rings.is_on() {
                        let now = self.clock.now_ticks();
                        self.ring_if_due(ctl, index, now);
                    }
                }
                Err(SubmitError::Full | SubmitError::DoorbellDue) => break,
                Err(SubmitError::Invalid) => {
                    self.give_up(Failure::Refused);
                    break;
                }
                Err(SubmitError::Dead) => {
                    self.give_up(Failure::of_health(ctl.health()));
                    break;
                }
            }
        }
        let t2 = self.clock.now_ticks();
        let t3 = if self.rings.is_on() {
            self.ring_queues(ctl, t2)
        } else {
            self.ring_again(ctl, sent, t2)
        };
        self.table.again.drain(..sent);
        self.stats.submit_ticks += t3.wrapping_sub(now);
        t3
    }

    /// One doorbell for the first `sent` deferred commands. Returns t3.
    fn ring_again(&mut self, ctl: &mut dyn Controller, sent: usize, t2: u64) -> u64 {
        let commands = self.unrung;
        self.unrung = 0;
        self.owned += commands;
        let published = commands.wrapping_mul(t2);
        self.stats.depth_integral = self.stats.depth_integral.wrapping_sub(published);
        ctl.ring_doorbell(QueueId(0));
        let t3 = self.clock.now_ticks();
        for at in 0..sent {
            let cookie = self.table.again[at];
            if cookie & NEVER_SENT != 0 {
                let stamps = self.table.stamps((cookie & 0xffff) as usize);
                stamps.t2 = t2.max(stamps.t1);
                stamps.t3 = t3;
            }
        }
        t3
    }

    /// One piece of a split I/O ended.
    pub fn piece_done(&mut self, index: usize, lane: usize, cookie: u32, ok: bool) -> Piece {
        let piece = (cookie >> 16) as u16;
        let request = self.request(index, lane, 0, piece);
        let bytes = u64::from(request.blocks) << self.block_shift;
        if ok {
            self.tracks[lane & 1].moved_piece_bytes += bytes;
        }
        let extra = self.table.extra(index);
        extra.failed |= !ok;
        extra.pieces_left = extra.pieces_left.saturating_sub(1);
        match (extra.pieces_left, extra.failed) {
            (0, false) => Piece::LastOk,
            (0, true) => Piece::LastFailed,
            _ => Piece::More,
        }
    }
}

/// Where a split I/O stands after a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Others are out.
    More,
    /// It is done.
    LastOk,
    /// It is done, and a piece failed.
    LastFailed,
}
