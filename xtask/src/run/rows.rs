//! The rows of a plan, as the guest orders them.

use super::disks::Disk;
use proto::job::{Extent, PREFILL_BYTES, PREFILL_DEPTH, Params, Verify};
use proto::units::{size_text, time_text};

/// One row of the plan.
pub struct Row<'a> {
    /// Its job.
    pub job: &'a Params,
    /// One, or all of those that it runs on at once.
    pub disks: Vec<&'a Disk>,
    /// What is done: the job itself, or what belongs to it.
    pub part: Part,
    /// From 0.
    pub repeat: u32,
}

/// Which part of a job a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its region is written once.
    Prefill,
    /// What it asks for.
    Itself,
    /// What it wrote is compared.
    ReadBack,
}

/// All of them: repeats in turns, jobs in order, disks in order.
pub fn rows<'a>(jobs: &'a [Params], disks: &'a [Disk]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let most = jobs.iter().map(|job| job.repeat).max().unwrap_or(0);
    for repeat in 0..most {
        for job in jobs.iter().filter(|job| repeat < job.repeat) {
            for disks in groups(job, disks) {
                let row = |part, disks: &[&'a Disk]| Row {
                    job,
                    disks: disks.to_vec(),
                    part,
                    repeat,
                };
                if job.prefill && repeat == 0 {
                    rows.extend(disks.chunks(1).map(|disk| row(Part::Prefill, disk)));
                }
                rows.push(row(Part::Itself, &disks));
                if job.rw.writes() && job.verify == Verify::Pattern && job.do_verify {
                    rows.extend(disks.chunks(1).map(|disk| row(Part::ReadBack, disk)));
                }
            }
        }
    }
    rows
}

/// The disks of each of a job's rows: one, or the first of each adapter.
pub fn groups<'a>(job: &Params, disks: &'a [Disk]) -> Vec<Vec<&'a Disk>> {
    let selected = disks.iter().filter(|disk| job.selects(&disk.names()));
    if !job.concurrent {
        return selected.map(|disk| vec![disk]).collect();
    }
    let mut first: Vec<&Disk> = selected.collect();
    first.dedup_by_key(|disk| disk.controller);
    first.truncate(job.adapters.map_or(usize::MAX, |most| most as usize));
    match first.is_empty() {
        true => Vec::new(),
        false => vec![first],
    }
}

impl Row<'_> {
    /// fio's name of what it does, or ours.
    pub fn what(&self) -> &'static str {
        match self.part {
            Part::Prefill => "prefill",
            Part::Itself => self.job.rw.name(),
            Part::ReadBack => "read back",
        }
    }

    /// Longest time that it takes, where there is one.
    pub fn length_ns(&self) -> Option<u64> {
        let job = self.job;
        let runtime = job.runtime_ns.filter(|_| self.part == Part::Itself)?;
        Some(
            runtime
                .saturating_add(job.ramp_ns)
                .saturating_add(job.startdelay_ns),
        )
    }

    /// Bytes of its region on the smallest of its disks, where their sizes are known.
    pub fn region_bytes(&self) -> Option<u64> {
        let bytes = self.disks.iter().map(|disk| disk.bytes());
        let disk_bytes = bytes.collect::<Option<Vec<u64>>>()?.into_iter().min()?;
        let offset = bytes_of(self.job.offset, disk_bytes);
        let room = disk_bytes.saturating_sub(offset);
        let size = self
            .job
            .size
            .map_or(room, |size| bytes_of(size, disk_bytes));
        Some(size.min(room))
    }

    /// When it ends, for a person.
    pub fn length(&self) -> String {
        let job = self.job;
        if let Some(ns) = self.length_ns() {
            let at_most = if job.time_based { "" } else { "at most " };
            return format!("{at_most}{}", seconds(ns));
        }
        match (job.number_ios, self.region_bytes()) {
            (Some(ios), _) => format!("until {ios} I/Os are done"),
            (None, Some(bytes)) => format!("until {}{} are done", self.times(), size_text(bytes)),
            (None, None) => format!("until {}all of the disk is done", self.times()),
        }
    }

    /// How often the region is worked through: by each of `numjobs`, in all `loops`.
    fn times(&self) -> String {
        let of_job = self.part == Part::Itself;
        let factors = [u64::from(self.job.numjobs), self.job.loops];
        let several = factors.iter().filter(|&&factor| of_job && factor > 1);
        several.map(|factor| format!("{factor} x ")).collect()
    }

    /// Block sizes, depth and the way of waiting, those that are defaults too.
    pub fn load(&self) -> String {
        let job = self.job;
        let keys = job.keys();
        let wait = match (job.wait, job.irq) {
            (wait, Some(irq)) if wait != proto::job::Wait::Poll => {
                format!("wait={}/{}", wait.name(), irq.name())
            }
            (wait, _) => format!("wait={}", wait.name()),
        };
        match self.part {
            Part::Prefill => format!("bs={} depth={PREFILL_DEPTH}", size_text(PREFILL_BYTES)),
            _ => {
                let bs = match (keys.get("bssplit"), keys.get("bs")) {
                    (Some(split), _) => format!("bssplit={split}"),
                    (None, Some(bs)) => format!("bs={bs}"),
                    (None, None) => format!("bs={}", size_text(job.bs.read_bytes)),
                };
                format!("{bs} depth={}x{} {wait}", job.iodepth, job.numjobs)
            }
        }
    }

    /// Adapters that the job asks for and that are not there.
    pub fn missing_adapters(&self) -> Option<u32> {
        let of_job = self.part == Part::Itself;
        let asked = self.job.adapters.filter(|_| of_job)?;
        (self.disks.len() < asked as usize).then_some(asked)
    }
}

/// Bytes of a size or a share on a disk.
pub fn bytes_of(extent: Extent, disk_bytes: u64) -> u64 {
    match extent {
        Extent::Bytes(bytes) => bytes,
        // Below the whole, so it fits.
        Extent::Percent(pct) => (u128::from(disk_bytes) * u128::from(pct) / 100) as u64,
    }
}

/// Whole and thousandths of seconds.
pub fn seconds(ns: u64) -> String {
    time_text(ns / 1_000_000 * 1_000_000)
}
