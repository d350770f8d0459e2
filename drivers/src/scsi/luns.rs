//! Logical units of a target.

use alloc::vec::Vec;

/// Room for REPORT LUNS, in bytes: 255 units.
pub const LUNS_BYTES: usize = 8 + 255 * 8;

/// Logical unit numbers in REPORT LUNS data (SPC-4 6.33), ascending; those
/// addressed by more than one level or by a form other than peripheral or flat
/// (SAM-5 4.7.7) are left out.
#[must_use]
pub fn parse(data: &[u8]) -> Vec<u16> {
    let Some((header, list)) = data.split_first_chunk::<8>() else {
        return Vec::new();
    };
    let stated = u32::from_be_bytes([header[0], header[1], header[2], header[3]]) as usize;
    let list = &list[..stated.min(list.len())];
    let mut luns: Vec<u16> = list.chunks_exact(8).filter_map(number).collect();
    luns.sort_unstable();
    luns.dedup();
    luns
}

fn number(wire: &[u8]) -> Option<u16> {
    let first = u16::from_be_bytes([wire[0], wire[1]]);
    if wire[2..].iter().any(|byte| *byte != 0) {
        return None;
    }
    match first >> 14 {
        0 if first < 256 => Some(first),
        1 => Some(first & 0x3fff),
        _ => None,
    }
}
