//! The frame of a row: set up, choose the loop, run it, drain, sum up.

use super::buffers;
use super::policy::{AsTheRowSays, General, Halts, Looks, Mixed, Policy, Reads, Staged, Writes};
use super::spec::{Kind, Spec};
use super::state::{Row, depth_limit};
use super::tally::{Tally, Workspace};
use crate::session::{Halt, MachineCounters};
use alloc::string::String;
use drivers::block::Controller;
use drivers::hal::Clock;

/// Looks at a disk again after it reported a change, with nothing in flight.
/// An error says why it must not be written any more.
pub type Recheck<'a> = dyn FnMut(&mut dyn Controller) -> Result<(), String> + 'a;

/// What a row needs beside the controller.
pub struct Env<'a, K> {
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

/// Runs one row on a controller whose pool holds what
/// [`buffers_needed`](super::buffers_needed) says.
pub fn run<'a, C: Controller, K: Clock>(ctl: &'a mut C, env: Env<'a, K>, spec: Spec) -> Tally {
    let (kind, stages, before) = (spec.kind, spec.stages, ctl.accesses());
    let (mut row, start) = begin(ctl, env, spec);
    if row.verify || row.splits {
        row.circle::<General, AsTheRowSays>(start);
    } else if stages {
        row.circle::<Staged, AsTheRowSays>(start);
    } else {
        match kind {
            Kind::Read => turn::<Reads, C, K>(&mut row, start),
            Kind::Write => turn::<Writes, C, K>(&mut row, start),
            Kind::Mix => turn::<Mixed, C, K>(&mut row, start),
        }
    }
    row.drain();
    row.sum_up(&before)
}

/// The same of a row with a crew, for a controller that has no other rows.
pub fn run_crew<'a, C: Controller, K: Clock>(ctl: &'a mut C, env: Env<'a, K>, spec: Spec) -> Tally {
    let before = ctl.accesses();
    let (mut row, start) = begin(ctl, env, spec);
    row.circle::<General, AsTheRowSays>(start);
    row.drain();
    row.sum_up(&before)
}

/// Prepares buffers and tables; the stamp at which the row starts.
fn begin<'a, C: Controller, K: Clock>(
    ctl: &'a mut C,
    env: Env<'a, K>,
    spec: Spec,
) -> (Row<'a, C, K>, u64) {
    let depth = depth_limit(&spec, ctl.limits());
    buffers::prepare(ctl, &spec, depth);
    let ramp = spec.ramp_ticks;
    let start = delayed(env.clock, spec.extras.start_delay_ticks);
    let mut row = Row::new(ctl, env, spec, start);
    if ramp == 0 {
        row.open_window(start);
    }
    (row, start)
}

/// The stamp at which a row starts: after its delay, in which nothing is done.
fn delayed<K: Clock>(clock: &K, ticks: u64) -> u64 {
    let first = clock.now_ticks();
    let mut now = first;
    while now.saturating_sub(first) < ticks {
        clock.relax();
        now = clock.now_ticks();
    }
    now
}

fn turn<P: Policy, C: Controller, K: Clock>(row: &mut Row<'_, C, K>, start: u64) {
    if row.waiter.halts {
        row.circle::<P, Halts>(start);
    } else {
        row.circle::<P, Looks>(start);
    }
}
