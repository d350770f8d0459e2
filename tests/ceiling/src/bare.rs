//! The loop that every controller runs, and what it asks of one.

use crate::backoff::Backoff;
use drivers::hal::{Clock, Deadline};

/// Completions between two looks at the clock, and empty polls between two.
const COMPLETIONS_PER_LOOK: u64 = 256;
const POLLS_PER_LOOK: u32 = 1 << 16;

/// Grace for a device that stops answering.
const STALL_MS: u64 = 5000;

/// One controller with one disk, brought up and ready for reads of 4 KiB.
///
/// Calls are inlined into the loop, so a method is as long as its device needs
/// and no longer.
pub trait Bare {
    /// Kind as users name it.
    const KIND: &'static str;

    /// Whether a look for completions is a register access, which leaves the
    /// guest, so that looks that find nothing are spaced out.
    const POLLS_BY_REGISTER: bool = false;

    /// Most commands in flight, and most that one doorbell may publish.
    fn max_depth(&self) -> u32;

    /// Builds every descriptor for `depth` commands in flight, so that only the
    /// position is left to write. Nothing is in flight.
    fn prepare(&mut self, depth: u32);

    /// Writes `count` reads at random positions into the ring; a controller that
    /// wants each request posted gets them here.
    fn fill(&mut self, count: u32);

    /// Publishes what was filled by one doorbell, unless `fill` did.
    fn kick(&mut self);

    /// Collects everything that the device has finished; how many.
    fn drain(&mut self) -> u32;

    /// Doorbells of `passes` refills that submitted `requests` in all, each
    /// followed by a drain that found something.
    fn doorbells(passes: u64, requests: u64) -> u64 {
        let _ = requests;
        passes
    }

    /// Whether any completion so far told of an error.
    fn failed(&self) -> bool;
}

/// What one depth gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Commands completed between the two looks at the clock.
    pub ios: u64,
    /// Doorbells rung for them and for what was in flight at the end.
    pub doorbells: u64,
    /// The time between the two looks in ticks.
    pub ticks: u64,
}

/// Why a depth gave no figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunError {
    /// More than the device can have in flight, or nothing.
    BadDepth(u32),
    /// Completions stopped coming; how many came.
    Stalled(u64),
    /// The device reported an error.
    Failed,
}

/// Keeps `depth` reads in flight for `runtime_ms`: drain all that is found, fill,
/// one doorbell.
///
/// Empty polls follow each other without a PAUSE: QEMU's translator leaves the
/// guest at each one and takes the lock that the device's completions need. Where
/// the poll itself does that, they are spaced out by [`Backoff`].
///
/// # Errors
/// [`RunError`]; the controller must not be used afterwards, except after
/// [`RunError::BadDepth`].
pub fn run<B: Bare>(
    bare: &mut B,
    clock: &impl Clock,
    depth: u32,
    runtime_ms: u64,
) -> Result<Ran, RunError> {
    if depth == 0 || depth > bare.max_depth() {
        return Err(RunError::BadDepth(depth));
    }
    bare.prepare(depth);
    let runtime_ticks = clock.ms_to_ticks(runtime_ms);
    let stall = Deadline::after_ms(clock, runtime_ms + STALL_MS);
    let start_ticks = clock.now_ticks();
    let mut ios = 0;
    let mut passes = 1;
    let mut next_look = COMPLETIONS_PER_LOOK;
    let mut polls = POLLS_PER_LOOK;
    let mut backoff = Backoff::new(clock);
    bare.fill(depth);
    bare.kick();
    let (ticks, in_flight) = loop {
        let found = bare.drain();
        if found == 0 {
            polls -= 1;
            if polls == 0 {
                polls = POLLS_PER_LOOK;
                if stall.passed(clock) {
                    return Err(RunError::Stalled(ios));
                }
            }
            if B::POLLS_BY_REGISTER {
                backoff.wait(clock);
            }
            continue;
        }
        backoff.found();
        ios += u64::from(found);
        if ios >= next_look {
            next_look = ios + COMPLETIONS_PER_LOOK;
            let ticks = clock.now_ticks().wrapping_sub(start_ticks);
            if ticks >= runtime_ticks {
                break (ticks, depth - found);
            }
        }
        bare.fill(found);
        bare.kick();
        passes += 1;
    };
    settle(bare, clock, in_flight).ok_or(RunError::Stalled(ios))?;
    if bare.failed() {
        return Err(RunError::Failed);
    }
    Ok(Ran {
        ios,
        doorbells: B::doorbells(passes, ios + u64::from(in_flight)),
        ticks,
    })
}

/// Waits for what is still in flight.
fn settle<B: Bare>(bare: &mut B, clock: &impl Clock, mut in_flight: u32) -> Option<()> {
    Deadline::after_ms(clock, STALL_MS).poll(clock, || {
        in_flight -= bare.drain();
        (in_flight == 0).then_some(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivers::fake::FakeClock;
    use std::vec::Vec;

    /// Completes what was kicked, `per_pass` at a time; stops for good after `dies_after`.
    #[derive(Default)]
    struct Model {
        filled: u32,
        in_flight: u32,
        per_pass: u32,
        dies_after: Option<u64>,
        fails: bool,
        completed: u64,
        most_in_flight: u32,
        kicks: Vec<u32>,
    }

    impl Bare for Model {
        const KIND: &'static str = "model";

        fn max_depth(&self) -> u32 {
            100
        }

        fn prepare(&mut self, _: u32) {
            assert_eq!((self.filled, self.in_flight), (0, 0));
        }

        fn fill(&mut self, count: u32) {
            self.filled += count;
        }

        fn kick(&mut self) {
            self.kicks.push(self.filled);
            self.in_flight += core::mem::take(&mut self.filled);
            self.most_in_flight = self.most_in_flight.max(self.in_flight);
        }

        fn drain(&mut self) -> u32 {
            if self.dies_after.is_some_and(|limit| self.completed >= limit) {
                return 0;
            }
            let found = self.per_pass.min(self.in_flight);
            self.in_flight -= found;
            self.completed += u64::from(found);
            found
        }

        fn failed(&self) -> bool {
            self.fails
        }
    }

    fn model(per_pass: u32) -> Model {
        Model {
            per_pass,
            ..Model::default()
        }
    }

    #[test]
    fn each_pass_refills_what_it_found_by_one_doorbell() {
        let mut model = model(5);
        let clock = FakeClock::default();
        clock.set_step_ticks(400_000);
        // Looks at 260, 520 and 780 completions; the third is 1.2 ms after the start.
        let ran = run(&mut model, &clock, 32, 1).unwrap();
        assert_eq!((ran.ios, ran.ticks), (780, 1_200_000));
        assert_eq!(model.most_in_flight, 32);
        assert_eq!(model.kicks[0], 32);
        assert_eq!(model.kicks[1..], [5; 155]);
        assert_eq!(ran.doorbells, 156);
        assert_eq!(model.in_flight, 0);
    }

    #[test]
    fn the_last_partial_pass_is_counted_too() {
        let mut model = model(100);
        let clock = FakeClock::default();
        clock.set_step_ticks(1_000_000);
        let ran = run(&mut model, &clock, 7, 1).unwrap();
        assert_eq!(ran.ios, 259, "the first multiple of 7 from 256 on");
        assert_eq!(model.completed, 259);
    }

    #[test]
    fn a_device_that_stops_is_told() {
        let mut model = model(1);
        model.dies_after = Some(300);
        let clock = FakeClock::default();
        clock.set_step_ticks(1_000_000_000);
        let outcome = run(&mut model, &clock, 4, 100_000);
        assert_eq!(outcome, Err(RunError::Stalled(300)));
    }

    #[test]
    fn an_error_spoils_the_figure() {
        let mut model = model(1);
        model.fails = true;
        let clock = FakeClock::default();
        assert_eq!(run(&mut model, &clock, 4, 1), Err(RunError::Failed));
    }

    #[test]
    fn a_depth_that_cannot_be_is_refused() {
        for depth in [0, 101] {
            let outcome = run(&mut model(1), &FakeClock::default(), depth, 1);
            assert_eq!(outcome, Err(RunError::BadDepth(depth)));
        }
    }
}
