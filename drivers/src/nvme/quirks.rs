//! What certain controllers do otherwise than the specification says.

/// Deviations of one kind of controller, by its PCI identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// CSTS.SHST may never say that a shutdown is complete: wait briefly only,
    /// then switch the controller off all the same.
    pub never_reports_shutdown: bool,
}

impl Quirks {
    /// Those of the controller with this vendor and device identifier.
    #[must_use]
    pub const fn of(vendor: u16, device: u16) -> Self {
        Self {
            // VMware's virtual NVMe; other drivers saw waits beyond 5 s
            // (spdk/spdk issue 676).
            never_reports_shutdown: vendor == 0x15ad && device == 0x07f0,
        }
    }

    /// Longest wait for CSTS.SHST in milliseconds, where the device reports
    /// `reported_ms` (0: nothing).
    #[must_use]
    pub const fn shutdown_wait_ms(self, reported_ms: u64) -> u64 {
        match (self.never_reports_shutdown, reported_ms) {
            (true, _) => 500,
            (false, 0) => 5000,
            // A device cannot make us wait for ever.
            (false, 60_000..) => 60_000,
            (false, ms) => ms,
        }
    }
}
