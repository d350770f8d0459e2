//! The frame of a row: set up, choose the loop, run it, drain, sum up.

use super::buffers;
use super::policy::{AsTheRowSays, General, Halts, Looks, Mixed, Reads, Staged, Writes};
use super::spec::{Extras, Kind, Spec};
use super::state::{Row, depth_limit};
use super::tally::{Tally, Workspace};
use crate::session::{Halt, MachineCounters};
use alloc::string::String;
use drivers::block::{Accesses, Controller};
use drivers::hal::Clock;

/// Looks at a disk again after it reported a change, with nothing in flight.
/// An error says why it must not be written any more.
pub type Recheck<'a> = dyn FnMut(&mut dyn Controller) -> Result<(), String> + 'a;

/// What a row needs beside the controller.
pub struct Env<'a, K: ?Sized> {
    /// Time.
    pub clock: &'a K,
    /// Counts that the machine keeps.
    pub counters: &'a dyn MachineCounters,
    /// The controller's interrupts, open if the row waits for them.
    pub line: &'a mut dyn Halt,
    /// Tables and histograms.
    pub workspace: &'a mut Workspace,
    /// Asked before writes go on after the disk reported a change.
    pub recheck: &'a mut Recheck<'a>,
}

impl<'a, K: Clock> Env<'a, K> {
    /// The same with a clock of any type.
    fn with_any_clock(self) -> Env<'a, dyn Clock + 'a> {
        Env {
            clock: self.clock,
            counters: self.counters,
            line: self.line,
            workspace: self.workspace,
            recheck: self.recheck,
        }
    }
}

/// Runs one row on a controller whose pool holds what
/// [`buffers_needed`](super::buffers_needed) says.
pub fn run<'a, C: Controller, K: Clock>(ctl: &'a mut C, env: Env<'a, K>, spec: Spec) -> Tally {
    let clock = env.clock;
    let env = env.with_any_clock();
    let plain =
        spec.extras.crew.is_none() && spec.extras.rings.is_plain() && spec.extras.trace_ios == 0;
    if spec.verify || spec.splits() || !plain {
        return run_general(ctl, env, spec);
    }
    let (kind, stages, before) = (spec.kind, spec.stages, ctl.accesses());
    let (mut row, start) = begin(ctl, env, spec);
    if stages {
        row.circle::<Staged, AsTheRowSays, C, K>(ctl, clock, start);
    } else if row.waiter.halts {
        row.circle::<Mixed, Halts, C, K>(ctl, clock, start);
    } else {
        match kind {
            Kind::Read => row.circle::<Reads, Looks, C, K>(ctl, clock, start),
            Kind::Write => row.circle::<Writes, Looks, C, K>(ctl, clock, start),
            Kind::Mix => row.circle::<Mixed, Looks, C, K>(ctl, clock, start),
        }
    }
    end(row, ctl, &before)
}

/// The same of a row with a crew, for a controller that has no other rows.
pub fn run_crew<'a, K: Clock>(ctl: &'a mut dyn Controller, env: Env<'a, K>, spec: Spec) -> Tally {
    run_general(ctl, env.with_any_clock(), spec)
}

/// Runs what the plain loops cannot do. It asks at each turn what its row is like,
/// so it is compiled once, for a controller of any type.
fn run_general<'a>(ctl: &'a mut dyn Controller, env: Env<'a, dyn Clock + 'a>, spec: Spec) -> Tally {
    let (before, clock) = (ctl.accesses(), env.clock);
    let (mut row, start) = begin(ctl, env, spec);
    row.circle::<General, AsTheRowSays, dyn Controller, dyn Clock>(ctl, clock, start);
    end(row, ctl, &before)
}

/// Prepares buffers and tables; the stamp at which the first I/O starts.
fn begin<'a>(ctl: &mut dyn Controller, env: Env<'a, dyn Clock + 'a>, spec: Spec) -> (Row<'a>, u64) {
    let limits = *ctl.limits();
    buffers::prepare(ctl, &spec, depth_limit(&spec, &limits));
    let ramp = spec.ramp_ticks;
    let start = delayed(env.clock, &spec.extras);
    let mut row = Row::new(limits, env, spec, start);
    row.rings.begin(ctl);
    if ramp == 0 {
        row.open_window(ctl, start);
    }
    // A stamp of its own: setting up is no part of the first I/O.
    let first = row.clock.now_ticks();
    (row, first)
}

/// Takes back what is out, and sums up.
fn end(mut row: Row<'_>, ctl: &mut dyn Controller, before: &Accesses) -> Tally {
    row.drain(ctl);
    row.sum_up(ctl, before)
}

/// The stamp at which a row starts: after its delay, and not before its moment, until
/// when nothing is done.
fn delayed(clock: &dyn Clock, extras: &Extras) -> u64 {
    let first = clock.now_ticks();
    let mut now = first;
    while now.saturating_sub(first) < extras.start_delay_ticks || now < extras.start_at_ticks {
        clock.relax();
        now = clock.now_ticks();
    }
    now
}
