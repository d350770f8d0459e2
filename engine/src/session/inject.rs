//! Deliberate faults, for the negative controls of the host's checks.

/// What to do wrong. Without the feature `inject` every value acts as `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inject {
    /// Nothing.
    #[default]
    None,
    /// Row `0`-based: report one read command and one read I/O too many.
    Miscount(u32),
    /// Panic at the start of this row.
    Panic(u32),
    /// Spin for ever at the start of this row.
    Spin(u32),
    /// Return [`proto::exit::GuestExit::Pass`] before this row, without an end record.
    ExitEarly(u32),
}
