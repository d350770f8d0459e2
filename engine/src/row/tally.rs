//! What a row leaves behind.

use super::edges::{Phase, accesses_between};
use super::errors::ErrorCounts;
use super::search::SearchOutcome;
use super::state::Row;
use super::stats::Stats;
use super::steady::SteadyOutcome;
use super::table::Memory;
use super::trace::TraceLog;
use super::verify::Mismatch;
use crate::session::MachineCounts;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use drivers::block::{
    Accesses, Completion, Controller, ControllerError, Health, QueueDoorbells, Status,
};

/// Completions taken in one call of `reap`.
pub(super) const REAP_ROOM: usize = 256;

/// Tables and histograms that rows use one after another, so that a row
/// allocates nothing while it runs.
pub struct Workspace {
    pub(super) memory: Memory,
    pub(super) completions: Box<[Completion; REAP_ROOM]>,
    /// Figures of the last row's window.
    pub stats: Stats,
    /// I/Os of the last row's window that were kept one by one. A row keeps no more than
    /// there was memory reserved for before it.
    pub trace: TraceLog,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

impl Workspace {
    /// Allocates everything.
    #[must_use]
    pub fn new() -> Self {
        Self {
            memory: Memory::new(),
            completions: Box::new([Completion::EMPTY; REAP_ROOM]),
            stats: Stats::default(),
            trace: TraceLog::default(),
        }
    }
}

/// Why a row was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An I/O did not complete in time.
    TimedOut {
        /// Whether it is a write.
        write: bool,
        /// Its byte offset on the disk.
        offset_bytes: u64,
        /// Its age in ticks when it was given up.
        age_ticks: u64,
    },
    /// The controller cannot be used any more.
    Unhealthy(Health),
    /// The controller took no request that exists: a bug on our side.
    Refused,
    /// The controller is dead though it says it is healthy.
    Dead,
    /// The disk changed under the row, and must not be written any more: why.
    Suspended(String),
    /// The disk is gone, or what was in it: what it, or its controller, answers.
    DiskGone(Status),
    /// A reset after a time-out failed.
    Reset(ControllerError),
    /// Completions were found, and no interrupt came for them.
    LostInterrupts {
        /// How often.
        times: u64,
    },
    /// The controller interrupts again and again without a completion.
    InterruptStorm {
        /// How often in a row.
        interrupts: u32,
    },
}

impl Failure {
    /// What a controller that takes no requests says of itself.
    #[must_use]
    pub const fn of_health(health: Health) -> Self {
        match health {
            Health::Ok => Self::Dead,
            other => Self::Unhealthy(other),
        }
    }
}

/// Figures of one row beside its [`Stats`].
#[derive(Clone, Debug)]
pub struct Tally {
    /// Why the row was given up, if it was.
    pub failure: Option<Failure>,
    /// A reset failed: the controller must not be used any more.
    pub controller_lost: bool,
    /// The device said that disks came or went.
    pub disks_changed: bool,
    /// What the controller said of itself before it was reset, if it was not well.
    pub found_unwell: Option<Health>,
    /// The window was opened and closed.
    pub window_closed: bool,
    /// Length of the window in ticks.
    pub window_ticks: u64,
    /// Most I/Os that could be in flight.
    pub depth_limit: u32,
    /// I/Os in flight when the window closed.
    pub open_at_end: u64,
    /// Age of the oldest of these, in ticks.
    pub oldest_open_ticks: u64,
    /// When the row began with its I/Os.
    pub started_ticks: u64,
    /// When the first I/O of the row completed.
    pub first_completion_ticks: Option<u64>,
    /// I/Os issued by direction.
    pub issued: [u64; 2],
    /// I/Os failed by direction, over the whole row.
    pub failed: [u64; 2],
    /// I/Os that never completed, by direction, over the whole row.
    pub lost: [u64; 2],
    /// Commands given to the device by direction: pieces and retries count.
    pub commands: [u64; 2],
    /// Bytes that moved without error, over the whole row.
    pub moved_bytes: [u64; 2],
    /// Commands that ended in an error and were not sent again.
    pub failed_commands: u64,
    /// Commands sent again.
    pub retries: u64,
    /// Failed commands by kind.
    pub errors: ErrorCounts,
    /// Completions that named no I/O in flight.
    pub bad_completions: u64,
    /// Blocks compared with the pattern.
    pub verified_blocks: u64,
    /// Bytes that differed.
    pub mismatched_bytes: u64,
    /// The first of these.
    pub mismatches: Vec<Mismatch>,
    /// Flushes given to the device, retries included.
    pub flushes: u64,
    /// Flushes that failed, and that never completed.
    pub failed_flushes: u64,
    /// What came of waiting for a steady figure, where that was asked.
    pub steady: Option<SteadyOutcome>,
    /// What came of the search for a depth, where that was asked.
    pub search: Option<SearchOutcome>,
    /// I/Os of the window by disk, of a crew that works on several.
    pub ios_by_disk: Vec<u64>,
    /// Whether all sampled data read was zero; `None` if no read was sampled.
    pub all_zero: Option<bool>,
    /// Fingerprint of all I/Os in order of issue.
    pub digest: u64,
    /// Accesses by the driver inside the window.
    pub window_accesses: Accesses,
    /// Accesses by the driver over the whole row.
    pub row_accesses: Accesses,
    /// Of the doorbells of the whole row, those of each queue; empty of a row that
    /// uses one.
    pub queue_doorbells: Vec<QueueDoorbells>,
    /// Counts of the machine inside the window.
    pub window_machine: MachineCounts,
    /// The limit for gaps at the end of the window, in ticks.
    pub gap_limit_ticks: u64,
}

impl Row<'_> {
    /// The figures of a row that has ended; nothing is in flight.
    pub(super) fn sum_up(self, ctl: &dyn Controller, before: &Accesses) -> Tally {
        let all_zero = self.looks_all_zero(ctl);
        let per_lane =
            |of: fn(&super::state::Track) -> u64| [of(&self.tracks[0]), of(&self.tracks[1])];
        let moved_bytes = if self.splits {
            per_lane(|track| track.moved_piece_bytes)
        } else {
            per_lane(|track| (track.issued - track.failed - track.lost) * track.bs_bytes)
        };
        Tally {
            controller_lost: self.controller_lost,
            disks_changed: self.disks_changed,
            found_unwell: self.found_unwell,
            window_closed: self.edges.phase == Phase::Closed,
            window_ticks: self.edges.window_ticks,
            depth_limit: self.depth as u32,
            open_at_end: self.edges.open_at_end,
            oldest_open_ticks: self.edges.oldest_open,
            started_ticks: self.started_ticks,
            first_completion_ticks: match self.first_completion_ticks {
                0 => None,
                ticks => Some(ticks),
            },
            issued: per_lane(|track| track.issued),
            failed: per_lane(|track| track.failed),
            lost: per_lane(|track| track.lost),
            commands: per_lane(|track| track.issued.wrapping_add(track.further_commands)),
            moved_bytes,
            failed_commands: self.failed_commands,
            retries: self.retries,
            bad_completions: self.bad_completions,
            verified_blocks: self.verifier.blocks,
            mismatched_bytes: self.verifier.mismatched_bytes,
            flushes: self.flushes.commands,
            failed_flushes: self.flushes.failed + self.flushes.lost,
            steady: self.steady.map(|steady| steady.outcome),
            search: self.search.map(|search| search.outcome),
            ios_by_disk: self.crew.map_or_else(Vec::new, |crew| crew.ios_by_disk()),
            all_zero,
            digest: self.digest.value(),
            window_accesses: self.edges.window_accesses,
            row_accesses: accesses_between(before, &ctl.accesses()),
            queue_doorbells: self.rings.doorbells(ctl),
            window_machine: self.edges.window_machine,
            gap_limit_ticks: self.gaps.limit(),
            errors: self.errors,
            mismatches: self.verifier.listed,
            failure: self.failure,
        }
    }
}
