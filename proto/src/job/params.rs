//! One job, every key resolved.

use super::load::{
    ByDirection, Distribution, LatencyTarget, RateProcess, Split, SteadyState, WriteData,
};
use alloc::string::String;
use alloc::vec::Vec;

/// Direction and order of a workload (fio `rw`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rw {
    /// Sequential reads.
    Read,
    /// Sequential writes.
    Write,
    /// Random reads.
    RandRead,
    /// Random writes.
    RandWrite,
    /// Sequential mix.
    ReadWrite,
    /// Random mix.
    RandRw,
    /// Sequential trims.
    Trim,
    /// Random trims.
    RandTrim,
}

impl Rw {
    /// fio's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::RandRead => "randread",
            Self::RandWrite => "randwrite",
            Self::ReadWrite => "rw",
            Self::RandRw => "randrw",
            Self::Trim => "trim",
            Self::RandTrim => "randtrim",
        }
    }

    /// Whether positions are random.
    #[must_use]
    pub const fn is_random(self) -> bool {
        matches!(
            self,
            Self::RandRead | Self::RandWrite | Self::RandRw | Self::RandTrim
        )
    }

    /// Whether it can issue reads.
    #[must_use]
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Write | Self::RandWrite) && !self.trims()
    }

    /// Whether it can change what a disk holds: by writes or trims.
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::RandRead)
    }

    /// Whether it trims, and does nothing else.
    #[must_use]
    pub const fn trims(self) -> bool {
        matches!(self, Self::Trim | Self::RandTrim)
    }
}

/// Block size per direction in bytes (fio `bs=read,write,trim`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSizes {
    /// Of reads.
    pub read_bytes: u64,
    /// Of writes.
    pub write_bytes: u64,
    /// Of trims.
    pub trim_bytes: u64,
}

/// A length or position on a disk (fio `size`, `offset`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Bytes.
    Bytes(u64),
    /// Per cent of the disk, 0..=100.
    Percent(u8),
}

/// How completions are awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// By polling memory or registers.
    Poll,
    /// Halted, until an interrupt.
    Irq,
    /// By polling for a while, then halted.
    Hybrid,
}

impl Wait {
    /// As a job names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Irq => "irq",
            Self::Hybrid => "hybrid",
        }
    }
}

/// How a controller announces completions. In the order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Irq {
    /// By a message out of the MSI-X table.
    Msix,
    /// By the message of MSI.
    Msi,
    /// By a line that may be shared, and is up until it is acknowledged.
    Intx,
}

impl Irq {
    /// All of them, best first.
    pub const ALL: [Self; 3] = [Self::Msix, Self::Msi, Self::Intx];

    /// As a job and a controller's `interrupts` name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Msix => "msix",
            Self::Msi => "msi",
            Self::Intx => "intx",
        }
    }
}

/// What the machine does when the run has ended and nobody ends it from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtEnd {
    /// It stays, with its summary on the screen.
    #[default]
    Stay,
    /// It switches itself off.
    PowerOff,
    /// It starts anew.
    Reboot,
}

/// What is compared when data comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// Nothing.
    None,
    /// Every byte of every block against [`crate::pattern`].
    Pattern,
}

/// One job section with every key resolved. Defaults are fio's where fio has the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Section name.
    pub name: String,
    /// fio `description`.
    pub description: String,
    /// fio `rw`, `readwrite`; default `read`.
    pub rw: Rw,
    /// fio `rw=randread:8`: I/Os of a random job until the next random position; default 1.
    pub rw_run: u32,
    /// fio `rw_sequencer=identical`: those between are at the same position, and do not follow.
    pub rw_identical: bool,
    /// fio `rw=write:4k`: bytes that a sequential job leaves out after each I/O; default 0.
    pub rw_hole_bytes: u64,
    /// fio `bs`, `blocksize`; default 4k.
    pub bs: BlockSizes,
    /// fio `iodepth`; default 1.
    pub iodepth: u32,
    /// fio `iodepth_batch_submit` (`iodepth_batch`); default 1. Most requests per doorbell
    /// is not bounded by it: the refill policy is drain, fill, one doorbell.
    pub iodepth_batch_submit: u32,
    /// fio `iodepth_batch_complete_min`; default 1: refill only after this many completions.
    pub iodepth_batch_complete_min: u32,
    /// fio `numjobs`; default 1: so many of the job at the same time, each with its own depth.
    pub numjobs: u32,
    /// fio `rwmixread`, `rwmixwrite`; share of reads in per cent, default 50.
    pub rwmixread_pct: u8,
    /// fio `size`; `None` is the rest of the disk.
    pub size: Option<Extent>,
    /// fio `offset`; default 0.
    pub offset: Extent,
    /// fio `offset_increment`; each further of `numjobs` starts so much later.
    pub offset_increment: Extent,
    /// fio `runtime`; `None` is until `size` or `number_ios` is done.
    pub runtime_ns: Option<u64>,
    /// fio `time_based`: start over until `runtime` is up.
    pub time_based: bool,
    /// fio `ramp_time`; default 0.
    pub ramp_ns: u64,
    /// fio `startdelay`; default 0: this long nothing is done.
    pub startdelay_ns: u64,
    /// Own key `start_at`: the moment before which no I/O starts, in ns since
    /// 1970-01-01T00:00:00Z.
    pub start_at_ns: Option<u64>,
    /// fio `number_ios`: I/Os to do, then stop.
    pub number_ios: Option<u64>,
    /// fio `loops`; default 1: so many times over.
    pub loops: u64,
    /// fio `bssplit`; empty where every I/O is as long as `bs` says.
    pub bssplit: ByDirection<Vec<Split>>,
    /// fio `percentage_random`, of a random job; default 100.
    pub percentage_random: ByDirection<u8>,
    /// fio `random_distribution`.
    pub distribution: Distribution,
    /// fio `rate_iops` of each of `numjobs`; 0 is as fast as it goes.
    pub rate_iops: ByDirection<u32>,
    /// fio `rate_process`.
    pub rate_process: RateProcess,
    /// fio `thinktime`; 0 is none.
    pub thinktime_ns: u64,
    /// fio `thinktime_blocks`; default 1: I/Os between two pauses.
    pub thinktime_blocks: u32,
    /// fio `latency_target`, `latency_window`, `latency_percentile`.
    pub latency_target: LatencyTarget,
    /// fio `steadystate`.
    pub steadystate: Option<SteadyState>,
    /// fio `steadystate_duration`: what must be steady for how long; 0 is until the end.
    pub steadystate_duration_ns: u64,
    /// fio `steadystate_ramp_time`: how long nothing is judged.
    pub steadystate_ramp_ns: u64,
    /// fio `percentile_list`, in thousandths of a per cent; empty is the usual ones.
    pub percentile_list: Vec<u32>,
    /// fio `fsync`: a flush after so many writes; 0 is never.
    pub fsync: u32,
    /// fio `fdatasync`: the same.
    pub fdatasync: u32,
    /// fio `sync`: each write is durable when it completes (FUA).
    pub sync: bool,
    /// fio `zero_buffers`, `refill_buffers`, `buffer_compress_percentage`, `buffer_pattern`.
    pub write_data: WriteData,
    /// fio `randseed`; default a fixed value, so that runs repeat (fio `randrepeat=1`).
    pub randseed: u64,
    /// fio `norandommap`: positions may repeat before all were visited.
    pub norandommap: bool,
    /// fio `verify`: `pattern` compares reads with the LBA-keyed pattern.
    pub verify: Verify,
    /// fio `do_verify`: a write job with `verify` is read back after; default true.
    pub do_verify: bool,
    /// fio `stonewall`. Jobs run one after another in any case.
    pub stonewall: bool,
    /// fio `filename`, where it names disks of this machine by id; empty is every selected disk.
    pub disks: Vec<String>,
    /// Own key `prefill`: the region is written once, in order, before the job starts.
    pub prefill: bool,
    /// Own key `repeat`; default 1: all jobs of a file take turns so many times.
    pub repeat: u32,
    /// Own key `controller`: kinds to run on; empty is all present.
    pub controllers: Vec<String>,
    /// Own key `wait`.
    pub wait: Wait,
    /// Own key `irq`: how completions are announced where they are not polled for;
    /// `None` is the best that the controller offers.
    pub irq: Option<Irq>,
    /// Own key `poll_interval`: time after a look that found nothing; `None` is the
    /// engine's choice.
    pub poll_interval_ns: Option<u64>,
    /// Own key `concurrent`: one row on the first selected disk of each adapter, all of
    /// them at once; depth, rate and number of I/Os are for all together.
    pub concurrent: bool,
    /// Own key `adapters`: only the first so many of them.
    pub adapters: Option<u32>,
    /// Own key `stages`: take the split of every latency.
    pub stages: bool,
    /// Own key `trace`: the first so many I/Os of the window are kept one by one; 0 is none.
    pub trace: u32,
    /// Own key `ring_pages` (PVSCSI): request ring pages, a power of two, 1..=32; `None` is the driver's default.
    pub ring_pages: Option<u16>,
    /// Own key `queue_size`: slots of a queue (NVMe, virtio-scsi); `None` is the driver's default.
    pub queue_size: Option<u32>,
    /// Own key `queues`: request queues of a row; default 1.
    pub queues: u16,
    /// Own key `doorbell_batch`: most requests that a doorbell publishes; 0 is all of a fill.
    pub doorbell_batch: u32,
    /// Own key `device_depth`: most commands that a disk is given at once; `None` is no limit.
    pub device_depth: Option<u32>,
    /// Own key `shadow_doorbells` (NVMe); `None` is the driver's default.
    pub shadow_doorbells: Option<bool>,
    /// Own key `kick_suppression` (PVSCSI); `None` is the driver's default.
    pub kick_suppression: Option<bool>,
    /// Own key `allow_write`: disks that may be written without a scratch stamp, as
    /// `DISK` or `DISK:SIGNATURE`.
    pub allow_write: Vec<String>,
    /// Own key `scratch`: nonces of scratch stamps that the user vouches for.
    pub scratch: Vec<String>,
    /// Own key `at_end`. A machine ends once: see [`super::JobFile::at_end`].
    pub at_end: AtEnd,
}

/// fio's own default seed, so that runs repeat.
pub const DEFAULT_RANDSEED: u64 = 0x89;

/// fio's default block size in bytes.
pub const DEFAULT_BS_BYTES: u64 = 4096;

/// Most I/Os that a row keeps in flight, whatever was asked.
pub const MAX_IN_FLIGHT: u64 = 2048;

/// Most request queues of a row.
pub const MAX_QUEUES: u16 = 64;

/// Longest I/O of the writes of `prefill`, in bytes.
pub const PREFILL_BYTES: u64 = 256 << 10;

/// I/Os that a prefill keeps in flight.
pub const PREFILL_DEPTH: u32 = 16;

/// Bytes of memory that each I/O of `trace` takes in the guest.
pub const TRACE_IO_BYTES: u64 = 80;

impl Params {
    /// Bytes that the job wants for the I/Os it keeps one by one.
    #[must_use]
    pub const fn trace_bytes(&self) -> u64 {
        self.trace as u64 * TRACE_IO_BYTES
    }

    /// Bytes of buffers that the job wants: one for each I/O in flight, of the longest
    /// block size, and in a mix one for reads and one for writes.
    #[must_use]
    pub fn buffer_bytes(&self) -> u64 {
        let pages = |bytes: u64| bytes.next_multiple_of(4096);
        let of = |used: bool, bytes: u64, splits: &[Split]| {
            let longest = splits.iter().map(|split| split.bytes).max();
            if used {
                pages(longest.unwrap_or(bytes))
            } else {
                0
            }
        };
        let data = !self.rw.trims();
        let read = of(self.rw.reads(), self.bs.read_bytes, &self.bssplit.read);
        let write = of(
            self.rw.writes() && data,
            self.bs.write_bytes,
            &self.bssplit.write,
        );
        let each = if read > 0 && write > 0 {
            read.max(write).saturating_mul(2)
        } else {
            read.max(write).max(4096)
        };
        let depth = u64::from(self.iodepth.saturating_mul(self.numjobs));
        // How many disks there are to be bounded is not known here.
        let device_depth = self.device_depth.filter(|_| !self.concurrent);
        let depth = depth.min(u64::from(device_depth.unwrap_or(u32::MAX)));
        let job = each.saturating_mul(depth.min(MAX_IN_FLIGHT));
        let shortest = read.max(write).max(PREFILL_BYTES);
        match self.prefill {
            true => job.max(shortest.saturating_mul(u64::from(PREFILL_DEPTH))),
            false => job,
        }
    }

    /// Whether the job, or what comes before it, changes what a disk holds.
    #[must_use]
    pub const fn changes_data(&self) -> bool {
        self.rw.writes() || self.prefill
    }

    /// A job of this name in which every key has its default.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: String::from(name),
            description: String::new(),
            rw: Rw::Read,
            rw_run: 1,
            rw_identical: false,
            rw_hole_bytes: 0,
            bs: BlockSizes {
                read_bytes: DEFAULT_BS_BYTES,
                write_bytes: DEFAULT_BS_BYTES,
                trim_bytes: DEFAULT_BS_BYTES,
            },
            iodepth: 1,
            iodepth_batch_submit: 1,
            iodepth_batch_complete_min: 1,
            numjobs: 1,
            rwmixread_pct: 50,
            size: None,
            offset: Extent::Bytes(0),
            offset_increment: Extent::Bytes(0),
            runtime_ns: None,
            time_based: false,
            ramp_ns: 0,
            startdelay_ns: 0,
            start_at_ns: None,
            number_ios: None,
            loops: 1,
            bssplit: ByDirection::default(),
            percentage_random: ByDirection {
                read: 100,
                write: 100,
                trim: 100,
            },
            distribution: Distribution::Random,
            rate_iops: ByDirection::default(),
            rate_process: RateProcess::Linear,
            thinktime_ns: 0,
            thinktime_blocks: 1,
            latency_target: LatencyTarget::NONE,
            steadystate: None,
            steadystate_duration_ns: 0,
            steadystate_ramp_ns: 0,
            percentile_list: Vec::new(),
            fsync: 0,
            fdatasync: 0,
            sync: false,
            write_data: WriteData::KEYED,
            randseed: DEFAULT_RANDSEED,
            norandommap: false,
            verify: Verify::None,
            do_verify: true,
            stonewall: false,
            disks: Vec::new(),
            prefill: false,
            repeat: 1,
            controllers: Vec::new(),
            wait: Wait::Poll,
            irq: None,
            poll_interval_ns: None,
            concurrent: false,
            adapters: None,
            stages: false,
            trace: 0,
            ring_pages: None,
            queue_size: None,
            queues: 1,
            doorbell_batch: 0,
            device_depth: None,
            shadow_doorbells: None,
            kick_suppression: None,
            allow_write: Vec::new(),
            scratch: Vec::new(),
            at_end: AtEnd::Stay,
        }
    }
}
