//! Guest instructions per I/O.
//!
//! With `-icount shift=0` the TSC counts instructions, so the cycles that the
//! probe reports are instructions, the same on every host. Only the segments that
//! do work are summed; how often an empty poll turns depends on the host.

use super::figure::{Figure, Target};
use super::machine::{Bench, MEMORY_MIB, Start};
use super::probe;
use super::spread::Spread;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::serial::Limits;
use proto::result::Cpu;

const JOB: &str = "[icount]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=20000\n";

/// Runs whose figures must agree.
const RUNS: usize = 3;

/// How far apart they may be, as half the range over the median.
const AGREEMENT: f64 = 0.01;

/// Measures the segments and their sum. TCG only.
///
/// # Errors
/// [`Failure`] if a run breaks.
pub fn measure(bench: &Bench, interrupt: &Interrupt) -> Result<Vec<Figure>, Failure> {
    let job = bench.job_file(JOB)?;
    let start = Start {
        image: &bench.probe.pvh,
        job: &job,
        memory_mib: MEMORY_MIB,
        extra: &["-icount".into(), "shift=0".into()],
    };
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let rows = probe::run(bench, &start, &Limits::default(), interrupt)?.rows;
        runs.extend(rows.into_iter().map(|(run, _)| run.cpu));
    }
    figures(&runs).ok_or_else(|| Failure::Guest("the probe gave no rows".into()))
}

fn figures(runs: &[Cpu]) -> Option<Vec<Figure>> {
    let spread = |pick: fn(&Cpu) -> f64| Spread::of(runs.iter().map(pick).collect());
    let sum = spread(|cpu| {
        cpu.submit_cycles_per_io + cpu.doorbell_cycles_per_io + cpu.reap_cycles_per_io
    })?;
    let apart = sum.relative_half_range();
    let agreement = if apart <= AGREEMENT {
        "agree"
    } else {
        "DO NOT agree"
    };
    let note = format!(
        "{RUNS} runs {agreement} within 1 %: +-{:.2} %",
        apart * 100.0
    );
    let segment = |name: &str, pick: fn(&Cpu) -> f64| {
        let name = format!("  of these, {name}");
        Some(Figure::plain(name, "instructions", spread(pick)?))
    };
    Some(vec![
        Figure::plain("guest instructions per I/O, depth 32", "instructions", sum)
            .against(Target::at_most(400.0, 150.0))
            .noting(note),
        segment("submit", |cpu| cpu.submit_cycles_per_io)?,
        segment("doorbell", |cpu| cpu.doorbell_cycles_per_io)?,
        segment("reap that finds", |cpu| cpu.reap_cycles_per_io)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(submit: f64, doorbell: f64, reap: f64) -> Cpu {
        Cpu {
            submit_cycles_per_io: submit,
            doorbell_cycles_per_io: doorbell,
            reap_cycles_per_io: reap,
            work_cycles_per_io: 9999.0,
            ..Cpu::default()
        }
    }

    #[test]
    fn segments_are_summed_per_run() {
        let runs = [
            cpu(60.0, 5.0, 80.0),
            cpu(60.5, 5.0, 80.0),
            cpu(60.0, 5.0, 80.5),
        ];
        let figures = figures(&runs).unwrap();
        assert_eq!(figures[0].value.samples, [145.0, 145.5, 145.5]);
        assert_eq!(figures[0].verdict, "reaches the aim");
        assert_eq!(figures[0].note, "3 runs agree within 1 %: +-0.17 %");
        assert_eq!(figures[3].value.median, 80.0);
    }

    #[test]
    fn runs_that_differ_are_told() {
        let runs = [
            cpu(100.0, 5.0, 95.0),
            cpu(110.0, 5.0, 95.0),
            cpu(100.0, 5.0, 95.0),
        ];
        let figures = figures(&runs).unwrap();
        assert_eq!(figures[0].note, "3 runs DO NOT agree within 1 %: +-2.50 %");
        assert!(super::figures(&[]).is_none());
    }
}
