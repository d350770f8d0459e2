//! The frame of a row: set up, choose the loop, run it, drain, sum up.

use super::buffers;
use super::policy::{General, Mixed, Reads, Staged, Writes};
use super::spec::{Kind, Spec};
use super::state::{Row, depth_limit};
use super::tally::{Tally, Workspace};
use crate::session::MachineCounters;
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
    /// Tables and histograms.
    pub workspace: &'a mut Workspace,
    /// Asked before writes go on after the disk reported a change.
    pub recheck: &'a mut Recheck<'a>,
}

/// Runs one row on a controller whose pool holds what
/// [`buffers_needed`](super::buffers_needed) says.
pub fn run<'a, C: Controller, K: Clock>(ctl: &'a mut C, env: Env<'a, K>, spec: Spec) -> Tally {
    let depth = depth_limit(&spec, ctl.limits());
    buffers::prepare(ctl, &spec, depth);
    let before = ctl.accesses();
    let (kind, stages, ramp) = (spec.kind, spec.stages, spec.ramp_ticks);
    let start = env.clock.now_ticks();
    let mut row = Row::new(ctl, env, spec, start);
    if ramp == 0 {
        row.open_window(start);
    }
    if row.verify || row.splits {
        row.circle::<General>(start);
    } else if stages {
        row.circle::<Staged>(start);
    } else {
        match kind {
            Kind::Read => row.circle::<Reads>(start),
            Kind::Write => row.circle::<Writes>(start),
            Kind::Mix => row.circle::<Mixed>(start),
        }
    }
    row.drain();
    row.sum_up(&before)
}
