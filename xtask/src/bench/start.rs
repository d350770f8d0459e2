//! QEMU's start to the first completed I/O.
//!
//! Taken on the host, from just before QEMU is started to the arrival of the line
//! that ends a row of one I/O. So it includes what the guest's own clock cannot see
//! (QEMU's start, the loader) and errs, by what ends a row and the transfer of that
//! line, to the high side; what the host does at a row's end is not in it.

use super::figure::{Figure, Target};
use super::machine::{Bench, MEMORY_MIB, Start};
use super::probe;
use super::spread::Spread;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::serial::Limits;

const JOB: &str = "[first]\nrw=randread\nbs=4k\niodepth=1\nnumber_ios=1\n";

/// Measures `starts` starts.
///
/// # Errors
/// [`Failure`] if a run breaks.
pub fn measure(bench: &Bench, starts: u32, interrupt: &Interrupt) -> Result<Figure, Failure> {
    let job = bench.job_file(JOB)?;
    let start = Start {
        image: &bench.probe.pvh,
        job: &job,
        memory_mib: MEMORY_MIB,
        extra: &[],
    };
    let mut seconds = Vec::new();
    for _ in 0..starts {
        let first_row_end = probe::run(bench, &start, &Limits::default(), interrupt)?.first_row_end;
        let first_row_end = first_row_end
            .ok_or_else(|| Failure::Guest("the probe told of no end of its row".into()))?;
        seconds.push(first_row_end.as_secs_f64());
    }
    let spread =
        Spread::of(seconds).ok_or_else(|| Failure::Usage("at least one start is needed".into()))?;
    Ok(
        Figure::plain("QEMU's start to the first completed I/O", "s", spread)
            .against(Target::at_most(1.0, 0.3))
            .noting("on the host's clock, to the line that ends a row of one I/O"),
    )
}
