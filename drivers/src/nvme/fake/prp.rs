//! Where the data of a command lies (4.3), followed rule by rule.

use crate::fake::FakeMemory;
use crate::hal::BusAddr;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Bytes of a memory page.
const PAGE: u64 = 4096;

/// A broken rule, and the status field a strict device answers.
pub(super) struct Broken {
    pub(super) what: String,
    pub(super) status: u16,
}

/// PRP Offset Invalid, do not retry.
const OFFSET_INVALID: u16 = 0x4013;

/// The pieces of `bytes` bytes behind PRP1 and PRP2, and the list pages passed.
pub(super) fn pieces(
    memory: &FakeMemory,
    prp1: u64,
    prp2: u64,
    bytes: u64,
) -> Result<(Vec<(BusAddr, usize)>, u32), Broken> {
    let broken = |what: String| {
        Err(Broken {
            what,
            status: OFFSET_INVALID,
        })
    };
    if !prp1.is_multiple_of(4) {
        return broken(format!("PRP1 {prp1:#x} is no multiple of 4"));
    }
    let first = bytes.min(PAGE - prp1 % PAGE);
    let mut pieces = alloc::vec![(BusAddr(prp1), first as usize)];
    let mut left = bytes - first;
    if left == 0 {
        return if prp2 == 0 {
            Ok((pieces, 0))
        } else {
            broken(format!("PRP2 {prp2:#x} where it is reserved"))
        };
    }
    if left <= PAGE {
        return if prp2.is_multiple_of(PAGE) {
            pieces.push((BusAddr(prp2), left as usize));
            Ok((pieces, 0))
        } else {
            broken(format!("PRP2 {prp2:#x} has an offset"))
        };
    }
    if !prp2.is_multiple_of(8) {
        return broken(format!("PRP list at {prp2:#x}"));
    }
    let mut at = prp2;
    let mut list_pages = 1;
    while left > 0 {
        let mut entry = [0; 8];
        memory.device_read(BusAddr(at), &mut entry);
        let entry = u64::from_le_bytes(entry);
        if entry == 0 || !entry.is_multiple_of(PAGE) {
            return broken(format!("PRP entry {entry:#x} at {at:#x}"));
        }
        let last_slot = at % PAGE == PAGE - 8;
        if last_slot && left > PAGE {
            at = entry;
            list_pages += 1;
            continue;
        }
        let piece = left.min(PAGE);
        pieces.push((BusAddr(entry), piece as usize));
        left -= piece;
        at += 8;
    }
    Ok((pieces, list_pages))
}

/// Where a device that follows the rules finds `bytes` bytes behind PRP1 and PRP2.
///
/// # Errors
/// The rule that is broken, in words.
pub fn walk_prps(
    memory: &FakeMemory,
    prp1: u64,
    prp2: u64,
    bytes: u64,
) -> Result<Vec<(BusAddr, usize)>, String> {
    match pieces(memory, prp1, prp2, bytes) {
        Ok((pieces, _)) => Ok(pieces),
        Err(broken) => Err(broken.what),
    }
}
