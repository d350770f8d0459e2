//! One row: one job on one disk of one controller.

use super::finite;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// How a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// It ran to its end and nothing failed.
    Ok,
    /// An I/O failed, data did not match, or the controller gave up.
    Failed,
    /// It was not started; the reason says why.
    Skipped,
}

/// The parameters as they were used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunParams {
    /// fio `rw`.
    pub rw: String,
    /// Block size of the row in bytes: of reads, or of writes where there are no reads.
    pub bs: u64,
    /// Block size of writes where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bs_write: Option<u64>,
    /// fio `iodepth` as asked.
    pub iodepth: u32,
    /// fio `iodepth_batch_submit`.
    pub iodepth_batch_submit: u32,
    /// fio `iodepth_batch_complete_min`.
    pub iodepth_batch_complete_min: u32,
    /// fio `numjobs`.
    pub numjobs: u32,
    /// fio `rwmixread` in per cent.
    pub rwmixread: u8,
    /// `poll`, `irq`, `hybrid`.
    pub wait: String,
    /// How completions were announced: `msix`, `msi`, `intx`; null where they were
    /// polled for. Of several controllers that differ in it, joined by `+`.
    #[serde(default)]
    pub irq: Option<String>,
    /// Planned measuring time in ns; `None` when bounded by I/Os or size.
    pub runtime_ns: Option<u64>,
    /// Ramp in ns.
    pub ramp_ns: u64,
    /// First byte of the region on the disk.
    pub region_start: u64,
    /// Bytes of the region.
    pub region_bytes: u64,
    /// Seed of positions and mix.
    pub randseed: u64,
    /// Ring pages in use; 0 where the controller has none.
    pub ring_pages: u16,
    /// Request queues in use.
    #[serde(default = "one")]
    pub queues: u16,
    /// Most requests that a doorbell publishes; 0 is all of a fill.
    #[serde(default)]
    pub doorbell_batch: u32,
    /// `none`, `pattern`.
    pub verify: String,
    /// I/Os to keep one by one (`trace`); 0 is none.
    #[serde(default)]
    pub trace: u32,
    /// Every key of the job that has not its default, as a job file has it.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
}

const fn one() -> u16 {
    1
}

/// Latency of I/Os that succeeded in the window, in ns.
///
/// A percentile with fewer than 10 samples beyond it is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyNs {
    /// Smallest.
    pub min: Option<u64>,
    /// Arithmetic mean.
    #[serde(serialize_with = "finite::serialize_option")]
    pub mean: Option<f64>,
    /// Population standard deviation.
    #[serde(serialize_with = "finite::serialize_option")]
    pub stddev: Option<f64>,
    /// Largest.
    pub max: Option<u64>,
    /// Median.
    pub p50: Option<u64>,
    /// 90th percentile.
    pub p90: Option<u64>,
    /// 95th percentile.
    pub p95: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// 99.9th percentile.
    pub p99_9: Option<u64>,
    /// 99.99th percentile.
    pub p99_99: Option<u64>,
}

/// Figures of one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// I/Os of the workload completed in the window without error.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// `ios` by the real length of the window.
    #[serde(serialize_with = "finite::serialize")]
    pub iops: f64,
    /// `bytes` by the real length of the window.
    #[serde(serialize_with = "finite::serialize")]
    pub bw_bytes: f64,
    /// Latency; all null without samples.
    pub lat_ns: LatencyNs,
    /// What `percentile_list` asks for, by percentile; null as in `lat_ns`.
    #[serde(default)]
    pub percentiles: BTreeMap<String, Option<u64>>,
    /// Histogram: lower bound of the bucket in ns, count. Only filled buckets.
    pub bins: Vec<(u64, u64)>,
    /// Samples above the histogram's range.
    pub overflow: u64,
}

/// How I/Os of a fixed rate kept to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Late {
    /// Mean time by which they started late, in ns.
    #[serde(serialize_with = "finite::serialize")]
    pub mean_ns: f64,
    /// Latency from the intended start.
    pub lat_intended_ns: LatencyNs,
    /// Its histogram: lower bound of the bucket in ns, count. Only filled buckets.
    pub bins: Vec<(u64, u64)>,
}

/// What a search for the depth that meets a latency found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetFound {
    /// The latency in ns.
    pub target_ns: u64,
    /// Largest depth that met it; 0 if none did.
    pub depth: u32,
    /// The search came to its end.
    pub finished: bool,
}

/// Whether a figure became steady.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SteadyFound {
    /// It did, and that ended the row.
    pub attained: bool,
    /// The criterion at last, in the limit's unit.
    #[serde(serialize_with = "finite::serialize")]
    pub criterion: f64,
}

/// Commands the device was given in the whole row (ramp, window, drain).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    /// Reads.
    pub read: u64,
    /// Writes.
    pub write: u64,
    /// Of the writes, those that are durable when they complete (FUA).
    #[serde(default)]
    pub durable: u64,
    /// Flushes.
    pub flush: u64,
    /// Unmaps.
    pub unmap: u64,
    /// Of all these, those that ended in an error.
    pub failed: u64,
    /// Bytes of successful reads.
    pub read_bytes: u64,
    /// Bytes of successful writes.
    pub write_bytes: u64,
}

/// I/Os in flight when the window closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenAtEnd {
    /// How many.
    pub count: u64,
    /// Age of the oldest in ns.
    pub oldest_ns: u64,
    /// The oldest is older than p99: the tail is cut off and the row is marked.
    pub censored: bool,
}

/// What the processor paid in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// Mean over online processors; 100 when polling.
    #[serde(serialize_with = "finite::serialize")]
    pub busy_pct: f64,
    /// Sum over processors in seconds.
    #[serde(serialize_with = "finite::serialize")]
    pub busy_cpu_s: f64,
    /// Submit, doorbell, handler and useful reap passes, in TSC cycles per I/O.
    #[serde(serialize_with = "finite::serialize")]
    pub work_cycles_per_io: f64,
    /// Of these, building and writing requests.
    #[serde(serialize_with = "finite::serialize")]
    pub submit_cycles_per_io: f64,
    /// Of these, ringing doorbells.
    #[serde(serialize_with = "finite::serialize")]
    pub doorbell_cycles_per_io: f64,
    /// Of these, reap passes that found something, and handling what they found.
    #[serde(serialize_with = "finite::serialize")]
    pub reap_cycles_per_io: f64,
    /// Of these, interrupt handlers.
    #[serde(default, serialize_with = "finite::serialize")]
    pub handler_cycles_per_io: f64,
    /// Reap passes that found nothing, per I/O.
    #[serde(serialize_with = "finite::serialize")]
    pub empty_polls_per_io: f64,
    /// IOPS per busy per cent.
    #[serde(serialize_with = "finite::serialize")]
    pub iops_per_cpu_pct: f64,
}

/// Device accesses in the window, exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accesses {
    /// Register writes that publish requests or give completion slots back.
    pub doorbell_writes: u64,
    /// Register reads.
    pub mmio_reads: u64,
    /// Register writes, doorbells included.
    pub mmio_writes: u64,
    /// Port accesses.
    pub pio: u64,
    /// Interrupts taken, of any source.
    pub interrupts: u64,
    /// HLT executed.
    pub halts: u64,
    /// Ends of interrupts written to the local APIC.
    #[serde(default)]
    pub eois: u64,
    /// Writes that set the timer which bounds a wait.
    #[serde(default)]
    pub timer_writes: u64,
}

/// Interrupts of a row that waits for them, in its window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupts {
    /// Of the controller.
    pub device: u64,
    /// Of these, those after which no completion was found: it had been found before.
    pub empty: u64,
    /// Of the timer that bounds a wait.
    pub timer: u64,
    /// Of neither.
    pub spurious: u64,
    /// Completions that were found without an interrupt, which did not come within
    /// 50 ms either.
    pub lost: u64,
    /// Completions between one interrupt of the controller and the next: lower bound of
    /// the bucket (a power of two, or 0), interrupts.
    pub completions: Vec<(u64, u64)>,
}

/// Exits per I/O of the window that hardware virtualisation would make for the accesses
/// counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExitsBounds {
    /// Where interrupts are delivered and ended without an exit.
    #[serde(serialize_with = "finite::serialize")]
    pub min: f64,
    /// Where each interrupt, its end and each setting of the timer is an exit too.
    #[serde(serialize_with = "finite::serialize")]
    pub max: f64,
}

/// The same per I/O of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PerIo {
    /// All accesses that exit on hardware virtualisation.
    #[serde(serialize_with = "finite::serialize")]
    pub accesses: f64,
    /// Doorbells.
    #[serde(serialize_with = "finite::serialize")]
    pub doorbells: f64,
    /// Interrupts.
    #[serde(serialize_with = "finite::serialize")]
    pub interrupts: f64,
}

/// Commands owned by the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Depth {
    /// fio `iodepth`.
    pub asked: u32,
    /// Time-weighted mean over the window, doorbell to completion seen.
    #[serde(serialize_with = "finite::serialize")]
    pub effective: f64,
    /// Most commands the controller can have in flight.
    pub limit: u32,
}

/// Mean latency by stage in ns; the stages sum to the mean latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StagesNs {
    /// Building the request until the ring entry is written.
    #[serde(serialize_with = "finite::serialize")]
    pub build: f64,
    /// Waiting for the doorbell that publishes it.
    #[serde(serialize_with = "finite::serialize")]
    pub batch: f64,
    /// The doorbell itself.
    #[serde(serialize_with = "finite::serialize")]
    pub doorbell: f64,
    /// Device plus detection.
    #[serde(serialize_with = "finite::serialize")]
    pub in_flight: f64,
    /// From the start of the pass that finds it to the engine's hands.
    #[serde(serialize_with = "finite::serialize")]
    pub reap: f64,
    /// Completions whose pass started before their doorbell returned.
    pub clamped: u64,
}

/// Times in which the guest did not run though it had not asked to wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gaps {
    /// How many.
    pub count: u64,
    /// The longest in ns.
    pub longest_ns: u64,
    /// The limit used, in ns.
    pub threshold_ns: u64,
    /// Doorbells that took longer than the limit.
    pub long_doorbells: u64,
    /// The longest of these in ns.
    pub longest_doorbell_ns: u64,
}

/// Outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Both sides agree.
    Ok,
    /// They do not.
    Failed,
    /// It could not be compared; the detail says why.
    NotMade,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// `commands`, `bytes`, ..
    pub name: String,
    /// Outcome.
    pub status: CheckStatus,
    /// Both figures, or why not.
    pub detail: String,
}

/// A byte that came back wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Byte offset on the disk.
    pub offset: u64,
    /// What was expected.
    pub expected: u8,
    /// What came.
    pub found: u8,
}

/// The part of one disk in a row that runs on several at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Controller id.
    pub controller: String,
    /// Disk id.
    pub disk: String,
    /// I/Os completed in the window without error.
    pub ios: u64,
    /// Commands that its controller was given in the whole row.
    pub commands: u64,
}

/// One row. `host` and the host's checks are added outside the guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Number of the row in the plan, from 0.
    pub row: u32,
    /// Job name.
    pub job: String,
    /// Controller id; of several at once, joined by `+`.
    pub controller: String,
    /// Disk id; of several at once, joined by `+`.
    pub disk: String,
    /// Each disk's part, of a row that runs on several at once (`concurrent=1`).
    #[serde(default)]
    pub shares: Vec<Share>,
    /// Which repeat of the job, from 0.
    #[serde(default)]
    pub repeat: u32,
    /// Parameters as used.
    pub params: RunParams,
    /// How it ended.
    pub status: RunStatus,
    /// Why, where it is not ok.
    pub reason: Option<String>,
    /// When it began with its I/Os by the guest's wall clock, where `start_at` asked for a
    /// moment: RFC 3339 in UTC.
    #[serde(default)]
    pub started_at: Option<String>,
    /// How much later that was than the moment; null for rows of the same moment that
    /// came after its first.
    #[serde(default)]
    pub start_skew_ns: Option<u64>,
    /// Real length of the window in ns.
    pub window_ns: u64,
    /// In flight when the window closed.
    pub open_at_end: OpenAtEnd,
    /// Commands over the whole row: what QEMU's block statistics must show.
    pub commands: Commands,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Trims, of a row that trims.
    #[serde(default)]
    pub trim: Option<Direction>,
    /// Flushes, of a row that flushes; their bytes are 0.
    #[serde(default)]
    pub flush: Option<Direction>,
    /// I/Os that failed in the whole row.
    pub errors: u64,
    /// Errors by kind, for a person.
    pub errors_by_kind: BTreeMap<String, u64>,
    /// Commands sent again.
    pub retries: u64,
    /// Blocks compared.
    pub verified_blocks: u64,
    /// Bytes that differed.
    pub mismatched_bytes: u64,
    /// The first of these.
    pub mismatches: Vec<Mismatch>,
    /// Every byte read in the window was zero (never-written space); null if not looked at.
    pub all_zero: Option<bool>,
    /// Fingerprint of all I/Os in order of issue, 16 hexadecimal digits. It starts at 0; each
    /// I/O makes it `(turned left by 29 bits ^ lba ^ K * (2 * blocks + direction)) * K` modulo
    /// 2^64, where K is 0x5bd1e995 and direction 0 for a read, 1 for a write.
    pub digest: String,
    /// Processor.
    pub cpu: Cpu,
    /// Accesses in the window.
    pub accesses: Accesses,
    /// Doorbells by register over the whole row, for comparison with traces.
    pub doorbells: BTreeMap<String, u64>,
    /// Per I/O.
    pub per_io: PerIo,
    /// Interrupts, where the row waited for them.
    #[serde(default)]
    pub interrupts: Option<Interrupts>,
    /// Exits per I/O, by hypervisor.
    #[serde(default)]
    pub exits_bounds: ExitsBounds,
    /// Depth.
    pub depth: Depth,
    /// Latency split, with `stages=1`.
    pub stages_ns: Option<StagesNs>,
    /// How I/Os kept to a fixed rate, where one was asked.
    #[serde(default)]
    pub late: Option<Late>,
    /// What was found for `latency_target`.
    #[serde(default)]
    pub latency_target: Option<TargetFound>,
    /// What came of `steadystate`.
    #[serde(default)]
    pub steady: Option<SteadyFound>,
    /// I/Os that were kept one by one, of the `params.trace` asked for.
    #[serde(default)]
    pub trace_kept: u64,
    /// Gaps.
    pub gaps: Gaps,
    /// Checks.
    pub checks: Vec<Check>,
}
