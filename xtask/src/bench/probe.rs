//! One run of the probe, and what it measured.

use super::machine::{Bench, Start};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::qemu::process::Process;
use crate::result::{HostRun, host_run};
use crate::serial::{Followed, Limits, Line, Sampler, follow, verdict};
use proto::exit::GuestExit;
use proto::record::row_number;
use proto::result::{CheckStatus, Run, RunStatus};
use std::fs::File;
use std::time::{Duration, Instant};

/// What one run of the probe gave.
pub struct Probed {
    /// Its rows with what the host saw of them.
    pub rows: Vec<(Run, Option<HostRun>)>,
    /// QEMU's start to the arrival of the line that ends the first row.
    pub first_row_end: Option<Duration>,
}

/// Boots the probe with a job and follows it to its end.
///
/// # Errors
/// [`Failure`] if the run breaks: anything but rows that all ran and passed.
pub fn run(
    bench: &Bench,
    start: &Start<'_>,
    limits: &Limits,
    interrupt: &Interrupt,
) -> Result<Probed, Failure> {
    let line = bench.command_line(start);
    let log_path = bench.folder.join("serial.log");
    let mut log = File::create(&log_path).map_err(|e| Failure::io(log_path.display(), &e))?;
    let started = Instant::now();
    let mut process = Process::start(&line)?;
    let sampler = Sampler::new(process.id(), bench.qmp_socket());
    let followed = follow(
        Line {
            process: &mut process,
            log: &mut log,
            sampler,
            started,
        },
        limits,
        interrupt,
        |_| {},
    )
    .map_err(|error| Failure::io(log_path.display(), &error))?;
    let first_row_end = followed.first_row_end;
    let rows = rows(followed)?;
    Ok(Probed {
        rows,
        first_row_end,
    })
}

fn rows(followed: Followed) -> Result<Vec<(Run, Option<HostRun>)>, Failure> {
    let Followed {
        said,
        samples,
        stop,
        stderr,
        ..
    } = followed;
    let exit = verdict(&stop, &said, &stderr)?;
    let rows: Vec<_> = said
        .rows
        .into_iter()
        .map(|row| {
            // Only processor time is wanted, so the disk's node does not matter.
            let (host, _) = host_run(&row.run, &Default::default(), &samples, None);
            (row.run, host)
        })
        .collect();
    if let Some(reason) = rows.iter().find_map(|(run, _)| trouble(run)) {
        return Err(Failure::Run(reason));
    }
    if exit != GuestExit::Pass || rows.is_empty() {
        return Err(Failure::Run(format!(
            "the probe ended with {exit:?} after {} rows",
            rows.len()
        )));
    }
    Ok(rows)
}

/// Why a row's figures are worth nothing, if they are.
fn trouble(run: &Run) -> Option<String> {
    let row = format!(
        "row {} ({}, depth {})",
        row_number(run.row),
        run.job,
        run.params.iodepth
    );
    if run.status != RunStatus::Ok {
        let reason = run.reason.as_deref().unwrap_or("no reason given");
        return Some(format!("{row} is not ok: {reason}"));
    }
    let failed = run
        .checks
        .iter()
        .find(|check| check.status == CheckStatus::Failed)?;
    Some(format!(
        "{row}: check {} failed: {}",
        failed.name, failed.detail
    ))
}
