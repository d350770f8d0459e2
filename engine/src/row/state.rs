//! A row in progress.

use super::backoff::Backoff;
use super::crew::Crew;
use super::data::Data;
use super::drive::{Env, Recheck};
use super::edges::Edges;
use super::errors::ErrorCounts;
use super::gaps::Gaps;
use super::rings::Rings;
use super::search::Search;
use super::spec::{Kind, Lane, Spec};
use super::stats::Stats;
use super::steady::Steady;
use super::table::{MAX_IN_FLIGHT, Table};
use super::tally::{Failure, REAP_ROOM};
use super::trace::TraceLog;
use super::verify::Verifier;
use super::wait::Waiter;
use crate::session::MachineCounters;
use crate::time::Timebase;
use crate::workload::{Digest, Direction, Mix, Stream};
use drivers::block::{BufferId, Completion, DiskId, Health, Lba, Limits, Op, Request};
use drivers::hal::Clock;

/// One direction, with everything worked out that an issue needs.
pub(super) struct Track {
    pub stream: Stream,
    /// First block of the region.
    pub start_lba: u64,
    pub bs_bytes: u64,
    /// Blocks of an I/O.
    pub blocks: u32,
    /// Blocks of its longest command.
    pub piece_blocks: u32,
    pub pieces: u16,
    pub op: Op,
    /// Buffer of slot 0.
    pub buffer_base: u32,
    /// I/Os issued.
    pub issued: u64,
    /// Commands given to the device beyond one per I/O issued; modulo 2^64.
    pub further_commands: u64,
    pub failed: u64,
    pub lost: u64,
    /// Bytes of the pieces that moved; kept where I/Os are split.
    pub moved_piece_bytes: u64,
}

impl Track {
    fn new(lane: Lane, spec: &Spec, op: Op, buffer_base: u32) -> Self {
        let block = u64::from(spec.block_size_bytes);
        Self {
            start_lba: spec.region_start_bytes / block,
            bs_bytes: lane.bs_bytes,
            blocks: (lane.bs_bytes / block) as u32,
            piece_blocks: (lane.command_bytes.min(lane.bs_bytes) / block) as u32,
            pieces: lane.pieces() as u16,
            stream: lane.stream,
            op,
            buffer_base,
            issued: 0,
            further_commands: 0,
            failed: 0,
            lost: 0,
            moved_piece_bytes: 0,
        }
    }
}

/// Flushes of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flushes {
    /// Given to the device; modulo 2^64.
    pub commands: u64,
    pub failed: u64,
    pub lost: u64,
}

pub(super) struct Row<'a> {
    /// For what is rare; the loop has its own, whose type it knows.
    pub clock: &'a dyn Clock,
    pub counters: &'a dyn MachineCounters,
    pub recheck: &'a mut Recheck<'a>,
    pub table: Table<'a>,
    pub stats: &'a mut Stats,
    pub trace: &'a mut TraceLog,
    pub completions: &'a mut [Completion; REAP_ROOM],
    pub rings: Rings,
    pub disk: DiskId,
    pub block_shift: u32,
    /// Reads, writes.
    pub tracks: [Track; 2],
    pub kind: Kind,
    pub mix: Mix,
    pub digest: Digest,
    pub timebase: Timebase,
    /// I/Os that may still be issued.
    pub quota_left: u64,
    /// The same, once the window is open.
    pub window_quota: u64,
    /// Most I/Os in flight.
    pub depth: usize,
    /// Requests that share a doorbell; 1 for as many as there are.
    pub chunk: usize,
    /// Most I/Os per doorbell.
    pub max_batch: usize,
    /// Completions before a refill.
    pub complete_min: usize,
    /// Completions since the last refill.
    pub done_since_fill: usize,
    pub verify: bool,
    /// I/Os are kept as pieces, of which there may be one: so it is with a crew.
    pub splits: bool,
    /// Who chooses the I/Os, where `tracks` and `mix` do not.
    pub crew: Option<Crew>,
    /// When time alone lets the crew start something; `u64::MAX` where it does not.
    pub crew_wakes_at: u64,
    pub data: Data,
    pub flushes: Flushes,
    pub steady: Option<Steady>,
    pub search: Option<Search>,
    /// Commands submitted since the last doorbell.
    pub unrung: u64,
    /// Commands that the device owns.
    pub owned: u64,
    /// Nothing is issued: the disk changed and must be looked at first.
    pub suspended: bool,
    pub edges: Edges,
    pub gaps: Gaps,
    pub backoff: Backoff,
    pub waiter: Waiter<'a>,
    pub timeout_ticks: u64,
    /// When deferred commands may be sent (again).
    pub again_at: u64,
    pub errors: ErrorCounts,
    pub failed_commands: u64,
    pub retries: u64,
    pub bad_completions: u64,
    pub verifier: Verifier,
    pub failure: Option<Failure>,
    pub controller_lost: bool,
    /// The device said that disks came or went.
    pub disks_changed: bool,
    /// What the controller said of itself at the end, if it was not well.
    pub found_unwell: Option<Health>,
    /// When the row began.
    pub started_ticks: u64,
    /// 0 as long as nothing completed.
    pub first_completion_ticks: u64,
}

/// I/Os that a row can have in flight: what was asked, within our own limit and the
/// controller's for each queue. An I/O that is split takes a command per piece.
pub(super) fn depth_limit(spec: &Spec, limits: &Limits) -> usize {
    let commands = u64::from(limits.max_in_flight);
    let ios = (commands / spec.pieces().max(1)).max(1) as usize;
    let ios = ios * usize::from(spec.extras.rings.queues.max(1));
    (spec.depth.max(1) as usize).min(ios).min(MAX_IN_FLIGHT)
}

impl<'a> Row<'a> {
    /// Sets everything up; nothing is issued.
    pub fn new(limits: Limits, env: Env<'a, dyn Clock + 'a>, spec: Spec, start_ticks: u64) -> Self {
        let depth = depth_limit(&spec, &limits);
        let pieces = spec.pieces().max(1);
        let commands = depth * pieces as usize;
        env.workspace.stats.clear();
        env.workspace.trace.start(spec.extras.trace_ios);
        // Where each queue is rung when it is due, a batch has no limit of its own.
        let max_batch = match spec.extras.rings.is_plain() {
            true => (u64::from(limits.max_batch) / pieces).max(1) as usize,
            false => depth,
        };
        // Reads must not overwrite what writes were prepared with.
        let write_base = if spec.kind == Kind::Mix { depth } else { 0 };
        let timebase = Timebase::new(env.clock.ticks_per_second());
        // A crew knows itself when it is done.
        let window_quota = match spec.extras.crew {
            Some(_) => u64::MAX,
            None => spec.quota_ios,
        };
        let extras = spec.extras.clone();
        let write_op = match &extras.crew {
            Some(crew) => crew.changing_op,
            None if extras.durable => Op::WriteDurable,
            None => Op::Write,
        };
        let search = extras.search.map(|mut search| {
            search.most = search.most.min(depth as u32);
            Search::new(search, start_ticks)
        });
        let limit = if search.is_some() { 1 } else { depth as u32 };
        let bounded = spec.ramp_ticks == 0;
        let crew = extras
            .crew
            .map(|crew| Crew::new(crew, start_ticks, limit, depth as u32, bounded));
        let disks = crew.as_ref().map_or(1, Crew::disks);
        let rings = Rings::new(extras.rings, disks, limits.max_batch);
        let steady = extras
            .steady
            .map(|steady| Steady::new(steady, timebase.ticks(1_000_000_000)));
        let tracks = [
            Track::new(spec.read.clone(), &spec, Op::Read, 0),
            Track::new(spec.write.clone(), &spec, write_op, write_base as u32),
        ];
        Self {
            clock: env.clock,
            counters: env.counters,
            recheck: env.recheck,
            table: Table::new(&mut env.workspace.memory, depth, commands),
            stats: &mut env.workspace.stats,
            trace: &mut env.workspace.trace,
            completions: &mut env.workspace.completions,
            rings,
            disk: spec.disk,
            block_shift: spec.block_size_bytes.trailing_zeros(),
            kind: spec.kind,
            digest: Digest::new(tracks[0].blocks, tracks[1].blocks),
            timebase,
            quota_left: if spec.ramp_ticks > 0 {
                u64::MAX
            } else {
                window_quota
            },
            window_quota,
            depth,
            chunk: (spec.batch_submit.max(1) as usize)
                .min(depth)
                .min(max_batch),
            max_batch,
            complete_min: (spec.batch_complete_min.max(1) as usize).min(depth),
            done_since_fill: 0,
            verify: spec.verify,
            splits: spec.splits() || crew.is_some(),
            crew,
            crew_wakes_at: u64::MAX,
            data: extras.data,
            flushes: Flushes::default(),
            steady,
            search,
            unrung: 0,
            owned: 0,
            suspended: false,
            edges: Edges::new(start_ticks, &spec, &timebase),
            gaps: Gaps::new(
                &timebase,
                limits.polls_by_register,
                limits.doorbell_per_request,
            ),
            backoff: Backoff::new(
                &timebase,
                limits.polls_by_register,
                spec.poll_interval_ticks,
            ),
            waiter: Waiter::new(env.line, spec.wait, &timebase),
            timeout_ticks: spec.timeout_ticks,
            again_at: 0,
            errors: ErrorCounts::new(),
            failed_commands: 0,
            retries: 0,
            bad_completions: 0,
            verifier: Verifier::new(),
            failure: None,
            controller_lost: false,
            disks_changed: false,
            found_unwell: None,
            started_ticks: start_ticks,
            first_completion_ticks: 0,
            tracks,
            mix: spec.mix,
        }
    }

    /// The command of a slot and one of its pieces.
    #[inline]
    pub fn request(&self, slot: usize, lane: usize, lba: u64, piece: u16) -> Request {
        let track = &self.tracks[lane & 1];
        let skipped = u32::from(piece) * track.piece_blocks;
        let (disk, op, blocks) = if self.crew.is_some() {
            let extra = self.table.extra_of(slot);
            (extra.disk, extra.op, extra.blocks)
        } else {
            (self.disk, track.op, track.blocks)
        };
        Request {
            disk,
            op,
            lba: Lba(lba + u64::from(skipped)),
            blocks: track.piece_blocks.min(blocks.saturating_sub(skipped)),
            buffer: BufferId(track.buffer_base + slot as u32),
            buffer_offset_bytes: skipped << self.block_shift,
            cookie: slot as u32 | u32::from(piece) << 16,
        }
    }

    /// Commands of the I/O in a slot.
    pub fn pieces(&self, slot: usize, lane: usize) -> u16 {
        let track = &self.tracks[lane & 1];
        if self.crew.is_none() {
            return track.pieces;
        }
        let blocks = self.table.extra_of(slot).blocks;
        (blocks.div_ceil(track.piece_blocks.max(1)) as u16).max(1)
    }

    /// Whether a slot holds a flush.
    pub fn is_flush(&self, slot: usize) -> bool {
        self.crew.is_some() && self.table.extra_of(slot).op == Op::Flush
    }

    /// Counts commands beyond the one that each I/O issued stands for; modulo 2^64.
    pub fn count_commands(&mut self, slot: usize, lane: usize, more: u64) {
        let count = if self.is_flush(slot) {
            &mut self.flushes.commands
        } else {
            &mut self.tracks[lane & 1].further_commands
        };
        *count = count.wrapping_add(more);
    }

    /// Gives a slot back, and its crew the room.
    pub fn give_back(&mut self, slot: usize, now: u64) {
        if let Some(crew) = &mut self.crew {
            crew.done(self.table.extra_of(slot).member, now);
        }
        self.table.release(slot);
    }

    /// The slot that a cookie names, if there is such a slot.
    pub const fn index_of(&self, cookie: u32) -> usize {
        let mask = if self.splits { 0xffff } else { u32::MAX };
        (cookie & mask) as usize
    }

    /// Ends the loop at its next look at the clock.
    #[cold]
    pub fn give_up(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
        self.edges.next_event = 0;
    }

    pub const fn direction(lane: usize) -> Direction {
        if lane == 0 {
            Direction::Read
        } else {
            Direction::Write
        }
    }
}
