//! What a session needs of the machine it runs on.

use proto::record::Record;

/// The line to the outside.
pub trait Link {
    /// Sends one record. Never called inside a measured window.
    fn record(&mut self, record: &Record);

    /// Says that nothing is in flight and waits, 2 s at most, for the host's
    /// answer. Returns at once where nobody listens.
    fn sync(&mut self, number: u32);
}

/// Counts that the machine, not a driver, keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineCounts {
    /// Port accesses.
    pub pio: u64,
    /// Interrupts taken, of any source.
    pub interrupts: u64,
    /// Ends of interrupts written to the local APIC.
    pub eois: u64,
    /// Writes that set the timer of a wait.
    pub timer_writes: u64,
    /// HLT executed.
    pub halts: u64,
    /// TSC cycles spent in HLT, without the handlers of what ended it.
    pub halted_ticks: u64,
    /// TSC cycles spent in interrupt handlers.
    pub handler_ticks: u64,
}

/// Where they are read.
pub trait MachineCounters {
    /// The counts so far.
    fn counts(&self) -> MachineCounts;
}
