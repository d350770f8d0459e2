//! The data a unit describes itself with.

use super::unit::{Medium, ScsiUnit};
use alloc::vec::Vec;

/// Standard INQUIRY data of a unit (SPC-4 6.4.2), 36 bytes.
pub(super) fn inquiry(unit: &ScsiUnit) -> Vec<u8> {
    let mut data = alloc::vec![0; 36];
    if unit.medium != Medium::Disk {
        data[0] = 5;
        data[1] = 0x80;
    }
    data[2] = 5;
    data[3] = 2;
    data[4] = 31;
    put_text(&mut data[8..16], &unit.vendor);
    put_text(&mut data[16..32], &unit.product);
    put_text(&mut data[32..36], "2.5+");
    data
}

/// INQUIRY data of a LUN that a target does not have: qualifier 3, type 31.
pub(super) fn absent_inquiry() -> Vec<u8> {
    let mut data = alloc::vec![0; 36];
    data[0] = 0x7f;
    data[4] = 31;
    data
}

/// A VPD page (SPC-4 7.8, SBC-3 6.6); `None` if the unit does not have it.
pub(super) fn vital_product_data(unit: &ScsiUnit, page: u8) -> Option<Vec<u8>> {
    let body = match page {
        0x00 => {
            let mut pages = alloc::vec![0x00];
            let optional = [
                (0x80, !unit.serial.is_empty()),
                (0x83, unit.naa != 0),
                (0xb0, unit.medium == Medium::Disk),
                (0xb2, unit.unmap),
            ];
            pages.extend(
                optional
                    .iter()
                    .filter(|(_, has)| *has)
                    .map(|(page, _)| page),
            );
            pages
        }
        0x80 if !unit.serial.is_empty() => unit.serial.as_bytes().to_vec(),
        0x83 if unit.naa != 0 => {
            // A vendor text first, then the binary NAA name of the logical unit.
            let mut designators = alloc::vec![0x02, 0x00, 0, 4];
            designators.extend_from_slice(b"text");
            designators.extend_from_slice(&[0x01, 0x03, 0, 8]);
            designators.extend_from_slice(&unit.naa.to_be_bytes());
            designators
        }
        0xb0 if unit.medium == Medium::Disk => {
            let mut limits = alloc::vec![0; 60];
            limits[4..8].copy_from_slice(&unit.max_transfer_blocks.to_be_bytes());
            limits
        }
        0xb2 if unit.unmap => alloc::vec![0, 0x80, 0, 0],
        _ => return None,
    };
    let device_type = if unit.medium == Medium::Disk { 0 } else { 5 };
    let mut data = alloc::vec![device_type, page];
    data.extend_from_slice(&(body.len() as u16).to_be_bytes());
    data.extend_from_slice(&body);
    Some(data)
}

/// REPORT LUNS data (SPC-4 6.33), peripheral addressing below 256, flat above.
pub(super) fn report_luns(luns: &[u16]) -> Vec<u8> {
    let mut data = alloc::vec![0; 8];
    data[..4].copy_from_slice(&(luns.len() as u32 * 8).to_be_bytes());
    for lun in luns {
        let wire = if *lun < 256 { *lun } else { 0x4000 | *lun };
        data.extend_from_slice(&wire.to_be_bytes());
        data.extend_from_slice(&[0; 6]);
    }
    data
}

/// READ CAPACITY(10) data (SBC-3 5.15).
pub(super) fn capacity_10(unit: &ScsiUnit) -> Vec<u8> {
    let last = u32::try_from(unit.blocks - 1).unwrap_or(u32::MAX);
    let mut data = last.to_be_bytes().to_vec();
    data.extend_from_slice(&unit.block_bytes.to_be_bytes());
    data
}

/// READ CAPACITY(16) data (SBC-3 5.16).
pub(super) fn capacity_16(unit: &ScsiUnit) -> Vec<u8> {
    let mut data = alloc::vec![0; 32];
    data[..8].copy_from_slice(&(unit.blocks - 1).to_be_bytes());
    data[8..12].copy_from_slice(&unit.block_bytes.to_be_bytes());
    data[13] = unit.physical_exponent;
    data[14] = if unit.unmap { 0x80 } else { 0 };
    data
}

/// The device-specific byte of a mode parameter header (SBC-3 6.5.1).
pub(super) fn mode_device_byte(unit: &ScsiUnit) -> u8 {
    u8::from(unit.write_protected) << 7 | u8::from(unit.dpo_fua) << 4
}

fn put_text(field: &mut [u8], text: &str) {
    field.fill(b' ');
    field[..text.len()].copy_from_slice(text.as_bytes());
}
