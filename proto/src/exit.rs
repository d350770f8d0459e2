//! How a guest ends, as QEMU's isa-debug-exit carries it.

/// I/O port of the isa-debug-exit device that the host attaches.
pub const DEBUG_EXIT_PORT: u16 = 0xf4;

/// Why the guest stopped. The value is what the guest writes to the port; QEMU
/// then exits with `value << 1 | 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum GuestExit {
    /// Every row ran and every guest-side check passed.
    Pass = 0x10,
    /// A row or a check failed.
    Failed = 0x11,
    /// Nothing failed, but rows were skipped.
    Skipped = 0x12,
    /// There was nothing to measure: no controller or no disk.
    NothingToDo = 0x13,
    /// The job could not be understood.
    BadJob = 0x14,
    /// Panic.
    Panic = 0x20,
    /// A processor fault.
    Fault = 0x21,
}

impl GuestExit {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Pass,
        Self::Failed,
        Self::Skipped,
        Self::NothingToDo,
        Self::BadJob,
        Self::Panic,
        Self::Fault,
    ];

    /// QEMU's exit status for it.
    #[must_use]
    pub const fn qemu_status(self) -> i32 {
        ((self as i32) << 1) | 1
    }

    /// The inverse of [`Self::qemu_status`].
    #[must_use]
    pub fn from_qemu_status(status: i32) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|exit| exit.qemu_status() == status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn every_end_has_its_own_status_that_qemu_can_return() {
        let statuses: BTreeSet<i32> = GuestExit::ALL.map(GuestExit::qemu_status).into();
        assert_eq!(statuses.len(), GuestExit::ALL.len());
        for status in statuses {
            assert_eq!(status % 2, 1, "{status}");
            // 1 is QEMU's own failure; from 128 on a shell reports signals.
            assert!((3..128).contains(&status), "{status}");
        }
        assert_eq!(GuestExit::Pass.qemu_status(), 0x21);
        assert_eq!(GuestExit::Fault.qemu_status(), 0x43);
    }

    #[test]
    fn a_status_names_its_end_and_no_other_does() {
        for exit in GuestExit::ALL {
            assert_eq!(GuestExit::from_qemu_status(exit.qemu_status()), Some(exit));
        }
        let known = (-1..=256)
            .filter(|&status| GuestExit::from_qemu_status(status).is_some())
            .count();
        assert_eq!(known, GuestExit::ALL.len());
        for status in [0, 1, 2, 0x20, 124, 134, 137, 139] {
            assert_eq!(GuestExit::from_qemu_status(status), None);
        }
    }
}
