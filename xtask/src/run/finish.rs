//! Whether a run did what it was asked.

use super::machine::Plan;
use crate::failure::Failure;
use crate::result::Document;
use crate::serial::{Followed, verdict};
use proto::exit::GuestExit;
use proto::result::{CheckStatus, RunStatus};

/// Judges a run and writes the outcome into its document.
///
/// # Errors
/// [`Failure`] if anything that was asked for did not come out.
pub fn judge(plan: &Plan, followed: &Followed, document: &mut Document) -> Result<(), Failure> {
    let ended = verdict(&followed.stop, &followed.said, &followed.stderr);
    document.outcome.complete = ended.is_ok();
    let judged = match ended {
        Ok(exit) => complete(exit, plan, followed, document),
        Err(failure) => Err(failure),
    };
    if let Err(failure) = &judged {
        document.outcome.exit_code = failure.code();
        document.outcome.message = failure.message().to_owned();
    }
    judged
}

fn complete(
    exit: GuestExit,
    plan: &Plan,
    followed: &Followed,
    document: &Document,
) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    let found = &followed.said.disk_infos;
    for disk in &plan.disks {
        if !found.iter().any(|info| info.id == disk.id) {
            wrong.push(format!("the guest did not find {}", disk.id));
        }
    }
    let count = |status| {
        document
            .rows
            .iter()
            .filter(|row| row.status == status)
            .count()
    };
    let rows = document.rows.len();
    let (failed, skipped) = (count(RunStatus::Failed), count(RunStatus::Skipped));
    if failed > 0 {
        wrong.push(format!("{failed} of {rows} rows failed"));
    }
    let checks = document.failed_checks().count();
    if checks > 0 {
        wrong.push(format!("{checks} checks failed"));
    }
    let unmade = document
        .rows
        .iter()
        .filter(|row| {
            row.checks
                .iter()
                .any(|check| check.status == CheckStatus::NotMade)
        })
        .count();
    if unmade > 0 {
        wrong.push(format!("checks of {unmade} rows could not be made"));
    }
    if skipped > 0 {
        wrong.push(format!("{skipped} of {rows} rows were skipped"));
    }
    match exit {
        GuestExit::Failed if failed == 0 => wrong.push("the guest says that it failed".into()),
        GuestExit::NothingToDo => wrong.push("the guest found nothing to measure".into()),
        _ => {}
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Failure::Run(wrong.join("; ")))
    }
}
