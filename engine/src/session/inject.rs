//! Deliberate faults, for the negative controls of the host's checks.

use proto::record::row_number;

/// What to do wrong, by the number of a row from 0. Without the feature
/// `inject` every value acts as `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inject {
    /// Nothing.
    #[default]
    None,
    /// Report one read command and one read I/O too many in this row.
    Miscount(u32),
    /// Panic at the start of this row.
    Panic(u32),
    /// Spin for ever at the start of this row.
    Spin(u32),
    /// Return [`proto::exit::GuestExit::Pass`] before this row, without an end record.
    ExitEarly(u32),
}

impl Inject {
    /// What acts: nothing without the feature.
    const fn armed(self) -> Self {
        if cfg!(feature = "inject") {
            self
        } else {
            Self::None
        }
    }

    pub(super) fn exits_before(self, row: u32) -> bool {
        self.armed() == Self::ExitEarly(row)
    }

    pub(super) fn miscounts(self, row: u32) -> bool {
        self.armed() == Self::Miscount(row)
    }

    /// Panics or spins if that is asked for.
    ///
    /// # Panics
    /// If it is asked to.
    pub(super) fn start_of(self, row: u32) {
        match self.armed() {
            Self::Panic(at) if at == row => panic!("injected panic in row {}", row_number(row)),
            Self::Spin(at) if at == row => loop {
                core::hint::spin_loop();
            },
            _ => {}
        }
    }
}
