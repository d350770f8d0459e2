//! Running one row on several adapters at once.

use super::blank::blank;
use super::inventory::{Looked, Target};
use super::outcome::health_text;
use super::plan::{Row, planned_ns};
use super::resolve::{self, Place};
use super::rows::{Desk, Ended, no_buffers, notes_on};
use super::second_look::SecondLook;
use super::{Adapter, InterruptLine, Link, waiting};
use crate::group::{Group, GroupLine, Part, PartEnd};
use crate::region::Region;
use crate::row::{Env, Kind, Spec, buffer_bytes, buffers_needed, run_crew};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use drivers::block::{BufferId, Controller, Disk, DiskId, Health, Limits};
use drivers::hal::Clock;
use proto::job::{Irq, Params};
use proto::record::{Record, RowBegin};
use proto::result::Run;

/// A row with all that is settled before its adapters become one.
struct Ready {
    spec: Spec,
    limits: Limits,
    disks: Vec<Disk>,
    /// The first member's region on each disk.
    regions: Vec<Region>,
    /// How each line is open.
    irqs: Vec<Option<Irq>>,
}

impl<K: Clock> Desk<'_, K> {
    /// Runs row `number` on these adapters, each with its target, or says why not.
    pub fn run_together(
        &mut self,
        number: u32,
        row: &Row,
        params: &Params,
        adapters: &mut [&mut Adapter<K>],
        targets: &[&Target],
        link: &mut dyn Link,
    ) -> Ended {
        let mut run = blank(number, row, params, targets);
        self.written = None;
        let ready = match self.prepare_together(row, params, adapters, targets) {
            Ok(ready) => ready,
            Err(why) => return Ended::skipped(run, why),
        };
        let before = commands(adapters);
        let mut looked = Looked::default();
        let (mut group, mut line) = join(adapters, targets, &ready.irqs);
        let (count, bytes) = buffers(&ready.spec, &ready.limits, &mut group);
        if let Err(error) = group.set_buffers(count, bytes as usize) {
            drop((group, line));
            let why = no_buffers(error, count, bytes);
            let closed = waiting::close_all(&ready.irqs, adapters);
            return Ended::skipped(run, closed.err().unwrap_or(why));
        }
        run.params.region_start = ready.regions[0].start_bytes;
        run.params.region_bytes = ready.regions[0].len_bytes;
        run.params.ring_pages = ready.limits.ring_pages;
        run.params.irq = irq_names(&ready.irqs);

        link.sync(2 * number);
        link.record(&Record::RowBegin(RowBegin {
            row: number,
            job: run.job.clone(),
            disk: run.disk.clone(),
            planned_ns: planned_ns(params, row).map(|ns| ns.saturating_add(self.start_wait_ns())),
        }));
        self.inject.start_of(number);
        let tally = {
            let (all, clock) = (&self.disks, self.clock);
            let looked = &mut looked;
            let mut recheck = |controller: &mut dyn Controller| {
                let each = targets.iter().zip(&ready.disks);
                for (at, (target, before)) in (0u16..).zip(each) {
                    let look = SecondLook {
                        clock,
                        target,
                        disk: DiskId(at),
                        // The first buffers go to the adapters in their order.
                        buffer: BufferId(u32::from(at)),
                        before,
                        params,
                        all,
                        buffer_bytes: bytes as usize,
                    };
                    let id = &target.info.id;
                    look.take(controller, looked)
                        .map_err(|why| format!("{id}: {why}"))?;
                }
                Ok(())
            };
            let env = Env {
                clock,
                counters: self.counters,
                line: &mut line,
                workspace: &mut self.workspace,
                recheck: &mut recheck,
            };
            run_crew(&mut group, env, ready.spec.clone())
        };
        link.sync(2 * number + 1);
        let ends: Vec<PartEnd> = group.ends().collect();
        drop((group, line));

        let given = commands(adapters);
        let limit = ready.limits.max_in_flight;
        let mut notes = Vec::new();
        self.tell_of_posts(number, params, &ready.limits, &mut notes);
        for ((target, disk), region) in targets.iter().zip(&ready.disks).zip(&ready.regions) {
            notes.extend(notes_on(number, params, target, disk, region));
        }
        self.fill_in(&mut run, params, &ready.spec, &tally, limit);
        self.add_looks(&mut run, &looked, &mut notes);
        for (at, share) in run.shares.iter_mut().enumerate() {
            share.ios = tally.ios_by_disk.get(at).copied().unwrap_or(0);
            share.commands = given[at] - before[at];
        }
        name_the_unwell(&mut run, &ends);
        let each = adapters.iter_mut().zip(&ends).zip(&ready.irqs);
        let controllers_lost = each
            .map(|((adapter, end), irq)| {
                let closed = match irq {
                    Some(_) => adapter.line.close(adapter.controller.as_controller()),
                    None => Ok(()),
                };
                let _ = adapter.controller.set_buffers(0, 0);
                why_lost(end, adapter.controller.health()).or(closed.err())
            })
            .collect();
        Ended {
            run,
            first_completion_ticks: tally.first_completion_ticks,
            notes,
            controllers_lost,
        }
    }

    /// Everything before the adapters become one: guard, options, regions, lines.
    fn prepare_together(
        &mut self,
        row: &Row,
        params: &Params,
        adapters: &mut [&mut Adapter<K>],
        targets: &[&Target],
    ) -> Result<Ready, String> {
        let asked = params.adapters.map_or(0, |count| count as usize);
        if adapters.len() < asked {
            return Err(format!(
                "the job asks for {asked} adapters, and there are {} for it",
                adapters.len()
            ));
        }
        let mut disks = Vec::new();
        let mut regions = Vec::new();
        for (adapter, target) in adapters.iter_mut().zip(targets) {
            let named = |why| format!("{}: {why}", target.info.id);
            let disk = self.ready_disk(row, params, adapter, target);
            let disk = disk.map_err(named)?;
            let all = Region::of_all(params, &disk, target.is_stamped());
            regions.push(all.map_err(named)?);
            disks.push(disk);
        }
        let none = alloc::vec![None; adapters.len()];
        let limits = *join(adapters, targets, &none).0.limits();
        let each = disks.iter().zip(&regions).zip(targets);
        let places: Vec<Place<'_>> = each
            .map(|((disk, regions), target)| Place {
                disk,
                id: target.disk,
                regions,
            })
            .collect();
        let mut spec = resolve::spec(params, &places, &limits, &self.timebase)?;
        spec.extras.start_at_ticks = self.start_at_ticks();
        self.reserve_trace(params)?;
        let irqs = waiting::open_all(params, adapters)?;
        spec.wait = waiting::wait_for(params, &irqs, &self.timebase);
        Ok(Ready {
            spec,
            limits,
            regions: regions.iter().map(|each| each[0]).collect(),
            disks,
            irqs,
        })
    }
}

/// The adapters as one, and their lines.
fn join<'a, K: Clock>(
    adapters: &'a mut [&mut Adapter<K>],
    targets: &[&Target],
    irqs: &[Option<Irq>],
) -> (Group<'a>, GroupLine<'a>) {
    let level = |irq: &Option<Irq>| *irq == Some(Irq::Intx);
    let mut parts = Vec::new();
    let mut lines: Vec<&'a mut dyn InterruptLine> = Vec::new();
    for ((adapter, target), irq) in adapters.iter_mut().zip(targets).zip(irqs) {
        let Adapter {
            controller, line, ..
        } = &mut **adapter;
        parts.push(Part {
            controller: controller.as_controller(),
            disk: target.disk,
            level: level(irq),
        });
        lines.push(&mut **line);
    }
    let leader = irqs.iter().position(level).unwrap_or(0);
    (Group::new(parts), GroupLine::new(lines, leader))
}

/// Number and length of the buffers of a row, which the group will deal out.
fn buffers(spec: &Spec, limits: &Limits, group: &mut Group<'_>) -> (u32, u64) {
    let count = buffers_needed(spec, limits);
    group.deal_for(match spec.kind {
        Kind::Mix => count / 2,
        Kind::Read | Kind::Write => count,
    });
    (count, buffer_bytes(spec))
}

/// Commands that each adapter was given so far.
fn commands<K: Clock>(adapters: &[&mut Adapter<K>]) -> Vec<u64> {
    let each = adapters.iter();
    each.map(|adapter| adapter.controller.accesses().commands)
        .collect()
}

/// How completions are announced: by one name, where all adapters agree.
fn irq_names(irqs: &[Option<Irq>]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for irq in irqs.iter().flatten() {
        if !names.contains(&irq.name()) {
            names.push(irq.name());
        }
    }
    (!names.is_empty()).then(|| names.join("+"))
}

/// Says in the row's reason which of its adapters it was.
fn name_the_unwell(run: &mut Run, ends: &[PartEnd]) {
    let unwell = run.shares.iter().zip(ends).filter_map(|(share, end)| {
        let health = end.found_unwell?;
        Some(format!("{}: {}", share.controller, health_text(health)))
    });
    let unwell: Vec<String> = unwell.collect();
    if let Some(reason) = run.reason.as_mut().filter(|_| !unwell.is_empty()) {
        reason.push_str(&format!(" ({})", unwell.join("; ")));
    }
}

fn why_lost(end: &PartEnd, health: Health) -> Option<String> {
    match (end.lost, health) {
        (Some(error), _) => Some(error.to_string()),
        (None, Health::Ok) => None,
        (None, health) => Some(health_text(health)),
    }
}
