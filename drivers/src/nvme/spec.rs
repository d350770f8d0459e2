//! Registers, commands and structures of NVM Express, base specification 1.4
//! (June 2019), as far as this driver uses them. Section numbers are of that
//! document. All fields are little-endian.

/// PCI class of an NVMe controller: base class, subclass, interface (2.1.5).
pub const CLASS: [u8; 3] = [0x01, 0x08, 0x02];
/// Least size of the BAR: the registers, and a page of doorbells.
pub const BAR_BYTES: usize = 0x2000;

/// Register offsets in BAR0, in bytes (3.1).
pub mod register {
    /// Controller Capabilities, CAP, 64 bits (3.1.1).
    pub const CAP: usize = 0x00;
    /// Version, VS (3.1.2).
    pub const VS: usize = 0x08;
    /// Interrupt Mask Set, INTMS (3.1.3). Not to be touched under MSI-X.
    pub const INTMS: usize = 0x0c;
    /// Interrupt Mask Clear, INTMC (3.1.4). Not to be touched under MSI-X.
    pub const INTMC: usize = 0x10;
    /// Controller Configuration, CC (3.1.5).
    pub const CC: usize = 0x14;
    /// Controller Status, CSTS (3.1.6).
    pub const CSTS: usize = 0x1c;
    /// Admin Queue Attributes, AQA (3.1.8).
    pub const AQA: usize = 0x24;
    /// Admin Submission Queue Base Address, ASQ, 64 bits (3.1.9).
    pub const ASQ: usize = 0x28;
    /// Admin Completion Queue Base Address, ACQ, 64 bits (3.1.10).
    pub const ACQ: usize = 0x30;
    /// First doorbell (3.1.24).
    pub const DOORBELLS: usize = 0x1000;
}

/// Offset in bytes, from the first doorbell, of a queue's submission tail
/// doorbell, SQyTDBL (3.1.24). The shadow page is laid out the same way (5.7).
#[must_use]
pub const fn sq_doorbell(queue: u16, stride_bytes: usize) -> usize {
    2 * queue as usize * stride_bytes
}

/// The same of a completion head doorbell, CQyHDBL (3.1.25).
#[must_use]
pub const fn cq_doorbell(queue: u16, stride_bytes: usize) -> usize {
    (2 * queue as usize + 1) * stride_bytes
}

/// Bytes of a memory page with CC.MPS = 0, the only size this driver uses.
pub const PAGE_BYTES: u64 = 4096;

/// Controller Capabilities (3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap(pub u64);

impl Cap {
    /// Most entries of an I/O queue: MQES, bits 15:0, counts from 0.
    #[must_use]
    pub const fn max_queue_entries(self) -> u32 {
        (self.0 & 0xffff) as u32 + 1
    }

    /// Longest wait for CSTS.RDY to follow CC.EN, in milliseconds: TO, bits
    /// 31:24, in units of 500 ms. A device that says 0 gets one unit.
    #[must_use]
    pub const fn ready_timeout_ms(self) -> u64 {
        let units = self.0 >> 24 & 0xff;
        500 * if units == 0 { 1 } else { units }
    }

    /// Distance of doorbells in bytes: DSTRD, bits 35:32, as 4 << DSTRD.
    #[must_use]
    pub const fn doorbell_stride_bytes(self) -> usize {
        4 << (self.0 >> 32 & 0xf)
    }

    /// The NVM command set: CSS, bit 37.
    #[must_use]
    pub const fn has_nvm_commands(self) -> bool {
        self.0 >> 37 & 1 != 0
    }

    /// Smallest memory page in bytes: MPSMIN, bits 51:48, as 4096 << MPSMIN.
    #[must_use]
    pub const fn min_page_bytes(self) -> u64 {
        PAGE_BYTES << (self.0 >> 48 & 0xf)
    }
}

/// Controller Configuration (3.1.5).
pub mod cc {
    /// Enable, EN.
    pub const ENABLE: u32 = 1;
    /// Shutdown Notification, SHN, bits 15:14.
    pub const SHUTDOWN_MASK: u32 = 3 << 14;
    /// SHN = 01b: normal shutdown.
    pub const SHUTDOWN_NORMAL: u32 = 1 << 14;
    /// Enabled; NVM command set, 4 KiB pages, round robin; entries of 1 << 6
    /// bytes (IOSQES, 19:16) and 1 << 4 bytes (IOCQES, 23:20).
    pub const RUN: u32 = ENABLE | super::SQE_SHIFT << 16 | super::CQE_SHIFT << 20;
}

/// Controller Status (3.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Csts(pub u32);

impl Csts {
    /// The register reads all ones: no device answers.
    #[must_use]
    pub const fn is_gone(self) -> bool {
        self.0 == u32::MAX
    }

    /// Ready, RDY, bit 0.
    #[must_use]
    pub const fn is_ready(self) -> bool {
        self.0 & 1 != 0
    }

    /// Controller Fatal Status, CFS, bit 1.
    #[must_use]
    pub const fn is_fatal(self) -> bool {
        self.0 & 2 != 0
    }

    /// Shutdown Status, SHST, bits 3:2, says complete (10b).
    #[must_use]
    pub const fn is_shut_down(self) -> bool {
        self.0 >> 2 & 3 == 2
    }
}

/// log2 of the bytes of a submission queue entry (4.2).
pub const SQE_SHIFT: u32 = 6;
/// log2 of the bytes of a completion queue entry (4.6).
pub const CQE_SHIFT: u32 = 4;

/// A submission queue entry as eight words (4.2, figures 104 and 105): word 0 is
/// opcode (7:0), flags (15:8, zero here: no fusing, PRP), CID (31:16), NSID
/// (63:32); word 2 MPTR; words 3 and 4 PRP1 and PRP2; from word 5 on CDW10 to
/// CDW15 in pairs.
pub type Sqe = [u64; 8];
const _: () = assert!(size_of::<Sqe>() == 1 << SQE_SHIFT);

/// Word of PRP1 in an [`Sqe`].
pub const PRP1: usize = 3;
/// Word of PRP2.
pub const PRP2: usize = 4;
/// Word of CDW10 (31:0) and CDW11 (63:32).
pub const CDW10: usize = 5;
/// Word of CDW12 (31:0) and CDW13 (63:32).
pub const CDW12: usize = 6;

/// Word 0 of a command, without its CID.
#[must_use]
pub const fn word0(opcode: u8, nsid: u32) -> u64 {
    opcode as u64 | (nsid as u64) << 32
}

/// Where the command identifier, CID, goes in word 0.
pub const CID_SHIFT: u32 = 16;

/// Fields of a completion queue entry (4.6, figure 123).
pub mod cqe {
    /// Offset of Dword 0, the command specific result.
    pub const RESULT: usize = 0;
    /// Offset of Dword 2: SQ Head Pointer (15:0) and SQ Identifier (31:16).
    pub const QUEUE: usize = 8;
    /// Offset of Dword 3: CID (15:0), Phase Tag (16), Status Field (31:17).
    pub const STATUS: usize = 12;
    /// Phase Tag, P, in Dword 3.
    pub const PHASE: u32 = 1 << 16;
    /// Where the Status Field starts in Dword 3.
    pub const STATUS_SHIFT: u32 = 17;
}

/// Status Field (4.6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusField(pub u16);

impl StatusField {
    /// Status code type (10:8) and status code (7:0).
    #[must_use]
    pub const fn code(self) -> u16 {
        self.0 & 0x7ff
    }

    /// Command Retry Delay, CRD, bits 12:11: 0 is none.
    #[must_use]
    pub const fn retry_delay(self) -> u16 {
        self.0 >> 11 & 3
    }

    /// Do Not Retry, DNR, bit 14.
    #[must_use]
    pub const fn do_not_retry(self) -> bool {
        self.0 >> 14 & 1 != 0
    }
}

/// Status codes, type << 8 | code (figures 126 to 129).
pub mod status {
    /// Command Abort Requested.
    pub const ABORT_REQUESTED: u16 = 0x07;
    /// Command Aborted due to SQ Deletion.
    pub const ABORTED_SQ_DELETED: u16 = 0x08;
    /// Invalid Namespace or Format.
    pub const INVALID_NAMESPACE: u16 = 0x0b;
    /// Command Interrupted: the host should retry.
    pub const INTERRUPTED: u16 = 0x21;
    /// Transient Transport Error: a retry may succeed.
    pub const TRANSIENT_TRANSPORT: u16 = 0x22;
    /// Namespace Not Ready.
    pub const NAMESPACE_NOT_READY: u16 = 0x82;
    /// Format In Progress.
    pub const FORMAT_IN_PROGRESS: u16 = 0x84;
}

/// Opcodes of the admin command set (5, figure 139).
pub mod admin {
    /// Delete I/O Submission Queue (5.6).
    pub const DELETE_SQ: u8 = 0x00;
    /// Create I/O Submission Queue (5.4).
    pub const CREATE_SQ: u8 = 0x01;
    /// Get Log Page (5.14).
    pub const GET_LOG_PAGE: u8 = 0x02;
    /// Delete I/O Completion Queue (5.5).
    pub const DELETE_CQ: u8 = 0x04;
    /// Create I/O Completion Queue (5.3).
    pub const CREATE_CQ: u8 = 0x05;
    /// Identify (5.15).
    pub const IDENTIFY: u8 = 0x06;
    /// Abort (5.1).
    pub const ABORT: u8 = 0x08;
    /// Set Features (5.21).
    pub const SET_FEATURES: u8 = 0x09;
    /// Get Features (5.13).
    pub const GET_FEATURES: u8 = 0x0a;
    /// Asynchronous Event Request (5.2).
    pub const ASYNC_EVENT: u8 = 0x0c;
    /// Doorbell Buffer Config (5.7).
    pub const DOORBELL_BUFFER: u8 = 0x7c;
}

/// Opcodes of the NVM command set (6, figure 346).
pub mod nvm {
    /// Flush (6.8).
    pub const FLUSH: u8 = 0x00;
    /// Write (6.15).
    pub const WRITE: u8 = 0x01;
    /// Read (6.9).
    pub const READ: u8 = 0x02;
    /// Dataset Management (6.7).
    pub const DATASET_MANAGEMENT: u8 = 0x09;
    /// Force Unit Access, FUA, bit 30 of a write's CDW12 (6.15).
    pub const FUA: u64 = 1 << 30;
    /// Deallocate, AD, bit 2 of Dataset Management's CDW11 (6.7).
    pub const DEALLOCATE: u32 = 1 << 2;
    /// Bytes of a Dataset Management range: attributes u32, length in blocks u32,
    /// first block u64 (6.7, figure 372).
    pub const RANGE_BYTES: usize = 16;
    /// Most blocks of a read or write: NLB is 16 bits and counts from 0.
    pub const MAX_BLOCKS: u64 = 1 << 16;
}

/// What Identify returns: Controller or Namespace Structure, CNS (5.15.1).
pub mod cns {
    /// Identify Namespace data structure.
    pub const NAMESPACE: u32 = 0;
    /// Identify Controller data structure.
    pub const CONTROLLER: u32 = 1;
    /// Active Namespace ID list: up to 1,024 u32, ascending, all above the NSID given.
    pub const ACTIVE_NAMESPACES: u32 = 2;
    /// Identifiers in one page of the list.
    pub const LIST_ENTRIES: usize = 1024;
}

/// Feature identifiers (5.21.1).
pub mod feature {
    /// Number of Queues (5.21.1.7).
    pub const NUMBER_OF_QUEUES: u32 = 0x07;
    /// Asynchronous Event Configuration (5.21.1.11).
    pub const ASYNC_EVENTS: u32 = 0x0b;
    /// Namespace Write Protection Config (5.21.1.29).
    pub const WRITE_PROTECTION: u32 = 0x84;
}

/// Asynchronous events (5.2.1).
pub mod event {
    /// Namespace Attribute Notices: bit 8 of OAES and of the feature.
    pub const NAMESPACE_CHANGED: u32 = 1 << 8;
    /// Result type (2:0) and information (15:8) of a Namespace Attribute Changed notice.
    pub const NOTICE_NAMESPACE_CHANGED: u32 = 2;
    /// The bits of a result that say what happened.
    pub const KIND_MASK: u32 = 0xff07;
    /// Log page of changed namespaces (5.14.1.4); reading it re-arms the notice.
    pub const CHANGED_NAMESPACES_LOG: u32 = 0x04;
}

/// Offsets in the Identify Controller data structure (figure 247).
pub mod controller {
    /// Serial Number, SN, 20 bytes of ASCII.
    pub const SERIAL: core::ops::Range<usize> = 4..24;
    /// Model Number, MN, 40 bytes of ASCII.
    pub const MODEL: core::ops::Range<usize> = 24..64;
    /// Maximum Data Transfer Size, MDTS: log2 of pages of CAP.MPSMIN, 0 is no limit.
    pub const MDTS: usize = 77;
    /// RTD3 Entry Latency, RTD3E, u32 in microseconds, 0 is not reported.
    pub const RTD3E: usize = 88;
    /// Optional Asynchronous Events Supported, OAES, u32.
    pub const OAES: usize = 92;
    /// Optional Admin Command Support, OACS, u16; bit 8 is Doorbell Buffer Config.
    pub const OACS: usize = 256;
    /// OACS: Doorbell Buffer Config.
    pub const OACS_DOORBELL_BUFFER: u16 = 1 << 8;
    /// Submission Queue Entry Size, SQES; bits 3:0 the required one.
    pub const SQES: usize = 512;
    /// Completion Queue Entry Size, CQES; bits 3:0 the required one.
    pub const CQES: usize = 513;
    /// Number of Namespaces, NN, u32: the highest NSID, not how many there are.
    pub const NN: usize = 516;
    /// Optional NVM Command Support, ONCS, u16.
    pub const ONCS: usize = 520;
    /// ONCS: Dataset Management.
    pub const ONCS_DATASET_MANAGEMENT: u16 = 1 << 2;
    /// Namespace Write Protection Capabilities, NWPC; bit 0: the feature exists.
    pub const NWPC: usize = 531;
}

/// Offsets in the Identify Namespace data structure (figure 245).
pub mod namespace {
    /// Namespace Size, NSZE, u64 in blocks; 0 is no active namespace.
    pub const NSZE: usize = 0;
    /// Namespace Features, NSFEAT; bit 4: NPWG to NOWS are defined.
    pub const NSFEAT: usize = 24;
    /// NSFEAT: the preferred granularities are defined.
    pub const NSFEAT_PREFERRED: u8 = 1 << 4;
    /// Formatted LBA Size, FLBAS; bits 3:0 index the formats.
    pub const FLBAS: usize = 26;
    /// Namespace Preferred Write Granularity, NPWG, u16 in blocks, counts from 0.
    pub const NPWG: usize = 64;
    /// Namespace Attributes, NSATTR; bit 0: currently write-protected.
    pub const NSATTR: usize = 99;
    /// Namespace Globally Unique Identifier, NGUID, big-endian.
    pub const NGUID: core::ops::Range<usize> = 104..120;
    /// IEEE Extended Unique Identifier, EUI64, big-endian.
    pub const EUI64: core::ops::Range<usize> = 120..128;
    /// First of 16 LBA formats, LBAF, of 4 bytes: metadata bytes u16, LBADS (log2
    /// of the block's bytes) u8, relative performance u8.
    pub const LBAF: usize = 128;
}

/// Bytes of every Identify data structure.
pub const IDENTIFY_BYTES: usize = 4096;
const _: () = assert!(cns::LIST_ENTRIES * 4 == IDENTIFY_BYTES);
const _: () = assert!(namespace::LBAF + 16 * 4 <= IDENTIFY_BYTES);
const _: () = assert!(cc::RUN == 0x0046_0001);
