//! Where a guest is, and how long it may stay there.

use proto::record::{RowBegin, StartWait, row_number};
use std::fmt;
use std::time::Duration;

/// Where a guest is, by the last record it sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phase {
    /// No record yet.
    #[default]
    Boot,
    /// Bringing controllers up and finding disks.
    Inventory,
    /// Before the first row, or between rows.
    Between,
    /// Before a row that waits for its moment.
    StartWait(StartWait),
    /// In a row.
    Row(RowBegin),
    /// After a row, sending the I/Os that it kept one by one; how many came before the
    /// last record.
    Trace(RowBegin, u64),
    /// After the last record.
    Ending,
    /// After a panic, a fault or a refused job; and where that was.
    Dying(Box<Self>),
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boot => f.write_str("booting"),
            Self::Inventory => f.write_str("finding controllers and disks"),
            Self::Between => f.write_str("preparing the next row"),
            Self::Row(row) => {
                let number = row_number(row.row);
                write!(f, "in row {number} ({} on {})", row.job, row.disk)
            }
            Self::StartWait(wait) => {
                let number = row_number(wait.row);
                write!(f, "waiting for {} to start row {number}", wait.start_at)
            }
            Self::Trace(row, _) => {
                let number = row_number(row.row);
                write!(f, "sending the trace of row {number} ({})", row.job)
            }
            Self::Ending => f.write_str("ending"),
            Self::Dying(last) => write!(f, "{last}"),
        }
    }
}

/// How long each phase may last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// QEMU's start to the first record.
    pub boot: Duration,
    /// Every phase without a plan of its own.
    pub other: Duration,
    /// What a row may take beyond its planned time. The guest gives a command up
    /// after 60 s, then aborts it and resets the controller; that must come first,
    /// so that a stuck device costs a row and not the run.
    pub row_margin: Duration,
    /// A row that has no planned time.
    pub unplanned_row: Duration,
    /// The last record to QEMU's end.
    pub ending: Duration,
    /// A panic's report to QEMU's end.
    pub dying: Duration,
    /// All of it (`--timeout`).
    pub total: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            boot: Duration::from_secs(60),
            other: Duration::from_secs(60),
            row_margin: Duration::from_secs(90),
            unplanned_row: Duration::from_secs(600),
            ending: Duration::from_secs(10),
            dying: Duration::from_millis(1500),
            total: None,
        }
    }
}

impl Limits {
    /// How long a phase may last.
    #[must_use]
    pub fn of(&self, phase: &Phase) -> Duration {
        match phase {
            Phase::Boot => self.boot,
            Phase::Inventory | Phase::Between | Phase::Trace(..) => self.other,
            Phase::StartWait(wait) => Duration::from_nanos(wait.wait_ns).saturating_add(self.other),
            Phase::Row(row) => row.planned_ns.map_or(self.unplanned_row, |planned_ns| {
                Duration::from_nanos(planned_ns).saturating_add(self.row_margin)
            }),
            Phase::Ending => self.ending,
            Phase::Dying(_) => self.dying,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gets_its_planned_time_and_a_margin() {
        let limits = Limits::default();
        let mut row = RowBegin {
            row: 1,
            job: "j".into(),
            disk: "d".into(),
            planned_ns: Some(5_000_000_000),
        };
        assert_eq!(limits.of(&Phase::Row(row.clone())), Duration::from_secs(95));
        row.planned_ns = None;
        assert_eq!(limits.of(&Phase::Row(row)), limits.unplanned_row);
    }

    #[test]
    fn a_wait_for_a_moment_is_as_long_as_it_says_and_a_little_longer() {
        let wait = StartWait {
            row: 0,
            job: "j".into(),
            start_at: "2026-12-01T10:00:00Z".into(),
            wait_ns: 3_600_000_000_000,
        };
        let phase = Phase::StartWait(wait);
        assert_eq!(Limits::default().of(&phase), Duration::from_secs(3_660));
        let told = "waiting for 2026-12-01T10:00:00Z to start row 1";
        assert_eq!(phase.to_string(), told);
    }

    #[test]
    fn a_dying_guest_is_told_by_where_it_died() {
        let phase = Phase::Dying(Box::new(Phase::Boot));
        assert_eq!(phase.to_string(), "booting");
        assert!(Limits::default().of(&phase) < Duration::from_secs(2));
    }
}
