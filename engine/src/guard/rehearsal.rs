//! Whether a disk that may be written takes writes at all.
//!
//! Not every device says that it is write-protected: QEMU's NVMe controller in
//! front of a read-only node sets neither NSATTR bit 0 nor NWPC, and answers each
//! write with Write Fault. A row would then be a flood of errors. So before the
//! first of them one block is written back as it was read.

use super::reader::Reader;
use alloc::format;
use alloc::string::String;
use drivers::block::{Refusal, Status};
use drivers::hal::Clock;

/// Writes the block at each of these byte offsets back as it is, until one is
/// taken or the device says outright that the disk is protected. The guard must
/// have allowed it.
///
/// Returns why the disk counts as write-protected; `None` if it takes writes, or
/// if that did not come out, in which case a row will tell.
pub fn rehearse<K: Clock>(reader: &mut Reader<'_, K>, offsets: [u64; 2]) -> Option<String> {
    let mut faults = None;
    for offset in offsets {
        let status = reader.write_back(offset).ok()?;
        let lba = offset / reader.block_bytes();
        match status.refusal() {
            Refusal::Protected => return Some(said(lba, status)),
            Refusal::Fault => faults = Some(said(lba, status)),
            Refusal::None => return None,
        }
    }
    faults
}

fn said(lba: u64, status: Status) -> String {
    format!("it says nothing of write protection, but refuses to write block {lba}: {status}")
}
