//! The session itself.

use super::blank::blank;
use super::inventory::{Inventory, Target};
use super::plan::{Part, Row, plan, planned_ns};
use super::rows::Desk;
use super::{Adapter, Inject, Link, MachineCounters, WallClock};
use crate::row::Workspace;
use crate::time::{Timebase, elapsed};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use drivers::hal::Clock;
use proto::exit::GuestExit;
use proto::job::Params;
use proto::record::{End, Note, Plan, Progress, Record};
use proto::result::{Run, RunStatus};

/// What a session is given.
pub struct Setup<'a, K: Clock> {
    /// The clock that all figures are taken by.
    pub clock: &'a K,
    /// Where records go. `Hello` and `Guest` were sent before the session.
    pub link: &'a mut dyn Link,
    /// Counts that the machine keeps.
    pub counters: &'a dyn MachineCounters,
    /// What the time is, for rows that start at a moment.
    pub wall: &'a mut dyn WallClock,
    /// Adapters in PCI order, all started.
    pub adapters: Vec<Adapter<K>>,
    /// Jobs in the order of the job file.
    pub jobs: &'a [Params],
    /// Clock ticks at the loader's entry.
    pub origin_ticks: u64,
    /// Records sent before the session; the end record counts them too.
    pub records_sent: u64,
    /// A fault to plant; [`Inject::None`] outside of tests.
    pub inject: Inject,
}

/// Runs all jobs on all disks they name, and sends every record up to `End`.
///
/// A row that runs is framed by `sync(2n)` and `sync(2n + 1)`, n being its
/// number; a skipped row sends its `Row` record alone. Every command between the
/// two is in the row's `commands`. Nothing is sent inside a window. Adapters are
/// shut down at the end.
pub fn run<K: Clock>(setup: Setup<'_, K>) -> GuestExit {
    let Setup {
        clock,
        link,
        counters,
        wall,
        mut adapters,
        jobs,
        origin_ticks,
        records_sent,
        inject,
    } = setup;
    let mut log = Log {
        link,
        records: records_sent,
        rows: [0; 3],
    };
    let inventory = Inventory::take(&mut adapters, clock, jobs);
    log.inventory(&inventory);
    let rows = plan(jobs, &inventory);
    log.plan(jobs, &rows, &inventory);

    let mut desk = Desk {
        clock,
        counters,
        workspace: Workspace::new(),
        timebase: Timebase::new(clock.ticks_per_second()),
        disks: inventory.disks(),
        written: None,
        wall,
        start: None,
        served: None,
        inject,
        told_of_posts: false,
    };
    let mut lost: Vec<Option<String>> = vec![None; adapters.len()];
    let mut first_io = None;
    for (number, row) in (0u32..).zip(&rows) {
        if inject.exits_before(number) {
            return GuestExit::Pass;
        }
        let params = &jobs[row.job];
        let targets = row.targets.iter().map(|target| &inventory.targets[*target]);
        let targets: Vec<&Target> = targets.collect();
        let unusable = targets
            .iter()
            .find_map(|target| Some((target, lost[target.adapter].as_ref()?)));
        if let Some((target, why)) = unusable {
            let mut run = blank(number, row, params, &targets);
            run.reason = Some(format!(
                "{} cannot be used any more: {why}",
                target.info.controller
            ));
            log.row(run);
            continue;
        }
        if let Err(why) = desk.await_start(number, row, params, |record| log.send(record)) {
            let mut run = blank(number, row, params, &targets);
            run.reason = Some(why);
            log.row(run);
            continue;
        }
        let ended = if params.concurrent && row.part == Part::Job {
            let mut seats = Vec::new();
            for (index, adapter) in adapters.iter_mut().enumerate() {
                if targets.iter().any(|target| target.adapter == index) {
                    seats.push(adapter);
                }
            }
            desk.run_together(number, row, params, &mut seats, &targets, log.link)
        } else {
            let adapter = &mut adapters[targets[0].adapter];
            desk.run(number, row, params, adapter, targets[0], log.link)
        };
        log.counted_row_begin(&ended.run);
        let missed = desk.note_start(&ended.run);
        for note in ended.notes.into_iter().chain(missed) {
            log.note(note);
        }
        if first_io.is_none()
            && let Some(ticks) = ended.first_completion_ticks
        {
            first_io = Some(ticks);
            log.send(&Record::Progress(Progress {
                what: "first_io".to_string(),
                at_ns: desk.timebase.ns(elapsed(origin_ticks, ticks).0),
            }));
        }
        desk.send_trace(&ended.run, params, |record| log.send(record));
        log.row(ended.run);
        for (target, why) in targets.iter().zip(ended.controllers_lost) {
            lost[target.adapter] = why;
        }
    }
    for adapter in &mut adapters {
        adapter.controller.shutdown();
    }
    log.end(rows.is_empty())
}

/// Records and what they add up to.
struct Log<'a> {
    link: &'a mut dyn Link,
    records: u64,
    /// Ok, failed, skipped.
    rows: [u32; 3],
}

impl Log<'_> {
    fn send(&mut self, record: &Record) {
        self.link.record(record);
        self.records += 1;
    }

    fn note(&mut self, text: String) {
        self.send(&Record::Note(Note { text }));
    }

    /// The `RowBegin` of a row that ran was sent by the row itself.
    fn counted_row_begin(&mut self, run: &Run) {
        if run.status != RunStatus::Skipped {
            self.records += 1;
        }
    }

    fn row(&mut self, run: Box<Run>) {
        let kind = match run.status {
            RunStatus::Ok => 0,
            RunStatus::Failed => 1,
            RunStatus::Skipped => 2,
        };
        self.rows[kind] += 1;
        self.send(&Record::Row(run));
    }

    fn inventory(&mut self, inventory: &Inventory) {
        for controller in &inventory.controllers {
            self.send(&Record::Controller(controller.clone()));
        }
        for target in &inventory.targets {
            self.send(&Record::Disk(target.info.clone()));
        }
        for ignored in &inventory.ignored {
            self.send(&Record::Ignored(ignored.clone()));
        }
    }

    fn plan(&mut self, jobs: &[Params], rows: &[Row], inventory: &Inventory) {
        if inventory.controllers.is_empty() {
            self.note("no storage controller that ioprobe drives was found".to_string());
        } else if inventory.targets.is_empty() {
            self.note("no disk was found behind any controller".to_string());
        }
        for (index, params) in jobs.iter().enumerate() {
            if !inventory.targets.is_empty() && !rows.iter().any(|row| row.job == index) {
                self.note(format!(
                    "job {}: no disk fits controller={:?} filename={:?}",
                    params.name, params.controllers, params.disks
                ));
            }
        }
        let each = rows.iter().map(|row| planned_ns(&jobs[row.job], row));
        self.send(&Record::Plan(Plan {
            rows: rows.len() as u32,
            planned_ns: each.sum(),
        }));
    }

    fn end(mut self, nothing: bool) -> GuestExit {
        let [ok, failed, skipped] = self.rows;
        self.send(&Record::End(End {
            records: self.records,
            ok,
            failed,
            skipped,
        }));
        if nothing {
            GuestExit::NothingToDo
        } else if failed > 0 {
            GuestExit::Failed
        } else if skipped > 0 {
            GuestExit::Skipped
        } else {
            GuestExit::Pass
        }
    }
}
