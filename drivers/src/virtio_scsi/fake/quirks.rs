//! What the device offers, and how fast it is.

use super::super::Regions;

/// Where the structures are in QEMU's BAR 4.
#[must_use]
pub const fn regions() -> Regions {
    Regions {
        bar: 4,
        common: 0,
        isr: 0x1000,
        device: 0x2000,
        notify: 0x3000,
        notify_multiplier: 4,
    }
}

/// What the device offers; by default what QEMU 7.2 does on a machine with one
/// processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// Feature bits.
    pub features: u64,
    /// Features without which it refuses FEATURES_OK.
    pub insists_on: u64,
    /// Request queues.
    pub request_queues: u32,
    /// Most entries of each queue.
    pub entries: u16,
    /// seg_max.
    pub max_segments: u32,
    /// max_sectors, in 512 bytes.
    pub max_sectors: u32,
    /// cmd_per_lun.
    pub commands_per_unit: u32,
    /// max_target.
    pub max_target: u16,
    /// max_lun.
    pub max_lun: u32,
    /// MSI-X vectors that it has.
    pub vectors: u16,
    /// Indices of request queues start at what memory holds, not at 0, for tests
    /// of the wrap.
    pub indices_from_memory: bool,
    /// Reads of the status until a reset is done.
    pub reset_reads: u32,
}

impl Default for Quirks {
    fn default() -> Self {
        Self {
            // HOTPLUG, CHANGE, INDIRECT_DESC, EVENT_IDX, VERSION_1, RING_RESET.
            features: 1 << 1 | 1 << 2 | 1 << 28 | 1 << 29 | 1 << 32 | 1 << 40,
            insists_on: 0,
            request_queues: 1,
            entries: 256,
            max_segments: 254,
            max_sectors: 65_535,
            commands_per_unit: 128,
            max_target: 255,
            max_lun: 16_383,
            vectors: 4,
            indices_from_memory: false,
            reset_reads: 0,
        }
    }
}
