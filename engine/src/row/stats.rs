//! What is counted inside the window.

use crate::histogram::Histogram;

/// Sums of the stages over all I/Os of the window, in ticks. Per I/O they add up
/// to its latency exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// t1 - t0: the request is built and its ring entry written.
    pub build: u64,
    /// t2 - t1: it waits for its doorbell.
    pub batch: u64,
    /// t3 - t2: the doorbell.
    pub doorbell: u64,
    /// t4 - t3: the device, and until a pass looks.
    pub in_flight: u64,
    /// t5 - t4: until it is in the engine's hands.
    pub reap: u64,
    /// I/Os whose pass started before their doorbell returned.
    pub clamped: u64,
}

/// Buckets of completions per interrupt: 0, 1, then powers of two up to 32,768.
pub const COMPLETION_BUCKETS: usize = 17;

/// Interrupts, where a row waits for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Interrupts of the controller.
    pub device: u64,
    /// Of these, those after which nothing was found.
    pub empty: u64,
    /// Interrupts of the timer.
    pub timer: u64,
    /// Interrupts of neither.
    pub spurious: u64,
    /// Completions whose interrupt never came.
    pub lost: u64,
    /// Completions from one interrupt of the controller to the next, by bucket.
    pub completions: [u64; COMPLETION_BUCKETS],
}

/// Counts of one window.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Latencies by direction: reads, writes (or trims).
    pub latency: [Histogram; 2],
    /// Bytes by direction of a crew's I/Os, whose lengths may differ.
    pub bytes: [u64; 2],
    /// Latencies of flushes.
    pub flush: Histogram,
    /// Latencies from the intended start of I/Os of a fixed rate.
    pub intended: Histogram,
    /// Ticks that they started later than that.
    pub late_ticks: u64,
    /// The stages, where they are taken.
    pub stages: Stages,
    /// Ticks in which requests were built and written.
    pub submit_ticks: u64,
    /// Ticks in doorbells.
    pub doorbell_ticks: u64,
    /// Ticks in reap passes that found something, and in booking it.
    pub reap_ticks: u64,
    /// Reap passes that found something.
    pub useful_passes: u64,
    /// Reap passes that found nothing.
    pub empty_polls: u64,
    /// Interrupts.
    pub waits: Waits,
    /// Latencies that came out negative and were clamped to 0.
    pub backward_steps: u64,
    /// Integral over time of the commands that the device owns, in ticks,
    /// modulo 2^64; it is right once the window is closed.
    pub depth_integral: u64,
    /// Gaps.
    pub gaps: u64,
    /// The longest, in ticks.
    pub longest_gap_ticks: u64,
    /// Doorbells longer than the limit for gaps.
    pub long_doorbells: u64,
    /// The longest of them, in ticks.
    pub longest_doorbell_ticks: u64,
}

impl Stats {
    /// Ticks that I/Os cost: all but empty polls.
    #[must_use]
    pub const fn work_ticks(&self) -> u64 {
        self.submit_ticks
            .wrapping_add(self.doorbell_ticks)
            .wrapping_add(self.reap_ticks)
    }

    /// Forgets everything. Does not allocate.
    pub fn clear(&mut self) {
        for latency in &mut self.latency {
            latency.clear();
        }
        self.bytes = [0; 2];
        self.flush.clear();
        self.intended.clear();
        self.late_ticks = 0;
        self.stages = Stages::default();
        self.submit_ticks = 0;
        self.doorbell_ticks = 0;
        self.reap_ticks = 0;
        self.useful_passes = 0;
        self.empty_polls = 0;
        self.waits = Waits::default();
        self.backward_steps = 0;
        self.depth_integral = 0;
        self.gaps = 0;
        self.longest_gap_ticks = 0;
        self.long_doorbells = 0;
        self.longest_doorbell_ticks = 0;
    }
}
