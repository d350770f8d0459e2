//! Registers and layouts of virtio-scsi, without any I/O.
//!
//! Source: Virtual I/O Device (VIRTIO) Version 1.2, OASIS, 1 July 2022; section
//! numbers are its own. All fields are little-endian.

/// PCI vendor (4.1.2).
pub const VENDOR_ID: u16 = 0x1af4;
/// PCI devices: transitional and modern-only SCSI host (4.1.2.1, 5.6.1).
pub const DEVICE_IDS: [u16; 2] = [0x1004, 0x1048];

/// Vendor capabilities that tell where structures are (4.1.4).
pub(super) mod capability {
    /// Bytes without the multiplier of the notification structure.
    pub const BYTES: usize = 16;
    /// Bytes with it (4.1.4.4).
    pub const NOTIFY_BYTES: usize = 20;
    /// Offset of cfg_type.
    pub const KIND: usize = 3;
    /// Offset of the BAR's number.
    pub const BAR: usize = 4;
    /// Offset of the structure's offset in the BAR.
    pub const OFFSET: usize = 8;
    /// Offset of the structure's length.
    pub const LENGTH: usize = 12;
    /// Offset of notify_off_multiplier.
    pub const MULTIPLIER: usize = 16;
    /// VIRTIO_PCI_CAP_COMMON_CFG.
    pub const COMMON: u8 = 1;
    /// VIRTIO_PCI_CAP_NOTIFY_CFG.
    pub const NOTIFY: u8 = 2;
    /// VIRTIO_PCI_CAP_ISR_CFG.
    pub const ISR: u8 = 3;
    /// VIRTIO_PCI_CAP_DEVICE_CFG.
    pub const DEVICE: u8 = 4;
}

/// Common configuration, as offsets; each is accessed in its own width only, and
/// the 64-bit ones as two halves (4.1.3.1, 4.1.4.3).
pub(super) mod common {
    /// device_feature_select, 32 bits.
    pub const DEVICE_FEATURE_SELECT: usize = 0x00;
    /// device_feature, 32 bits.
    pub const DEVICE_FEATURE: usize = 0x04;
    /// driver_feature_select, 32 bits.
    pub const DRIVER_FEATURE_SELECT: usize = 0x08;
    /// driver_feature, 32 bits.
    pub const DRIVER_FEATURE: usize = 0x0c;
    /// config_msix_vector, 16 bits.
    pub const CONFIG_VECTOR: usize = 0x10;
    /// device_status, 8 bits.
    pub const STATUS: usize = 0x14;
    /// config_generation, 8 bits.
    pub const GENERATION: usize = 0x15;
    /// queue_select, 16 bits.
    pub const QUEUE_SELECT: usize = 0x16;
    /// queue_size, 16 bits.
    pub const QUEUE_SIZE: usize = 0x18;
    /// queue_msix_vector, 16 bits.
    pub const QUEUE_VECTOR: usize = 0x1a;
    /// queue_enable, 16 bits.
    pub const QUEUE_ENABLE: usize = 0x1c;
    /// queue_notify_off, 16 bits.
    pub const QUEUE_NOTIFY_OFF: usize = 0x1e;
    /// queue_desc, 64 bits.
    pub const QUEUE_DESCRIPTORS: usize = 0x20;
    /// queue_driver, 64 bits.
    pub const QUEUE_DRIVER: usize = 0x28;
    /// queue_device, 64 bits.
    pub const QUEUE_DEVICE: usize = 0x30;
    /// Bytes up to there.
    pub const BYTES: usize = 0x38;
}

/// No MSI-X vector (4.1.5.1.2).
pub(super) const NO_VECTOR: u16 = 0xffff;

/// Bits of the device status (2.1).
pub(super) mod device_status {
    /// ACKNOWLEDGE.
    pub const ACKNOWLEDGE: u8 = 1;
    /// DRIVER.
    pub const DRIVER: u8 = 2;
    /// DRIVER_OK.
    pub const DRIVER_OK: u8 = 4;
    /// FEATURES_OK.
    pub const FEATURES_OK: u8 = 8;
    /// DEVICE_NEEDS_RESET.
    pub const NEEDS_RESET: u8 = 0x40;
    /// Read from a device that is off the bus.
    pub const GONE: u8 = 0xff;
}

/// Bits of the interrupt status, which a read clears (4.1.4.5).
pub(super) mod isr {
    /// A queue interrupt.
    pub const QUEUE: u8 = 1;
    /// A configuration change.
    pub const CONFIG: u8 = 2;
}

/// Feature bits (5.6.3, 6).
pub(super) mod feature {
    /// VIRTIO_SCSI_F_HOTPLUG: the event queue tells of units that come and go.
    pub const HOTPLUG: u64 = 1 << 1;
    /// VIRTIO_SCSI_F_CHANGE: the event queue tells of changed parameters.
    pub const CHANGE: u64 = 1 << 2;
    /// VIRTIO_F_INDIRECT_DESC.
    pub const INDIRECT_DESC: u64 = 1 << 28;
    /// VIRTIO_F_EVENT_IDX.
    pub const EVENT_IDX: u64 = 1 << 29;
    /// VIRTIO_F_VERSION_1.
    pub const VERSION_1: u64 = 1 << 32;
    /// VIRTIO_F_ACCESS_PLATFORM: addresses are those of the bus.
    pub const ACCESS_PLATFORM: u64 = 1 << 33;
}

/// Device configuration, as offsets (5.6.4).
pub(super) mod config {
    /// num_queues, 32 bits.
    pub const NUM_QUEUES: usize = 0x00;
    /// seg_max, 32 bits.
    pub const SEG_MAX: usize = 0x04;
    /// max_sectors, 32 bits, in units of 512 bytes.
    pub const MAX_SECTORS: usize = 0x08;
    /// cmd_per_lun, 32 bits.
    pub const CMD_PER_LUN: usize = 0x0c;
    /// event_info_size, 32 bits.
    pub const EVENT_INFO_SIZE: usize = 0x10;
    /// sense_size, 32 bits.
    pub const SENSE_SIZE: usize = 0x14;
    /// cdb_size, 32 bits.
    pub const CDB_SIZE: usize = 0x18;
    /// max_target, 16 bits.
    pub const MAX_TARGET: usize = 0x1e;
    /// max_lun, 32 bits.
    pub const MAX_LUN: usize = 0x20;
    /// Bytes up to there.
    pub const BYTES: usize = 0x24;
}

/// Numbers of the queues (5.6.2).
pub(super) mod queue {
    /// controlq.
    pub const CONTROL: u16 = 0;
    /// eventq.
    pub const EVENT: u16 = 1;
    /// The first request queue.
    pub const REQUEST: u16 = 2;
}

/// A descriptor (2.7.5).
pub(super) mod descriptor {
    /// Its size.
    pub const BYTES: usize = 16;
    /// VIRTQ_DESC_F_NEXT, in place in the second word.
    pub const NEXT: u64 = 1 << 32;
    /// VIRTQ_DESC_F_WRITE: the device writes.
    pub const WRITE: u64 = 2 << 32;
    /// VIRTQ_DESC_F_INDIRECT: a table of descriptors.
    pub const INDIRECT: u64 = 4 << 32;
    /// Position of the field `next` in the second word.
    pub const NEXT_SHIFT: u32 = 48;
}

/// The driver area, also called available ring: flags, idx, the ring, used_event
/// (2.7.6).
pub(super) mod available {
    /// Offset of flags.
    pub const FLAGS: usize = 0;
    /// Offset of idx.
    pub const INDEX: usize = 2;
    /// Offset of the ring, of 16 bits each.
    pub const RING: usize = 4;
    /// VIRTQ_AVAIL_F_NO_INTERRUPT.
    pub const NO_INTERRUPT: u16 = 1;
}

/// The device area, also called used ring: flags, idx, the ring, avail_event
/// (2.7.8). It needs an alignment of 4 only, so it starts 4 bytes into its
/// region, and its 64-bit elements lie on multiples of 8.
pub(super) mod used {
    /// Offset of the area in its region.
    pub const START: usize = 4;
    /// Offset of flags in the region.
    pub const FLAGS: usize = START;
    /// Offset of idx in the region.
    pub const INDEX: usize = START + 2;
    /// Offset of the ring in the region, of 8 bytes each.
    pub const RING: usize = START + 4;
    /// VIRTQ_USED_F_NO_NOTIFY.
    pub const NO_NOTIFY: u16 = 1;
}

/// CDB bytes of a request: the default of cdb_size (5.6.4).
pub(super) const CDB_BYTES: u32 = 32;
/// Sense bytes of a response: the default of sense_size (5.6.4).
pub(super) const SENSE_BYTES: u32 = 96;

/// The part of a request that the device reads (5.6.6.1), as words: lun; id;
/// task_attr 7:0, prio 15:8, crn 23:16, cdb from bit 24 on. The bytes behind the
/// CDB stay zero.
pub(super) const REQUEST_WORDS: usize = 5;
/// Bytes of it.
pub(super) const REQUEST_BYTES: u32 = 19 + CDB_BYTES;
/// Bit of the third word where the CDB starts.
pub(super) const CDB_SHIFT: u32 = 24;

/// The part of a request that the device writes (5.6.6.1): sense_len 31:0 and
/// residual 63:32; status_qualifier 15:0, status 23:16, response 31:24; sense.
pub(super) mod response {
    use super::SENSE_BYTES;
    /// Bytes of it.
    pub const BYTES: u32 = 12 + SENSE_BYTES;
    /// Offset of the second word.
    pub const CODES: usize = 8;
    /// Offset of the sense data.
    pub const SENSE: usize = 12;
    /// A second word that no device writes: no response has this code.
    pub const UNWRITTEN: u64 = 0xff << 24;
}

/// Codes of a response (5.6.6.1, 5.6.6.2).
pub(super) mod answer {
    /// OK, FUNCTION_COMPLETE.
    pub const OK: u8 = 0;
    /// ABORTED by task management.
    pub const ABORTED: u8 = 2;
    /// BAD_TARGET.
    pub const BAD_TARGET: u8 = 3;
    /// RESET by task management or by the bus.
    pub const RESET: u8 = 4;
    /// BUSY: may be sent again.
    pub const BUSY: u8 = 5;
    /// FUNCTION_SUCCEEDED.
    pub const FUNCTION_SUCCEEDED: u8 = 10;
    /// INCORRECT_LUN.
    pub const INCORRECT_LUN: u8 = 12;
}

/// The LUN field as the low half of a little-endian word: 1, target, and the
/// unit in flat addressing; its last four bytes are zero (5.6.6.1).
pub(super) const fn lun_word(target: u8, lun: u16) -> u64 {
    1 | (target as u64) << 8 | (0x40 | lun as u64 >> 8) << 16 | (lun as u64 & 0xff) << 24
}

/// Highest unit of flat addressing.
pub(super) const MAX_LUN: u16 = 0x3fff;

/// Task management (5.6.6.2): type 31:0, subtype 63:32; lun; id; then one byte
/// that the device writes.
pub(super) mod management {
    /// Bytes that the device reads.
    pub const BYTES: u32 = 24;
    /// VIRTIO_SCSI_T_TMF_ABORT_TASK, in place in the first word.
    pub const ABORT_TASK: u64 = 0;
    /// VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET, in place in the first word.
    pub const UNIT_RESET: u64 = 5 << 32;
    /// An answer that no device writes.
    pub const UNWRITTEN: u8 = 0xff;
}

/// Events (5.6.6.3): event 31:0; lun; reason.
pub(super) mod event {
    /// Bytes of one.
    pub const BYTES: u32 = 16;
    /// VIRTIO_SCSI_T_EVENTS_MISSED.
    pub const MISSED: u32 = 1 << 31;
    /// VIRTIO_SCSI_T_NO_EVENT.
    pub const NONE: u32 = 0;
    /// VIRTIO_SCSI_T_TRANSPORT_RESET.
    pub const TRANSPORT_RESET: u32 = 1;
    /// VIRTIO_SCSI_T_PARAM_CHANGE.
    pub const PARAM_CHANGE: u32 = 3;
    /// Reason of a transport reset: the unit was added.
    pub const RESCAN: u32 = 1;
    /// Reason of a transport reset: the unit is gone.
    pub const REMOVED: u32 = 2;
}

const _: () = assert!(REQUEST_BYTES == 51 && response::BYTES == 108);
const _: () = assert!(REQUEST_WORDS * 8 < REQUEST_BYTES as usize);
const _: () = assert!(used::RING.is_multiple_of(8));
const _: () = assert!(lun_word(7, 0x1234) == 0x3452_0701);
