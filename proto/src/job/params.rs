//! One job, every key resolved.

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
        }
    }

    /// Whether positions are random.
    #[must_use]
    pub const fn is_random(self) -> bool {
        matches!(self, Self::RandRead | Self::RandWrite | Self::RandRw)
    }

    /// Whether it can issue reads.
    #[must_use]
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Write | Self::RandWrite)
    }

    /// Whether it can issue writes.
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::RandRead)
    }
}

/// Block size per direction in bytes (fio `bs=read,write`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSizes {
    /// Of reads.
    pub read_bytes: u64,
    /// Of writes.
    pub write_bytes: u64,
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
    /// fio `bs`, `blocksize`; default 4k.
    pub bs: BlockSizes,
    /// fio `iodepth`; default 1.
    pub iodepth: u32,
    /// fio `iodepth_batch_submit` (`iodepth_batch`); default 1. Most requests per doorbell
    /// is not bounded by it: the refill policy is drain, fill, one doorbell.
    pub iodepth_batch_submit: u32,
    /// fio `iodepth_batch_complete_min`; default 1: refill only after this many completions.
    pub iodepth_batch_complete_min: u32,
    /// fio `rwmixread`, `rwmixwrite`; share of reads in per cent, default 50.
    pub rwmixread_pct: u8,
    /// fio `size`; `None` is the rest of the disk.
    pub size: Option<Extent>,
    /// fio `offset`; default 0.
    pub offset: Extent,
    /// fio `runtime`; `None` is until `size` or `number_ios` is done.
    pub runtime_ns: Option<u64>,
    /// fio `time_based`: start over until `runtime` is up.
    pub time_based: bool,
    /// fio `ramp_time`; default 0.
    pub ramp_ns: u64,
    /// fio `number_ios`: I/Os to do, then stop.
    pub number_ios: Option<u64>,
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
    /// Own key `stages`: take the split of every latency.
    pub stages: bool,
    /// Own key `ring_pages` (PVSCSI): request ring pages, a power of two, 1..=32; `None` is the driver's default.
    pub ring_pages: Option<u16>,
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

impl Params {
    /// A job of this name in which every key has its default.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: String::from(name),
            description: String::new(),
            rw: Rw::Read,
            bs: BlockSizes {
                read_bytes: DEFAULT_BS_BYTES,
                write_bytes: DEFAULT_BS_BYTES,
            },
            iodepth: 1,
            iodepth_batch_submit: 1,
            iodepth_batch_complete_min: 1,
            rwmixread_pct: 50,
            size: None,
            offset: Extent::Bytes(0),
            runtime_ns: None,
            time_based: false,
            ramp_ns: 0,
            number_ios: None,
            randseed: DEFAULT_RANDSEED,
            norandommap: false,
            verify: Verify::None,
            do_verify: true,
            stonewall: false,
            disks: Vec::new(),
            controllers: Vec::new(),
            wait: Wait::Poll,
            irq: None,
            poll_interval_ns: None,
            stages: false,
            ring_pages: None,
            allow_write: Vec::new(),
            scratch: Vec::new(),
            at_end: AtEnd::Stay,
        }
    }
}
