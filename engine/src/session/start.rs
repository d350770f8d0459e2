//! Rows that start at a moment of the wall clock.

use super::plan::{Part, Row};
use super::rows::Desk;
use super::wall::WallTie;
use alloc::format;
use alloc::string::String;
use drivers::hal::Clock;
use proto::job::Params;
use proto::record::{Record, StartWait, row_note};
use proto::result::Run;
use proto::units::{moment_text, time_text};

const MS_NS: u64 = 1_000_000;
/// A moment that is further ahead is taken for a mistake, of the job or of the clock.
const MOST_AHEAD_NS: u64 = 24 * 3_600 * 1_000 * MS_NS;
/// So long before the moment the clocks are tied anew, because by then they may have gone
/// apart, and the row is made ready: tying takes up to some seconds, the host may take 2 s
/// for its `go`, the guard reads the disk.
const LEAD_NS: u64 = 8_000 * MS_NS;
/// A row that starts so much later than it should has missed its moment.
const MISSED_NS: u64 = MS_NS;

/// When a row starts.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    tie: WallTie,
    /// The moment; `None` for a row that only follows one that started at it.
    asked_ns: Option<u64>,
    /// The same as a stamp.
    pub at_ticks: u64,
}

impl<K: Clock> Desk<'_, K> {
    /// Finds the stamp at which a row shall start, and waits until shortly before it.
    ///
    /// # Errors
    /// Why the row cannot start at its moment.
    pub fn await_start(
        &mut self,
        number: u32,
        row: &Row,
        params: &Params,
        mut send: impl FnMut(&Record),
    ) -> Result<(), String> {
        self.start = None;
        let asked = params.start_at_ns.filter(|_| row.part == Part::Job);
        let Some(asked_ns) = asked else {
            return Ok(());
        };
        // Other disks, repeats and jobs of the same moment follow in their turn.
        if let Some((served_ns, tie)) = self.served
            && served_ns == asked_ns
        {
            self.start = Some(Start {
                tie,
                asked_ns: None,
                at_ticks: 0,
            });
            return Ok(());
        }
        let start_at = moment_text(asked_ns);
        let unknown = |why| format!("start_at={start_at}: {why}");
        let mut tie = self.wall.tie().map_err(unknown)?;
        let now_ns = tie.unix_ns_at(self.clock.now_ticks(), &self.timebase);
        let wait_ns = asked_ns.saturating_sub(now_ns);
        if wait_ns > MOST_AHEAD_NS {
            return Err(format!(
                "start_at={start_at} is more than 24 h ahead: the guest's clock says {}",
                moment_text(now_ns)
            ));
        }
        if wait_ns > 0 {
            send(&Record::StartWait(StartWait {
                row: number,
                job: params.name.clone(),
                start_at: start_at.clone(),
                wait_ns,
            }));
        }
        if wait_ns > LEAD_NS {
            let until = tie.ticks_at(asked_ns - LEAD_NS, &self.timebase);
            while self.clock.now_ticks() < until {
                self.clock.relax();
            }
            tie = self.wall.tie().map_err(unknown)?;
        }
        self.start = Some(Start {
            tie,
            asked_ns: Some(asked_ns),
            at_ticks: tie.ticks_at(asked_ns, &self.timebase),
        });
        Ok(())
    }

    /// The stamp before which the row does nothing; 0 where it need not wait.
    pub fn start_at_ticks(&self) -> u64 {
        self.start.map_or(0, |start| start.at_ticks)
    }

    /// How far that is ahead, in ns.
    pub fn start_wait_ns(&self) -> u64 {
        let ahead = self.start_at_ticks().saturating_sub(self.clock.now_ticks());
        self.timebase.ns(ahead)
    }

    /// Says in a row when it started.
    pub fn fill_in_start(&self, run: &mut Run, started_ticks: u64) {
        let Some(start) = &self.start else { return };
        let at_ns = start.tie.unix_ns_at(started_ticks, &self.timebase);
        run.started_at = Some(moment_text(at_ns));
        run.start_skew_ns = start.asked_ns.map(|asked| at_ns.saturating_sub(asked));
    }

    /// A row started: others of its moment need not wait. What must be said if it came
    /// too late.
    pub fn note_start(&mut self, run: &Run) -> Option<String> {
        let (skew_ns, start) = (run.start_skew_ns?, self.start?);
        let asked_ns = start.asked_ns?;
        self.served = Some((asked_ns, start.tie));
        (skew_ns >= MISSED_NS).then(|| {
            row_note(
                run.row,
                format_args!(
                    "start_at={} was missed by {}",
                    moment_text(asked_ns),
                    time_text(skew_ns / MS_NS * MS_NS)
                ),
            )
        })
    }
}
