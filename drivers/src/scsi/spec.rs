//! Codes of SPC-4 (revision 37) and SBC-3 (revision 36).

/// Operation codes, first byte of a CDB.
pub mod opcode {
    /// TEST UNIT READY (SPC-4 6.47).
    pub const TEST_UNIT_READY: u8 = 0x00;
    /// INQUIRY (SPC-4 6.4).
    pub const INQUIRY: u8 = 0x12;
    /// MODE SENSE(6) (SPC-4 6.11).
    pub const MODE_SENSE_6: u8 = 0x1a;
    /// READ CAPACITY(10) (SBC-3 5.15).
    pub const READ_CAPACITY_10: u8 = 0x25;
    /// READ(10) (SBC-3 5.11).
    pub const READ_10: u8 = 0x28;
    /// WRITE(10) (SBC-3 5.32).
    pub const WRITE_10: u8 = 0x2a;
    /// SYNCHRONIZE CACHE(10) (SBC-3 5.22).
    pub const SYNCHRONIZE_CACHE_10: u8 = 0x35;
    /// UNMAP (SBC-3 5.28).
    pub const UNMAP: u8 = 0x42;
    /// READ(16) (SBC-3 5.13).
    pub const READ_16: u8 = 0x88;
    /// WRITE(16) (SBC-3 5.34).
    pub const WRITE_16: u8 = 0x8a;
    /// SERVICE ACTION IN(16), of which READ CAPACITY(16) is one (SBC-3 5.16).
    pub const SERVICE_ACTION_IN_16: u8 = 0x9e;
    /// REPORT LUNS (SPC-4 6.33).
    pub const REPORT_LUNS: u8 = 0xa0;
}

/// Service action of READ CAPACITY(16).
pub const SERVICE_READ_CAPACITY_16: u8 = 0x10;

/// FUA, force unit access, in byte 1 of READ and WRITE (SBC-3 5.11).
pub const FUA: u8 = 1 << 3;

/// Status codes (SAM-5 5.3.1).
pub mod code {
    /// GOOD.
    pub const GOOD: u8 = 0x00;
    /// CHECK CONDITION: sense data tell why.
    pub const CHECK_CONDITION: u8 = 0x02;
    /// CONDITION MET.
    pub const CONDITION_MET: u8 = 0x04;
    /// BUSY.
    pub const BUSY: u8 = 0x08;
    /// TASK SET FULL.
    pub const TASK_SET_FULL: u8 = 0x28;
    /// TASK ABORTED.
    pub const TASK_ABORTED: u8 = 0x40;
}

/// Sense keys (SPC-4 4.5.6).
pub mod key {
    /// RECOVERED ERROR: the command succeeded.
    pub const RECOVERED_ERROR: u8 = 0x1;
    /// NOT READY.
    pub const NOT_READY: u8 = 0x2;
    /// UNIT ATTENTION.
    pub const UNIT_ATTENTION: u8 = 0x6;
}

/// MEDIUM NOT PRESENT, an additional sense code (SPC-4 annex F).
pub const ASC_NO_MEDIUM: u8 = 0x3a;
/// LOGICAL UNIT NOT READY, an additional sense code; qualifier 1 means that it is becoming ready.
pub const ASC_NOT_READY: u8 = 0x04;

/// Pages of vital product data (SPC-4 7.8, SBC-3 6.6).
pub mod vpd {
    /// Supported VPD pages.
    pub const SUPPORTED: u8 = 0x00;
    /// Unit serial number.
    pub const SERIAL: u8 = 0x80;
    /// Device identification.
    pub const IDENTIFICATION: u8 = 0x83;
    /// Block limits.
    pub const BLOCK_LIMITS: u8 = 0xb0;
    /// Logical block provisioning.
    pub const PROVISIONING: u8 = 0xb2;
}

/// Caching mode page (SBC-3 6.5.5); asked for the header before it.
pub const MODE_PAGE_CACHING: u8 = 0x08;
/// All mode pages (SPC-4 6.11.1).
pub const MODE_PAGE_ALL: u8 = 0x3f;
