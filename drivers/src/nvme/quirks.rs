//! What certain controllers do otherwise than the specification says.

use super::spec::PAGE_BYTES;

/// Deviations of one kind of controller, by its PCI identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// CSTS.SHST may never say that a shutdown is complete: wait briefly only,
    /// then switch the controller off all the same.
    pub never_reports_shutdown: bool,
    /// Most pages one command may touch, beyond what MDTS says; a longer one
    /// fails with an internal error. 0: as many as MDTS allows.
    pub max_pages: u32,
    /// The processor's full fence does not keep a store before a later load as
    /// the device's threads see them, so a wake-up that depends on it can be lost:
    /// shadow doorbells are used only if the job asks for them.
    pub fences_do_not_hold: bool,
}

impl Quirks {
    /// Those of the controller with this vendor and device identifier.
    #[must_use]
    pub const fn of(vendor: u16, device: u16) -> Self {
        Self {
            // VMware's virtual NVMe; other drivers saw waits beyond 5 s
            // (spdk/spdk issue 676).
            never_reports_shutdown: vendor == 0x15ad && device == 0x07f0,
            // QEMU takes at most IOV_MAX pages (hw/nvme/ctrl.c, nvme_map_addr), so
            // with mdts=0 a command of 5 MiB fails. The second id is that of
            // use-intel-id=on.
            max_pages: match (vendor, device) {
                (0x1b36, 0x0010) | (0x8086, 0x5845) => 1024,
                _ => 0,
            },
            // A matter of the processor, not of the device: see `with_weak_fences`.
            fences_do_not_hold: false,
        }
    }

    /// The same device beside a processor whose full fences may not hold. Seen
    /// under QEMU's translator, 7.2.22: of 6 rows of 2 s at depth 32 one hung with
    /// shadow doorbells, none of 12 with two processors, and none of 14 without
    /// shadow doorbells. (Of 128 KiB sequential reads at depth 32, 20 rows with and 20
    /// without them did not hang.) QEMU's `tcg_gen_mb` (tcg/tcg-op.c) left barriers out
    /// of the code of a machine with one processor, although device threads run beside
    /// it, until R. Henderson's patch of it, which names virtio's rings as the reason:
    /// the store of the tail and the load of the device's event index then pass each
    /// other, each side takes the other for awake, and nobody rings.
    #[must_use]
    pub const fn with_weak_fences(self, weak: bool) -> Self {
        Self {
            fences_do_not_hold: weak,
            ..self
        }
    }

    /// Longest transfer in bytes that touches no page too many wherever it starts.
    #[must_use]
    pub const fn max_transfer_bytes(self) -> u64 {
        match self.max_pages {
            0 => u64::MAX,
            pages => (pages as u64 - 1) * PAGE_BYTES,
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
