//! Registers and layouts of PVSCSI, without any I/O.
//!
//! Sources: VMware's headers in Linux 6.1 (`drivers/scsi/vmw_pvscsi.h`, below
//! "L") and FreeBSD (`sys/dev/vmware/pvscsi/pvscsi.h`, "F"), and QEMU 7.2's
//! model (`hw/scsi/vmw_pvscsi.[ch]`, "Q"). All fields are little-endian.

/// PCI vendor of the adapter (L `PCI_VENDOR_ID_VMWARE`).
pub const VENDOR_ID: u16 = 0x15ad;
/// PCI device of the adapter (L `PCI_DEVICE_ID_VMWARE_PVSCSI`).
pub const DEVICE_ID: u16 = 0x07c0;
/// Bytes of the register BAR that must be there: 8 pages (L `PVSCSI_MEM_SPACE_NUM_PAGES`).
pub const BAR_BYTES: usize = 0x8000;

/// Register offsets in bytes (L `enum PVSCSIRegOffset`). All take 32-bit accesses only.
pub(super) mod reg {
    /// W: selects a command and restarts its descriptor.
    pub const COMMAND: usize = 0x0000;
    /// W: the next word of the command's descriptor.
    pub const COMMAND_DATA: usize = 0x0004;
    /// R: result of the last command.
    pub const COMMAND_STATUS: usize = 0x0008;
    /// R: raised interrupts; W: clears the bits that are set.
    pub const INTR_STATUS: usize = 0x100c;
    /// RW: enabled interrupts, despite its name.
    pub const INTR_MASK: usize = 0x2010;
    /// W: process the request ring; for anything but READ and WRITE.
    pub const KICK_NON_RW_IO: usize = 0x3014;
    /// W: process the request ring; for READ and WRITE.
    pub const KICK_RW_IO: usize = 0x4018;
}

/// Interrupt bits (L `PVSCSI_INTR_*`).
pub(super) mod intr {
    /// A completion was posted: CMPL_0 and CMPL_1.
    pub const COMPLETION: u32 = 0x3;
    /// A message was posted: MSG_0 and MSG_1.
    pub const MESSAGE: u32 = 0xc;
    /// All of them.
    pub const ALL: u32 = 0xf;
}

/// Commands (L `enum PVSCSICommands`; the last one F only).
pub(super) mod cmd {
    /// Resets adapter and bus.
    pub const ADAPTER_RESET: u32 = 1;
    /// Gives the device its rings.
    pub const SETUP_RINGS: u32 = 3;
    /// Aborts one command.
    pub const ABORT_CMD: u32 = 6;
    /// Reads a configuration page.
    pub const CONFIG: u32 = 7;
    /// Gives the device its message ring.
    pub const SETUP_MSG_RING: u32 = 8;
    /// Switches the request call threshold on or off.
    pub const SETUP_REQCALLTHRESHOLD: u32 = 10;
    /// Returns the number of targets in the status register.
    pub const GET_MAX_TARGETS: u32 = 11;
}

/// Status of a command that failed or is not known.
pub(super) const STATUS_FAILED: u32 = u32::MAX;

/// Words of the SETUP_RINGS descriptor; all are written, whatever the ring size
/// (L `PVSCSICmdDescSetupRings`: page counts, state page, 32 + 32 page numbers).
pub(super) const SETUP_RINGS_WORDS: usize = 132;
/// Words of the SETUP_MSG_RING descriptor (L `PVSCSICmdDescSetupMsgRing`).
pub(super) const SETUP_MSG_RING_WORDS: usize = 34;
/// Page numbers that SETUP_RINGS has room for, of either ring (L `PVSCSI_SETUP_RINGS_MAX_NUM_PAGES`).
pub(super) const MAX_RING_PAGES: usize = 32;

/// Ring pages are 4 KiB (L `PVSCSI_MAX_NUM_PAGES_..`: PPN = address >> 12).
pub(super) const PAGE_BYTES: usize = 4096;
/// Size of a request descriptor (L `PVSCSIRingReqDesc`).
pub(super) const REQUEST_BYTES: usize = 128;
/// Size of a completion descriptor (L `PVSCSIRingCmpDesc`).
pub(super) const COMPLETION_BYTES: usize = 32;
/// Size of a message descriptor (L `PVSCSIRingMsgDesc`).
pub(super) const MESSAGE_BYTES: usize = 128;
/// Requests per ring page.
pub(super) const REQUESTS_PER_PAGE: u32 = (PAGE_BYTES / REQUEST_BYTES) as u32;
/// Completions per ring page.
pub(super) const COMPLETIONS_PER_PAGE: u32 = (PAGE_BYTES / COMPLETION_BYTES) as u32;
/// Messages per ring page.
pub(super) const MESSAGES_PER_PAGE: u32 = (PAGE_BYTES / MESSAGE_BYTES) as u32;

/// Requests that may be unconsumed at a kick: QEMU takes a distance of 1,024 or
/// more for an empty ring (Q `pvscsi_ring_pop_req_descr`).
pub(super) const MAX_UNCONSUMED: u32 = 1023;

/// Offsets in the page of indices (L `PVSCSIRingsState`).
pub(super) mod state {
    /// reqProdIdx, written by the driver.
    pub const REQUEST_PRODUCER: usize = 0x00;
    /// reqConsIdx, written by the device.
    pub const REQUEST_CONSUMER: usize = 0x04;
    /// cmpProdIdx, written by the device.
    pub const COMPLETION_PRODUCER: usize = 0x0c;
    /// cmpConsIdx, written by the driver.
    pub const COMPLETION_CONSUMER: usize = 0x10;
    /// reqCallThreshold, written by the device.
    pub const CALL_THRESHOLD: usize = 0x18;
    /// msgProdIdx, written by the device.
    pub const MESSAGE_PRODUCER: usize = 0x80;
    /// msgConsIdx, written by the driver.
    pub const MESSAGE_CONSUMER: usize = 0x84;
}

/// The request descriptor as nine 64-bit words; the rest of its 128 bytes stays
/// zero (L `PVSCSIRingReqDesc`).
///
/// | word | bytes | fields |
/// |---|---|---|
/// | 0 | 0x00 | context |
/// | 1 | 0x08 | dataAddr |
/// | 2 | 0x10 | dataLen |
/// | 3 | 0x18 | senseAddr |
/// | 4 | 0x20 | senseLen 31:0, flags 63:32 |
/// | 5, 6 | 0x28 | cdb\[16\] |
/// | 7 | 0x38 | cdbLen 7:0, lun\[0..7\] from bit 8 on |
/// | 8 | 0x40 | lun\[7\] 7:0, tag 15:8, bus 23:16, target 31:24, vcpuHint 39:32 |
pub(super) const REQUEST_WORDS: usize = 9;

/// Request flags, in place in word 4 (L `PVSCSI_FLAG_CMD_*`).
pub(super) mod flag {
    /// DIR_NONE: no data.
    pub const NONE: u64 = 4 << 32;
    /// DIR_TOHOST: device to memory.
    pub const TO_HOST: u64 = 8 << 32;
    /// DIR_TODEVICE: memory to device.
    pub const TO_DEVICE: u64 = 16 << 32;
}

/// Word 7 without the CDB length: the LUN lies in byte 1 of its field, as QEMU
/// insists (Q `pvscsi_device_find`).
pub(super) const fn lun_word(lun: u8) -> u64 {
    (lun as u64) << 16
}

/// Word 8 of a simple tagged command (SAM-5 8.7; L `SIMPLE_QUEUE_TAG`).
pub(super) const fn target_word(target: u8) -> u64 {
    0x20 << 8 | (target as u64) << 24
}

/// The completion descriptor as three words; the fourth is padding
/// (L `PVSCSIRingCmpDesc`): context; dataLen; senseLen 31:0, hostStatus 47:32,
/// scsiStatus 63:48.
pub(super) const COMPLETION_WORDS: usize = 3;

/// Host adapter status (L `enum HostBusAdapterStatus`).
pub(super) mod btstat {
    /// Success.
    pub const SUCCESS: u16 = 0x00;
    /// Success of a linked command.
    pub const LINKED_COMMAND_COMPLETED: u16 = 0x0a;
    /// Success of a linked command with its flag bit.
    pub const LINKED_COMMAND_COMPLETED_WITH_FLAG: u16 = 0x0b;
    /// Less data than asked.
    pub const DATA_UNDERRUN: u16 = 0x0c;
    /// No such target.
    pub const SELECTION_TIMEOUT: u16 = 0x11;
    /// Data over- or underrun; QEMU reports every short transfer so.
    pub const DATARUN: u16 = 0x12;
    /// The adapter sent a reset.
    pub const SENT_RESET: u16 = 0x22;
    /// The adapter saw a reset.
    pub const RECEIVED_RESET: u16 = 0x23;
    /// The bus was reset.
    pub const BUS_RESET: u16 = 0x25;
    /// Aborted on request.
    pub const ABORTED: u16 = 0x26;
    /// The adapter's own time limit.
    pub const ADAPTER_TIMEOUT: u16 = 0x30;
}

/// Message types (L `enum PVSCSIMsgType`).
pub(super) mod message {
    /// A device was added.
    pub const ADDED: u32 = 0;
    /// A device was removed.
    pub const REMOVED: u32 = 1;
}

/// The configuration page that tells the number of targets (L `vmw_pvscsi.[ch]`).
pub(super) mod config {
    /// PVSCSI_CONFIG_PAGE_CONTROLLER.
    pub const PAGE_CONTROLLER: u32 = 0x1958;
    /// PVSCSI_CONFIG_CONTROLLER_ADDRESS.
    pub const ADDRESS_CONTROLLER: u64 = 0x2120 << 32;
    /// hostStatus and scsiStatus of the header, as a word of the page at byte 4:
    /// numDwords 15:0, hostStatus 31:16, scsiStatus 47:32.
    pub const HEADER_STATUS: usize = 4;
    /// What an untouched header reads as: INVPARAM, CHECK CONDITION.
    pub const UNTOUCHED: [u8; 6] = [0, 0, 0x1a, 0, 2, 0];
    /// numPhys: the number of targets.
    pub const TARGETS: usize = 0x1d8;
}

/// Targets to look at where the device cannot tell: QEMU has 65.
pub(super) const FALLBACK_TARGETS: u32 = 65;
/// Targets that a descriptor can name: its field has 8 bits.
pub(super) const MAX_TARGETS: u32 = 256;
/// The adapter's own id, which no disk has on VMware.
pub(super) const ADAPTER_TARGET: u16 = 7;

const _: () = assert!(SETUP_RINGS_WORDS * 4 == 4 + 4 + 8 + 8 * MAX_RING_PAGES * 2);
const _: () = assert!(SETUP_MSG_RING_WORDS * 4 == 4 + 4 + 8 * 16);
const _: () = assert!(REQUESTS_PER_PAGE == 32 && COMPLETIONS_PER_PAGE == 128);
const _: () = assert!(REQUEST_WORDS * 8 <= REQUEST_BYTES && 0x45 <= REQUEST_WORDS * 8);
const _: () = assert!(COMPLETION_WORDS * 8 + 8 == COMPLETION_BYTES);
