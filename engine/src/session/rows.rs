//! Running one row: everything around the loop.

use super::blank::blank;
use super::inventory::{LOOK_BUFFER_BYTES, Looked, Target, look_at};
use super::plan::{Part, Row, planned_ns};
use super::prefill;
use super::resolve::{self, Place, Written};
use super::second_look::{SecondLook, same_disk};
use super::start::Start;
use super::wall::{WallClock, WallTie};
use super::{Adapter, figures, outcome, waiting};
use crate::guard::Verdict;
use crate::region::Region;
use crate::row::{Env, Spec, Tally, WaitFor, Workspace, buffer_bytes, buffers_needed};
use crate::session::{Inject, Link, MachineCounters};
use crate::time::Timebase;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use drivers::block::{BufferId, Controller, ControllerError, Disk, Limits, Options};
use drivers::hal::Clock;
use proto::job::{Irq, Params};
use proto::record::{Record, RowBegin, row_note};
use proto::result::{DiskInfo, Mismatch, Run, RunStatus, SteadyFound, TargetFound};

/// What all rows share.
pub struct Desk<'a, K> {
    /// Time.
    pub clock: &'a K,
    /// Counts of the machine.
    pub counters: &'a dyn MachineCounters,
    /// Tables and histograms.
    pub workspace: Workspace,
    /// Conversion of ticks.
    pub timebase: Timebase,
    /// All disks, for names.
    pub disks: Vec<DiskInfo>,
    /// What the last write row wrote, if it wrote all it should.
    pub written: Option<(Spec, Written)>,
    /// What the time is.
    pub wall: &'a mut dyn WallClock,
    /// When the next row starts, if that was asked.
    pub start: Option<Start>,
    /// The moment at which a row started, and how the clocks were tied then.
    pub served: Option<(u64, WallTie)>,
    /// A planted fault.
    pub inject: Inject,
    /// It was said that `doorbell_batch` changes no count of a controller with a
    /// doorbell for each request.
    pub told_of_posts: bool,
}

/// A row that ended.
pub struct Ended {
    /// Its record.
    pub run: Box<Run>,
    /// When its first I/O completed.
    pub first_completion_ticks: Option<u64>,
    /// What a person should know beside it.
    pub notes: Vec<String>,
    /// Of each of its controllers, why it must not be used any more, if so.
    pub controllers_lost: Vec<Option<String>>,
}

impl Ended {
    pub fn skipped(mut run: Box<Run>, why: String) -> Self {
        run.status = RunStatus::Skipped;
        run.reason = Some(why);
        Self {
            run,
            first_completion_ticks: None,
            notes: Vec::new(),
            controllers_lost: Vec::new(),
        }
    }
}

/// A row with all that was settled before it starts.
struct Ready {
    spec: Spec,
    region: Region,
    /// How the line is open, if it is.
    irq: Option<Irq>,
}

impl<K: Clock> Desk<'_, K> {
    /// Runs row `number`, or says why not.
    pub fn run(
        &mut self,
        number: u32,
        row: &Row,
        params: &Params,
        adapter: &mut Adapter<K>,
        target: &Target,
        link: &mut dyn Link,
    ) -> Ended {
        let mut run = blank(number, row, params, &[target]);
        let own = match row.part {
            Part::Prefill => prefill::params(params),
            Part::ReadBack if params.prefill => prefill::read_back(params),
            Part::Job | Part::ReadBack => params.clone(),
        };
        let params = &own;
        let ready = match self.prepare(row, params, adapter, target) {
            Ok(ready) => ready,
            Err(why) => return Ended::skipped(run, why),
        };
        let disk = adapter.controller.disks()[usize::from(target.disk.0)].clone();
        let mut notes = notes_on(number, params, target, &disk, &ready.region);
        let limits = *adapter.controller.limits();
        self.tell_of_posts(number, params, &limits, &mut notes);
        run.params.region_start = ready.region.start_bytes;
        run.params.region_bytes = ready.region.len_bytes;
        run.params.ring_pages = limits.ring_pages;
        run.params.irq = ready.irq.map(|irq| irq.name().to_string());

        link.sync(2 * number);
        link.record(&Record::RowBegin(RowBegin {
            row: number,
            job: run.job.clone(),
            disk: run.disk.clone(),
            planned_ns: planned_ns(params, row).map(|ns| ns.saturating_add(self.start_wait_ns())),
        }));
        self.inject.start_of(number);
        let mut looked = Looked::default();
        let tally = {
            let all = &self.disks;
            let clock = self.clock;
            let bytes = buffer_bytes(&ready.spec) as usize;
            let looked = &mut looked;
            let second_look = SecondLook {
                clock,
                target,
                disk: target.disk,
                buffer: BufferId(0),
                before: &disk,
                params,
                all,
                buffer_bytes: bytes,
            };
            let mut recheck =
                |controller: &mut dyn Controller| second_look.take(controller, looked);
            let env = Env {
                clock,
                counters: self.counters,
                line: &mut *adapter.line,
                workspace: &mut self.workspace,
                recheck: &mut recheck,
            };
            adapter.controller.run_row(env, ready.spec.clone())
        };
        link.sync(2 * number + 1);
        let told = adapter.controller.as_controller().take_disk_change();
        if tally.disks_changed || matches!(told, Ok(true)) {
            let text = format!(
                "{} says that disks came or went or changed; rows use those found at the start \
                 alone",
                target.info.controller
            );
            notes.push(row_note(number, text));
        }
        let closed = match ready.irq {
            Some(_) => adapter.line.close(adapter.controller.as_controller()),
            None => Ok(()),
        };
        // The next row may be on another controller, and wants this memory. A
        // controller that was lost keeps what its device may still touch.
        let _ = adapter.controller.set_buffers(0, 0);

        self.fill_in(&mut run, params, &ready.spec, &tally, limits.max_in_flight);
        self.add_looks(&mut run, &looked, &mut notes);
        self.remember(row, &ready.spec, &tally, &run);
        Ended {
            first_completion_ticks: tally.first_completion_ticks,
            notes,
            controllers_lost: vec![
                lost(&tally, adapter.controller.as_controller(), &self.timebase).or(closed.err()),
            ],
            run,
        }
    }

    /// Everything before `sync`: guard, options, region, buffers.
    fn prepare(
        &mut self,
        row: &Row,
        params: &Params,
        adapter: &mut Adapter<K>,
        target: &Target,
    ) -> Result<Ready, String> {
        let disk = self.ready_disk(row, params, adapter, target)?;
        let controller = adapter.controller.as_controller();
        let limits = *controller.limits();
        let filled;
        let params = match row.part {
            Part::Prefill => {
                filled = prefill::whole(params, &disk, target.is_stamped())?;
                &filled
            }
            Part::ReadBack if params.prefill => {
                filled = prefill::whole(params, &disk, target.is_stamped())?;
                &filled
            }
            Part::Job | Part::ReadBack => params,
        };
        let regions = Region::of_all(params, &disk, target.is_stamped())?;
        let place = Place {
            disk: &disk,
            id: target.disk,
            regions: &regions,
        };
        let mut spec = resolve::spec(params, &[place], &limits, &self.timebase)?;
        spec.extras.start_at_ticks = self.start_at_ticks();
        self.reserve_trace(params)?;
        if row.is_read_back() && !params.prefill {
            let Some((write, written)) = self.written.take() else {
                return Err(String::from(
                    "the row that writes what this one reads did not end well",
                ));
            };
            spec = resolve::read_back(write, written);
        }
        let irq = if row.part != Part::Job {
            None
        } else {
            waiting::open(params, &mut *adapter.line, controller)?
        };
        spec.wait = waiting::wait_for(params, &[irq], &self.timebase);
        let (count, bytes) = (buffers_needed(&spec, &limits), buffer_bytes(&spec));
        if let Err(error) = controller.set_buffers(count, bytes as usize) {
            if irq.is_some() {
                adapter.line.close(controller)?;
            }
            return Err(no_buffers(error, count, bytes));
        }
        let region = regions[0];
        Ok(Ready { spec, region, irq })
    }

    /// Sets the controller's options, and looks at the disk again. The disk as it is
    /// now.
    pub fn ready_disk(
        &self,
        row: &Row,
        params: &Params,
        adapter: &mut Adapter<K>,
        target: &Target,
    ) -> Result<Disk, String> {
        let controller = adapter.controller.as_controller();
        let options = Options {
            ring_pages: params.ring_pages,
            queue_entries: params.queue_size,
            queues: Some(params.queues),
            kick_suppression: params.kick_suppression,
            shadow_doorbells: params.shadow_doorbells,
        };
        controller
            .reconfigure(&options)
            .map_err(|error| error.to_string())?;
        let queues = controller.limits().queues;
        if queues < params.queues {
            let name = if queues == 1 { "queue" } else { "queues" };
            return Err(format!(
                "queues={}: the controller has {queues} request {name} to offer",
                params.queues
            ));
        }
        match controller.refresh_disk(target.disk) {
            Ok(()) | Err(ControllerError::Unsupported) => {}
            Err(error) => {
                return Err(format!("the disk does not answer: {error}"));
            }
        }
        let disk = controller.disks()[usize::from(target.disk.0)].clone();
        same_disk(&target.info, &disk)?;
        if !row.is_read_back() && params.rw.writes() {
            self.guard(params, controller, target)?;
        }
        Ok(disk)
    }

    /// Looks at the disk anew before each row that writes: it may have been changed
    /// since, and the attention that says so may have gone to another command.
    fn guard(
        &self,
        params: &Params,
        controller: &mut dyn Controller,
        target: &Target,
    ) -> Result<(), String> {
        let id = &target.info.id;
        if target.info.read_only {
            let why = &target.info.write_reason;
            return Err(format!("{id} must not be written: {why}"));
        }
        let before = target.verdict(params, &self.disks);
        if !before.allowed {
            return Err(format!("{id} must not be written: {}", before.reason));
        }
        controller
            .set_buffers(1, LOOK_BUFFER_BYTES)
            .map_err(|error| error.to_string())?;
        let looked = &mut Looked::default();
        let bytes = LOOK_BUFFER_BYTES;
        let look = look_at(controller, self.clock, target.disk, bytes, true, looked);
        let Verdict { allowed, reason } = target.with(look).verdict(params, &self.disks);
        if allowed {
            Ok(())
        } else {
            Err(format!("{id} must not be written: {reason}"))
        }
    }

    /// Keeps what a write row wrote, for the read-back after it.
    fn remember(&mut self, row: &Row, spec: &Spec, tally: &Tally, run: &Run) {
        if row.part != Part::Job {
            return;
        }
        let ios = tally.issued[1];
        let all = run.status == RunStatus::Ok && tally.lost[1] == 0 && ios > 0;
        self.written = all.then(|| {
            let stream = spec.write.stream.clone();
            let ios = if stream.repeats_within_a_pass() {
                ios
            } else {
                ios.min(stream.blocks())
            };
            (spec.clone(), Written { stream, ios })
        });
    }

    /// Says once that a job asks for doorbells that a controller has for each request.
    pub fn tell_of_posts(
        &mut self,
        number: u32,
        params: &Params,
        limits: &Limits,
        notes: &mut Vec<String>,
    ) {
        let no_effect = params.doorbell_batch > 0 && limits.doorbell_per_request;
        if no_effect && !self.told_of_posts {
            self.told_of_posts = true;
            notes.push(format!(
                "row {number}: this controller has a doorbell for each request, so \
                 doorbell_batch changes when requests are posted and not how many doorbells \
                 that takes"
            ));
        }
    }

    /// Adds what second looks read, and what must be said of the clock.
    pub fn add_looks(&self, run: &mut Run, looked: &Looked, notes: &mut Vec<String>) {
        let number = run.row;
        run.commands.read += looked.commands;
        run.commands.read_bytes += looked.moved_bytes;
        if self.workspace.stats.backward_steps > 0 {
            let text = format!(
                "the clock stepped back {} times; these latencies count as 0",
                self.workspace.stats.backward_steps
            );
            notes.push(row_note(number, text));
        }
        if self.inject.miscounts(number) {
            run.commands.read += 1;
            run.read.ios += 1;
        }
    }

    /// All figures, and whether the row is well. `limit` is the number of commands that
    /// a queue takes.
    pub fn fill_in(&self, run: &mut Run, params: &Params, spec: &Spec, tally: &Tally, limit: u32) {
        let limit = limit.saturating_mul(u32::from(spec.extras.rings.queues));
        let stats = &self.workspace.stats;
        let timebase = &self.timebase;
        self.fill_in_start(run, tally.started_ticks);
        run.window_ns = timebase.ns(tally.window_ticks);
        let list = &params.percentile_list;
        let [read, change] = figures::directions(spec, stats, list, run.window_ns);
        let ios = read.ios + change.ios;
        let iops = read.iops + change.iops;
        run.read = read;
        if spec.trims() {
            run.trim = Some(change);
        } else {
            run.write = change;
        }
        run.flush = figures::flushes(spec, stats, list, run.window_ns);
        run.late = figures::late(spec, stats, ios, timebase);
        run.latency_target = tally.search.map(|found| TargetFound {
            target_ns: params.latency_target.target_ns,
            depth: found.depth,
            finished: found.finished,
        });
        run.steady = tally.steady.map(|steady| SteadyFound {
            attained: steady.attained,
            criterion: steady.criterion,
        });
        run.open_at_end = figures::open_at_end(tally, stats, timebase);
        run.commands = figures::commands(spec, tally);
        run.errors = tally.failed[0] + tally.failed[1] + tally.failed_flushes;
        run.errors_by_kind = figures::errors_by_kind(tally);
        run.retries = tally.retries;
        run.verified_blocks = tally.verified_blocks;
        run.mismatched_bytes = tally.mismatched_bytes;
        run.mismatches = tally
            .mismatches
            .iter()
            .map(|byte| Mismatch {
                offset: byte.offset_bytes,
                expected: byte.expected,
                found: byte.found,
            })
            .collect();
        run.all_zero = tally.all_zero;
        run.digest = figures::digest(tally);
        run.cpu = figures::cpu(tally, stats, ios, iops, timebase);
        run.accesses = figures::accesses(tally);
        run.doorbells = figures::doorbells(tally);
        run.per_io = figures::per_io(&run.accesses, ios);
        run.exits_bounds = figures::exits_bounds(&run.accesses, ios);
        run.interrupts = (spec.wait != WaitFor::Look).then(|| figures::interrupts(&stats.waits));
        run.depth = figures::depth(run.depth.asked, limit, tally, stats);
        run.stages_ns = (spec.stages && ios > 0).then(|| figures::stages(stats, ios, timebase));
        run.trace_kept = self.workspace.trace.len() as u64;
        run.gaps = figures::gaps(tally, stats, timebase);
        run.reason = outcome::reason(tally, ios, timebase);
        run.status = if run.reason.is_some() {
            RunStatus::Failed
        } else {
            RunStatus::Ok
        };
    }
}

/// What a person should know of a disk before its row.
pub fn notes_on(
    number: u32,
    params: &Params,
    target: &Target,
    disk: &Disk,
    region: &Region,
) -> Vec<String> {
    let mut notes = Vec::new();
    if region.is_misaligned(params, disk) {
        let text = format!(
            "I/Os are not aligned to the {} B physical blocks of {}",
            disk.physical_block_bytes, target.info.id
        );
        notes.push(row_note(number, text));
    }
    if params.sync && params.rw.writes() && !params.rw.trims() && !disk.durable_writes {
        let text = format!(
            "{} takes no FUA, so its writes are plain ones",
            target.info.id
        );
        notes.push(row_note(number, text));
    }
    notes
}

/// Why there are no buffers for a row that needs `count` of `bytes`.
pub fn no_buffers(error: ControllerError, count: u32, bytes: u64) -> String {
    let total_mib = (u64::from(count) * bytes).div_ceil(1 << 20);
    match error {
        ControllerError::Dma(_) => format!("needs {total_mib} MiB of buffers"),
        error => error.to_string(),
    }
}

fn lost(tally: &Tally, controller: &mut dyn Controller, timebase: &Timebase) -> Option<String> {
    if tally.controller_lost {
        return outcome::reason(tally, 1, timebase);
    }
    match controller.health() {
        drivers::block::Health::Ok => None,
        health => Some(outcome::health_text(health)),
    }
}
