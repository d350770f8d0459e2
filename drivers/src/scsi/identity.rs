//! Who a unit says it is: INQUIRY and vital product data.

use super::spec::vpd;
use alloc::format;
use alloc::string::{String, ToString};

/// Bytes of standard INQUIRY data that are looked at.
pub const INQUIRY_BYTES: usize = 36;
/// Room for a page of vital product data, in bytes. Within what MODE and
/// INQUIRY of old devices take in one byte.
pub const PAGE_BYTES: usize = 252;

/// Standard INQUIRY data (SPC-4 6.4.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inquiry {
    /// PERIPHERAL QUALIFIER: 0 connected, 1 not connected, 3 no such unit.
    pub qualifier: u8,
    /// PERIPHERAL DEVICE TYPE.
    pub device_type: u8,
    /// Vendor, trimmed.
    pub vendor: String,
    /// Product, trimmed.
    pub product: String,
}

impl Inquiry {
    /// From standard INQUIRY data.
    #[must_use]
    pub fn from_bytes(data: &[u8; INQUIRY_BYTES]) -> Self {
        Self {
            qualifier: data[0] >> 5,
            device_type: data[0] & 0x1f,
            vendor: text(&data[8..16]),
            product: text(&data[16..32]),
        }
    }

    /// The device type in words.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self.device_type {
            0x00 => "disk",
            0x01 => "tape drive",
            0x03 => "processor device",
            0x05 => "CD-ROM drive",
            0x07 => "optical memory device",
            0x08 => "medium changer",
            0x0c => "storage array controller",
            0x0d => "enclosure",
            0x0e => "simplified disk",
            0x1f => "device of unknown type",
            _ => "device of another type",
        }
    }
}

/// The body of a page of vital product data; `None` if `data` holds another page.
#[must_use]
pub fn page_body(data: &[u8], page: u8) -> Option<&[u8]> {
    let (header, rest) = data.split_first_chunk::<4>()?;
    let stated = usize::from(u16::from_be_bytes([header[2], header[3]]));
    (header[1] == page).then(|| &rest[..stated.min(rest.len())])
}

/// Serial number in the unit serial number page.
#[must_use]
pub fn serial(body: &[u8]) -> String {
    text(body)
}

/// World-wide name in the device identification page (SPC-4 7.8.5): the NAA
/// name of the logical unit, else its EUI-64; empty where there is neither.
#[must_use]
pub fn world_wide_name(body: &[u8]) -> String {
    let mut best = String::new();
    let mut rest = body;
    while let Some((header, tail)) = rest.split_first_chunk::<4>() {
        let len = usize::from(header[3]).min(tail.len());
        let (name, next) = tail.split_at(len);
        let of_the_unit = header[1] >> 4 & 3 == 0;
        match (of_the_unit, header[0] & 0xf, header[1] & 0xf) {
            (true, 1, 3) => return format!("naa.{}", hex(name)),
            (true, 1, 2) if best.is_empty() => best = format!("eui.{}", hex(name)),
            _ => {}
        }
        rest = next;
    }
    best
}

/// MAXIMUM TRANSFER LENGTH in the block limits page (SBC-3 6.6.4), in blocks; 0
/// where none is stated.
#[must_use]
pub fn max_transfer_blocks(body: &[u8]) -> u32 {
    match body.get(4..8) {
        Some(field) => u32::from_be_bytes([field[0], field[1], field[2], field[3]]),
        None => 0,
    }
}

/// LBPU in the logical block provisioning page (SBC-3 6.6.7): UNMAP is taken.
#[must_use]
pub fn takes_unmap(body: &[u8]) -> bool {
    body.get(1).is_some_and(|flags| flags & 0x80 != 0)
}

/// Whether the list of supported pages names `page`.
#[must_use]
pub fn lists_page(body: &[u8], page: u8) -> bool {
    page == vpd::SUPPORTED || body.contains(&page)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Printable ASCII of a field, trimmed; what is not printable becomes `?`, so
/// that no device writes control codes into a report.
fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0);
    let shown: String = field[..end.unwrap_or(field.len())]
        .iter()
        .map(|byte| match byte {
            b' '..=b'~' => char::from(*byte),
            _ => '?',
        })
        .collect();
    shown.trim().to_string()
}
