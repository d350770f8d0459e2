//! I/Os that a row kept one by one (`trace`), several in a record.
//!
//! A serial line is slow, so a record holds columns and no objects, and of a column
//! its first value and the steps to the next ones: what goes on evenly takes one
//! number, and what nearly does takes few digits.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Most I/Os of one record: what is lost with one that is damaged.
pub const TRACE_CHUNK_IOS: usize = 256;

/// What an I/O did. The numbers stand in records.
pub const TRACE_DIRECTIONS: [&str; 4] = ["read", "write", "trim", "flush"];

/// One I/O that ended well inside the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceIo {
    /// Its number among the I/Os of its row, ramp included, in order of submission.
    pub seq: u64,
    /// Which of `numjobs` it belongs to.
    pub numjob: u64,
    /// Index of its controller in [`Trace::controllers`].
    pub controller: u64,
    /// Index of what it did in [`TRACE_DIRECTIONS`].
    pub direction: u64,
    /// Byte offset on the disk.
    pub offset_bytes: u64,
    /// Length; 0 of a flush.
    pub length_bytes: u64,
    /// When its building began, from the start of the window; negative where that was
    /// in the ramp.
    pub submit_ns: i64,
    /// From then on, with stages: written to the ring, doorbell begun, doorbell done,
    /// and the begin of the pass that found it.
    pub stages_ns: Option<[u64; 4]>,
    /// From `submit_ns` until it was in the engine's hands: its latency.
    pub latency_ns: u64,
}

/// Some of the I/Os that a row kept, in the order of their completion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Number of the row.
    pub row: u32,
    /// Job name.
    pub job: String,
    /// Controller ids, of a row on several at once in the order of its disks.
    pub controllers: Vec<String>,
    /// How many of the row's I/Os came in records before this.
    pub first: u64,
    /// How many are in this one.
    pub ios: u64,
    columns: Vec<Column>,
}

/// The first value and the steps from each to the next, or one step where all are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Column(i64, Vec<i64>);

/// Columns without stages, and with.
const COLUMNS: [usize; 2] = [8, 12];

impl Trace {
    /// A record of these I/Os, all of them with stages or none.
    #[must_use]
    pub fn new(row: u32, job: &str, controllers: &[String], first: u64, ios: &[TraceIo]) -> Self {
        let with_stages = ios.first().is_some_and(|io| io.stages_ns.is_some());
        let count = COLUMNS[usize::from(with_stages)];
        let column = |at: usize| Column::of(ios.iter().map(|io| io.cells()[at]));
        Self {
            row,
            job: String::from(job),
            controllers: controllers.to_vec(),
            first,
            ios: ios.len() as u64,
            columns: (0..count).map(column).collect(),
        }
    }

    /// The I/Os; `None` where the columns do not fit each other.
    #[must_use]
    pub fn ios(&self) -> Option<Vec<TraceIo>> {
        let count = usize::try_from(self.ios).ok()?;
        // No more than a writer puts into a record, or one number would ask for all memory.
        let fits = count <= TRACE_CHUNK_IOS && COLUMNS.contains(&self.columns.len());
        let mut cells = alloc::vec![[0; COLUMNS[1]]; if fits { count } else { return None }];
        for (at, column) in self.columns.iter().enumerate() {
            column.spread(&mut cells, at)?;
        }
        let with_stages = self.columns.len() == COLUMNS[1];
        let controllers = self.controllers.len() as u64;
        let ios = cells.iter().map(|cells| TraceIo::from(cells, with_stages));
        let sound = |io: &TraceIo| {
            io.controller < controllers && io.direction < TRACE_DIRECTIONS.len() as u64
        };
        ios.map(|io| io.filter(sound)).collect()
    }
}

impl TraceIo {
    /// As the columns have it. Of the stages each is told from the one before.
    fn cells(&self) -> [i64; COLUMNS[1]] {
        let [written, rung, done, found] = self.stages_ns.unwrap_or_default();
        [
            self.seq as i64,
            self.numjob as i64,
            self.controller as i64,
            self.direction as i64,
            self.offset_bytes as i64,
            self.length_bytes as i64,
            self.submit_ns,
            self.latency_ns as i64,
            written as i64,
            rung.wrapping_sub(written) as i64,
            done.wrapping_sub(rung) as i64,
            found.wrapping_sub(done) as i64,
        ]
    }

    fn from(cells: &[i64; COLUMNS[1]], with_stages: bool) -> Option<Self> {
        let number = |at: usize| u64::try_from(cells[at]).ok();
        let mut stages_ns = [0; 4];
        let mut sum = 0_i64;
        for (at, stage) in stages_ns.iter_mut().enumerate() {
            sum = sum.checked_add(cells[COLUMNS[0] + at])?;
            *stage = u64::try_from(sum).ok()?;
        }
        Some(Self {
            seq: number(0)?,
            numjob: number(1)?,
            controller: number(2)?,
            direction: number(3)?,
            offset_bytes: number(4)?,
            length_bytes: number(5)?,
            submit_ns: cells[6],
            latency_ns: number(7)?,
            stages_ns: with_stages.then_some(stages_ns),
        })
    }
}

impl Column {
    fn of(mut values: impl Iterator<Item = i64>) -> Self {
        let first = values.next().unwrap_or(0);
        let mut last = first;
        let mut steps: Vec<i64> = Vec::new();
        for value in values {
            steps.push(value.wrapping_sub(last));
            last = value;
        }
        if steps.windows(2).all(|pair| pair[0] == pair[1]) {
            steps.truncate(1);
        }
        Self(first, steps)
    }

    /// Puts the values where they belong in each of `cells`.
    fn spread(&self, cells: &mut [[i64; COLUMNS[1]]], at: usize) -> Option<()> {
        let steps = &self.1;
        let whole = steps.len() + 1 == cells.len() || cells.is_empty() && steps.is_empty();
        if !whole && steps.len() > 1 {
            return None;
        }
        let mut value = self.0;
        for (number, cells) in cells.iter_mut().enumerate() {
            if number > 0 {
                let step = if whole { number - 1 } else { 0 };
                value = value.wrapping_add(*steps.get(step)?);
            }
            cells[at] = value;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Record, encode};
    use alloc::string::ToString;
    use alloc::vec;
    use proptest::prelude::*;

    fn of(ios: &[TraceIo]) -> Trace {
        Trace::new(3, "a", &["pvscsi@00:03.0".to_string()], 0, ios)
    }

    /// Sequential 4 KiB reads, one at a time, that take nearly 20 us each.
    fn sequential(count: u64, stages: bool) -> Vec<TraceIo> {
        (0..count)
            .map(|number| TraceIo {
                seq: number,
                offset_bytes: 4096 * number,
                length_bytes: 4096,
                submit_ns: (number * 20_100 + number % 7 * 31) as i64,
                latency_ns: 19_000 + number % 13 * 7,
                stages_ns: stages.then_some([300, 320, 900, 18_000 + number % 11]),
                ..TraceIo::default()
            })
            .collect()
    }

    #[test]
    fn what_goes_on_evenly_takes_one_number() {
        let trace = of(&sequential(4, false));
        let json = serde_json::to_string(&trace).unwrap();
        assert_eq!(
            json,
            r#"{"row":3,"job":"a","controllers":["pvscsi@00:03.0"],"first":0,"ios":4,"columns":[[0,[1]],[0,[0]],[0,[0]],[0,[0]],[0,[4096]],[4096,[0]],[0,[20131]],[19000,[7]]]}"#
        );
        assert_eq!(trace.ios(), Some(sequential(4, false)));
    }

    #[test]
    fn an_io_costs_few_bytes_of_the_line() {
        let each = |stages| {
            let ios = sequential(256, stages);
            let line = encode(1000, &Record::Trace(of(&ios)));
            line.len() / ios.len()
        };
        assert!(each(false) <= 12, "{}", each(false));
        assert!(each(true) <= 16, "{}", each(true));
        // Random positions on 100 GiB, and latencies that jump.
        let mut ios = sequential(256, true);
        for (number, io) in ios.iter_mut().enumerate() {
            let mixed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            io.seq = number as u64 + mixed % 32;
            io.offset_bytes = mixed % (100 << 30) / 4096 * 4096;
            io.latency_ns = 19_000 + mixed % 40_000;
            io.stages_ns = Some([300 + mixed % 90, 900, 1_700 + mixed % 700, 18_000]);
        }
        let bytes = encode(1000, &Record::Trace(of(&ios))).len() / 256;
        assert!((40..=60).contains(&bytes), "{bytes}");
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let good = of(&sequential(20, false));
        let with = |change: fn(&mut Trace)| {
            let mut trace = good.clone();
            change(&mut trace);
            trace.ios()
        };
        assert_eq!(with(|trace| trace.ios = 21), None, "a column is too short");
        assert_eq!(with(|trace| trace.ios = u64::MAX), None);
        assert_eq!(with(|trace| trace.columns.truncate(7)), None);
        assert_eq!(with(|trace| trace.controllers.clear()), None);
        assert_eq!(with(|trace| trace.columns[3].0 = 4), None, "no direction");
        assert_eq!(with(|trace| trace.columns[7].0 = -1), None);
    }

    #[test]
    fn one_and_none() {
        let one = sequential(1, true);
        assert_eq!(of(&one).ios(), Some(one));
        assert_eq!(of(&[]).ios(), Some(vec![]));
    }

    proptest! {
        #[test]
        fn ios_come_back(
            stages: bool,
            seed in proptest::collection::vec(
                (any::<u32>(), any::<u8>(), 0u64..4, 0u64..1 << 60, 0u64..1 << 40, any::<i64>()),
                0..TRACE_CHUNK_IOS,
            ),
        ) {
            let ios: Vec<TraceIo> = seed
                .iter()
                .map(|&(seq, numjob, direction, offset_bytes, latency_ns, at)| TraceIo {
                    seq: u64::from(seq),
                    numjob: u64::from(numjob),
                    controller: 0,
                    direction,
                    offset_bytes,
                    length_bytes: offset_bytes >> 8,
                    submit_ns: at,
                    stages_ns: stages
                        .then_some([latency_ns / 4, latency_ns / 3, latency_ns / 2, latency_ns]),
                    latency_ns,
                })
                .collect();
            let trace = of(&ios);
            let json = serde_json::to_string(&trace).unwrap();
            let back: Trace = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(back.ios(), Some(ios));
        }
    }
}
