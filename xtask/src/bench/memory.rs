//! The least guest memory in which a job still passes.

use super::figure::{Figure, Target};
use super::machine::{Bench, Start};
use super::probe;
use super::spread::Spread;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job::{Source, compose};
use crate::serial::Limits;
use std::path::Path;
use std::time::Duration;

/// Where the search starts, in MiB: enough for any preset.
const ENOUGH_MIB: u32 = 128;

/// How long a guest may be silent that has too little memory to say why.
const PATIENCE: Duration = Duration::from_secs(15);

/// The profile, and what makes its rows short; memory does not depend on it.
const PROFILE: &str = "quick";
const SHORT: &str = "runtime=100ms";

/// Finds it by bisection, to 1 MiB. A run that breaks counts as too little
/// memory, except at the size that must do.
///
/// # Errors
/// [`Failure`] if the job does not pass with 128 MiB either.
pub fn measure(bench: &Bench, interrupt: &Interrupt) -> Result<Figure, Failure> {
    let quick = compose(&Source {
        file: None,
        profile: Some(PROFILE),
        set: &[SHORT.into()],
        ..Source::default()
    })?;
    let job = bench.job_file(&quick.text)?;
    try_with(bench, &job, ENOUGH_MIB, interrupt)?;
    let least_mib = bisect(ENOUGH_MIB, |memory_mib| {
        match try_with(bench, &job, memory_mib, interrupt) {
            Ok(()) => Ok(true),
            Err(failure @ Failure::Interrupted(_)) => Err(failure),
            Err(_) => Ok(false),
        }
    })?;
    Ok(Figure::plain(
        "guest memory for quick",
        "MiB",
        Spread::single(least_mib.into()),
    )
    .against(Target::at_most(32.0, 16.0))
    .noting("least -m with which it passes"))
}

fn try_with(
    bench: &Bench,
    job: &Path,
    memory_mib: u32,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let start = Start {
        image: &bench.probe.pvh,
        job,
        memory_mib,
        extra: &[],
    };
    let limits = Limits {
        boot: PATIENCE,
        other: PATIENCE,
        ..Limits::default()
    };
    probe::run(bench, &start, &limits, interrupt).map(drop)
}

/// The least number above 0 that `passes`, given that `enough` does.
fn bisect<E>(enough: u32, mut passes: impl FnMut(u32) -> Result<bool, E>) -> Result<u32, E> {
    let (mut fails, mut does) = (0, enough);
    while does - fails > 1 {
        let middle = u32::midpoint(fails, does);
        if passes(middle)? {
            does = middle;
        } else {
            fails = middle;
        }
    }
    Ok(does)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_the_edge() {
        for least in [1, 2, 13, 127, 128] {
            let found = bisect(128, |mib| Ok::<_, ()>(mib >= least));
            assert_eq!(found, Ok(least));
        }
        assert_eq!(bisect(128, |_| Err("stop")), Err("stop"));
    }
}
