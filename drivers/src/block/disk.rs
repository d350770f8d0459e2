//! Disks as a controller finds them.

use alloc::string::String;

/// Where a disk sits behind its controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiskAddress {
    /// SCSI target and logical unit.
    Scsi {
        /// Target number.
        target: u16,
        /// Logical unit number.
        lun: u16,
    },
    /// NVMe namespace identifier, from 1.
    Namespace(u32),
}

/// A disk that I/O can be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Where it sits.
    pub address: DiskAddress,
    /// Capacity in logical blocks, at least 1.
    pub blocks: u64,
    /// Logical block size in bytes, a power of two of at least 512.
    pub block_size_bytes: u32,
    /// Physical block size in bytes, a multiple of the logical one.
    pub physical_block_bytes: u32,
    /// Write-protected, as the device says.
    pub read_only: bool,
    /// The device takes FUA on writes.
    pub durable_writes: bool,
    /// The device takes trims.
    pub trim: bool,
    /// Longest command the disk itself takes in bytes; `u64::MAX` where it says nothing.
    pub max_transfer_bytes: u64,
    /// Vendor, trimmed; empty where there is none.
    pub vendor: String,
    /// Model, trimmed.
    pub model: String,
    /// Serial number, trimmed; empty where the disk has none.
    pub serial: String,
    /// World-wide name such as `naa.5000c50015ea71ac`; empty where the disk has none.
    pub wwid: String,
}

/// Something that answered but is not a disk to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Where it sits.
    pub address: DiskAddress,
    /// Why it is left alone, for a person to read.
    pub reason: String,
}
