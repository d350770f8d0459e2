//! Phases of a row, and the edges of its window.
//!
//! The window opens and closes at stamps of the loop, never at planned times:
//! an I/O counts if the pass that found it ended after the opening stamp and not
//! after the closing one, and rates divide by what lies between the two.

use super::search::Step;
use super::spec::Spec;
use super::state::Row;
use super::tally::Failure;
use crate::session::MachineCounts;
use crate::time::Timebase;
use drivers::block::{Accesses, Controller};
use drivers::hal::MmioCounts;

/// Between looks at the controller's health and at the age of what is open.
const WATCH_NS: u64 = 100_000_000;

/// What the loop does after a look at the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Go on.
    Go,
    /// Fill, though nothing was found.
    Refill,
    /// The window is closed, or the row was given up.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Ramp,
    Window,
    Closed,
}

pub(super) struct Edges {
    pub phase: Phase,
    /// The loop calls [`Row::event`] from this stamp on.
    pub next_event: u64,
    /// End of the phase.
    until: u64,
    runtime: u64,
    watch_at: u64,
    watch_every: u64,
    opened_at: u64,
    /// When the window was opened first: a search opens it anew for each depth.
    first_opened_at: Option<u64>,
    opened: (Accesses, MachineCounts),
    pub window_ticks: u64,
    pub window_accesses: Accesses,
    pub window_machine: MachineCounts,
    pub open_at_end: u64,
    pub oldest_open: u64,
}

impl Edges {
    pub fn new(start: u64, spec: &Spec, timebase: &Timebase) -> Self {
        let watch_every = timebase.ticks(WATCH_NS).min(spec.timeout_ticks / 4).max(1);
        let until = start.saturating_add(spec.ramp_ticks);
        let watch_at = start.saturating_add(watch_every);
        Self {
            phase: Phase::Ramp,
            next_event: until.min(watch_at),
            until,
            runtime: spec.runtime_ticks,
            watch_at,
            watch_every,
            opened_at: start,
            first_opened_at: None,
            opened: (Accesses::default(), MachineCounts::default()),
            window_ticks: 0,
            window_accesses: Accesses::default(),
            window_machine: MachineCounts::default(),
            open_at_end: 0,
            oldest_open: 0,
        }
    }
}

impl Row<'_> {
    /// Called by the loop when `edges.next_event` has come.
    #[cold]
    #[inline(never)]
    pub fn event(&mut self, ctl: &mut dyn Controller, now: u64) -> Flow {
        let mut flow = Flow::Go;
        if now >= self.edges.watch_at {
            self.edges.watch_at = now.saturating_add(self.edges.watch_every);
            self.gaps.recalibrate();
            self.watch(ctl, now);
        }
        if self.suspended && self.owned == 0 {
            match (self.recheck)(ctl) {
                Ok(()) => {
                    self.suspended = false;
                    super::buffers::prepare_writes(self, ctl);
                    flow = Flow::Refill;
                }
                Err(why) => self.give_up(Failure::Suspended(why)),
            }
        }
        if self.failure.is_some() {
            if self.edges.phase == Phase::Window {
                self.close_window(ctl, now);
            }
            return Flow::Stop;
        }
        if now >= self.edges.until {
            match self.edges.phase {
                Phase::Ramp => self.open_window(ctl, now),
                Phase::Window | Phase::Closed => {
                    self.close_window(ctl, now);
                    return Flow::Stop;
                }
            }
        }
        if !self.table.again.is_empty() && now >= self.again_at {
            flow = Flow::Refill;
        }
        match self.extra_events(ctl, now) {
            Flow::Go => {}
            Flow::Stop => {
                self.close_window(ctl, now);
                return Flow::Stop;
            }
            Flow::Refill => flow = Flow::Refill,
        }
        self.edges.next_event = self.next_event(now);
        flow
    }

    /// What few rows have: a crew that can start something, a figure that became
    /// steady, a depth that was tried.
    fn extra_events(&mut self, ctl: &dyn Controller, now: u64) -> Flow {
        let mut flow = Flow::Go;
        if let Some(steady) = &mut self.steady
            && now >= steady.next_sample
        {
            let ios = self.stats.latency[0].count() + self.stats.latency[1].count();
            let bytes = match self.crew {
                Some(_) => self.stats.bytes.iter().sum(),
                None => (0..2)
                    .map(|lane| self.stats.latency[lane].count() * self.tracks[lane].bs_bytes)
                    .sum(),
            };
            if steady.sample(now, ios, bytes) {
                return Flow::Stop;
            }
        }
        if self.edges.phase == Phase::Window
            && let Some(search) = &mut self.search
        {
            match search.step(now, &self.stats.latency) {
                Step::Wait => {}
                Step::Open => self.open_window(ctl, now),
                Step::End => return Flow::Stop,
                Step::Depth(depth) => {
                    if let Some(crew) = &mut self.crew {
                        crew.limit = depth;
                    }
                    flow = Flow::Refill;
                }
            }
        }
        if self.crew_wakes_at <= now {
            self.crew_wakes_at = u64::MAX;
            // It does not wait for as many completions as a refill does otherwise.
            self.done_since_fill = self.complete_min;
            flow = Flow::Refill;
        }
        flow
    }

    fn next_event(&self, now: u64) -> u64 {
        let mut next = self.edges.until.min(self.edges.watch_at);
        if let Some(steady) = &self.steady {
            next = next.min(steady.next_sample);
        }
        if let Some(search) = &self.search
            && self.edges.phase == Phase::Window
        {
            next = next.min(search.next.max(now));
        }
        next = next.min(self.crew_wakes_at);
        if !self.table.again.is_empty() {
            next = next.min(self.again_at);
        }
        if self.suspended { now } else { next }
    }

    /// Starts counting at `now`.
    pub fn open_window(&mut self, ctl: &dyn Controller, now: u64) {
        self.stats.clear();
        self.trace.open_window(now);
        // What is in flight counts from now on.
        self.stats.depth_integral = 0u64.wrapping_sub(self.owned.wrapping_mul(now));
        self.quota_left = self.window_quota;
        self.edges.phase = Phase::Window;
        self.edges.opened_at = now;
        let first = *self.edges.first_opened_at.get_or_insert(now);
        self.edges.until = first.saturating_add(self.edges.runtime);
        if let Some(crew) = &mut self.crew {
            crew.open_window();
        }
        if let Some(steady) = &mut self.steady {
            steady.start(now);
        }
        self.edges.next_event = self.next_event(now);
        self.edges.opened = (ctl.accesses(), self.counters.counts());
    }

    /// Stops counting at `now`. Nothing happens if the window is not open.
    pub fn close_window(&mut self, ctl: &dyn Controller, now: u64) {
        if self.edges.phase != Phase::Window {
            return;
        }
        let (accesses, machine) = self.edges.opened;
        self.edges.window_accesses = accesses_between(&accesses, &ctl.accesses());
        self.edges.window_machine = machine_between(&machine, &self.counters.counts());
        self.edges.phase = Phase::Closed;
        self.edges.window_ticks = now.saturating_sub(self.edges.opened_at);
        let owned = self.owned.wrapping_mul(now);
        self.stats.depth_integral = self.stats.depth_integral.wrapping_add(owned);
        self.edges.open_at_end = self.table.outstanding() as u64;
        let ages = self
            .table
            .open()
            .map(|(_, slot)| now.saturating_sub(slot.t0));
        self.edges.oldest_open = ages.max().unwrap_or(0);
    }
}

/// What a driver did between two looks.
pub(super) fn accesses_between(before: &Accesses, after: &Accesses) -> Accesses {
    Accesses {
        submit_doorbells: after.submit_doorbells.wrapping_sub(before.submit_doorbells),
        completion_doorbells: after
            .completion_doorbells
            .wrapping_sub(before.completion_doorbells),
        mmio: MmioCounts {
            reads: after.mmio.reads.wrapping_sub(before.mmio.reads),
            writes: after.mmio.writes.wrapping_sub(before.mmio.writes),
        },
        commands: after.commands.wrapping_sub(before.commands),
        bad_completions: after.bad_completions.wrapping_sub(before.bad_completions),
    }
}

fn machine_between(before: &MachineCounts, after: &MachineCounts) -> MachineCounts {
    MachineCounts {
        pio: after.pio.wrapping_sub(before.pio),
        interrupts: after.interrupts.wrapping_sub(before.interrupts),
        eois: after.eois.wrapping_sub(before.eois),
        timer_writes: after.timer_writes.wrapping_sub(before.timer_writes),
        handler_ticks: after.handler_ticks.wrapping_sub(before.handler_ticks),
        halts: after.halts.wrapping_sub(before.halts),
        halted_ticks: after.halted_ticks.wrapping_sub(before.halted_ticks),
    }
}
