//! I/Os that a row keeps one by one.

use super::edges::Phase;
use super::state::Row;
use super::table::Slot;
use crate::time::{Timebase, elapsed};
use alloc::vec::Vec;
use drivers::block::Op;
use proto::job::TRACE_IO_BYTES;
use proto::record::TraceIo;

/// One I/O as the loop saw it; stamps in ticks.
#[derive(Clone, Copy, Debug)]
struct Kept {
    seq: u64,
    /// t0, t1, t2, t3, t4, t5 as [`super::stats::Stages`] has them.
    stamps: [u64; 6],
    offset_bytes: u64,
    /// At most the longest block size of a job, 2^30.
    length_bytes: u32,
    numjob: u16,
    disk: u16,
    op: Op,
}

const _: () = assert!(size_of::<Kept>() as u64 <= TRACE_IO_BYTES);

/// Memory for the I/Os of one row, and the I/Os.
#[derive(Debug, Default)]
pub struct TraceLog {
    kept: Vec<Kept>,
    limit: usize,
    next_seq: u64,
    opened_at: u64,
}

impl TraceLog {
    /// Gets memory for so many I/Os; false if there is not as much.
    #[must_use]
    pub fn reserve(&mut self, ios: u32) -> bool {
        self.kept.clear();
        self.kept.try_reserve_exact(ios as usize).is_ok()
    }

    /// Gives the memory back.
    pub fn free(&mut self) {
        *self = Self::default();
    }

    /// For a row that shall keep so many, as far as there is memory for them.
    pub(super) fn start(&mut self, ios: u32) {
        self.kept.clear();
        self.limit = (ios as usize).min(self.kept.capacity());
        self.next_seq = 0;
    }

    /// Whether the row keeps any.
    pub(super) const fn is_on(&self) -> bool {
        self.limit > 0
    }

    /// The number of the I/O that is submitted now.
    pub(super) const fn next_seq(&mut self) -> u64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }

    /// The window opens, for the first time or anew.
    pub(super) fn open_window(&mut self, now: u64) {
        self.kept.clear();
        self.opened_at = now;
    }

    /// How many were kept.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether none was kept.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Those from `first` on, `most` at the most, in the order of their completion.
    #[must_use]
    pub fn ios(
        &self,
        first: usize,
        most: usize,
        stages: bool,
        timebase: &Timebase,
    ) -> Vec<TraceIo> {
        let kept = self.kept.iter().skip(first).take(most);
        kept.map(|kept| kept.told(self.opened_at, stages, timebase))
            .collect()
    }
}

impl Kept {
    /// In bytes and ns.
    fn told(&self, opened_at: u64, stages: bool, timebase: &Timebase) -> TraceIo {
        let [t0, t1, t2, t3, t4, t5] = self.stamps;
        let since = |stamp| timebase.ns(elapsed(t0, stamp).0);
        TraceIo {
            seq: self.seq,
            numjob: u64::from(self.numjob),
            controller: u64::from(self.disk),
            direction: match self.op {
                Op::Read => 0,
                Op::Write | Op::WriteDurable => 1,
                Op::Trim => 2,
                Op::Flush => 3,
            },
            offset_bytes: self.offset_bytes,
            length_bytes: u64::from(self.length_bytes),
            // From its end, so that both its latency and the order of all ends come out.
            submit_ns: 0i64
                .saturating_add_unsigned(timebase.ns(elapsed(opened_at, t5).0))
                .saturating_sub_unsigned(since(t5)),
            stages_ns: stages.then(|| [since(t1), since(t2), since(t3), since(t4)]),
            latency_ns: since(t5),
        }
    }
}

impl Row<'_> {
    /// Keeps an I/O that was good, as long as there is room.
    #[inline(never)]
    pub fn keep(&mut self, index: usize, slot: Slot, s0: u64, s1: u64) {
        let room = self.trace.kept.len() < self.trace.limit;
        if !room || self.edges.phase != Phase::Window {
            return;
        }
        let extra = self.table.extra_of(index);
        let stamps = *self.table.stamps(index);
        let (op, blocks, numjob, disk) = match &self.crew {
            Some(crew) => {
                let disk = if crew.disks() > 1 { extra.disk.0 } else { 0 };
                (extra.op, extra.blocks, crew.numjob_of(extra.member), disk)
            }
            None => {
                let track = &self.tracks[slot.lane() & 1];
                (track.op, track.blocks, 0, 0)
            }
        };
        self.trace.kept.push(Kept {
            seq: extra.seq,
            stamps: [
                slot.t0,
                stamps.t1,
                stamps.t2,
                stamps.t3,
                s0.max(stamps.t3),
                s1,
            ],
            offset_bytes: slot.lba() << self.block_shift,
            length_bytes: blocks << self.block_shift,
            numjob,
            disk,
            op,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ends_keep_their_order_and_latencies_their_length(
            rate in 1_000_000_000u64..5_000_000_000,
            begin in 0u64..1_000_000,
            steps in proptest::collection::vec(0u64..10_000, 5),
        ) {
            let mut stamp = begin;
            let mut stamps = [begin; 6];
            for (at, step) in steps.into_iter().enumerate() {
                stamp += step;
                stamps[at + 1] = stamp;
            }
            let kept = |stamps| Kept {
                seq: 0,
                stamps,
                offset_bytes: 0,
                length_bytes: 512,
                numjob: 0,
                disk: 0,
                op: Op::Read,
            };
            let timebase = Timebase::new(rate);
            let opened_at = begin + 5_000;
            let told = kept(stamps).told(opened_at, true, &timebase);
            let late = begin < opened_at && stamp > opened_at;
            prop_assert_eq!(told.latency_ns, timebase.ns(stamp - begin));
            if late {
                prop_assert!(told.submit_ns <= 0);
                let end = told.submit_ns + told.latency_ns as i64;
                prop_assert_eq!(end as u64, timebase.ns(stamp - opened_at));
            }
        }
    }
}
