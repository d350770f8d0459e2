//! Whether a row is well, and why not.

use crate::row::{Failure, Tally};
use crate::time::Timebase;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use drivers::block::Health;

/// Why a row that ran is not ok; `None` if it is. `ios` completed in its window.
pub fn reason(tally: &Tally, ios: u64, timebase: &Timebase) -> Option<String> {
    let mut reasons = Vec::new();
    if let Some(failure) = &tally.failure {
        reasons.push(describe(failure, timebase));
    }
    if tally.failed_flushes > 0 {
        reasons.push(format!("failed flushes: {}", tally.failed_flushes));
    }
    // Why nothing came, where that is known.
    if let (Some(Failure::TimedOut { .. }), Some(health)) = (&tally.failure, tally.found_unwell) {
        reasons.push(health_text(health));
    }
    let failed = tally.failed[0] + tally.failed[1];
    if failed > 0 {
        reasons.push(format!("failed I/Os: {failed}"));
    }
    if tally.mismatched_bytes > 0 {
        reasons.push(format!(
            "bytes that differ from the pattern: {}",
            tally.mismatched_bytes
        ));
    }
    let bad = tally.bad_completions + tally.row_accesses.bad_completions;
    if bad > 0 {
        reasons.push(format!("completions of no command in flight: {bad}"));
    }
    if tally.controller_lost {
        reasons.push(String::from(
            "the controller did not come back from a reset",
        ));
    }
    if reasons.is_empty() && ios == 0 {
        reasons.push(String::from("no I/O completed inside the window"));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn describe(failure: &Failure, timebase: &Timebase) -> String {
    match failure {
        Failure::TimedOut {
            write,
            offset_bytes,
            age_ticks,
        } => format!(
            "a {} at byte {offset_bytes} did not complete in {} ms",
            if *write { "write" } else { "read" },
            timebase.ns(*age_ticks) / 1_000_000
        ),
        Failure::Unhealthy(health) => health_text(*health),
        Failure::Refused => String::from("the driver refused a request as invalid"),
        Failure::Dead => String::from("the controller takes no requests any more"),
        Failure::Suspended(why) => {
            format!("writes stopped after the disk reported a change: {why}")
        }
        Failure::DiskGone(answer) => format!("the disk is gone: {answer}"),
        Failure::LostInterrupts { times } => format!(
            "interrupts get lost: {times} times completions were there and no interrupt came for them"
        ),
        Failure::InterruptStorm { interrupts } => format!(
            "interrupt storm: {interrupts} interrupts in a row brought no completion, so the \
             controller's interrupt was masked"
        ),
        Failure::Reset(error) => format!("the controller did not come back from a reset: {error}"),
    }
}

/// A controller's health in words.
pub fn health_text(health: Health) -> String {
    match health {
        Health::Ok => String::from("the controller is well"),
        Health::Lying(why) => format!("the controller breaks its protocol: {why}"),
        Health::Fault(code) => format!("the controller reports fault {code:#x}"),
        Health::Gone => String::from("the controller is gone"),
    }
}
