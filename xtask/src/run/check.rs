//! What can be known to fail before anything is built or started.

use super::args::MachineArgs;
use super::disks::Medium;
use super::machine::Plan;
use super::rows::{Part, Row, bytes_of, groups, rows};
use crate::failure::Failure;
use crate::qemu::controllers::Controller;
use crate::qemu::firmware::given_ovmf;
use crate::qemu::install;
use crate::result::RunFolder;
use proto::job::{Extent, Params, Verify, Wait};
use proto::units::size_text;

/// Looks at what the flags name on this host.
///
/// # Errors
/// [`Failure::Usage`] if `--out` holds a run, [`Failure::Environment`] if `--qemu` is
/// no QEMU, or OVMF is not where it is said to be.
pub fn check_host(args: &MachineArgs) -> Result<(), Failure> {
    if let Some(path) = &args.out {
        RunFolder::check(path)?;
    }
    if let Some((code, vars)) = args.ovmf_code.as_ref().zip(args.ovmf_vars.as_ref()) {
        given_ovmf(code, vars)?;
    }
    match &args.qemu {
        Some(path) => install::given(path).map(drop),
        None => Ok(()),
    }
}

/// Why a plan cannot give what its jobs ask for.
///
/// # Errors
/// [`Failure::Usage`] with the first reason.
pub fn check(plan: &Plan, args: &MachineArgs) -> Result<(), Failure> {
    let rows = rows(&plan.jobs, &plan.disks);
    if rows.is_empty() {
        let wanted: Vec<&str> = plan
            .jobs
            .iter()
            .flat_map(|job| job.controllers.iter().chain(&job.disks))
            .map(String::as_str)
            .collect();
        return Err(Failure::Usage(format!(
            "no job has a disk to run on: they ask for {}; attach it with --controller, and see \
             `cargo xtask identify` for names of disks",
            wanted.join(", ")
        )));
    }
    let faults = [compares_nothing, is_beyond];
    let fault = rows
        .iter()
        .find_map(|row| faults.iter().find_map(|fault| fault(row)));
    let plain = args.device_opt.is_empty();
    // A row whose interrupt is not offered is skipped; where all are, nothing is left.
    let silent = || {
        let own = rows.iter().filter(|row| row.part == Part::Itself);
        let faults: Option<Vec<String>> = own.map(|row| interrupt(row, plan)).collect();
        faults.filter(|_| plain)?.into_iter().next()
    };
    let fault = fault.or_else(|| allows_no_disk(plan)).or_else(silent);
    match fault {
        Some(why) => Err(Failure::Usage(why)),
        None => Ok(()),
    }
}

/// Jobs that no disk of the plan is for.
pub fn idle(plan: &Plan) -> impl Iterator<Item = &str> {
    let with_disk = |job: &&Params| !groups(job, &plan.disks).is_empty();
    let idle = plan.jobs.iter().filter(move |job| !with_disk(job));
    idle.map(|job| job.name.as_str())
}

/// What a person should know of a plan that will run.
pub fn notes(plan: &Plan) -> Vec<String> {
    let idle = idle(plan)
        .map(|name| format!("job {name} has no disk to run on; --controller attaches others"));
    let mut notes: Vec<String> = idle.collect();
    for row in rows(&plan.jobs, &plan.disks) {
        let job = row.job;
        let open = job.runtime_ns.is_none() && job.size.is_none() && job.number_ios.is_none();
        if row.part == Part::Itself && open {
            let bytes = row.region_bytes().map(size_text);
            let note = format!(
                "job {} has neither size nor runtime: it works through {} of each disk, however \
                 long that takes",
                job.name,
                bytes.unwrap_or_else(|| "all".into())
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

fn compares_nothing(row: &Row<'_>) -> Option<String> {
    let job = row.job;
    let compares = job.verify == Verify::Pattern && (!job.rw.writes() || job.do_verify);
    let empty = row
        .disks
        .iter()
        .any(|disk| matches!(disk.medium, Medium::Null { .. }));
    (compares && empty).then(|| {
        format!(
            "job {} compares data, and a null disk keeps none; give --backend file:1G",
            job.name
        )
    })
}

/// Of a disk whose size is known: a region that starts at or beyond its end, or that
/// has no room for a block.
fn is_beyond(row: &Row<'_>) -> Option<String> {
    let job = row.job;
    let last = u64::from(job.numjobs - 1);
    for disk in &row.disks {
        let Some(disk_bytes) = disk.bytes() else {
            continue;
        };
        let step = bytes_of(job.offset_increment, disk_bytes);
        let start = bytes_of(job.offset, disk_bytes).saturating_add(step.saturating_mul(last));
        if start >= disk_bytes {
            let (key, of) = match job.offset_increment {
                Extent::Bytes(0) => ("offset", String::new()),
                _ => (
                    "offset_increment",
                    format!(" for the last of {}", job.numjobs),
                ),
            };
            return Some(format!(
                "job {}: with `{key}` it starts at {}{of}, and {} has {}",
                job.name,
                size_text(start),
                disk.id,
                size_text(disk_bytes)
            ));
        }
        let room = disk_bytes - start;
        let size = job.size.map_or(room, |size| bytes_of(size, disk_bytes));
        let block = shortest_bytes(job);
        if size.min(room) < block {
            return Some(format!(
                "job {}: its region of {} on {} has no room for a block of {}",
                job.name,
                size_text(size.min(room)),
                disk.id,
                size_text(block)
            ));
        }
    }
    None
}

/// The shortest block that each of a job's directions has.
fn shortest_bytes(job: &Params) -> u64 {
    let (bs, split) = (&job.bs, &job.bssplit);
    let change = match job.rw.trims() {
        true => (bs.trim_bytes, &split.trim),
        false => (bs.write_bytes, &split.write),
    };
    let used = [
        (job.rw.reads(), (bs.read_bytes, &split.read)),
        (job.rw.writes(), change),
    ];
    let shortest = used
        .into_iter()
        .filter(|(used, _)| *used)
        .map(|(_, (bytes, splits))| splits.iter().map(|one| one.bytes).min().unwrap_or(bytes));
    shortest.max().unwrap_or(0)
}

/// A token that names no disk is a mistake to be told, not to be passed over.
fn allows_no_disk(plan: &Plan) -> Option<String> {
    let is_named = |name: &str| plan.disks.iter().any(|disk| disk.names().fits(name));
    let known = |token: &str| {
        is_named(token)
            || token
                .rsplit_once(':')
                .is_some_and(|(name, _)| is_named(name))
    };
    let tokens = plan.jobs.iter().flat_map(|job| &job.allow_write);
    let stray = tokens.filter(|token| !known(token)).min()?;
    let ids: Vec<&str> = plan.disks.iter().map(|disk| disk.id.as_str()).collect();
    Some(format!(
        "allow_write={stray} names no disk of this machine; its disks are {}",
        ids.join(", ")
    ))
}

/// An interrupt that the controller has not, as QEMU makes it by itself.
fn interrupt(row: &Row<'_>, plan: &Plan) -> Option<String> {
    let job = row.job;
    let irq = job.irq.filter(|_| job.wait != Wait::Poll)?;
    let mut controllers = row
        .disks
        .iter()
        .map(|disk| &plan.controllers[disk.controller]);
    let without = |one: &&Controller| !one.kind.interrupts.contains(&irq);
    let kind = controllers.find(without)?.kind;
    let offers: Vec<&str> = kind.interrupts.iter().map(|irq| irq.name()).collect();
    Some(format!(
        "job {}: {} does not offer irq={}; it offers {}",
        job.name,
        kind.name,
        irq.name(),
        offers.join(", ")
    ))
}
