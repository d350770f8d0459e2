//! Completions that are not a success: retry, or count.

use super::split::Piece;
use super::state::Row;
use super::tally::Failure;
use drivers::block::{Completion, Sense, Status};

/// Times that one I/O is sent again after BUSY.
const BUSY_RETRIES: u16 = 20;
/// Times that one I/O is sent again after UNIT ATTENTION.
const ATTENTION_RETRIES: u16 = 8;
/// First pause after BUSY; it doubles up to 64 times this.
const BUSY_PAUSE_NS: u64 = 1_000_000;

/// Kinds of errors that one row tells apart.
const KINDS: usize = 16;

/// Errors by kind, without allocation.
#[derive(Clone, Debug)]
pub struct ErrorCounts {
    kinds: [(Status, u64); KINDS],
    len: usize,
    /// Errors of further kinds.
    pub others: u64,
}

impl Default for ErrorCounts {
    fn default() -> Self {
        Self::new()
    }
}

impl ErrorCounts {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            kinds: [(Status::Ok, 0); KINDS],
            len: 0,
            others: 0,
        }
    }

    /// Counts one.
    pub fn add(&mut self, status: Status) {
        if let Some(kind) = self.kinds[..self.len]
            .iter_mut()
            .find(|kind| kind.0 == status)
        {
            kind.1 += 1;
        } else if let Some(kind) = self.kinds.get_mut(self.len) {
            *kind = (status, 1);
            self.len += 1;
        } else {
            self.others += 1;
        }
    }

    /// Each kind seen and how often.
    pub fn iter(&self) -> impl Iterator<Item = (Status, u64)> + '_ {
        self.kinds[..self.len].iter().copied()
    }
}

/// Whether a UNIT ATTENTION says that the disk behind the address may be another
/// one, or hold other data: medium changed (28/00), reset or power-on (29/xx),
/// capacity changed (2A/09), LUNs changed (3F/0E).
const fn disk_may_differ(sense: Sense) -> bool {
    matches!(
        (sense.asc, sense.ascq),
        (0x28, 0x00) | (0x29, _) | (0x2a, 0x09) | (0x3f, 0x0e)
    )
}

/// Whether a command failed because there is nothing left that could execute it:
/// the target is gone, or the logical unit (5/25/00), or the medium (2/3A/xx). All
/// further ones would fail too, and at once.
const fn is_gone(status: Status) -> bool {
    match status {
        Status::NoDevice => true,
        Status::Check(sense) => matches!((sense.key, sense.asc), (5, 0x25) | (2, 0x3a)),
        _ => false,
    }
}

impl Row<'_> {
    /// A completion with an error, or one that names no I/O.
    #[cold]
    #[inline(never)]
    pub fn trouble(&mut self, completion: Completion, now: u64) {
        let index = self.index_of(completion.cookie);
        let slot = self.table.slot(index);
        if index >= self.depth || slot.is_free() {
            return self.names_nothing(now);
        }
        if self.sends_again(index, slot.t0, completion.status, now) {
            self.table.again.push(completion.cookie);
            self.edges.next_event = 0;
            self.retries += 1;
            return;
        }
        self.errors.add(completion.status);
        self.failed_commands += 1;
        if is_gone(completion.status) {
            self.suspended = true;
            self.give_up(Failure::DiskGone(completion.status));
        }
        let lane = slot.lane();
        if self.splits && self.piece_done(index, lane, completion.cookie, false) == Piece::More {
            return;
        }
        self.io_failed(index, lane);
    }

    /// A completion that is of no command: what the pass booked is taken back.
    #[cold]
    pub fn names_nothing(&mut self, now: u64) {
        self.bad_completions += 1;
        self.owned = self.owned.wrapping_add(1);
        self.stats.depth_integral = self.stats.depth_integral.wrapping_sub(now);
    }

    /// The I/O is an error: counted, and in no rate or histogram.
    #[cold]
    pub fn io_failed(&mut self, index: usize, lane: usize) {
        if self.is_flush(index) {
            self.flushes.failed += 1;
        } else {
            self.tracks[lane & 1].failed += 1;
        }
        let now = self.clock.now_ticks();
        self.give_back(index, now);
    }

    /// Whether the command shall be sent again, and from when on.
    fn sends_again(&mut self, index: usize, t0: u64, status: Status, now: u64) -> bool {
        let limit = match status {
            Status::Busy => BUSY_RETRIES,
            Status::UnitAttention(_) => ATTENTION_RETRIES,
            _ => return false,
        };
        let extra = self.table.extra(index);
        if extra.attempts_t0 != t0 {
            extra.attempts_t0 = t0;
            extra.attempts = 0;
        }
        if extra.attempts >= limit {
            return false;
        }
        extra.attempts += 1;
        let doublings = (extra.attempts - 1).min(6);
        self.again_at = match status {
            Status::Busy => now + (self.timebase.ticks(BUSY_PAUSE_NS) << doublings),
            _ => now,
        };
        if let Status::UnitAttention(sense) = status {
            // Reported LUNs data has changed.
            self.disks_changed |= (sense.asc, sense.ascq) == (0x3f, 0x0e);
        }
        if let Status::UnitAttention(sense) = status
            && disk_may_differ(sense)
            && self.kind != super::spec::Kind::Read
        {
            self.suspended = true;
        }
        true
    }
}
