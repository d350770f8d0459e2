//! Registers and messages of Fusion-MPT (MPI 1.5), without any I/O.
//!
//! Sources: LSI's headers in Linux 6.1 (`drivers/message/fusion/lsi/mpi*.h`,
//! below "L"; what that driver does with them is in `mptbase.c` and
//! `mptscsih.c`), and QEMU 7.2's model (`hw/scsi/mptsas.c`, `mpi.h`, "Q"). All
//! fields are little-endian, all registers have 32 bits.

/// PCI vendor of the adapters (L `MPI_MANUFACTPAGE_VENDORID_LSILOGIC`).
pub const VENDOR_ID: u16 = 0x1000;
/// PCI devices that speak this interface over SAS: 1068 and 1068E (L
/// `MPI_MANUFACTPAGE_DEVID_SAS1068`, `.._SAS1068E`).
pub const SAS_DEVICE_IDS: [u16; 2] = [0x0054, 0x0058];
/// PCI device of the parallel sibling (L `MPI_MANUFACTPAGE_DEVICEID_1030_53C1030`).
/// Its behaviour is known from drivers and logs alone: not run on any device.
pub const PARALLEL_DEVICE_ID: u16 = 0x0030;
/// Bytes of the register BAR that must be there; QEMU's has 16 KiB.
pub const BAR_BYTES: usize = 0x100;

/// Register offsets in bytes (L `mpi.h`, "System Interface Register Definitions").
pub(super) mod reg {
    /// R: state of the adapter; a half-word of a reply during a handshake.
    /// W: a function, or a word of a message. Not what this project calls a doorbell.
    pub const DOORBELL: usize = 0x00;
    /// W: keys that unlock the diagnostic register.
    pub const WRITE_SEQUENCE: usize = 0x04;
    /// RW: host diagnostic.
    pub const DIAGNOSTIC: usize = 0x08;
    /// R: raised interrupts. W: clears that of the doorbell, whatever is written.
    pub const INT_STATUS: usize = 0x30;
    /// RW: masked interrupts, 1 is masked.
    pub const INT_MASK: usize = 0x34;
    /// W: low half of the address of a request frame.
    pub const REQUEST_FIFO: usize = 0x40;
    /// R: the next reply. W: low half of the address of a free reply frame.
    pub const REPLY_FIFO: usize = 0x44;
    /// W: as `REQUEST_FIFO`, for task management, where the adapter has it.
    pub const HI_PRI_FIFO: usize = 0x48;
}

/// Fields of the doorbell (L `MPI_DOORBELL_*`, `MPI_IOC_STATE_*`).
pub(super) mod doorbell {
    /// State, bits 31:28.
    pub const STATE_MASK: u32 = 0xf << 28;
    /// It starts, or is being reset.
    pub const RESET: u32 = 0;
    /// It waits for IOC_INIT.
    pub const READY: u32 = 1 << 28;
    /// It takes requests.
    pub const OPERATIONAL: u32 = 2 << 28;
    /// It has given up; the code is in bits 15:0.
    pub const FAULT: u32 = 4 << 28;
    /// A handshake is going on.
    pub const ACTIVE: u32 = 1 << 27;
    /// Fault code, or half-word of a reply.
    pub const DATA_MASK: u32 = 0xffff;
    /// Function: message unit reset.
    pub const MESSAGE_UNIT_RESET: u32 = 0x40 << 24;
    /// Function: handshake; the number of words goes into bits 23:16.
    pub const HANDSHAKE: u32 = 0x42 << 24;
}

/// Interrupt bits (L `MPI_HIS_*`, `MPI_HIM_*`).
pub(super) mod interrupt {
    /// The adapter has not taken the last write to the doorbell.
    pub const DOORBELL_BUSY: u32 = 1 << 31;
    /// The reply FIFO is not empty.
    pub const REPLY: u32 = 1 << 3;
    /// The adapter wrote the doorbell.
    pub const DOORBELL: u32 = 1 << 0;
    /// Masks both.
    pub const MASK_ALL: u32 = REPLY | DOORBELL;
}

/// Host diagnostic (L `MPI_DIAG_*`, `MPI_WRSEQ_*`).
pub(super) mod diagnostic {
    /// DRWE: the register can be written.
    pub const WRITABLE: u32 = 1 << 7;
    /// RESET_ADAPTER.
    pub const RESET: u32 = 1 << 2;
    /// Any other key locks again; these five in a row unlock.
    pub const KEYS: [u32; 6] = [0xff, 0x4, 0xb, 0x2, 0x7, 0xd];
}

/// The reply FIFO's value where it is empty.
pub(super) const NO_REPLY: u32 = u32::MAX;
/// The value is an address shifted right by one; else it is a context and means
/// success (L `MPI_ADDRESS_REPLY_A_BIT`).
pub(super) const ADDRESS_REPLY: u32 = 1 << 31;
/// Bits that a context may have: above them lies the type of a context reply
/// (L `MPI_CONTEXT_REPLY_TYPE_MASK`).
pub(super) const CONTEXT_BITS: u32 = 29;

/// Message functions (L `MPI_FUNCTION_*`).
pub(super) mod function {
    /// A SCSI command.
    pub const SCSI_IO: u8 = 0x00;
    /// Task management.
    pub const TASK_MANAGEMENT: u8 = 0x01;
    /// What the host offers.
    pub const IOC_INIT: u8 = 0x02;
    /// What the adapter offers.
    pub const IOC_FACTS: u8 = 0x03;
    /// What a port offers.
    pub const PORT_FACTS: u8 = 0x05;
    /// Makes a port look for devices.
    pub const PORT_ENABLE: u8 = 0x06;
    /// Switches events on; also the function of an event.
    pub const EVENT_NOTIFICATION: u8 = 0x07;
    /// Acknowledges an event that asks for it.
    pub const EVENT_ACK: u8 = 0x08;
}

/// A SCSI IO request as eight 64-bit words (L `MSG_SCSI_IO_REQUEST`), the first
/// scatter element included.
///
/// | word | bytes | fields |
/// |---|---|---|
/// | 0 | 0x00 | TargetID 7:0, Bus 15:8, ChainOffset 23:16, Function 31:24, CDBLength 39:32, SenseBufferLength 47:40, MsgFlags 63:56 |
/// | 1 | 0x08 | MsgContext 31:0, LUN\[0..4\] 63:32 |
/// | 2 | 0x10 | LUN\[4..8\] 31:0, Control 63:32 |
/// | 3, 4 | 0x18 | CDB |
/// | 5 | 0x28 | DataLength 31:0, SenseBufferLowAddr 63:32 |
/// | 6, 7 | 0x30 | flags and length 31:0, address; 12 bytes |
pub(super) const REQUEST_WORDS: usize = 8;
/// Where scatter elements start in a request.
pub(super) const LIST_OFFSET: usize = 0x30;
/// A simple element with a 64-bit address takes 12 bytes, packed (L `SGESimple64_t`).
pub(super) const ELEMENT_BYTES: usize = 12;

/// Word 1 without the context: the unit's number lies in byte 1 of its field.
pub(super) const fn lun_word(lun: u8) -> u64 {
    (lun as u64) << 40
}

/// Control, in place in word 2 (L `MPI_SCSIIO_CONTROL_*`): direction; simple queue.
pub(super) mod control {
    /// No data.
    pub const NONE: u64 = 0;
    /// Memory to device.
    pub const WRITE: u64 = 1 << (32 + 24);
    /// Device to memory.
    pub const READ: u64 = 2 << (32 + 24);
}

/// Flags of a simple scatter element with a 64-bit address (L `MPI_SGE_FLAGS_*`).
pub(super) mod element {
    /// Type simple, 64-bit address: 0x12.
    pub const SIMPLE_64: u32 = 0x12 << 24;
    /// Last element, end of buffer, end of list.
    pub const LAST: u32 = 0xc1 << 24;
    /// Memory to device.
    pub const TO_DEVICE: u32 = 0x04 << 24;
}

/// Longest simple element: its length has 24 bits; cut down to whole pages.
pub(super) const MAX_ELEMENT_BYTES: u32 = 0xff_f000;

/// Offsets in the header of any reply (L `MSG_DEFAULT_REPLY`).
pub(super) mod reply {
    /// MsgLength, in words.
    pub const LENGTH: usize = 0x02;
    /// Function.
    pub const FUNCTION: usize = 0x03;
    /// MsgContext.
    pub const CONTEXT: usize = 0x08;
    /// IOCStatus, whose bit 15 says that there is log information.
    pub const IOC_STATUS: usize = 0x0e;
    /// SCSIStatus of a SCSI IO reply.
    pub const SCSI_STATUS: usize = 0x0c;
    /// SCSIState of a SCSI IO reply.
    pub const SCSI_STATE: usize = 0x0d;
    /// TransferCount of a SCSI IO reply, in bytes.
    pub const TRANSFER_COUNT: usize = 0x14;
    /// SenseCount of a SCSI IO reply, in bytes.
    pub const SENSE_COUNT: usize = 0x18;
    /// AckRequired of an event.
    pub const ACK_REQUIRED: usize = 0x06;
    /// Event of an event.
    pub const EVENT: usize = 0x14;
    /// EventContext of an event.
    pub const EVENT_CONTEXT: usize = 0x18;
}

/// IOCStatus without its log flag (L `MPI_IOCSTATUS_*`).
pub(super) mod ioc_status {
    /// Bits that count.
    pub const MASK: u16 = 0x7fff;
    /// Success.
    pub const SUCCESS: u16 = 0x00;
    /// Busy.
    pub const BUSY: u16 = 0x02;
    /// No room for another request.
    pub const INSUFFICIENT_RESOURCES: u16 = 0x06;
    /// A field has a value that is not taken.
    pub const INVALID_FIELD: u16 = 0x07;
    /// Success after recovery.
    pub const RECOVERED: u16 = 0x40;
    /// No such bus.
    pub const INVALID_BUS: u16 = 0x41;
    /// No such target number.
    pub const INVALID_TARGET: u16 = 0x42;
    /// Nothing answers there.
    pub const DEVICE_NOT_THERE: u16 = 0x43;
    /// Less data than asked; on QEMU also any status but GOOD.
    pub const DATA_UNDERRUN: u16 = 0x45;
    /// The task was terminated.
    pub const TASK_TERMINATED: u16 = 0x48;
    /// Less data than asked, and the device said otherwise.
    pub const RESIDUAL_MISMATCH: u16 = 0x49;
    /// The adapter terminated it.
    pub const IOC_TERMINATED: u16 = 0x4b;
    /// Something else terminated it.
    pub const EXT_TERMINATED: u16 = 0x4c;
}

/// SCSIState (L `MPI_SCSI_STATE_*`).
pub(super) mod scsi_state {
    /// Sense data was written.
    pub const AUTOSENSE_VALID: u8 = 0x01;
    /// There is no SCSI status.
    pub const NO_STATUS: u8 = 0x04;
    /// The command was terminated.
    pub const TERMINATED: u8 = 0x08;
}

/// Task management (L `MPI_SCSITASKMGMT_*`).
pub(super) mod task {
    /// Words of the request.
    pub const WORDS: usize = 7;
    /// Abort one task, named by its context.
    pub const ABORT_TASK: u8 = 1;
    /// Reset a target.
    pub const TARGET_RESET: u8 = 3;
    /// Where the request names the context of the task: TaskMsgContext at 0x30,
    /// the low half of word 6.
    pub const CONTEXT_WORD: usize = 6;
}

/// Events (L `MPI_EVENT_*`).
pub(super) mod event {
    /// Devices came or went.
    pub const RESCAN: u32 = 0x06;
    /// A SAS device came or went.
    pub const SAS_DEVICE_STATUS_CHANGE: u32 = 0x0f;
}

/// Capability bit 0 of IOC_FACTS: there is a high-priority FIFO.
pub(super) const CAPABILITY_HI_PRI: u32 = 1;
/// From this message version on, IOC_INIT has all its fields (L `SendIocInit`).
pub(super) const FULL_INIT_VERSION: u16 = 0x0105;
/// Version of the headers this file follows (L `MPI_HEADER_VERSION`).
pub(super) const HEADER_VERSION: u16 = 0x1300;
/// Who initialises: a host driver (L `MPI_WHOINIT_HOST_DRIVER`).
pub(super) const WHO_HOST_DRIVER: u8 = 4;
/// Port type of parallel SCSI (L `MPI_PORTFACTS_PORTTYPE_SCSI`).
pub(super) const PORT_TYPE_PARALLEL: u8 = 0x01;

/// Request frames: as large as Linux makes them, and as aligned as its fetch
/// hint wants it.
pub(super) const REQUEST_FRAME_BYTES: usize = 128;
/// Reply frames: the size that Linux gives (L `MPT_REPLY_FRAME_SIZE`).
pub(super) const REPLY_FRAME_BYTES: usize = 0x50;

/// Targets to ask for where IOC_FACTS tells of fewer: QEMU says 8, but takes
/// disks up to id 8.
pub(super) const WANTED_TARGETS: u16 = 16;
/// Targets that a request can name: its field has 8 bits, and 0 means all.
pub(super) const MAX_TARGETS: u16 = 256;

const _: () = assert!(REQUEST_WORDS * 8 >= LIST_OFFSET + ELEMENT_BYTES);
const _: () =
    assert!(REQUEST_FRAME_BYTES.is_multiple_of(64) && REPLY_FRAME_BYTES.is_multiple_of(8));
const _: () = assert!(task::WORDS * 8 >= 0x34 && task::WORDS * 8 <= REQUEST_FRAME_BYTES);
const _: () = assert!(MAX_ELEMENT_BYTES < 1 << 24 && MAX_ELEMENT_BYTES.is_multiple_of(4096));
const _: () = assert!(reply::SENSE_COUNT + 4 <= REPLY_FRAME_BYTES);
