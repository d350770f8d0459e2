//! What one logical unit is.

use super::capacity::{CAPACITY_10_BYTES, CAPACITY_16_BYTES, Capacity};
use super::identity::{self, INQUIRY_BYTES, Inquiry, PAGE_BYTES};
use super::mode::{MODE_HEADER_BYTES, ModeHeader};
use super::spec::{ASC_NO_MEDIUM, ASC_NOT_READY, MODE_PAGE_ALL, MODE_PAGE_CACHING, key, vpd};
use super::{Cdb, ScsiAddress, ScsiPort};
use crate::block::{ControllerError, Disk, Sense, Status};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How often a command is sent before its answer is taken as it is. A unit may
/// have several UNIT ATTENTION conditions to tell, and be busy for a while.
const ATTEMPTS: u32 = 50;

/// What was found at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Nothing.
    Absent,
    /// Something that is left alone: why.
    Ignored(String),
    /// A disk.
    Disk(Disk),
}

/// Sends a command until it is neither refused by UNIT ATTENTION nor for want
/// of time or room; bounded.
fn command(
    port: &mut dyn ScsiPort,
    at: ScsiAddress,
    cdb: &Cdb,
    data_in: &mut [u8],
) -> Result<Status, ControllerError> {
    let mut status = Status::Busy;
    for _ in 0..ATTEMPTS {
        status = port.execute(at, cdb, data_in)?;
        match status {
            Status::UnitAttention(_) => {}
            Status::Busy | Status::Aborted => port.pause(),
            Status::Check(sense) if is_becoming_ready(sense) => port.pause(),
            _ => break,
        }
    }
    Ok(status)
}

fn is_becoming_ready(sense: Sense) -> bool {
    sense.key == key::NOT_READY && sense.asc == ASC_NOT_READY && sense.ascq == 1
}

fn has_data(status: Status) -> bool {
    matches!(status, Status::Ok | Status::ShortTransfer)
}

/// Asks a unit whether it is ready until it has told all its UNIT ATTENTION
/// conditions; its last answer.
///
/// # Errors
/// As [`ScsiPort::execute`].
pub fn settle(port: &mut dyn ScsiPort, at: ScsiAddress) -> Result<Status, ControllerError> {
    command(port, at, &Cdb::test_unit_ready(), &mut [])
}

/// Asks a disk again what it is.
///
/// # Errors
/// [`ControllerError::Refused`] if there is no disk any more; else as
/// [`ScsiPort::execute`].
pub fn look_again(port: &mut dyn ScsiPort, at: ScsiAddress) -> Result<Disk, ControllerError> {
    match probe(port, at)? {
        Probe::Disk(fresh) => Ok(fresh),
        Probe::Absent | Probe::Ignored(_) => Err(ControllerError::Refused {
            what: "a disk at this address",
            answer: u64::from(at.target),
        }),
    }
}

/// Logical units of a target; unit 0 alone where it does not say.
pub(super) fn report_luns(
    port: &mut dyn ScsiPort,
    target: u16,
) -> Result<Vec<u16>, ControllerError> {
    let at = ScsiAddress { target, lun: 0 };
    let mut data = [0; super::luns::LUNS_BYTES];
    let cdb = Cdb::report_luns(data.len() as u32);
    let status = command(port, at, &cdb, &mut data)?;
    let luns = super::luns::parse(&data);
    Ok(if has_data(status) && !luns.is_empty() {
        luns
    } else {
        alloc::vec![0]
    })
}

/// Finds out what a unit is.
///
/// # Errors
/// As [`ScsiPort::execute`].
pub fn probe(port: &mut dyn ScsiPort, at: ScsiAddress) -> Result<Probe, ControllerError> {
    let mut data = [0; INQUIRY_BYTES];
    let status = command(port, at, &Cdb::inquiry(INQUIRY_BYTES as u16), &mut data)?;
    match status {
        Status::NoDevice => return Ok(Probe::Absent),
        status if has_data(status) => {}
        status => return Ok(Probe::Ignored(format!("INQUIRY failed: {status}"))),
    }
    let inquiry = Inquiry::from_bytes(&data);
    if inquiry.qualifier != 0 {
        return Ok(Probe::Absent);
    }
    let ready = settle(port, at)?;
    let no_medium = matches!(ready, Status::Check(sense)
        if sense.key == key::NOT_READY && sense.asc == ASC_NO_MEDIUM);
    if inquiry.device_type != 0 || no_medium {
        let note = if no_medium { ", no medium" } else { "" };
        return Ok(Probe::Ignored(format!("{}{note}", inquiry.type_name())));
    }
    if !ready.is_ok() {
        return Ok(Probe::Ignored(format!("disk, not ready: {ready}")));
    }
    let capacity = match read_capacity(port, at)? {
        Ok(capacity) => capacity,
        Err(reason) => return Ok(Probe::Ignored(reason)),
    };
    Ok(match reason_against(&capacity) {
        Some(reason) => Probe::Ignored(reason),
        None => Probe::Disk(describe(port, at, inquiry, &capacity)?),
    })
}

/// The capacity, or why there is none.
fn read_capacity(
    port: &mut dyn ScsiPort,
    at: ScsiAddress,
) -> Result<Result<Capacity, String>, ControllerError> {
    let mut long = [0; CAPACITY_16_BYTES];
    let cdb = Cdb::read_capacity_16(CAPACITY_16_BYTES as u8);
    if has_data(command(port, at, &cdb, &mut long)?) {
        return Ok(Ok(Capacity::from_16(&long)));
    }
    let mut short = [0; CAPACITY_10_BYTES];
    let status = command(port, at, &Cdb::read_capacity_10(), &mut short)?;
    Ok(match status {
        Status::Check(sense) if sense.key == key::NOT_READY => {
            Err(format!("disk of size zero or not ready: {status}"))
        }
        status if !has_data(status) => Err(format!("disk without a capacity: {status}")),
        _ => Capacity::from_10(&short)
            .ok_or_else(|| "disk too large for READ CAPACITY(10)".to_string()),
    })
}

fn reason_against(capacity: &Capacity) -> Option<String> {
    let size = capacity.block_size_bytes;
    if capacity.blocks == 0 {
        Some("disk of size zero".to_string())
    } else if size < 512 || !size.is_power_of_two() {
        Some(format!(
            "disk with blocks of {size} bytes, which is no power of two from 512 on"
        ))
    } else if capacity.blocks.checked_mul(u64::from(size)).is_none() {
        Some(format!(
            "disk of {} blocks, which is too large",
            capacity.blocks
        ))
    } else {
        None
    }
}

fn describe(
    port: &mut dyn ScsiPort,
    at: ScsiAddress,
    inquiry: Inquiry,
    capacity: &Capacity,
) -> Result<Disk, ControllerError> {
    let mode = mode_header(port, at)?;
    let mut disk = Disk {
        address: at.into(),
        blocks: capacity.blocks,
        block_size_bytes: capacity.block_size_bytes,
        physical_block_bytes: capacity.physical_block_bytes,
        read_only: mode.write_protected,
        durable_writes: mode.takes_fua,
        trim: false,
        max_transfer_bytes: u64::MAX,
        vendor: inquiry.vendor,
        model: inquiry.product,
        serial: String::new(),
        wwid: String::new(),
    };
    // A unit that does not list its pages may take a request for one badly.
    let Some(pages) = vital_page(port, at, vpd::SUPPORTED)? else {
        return Ok(disk);
    };
    let mut page = |number: u8| match identity::lists_page(&pages, number) {
        true => vital_page(port, at, number),
        false => Ok(None),
    };
    if let Some(body) = page(vpd::SERIAL)? {
        disk.serial = identity::serial(&body);
    }
    if let Some(body) = page(vpd::IDENTIFICATION)? {
        disk.wwid = identity::world_wide_name(&body);
    }
    if let Some(body) = page(vpd::BLOCK_LIMITS)? {
        let blocks = identity::max_transfer_blocks(&body);
        if blocks != 0 {
            disk.max_transfer_bytes = u64::from(blocks) * u64::from(disk.block_size_bytes);
        }
    }
    if capacity.provisioned {
        let body = page(vpd::PROVISIONING)?;
        disk.trim = body.is_some_and(|body| identity::takes_unmap(&body));
    }
    Ok(disk)
}

/// The mode header; a unit that has none is taken as writable and without FUA.
fn mode_header(port: &mut dyn ScsiPort, at: ScsiAddress) -> Result<ModeHeader, ControllerError> {
    for page in [MODE_PAGE_CACHING, MODE_PAGE_ALL] {
        let mut header = [0; MODE_HEADER_BYTES];
        let cdb = Cdb::mode_sense(page, MODE_HEADER_BYTES as u8);
        if has_data(command(port, at, &cdb, &mut header)?) {
            return Ok(ModeHeader::from_6(&header));
        }
    }
    Ok(ModeHeader::default())
}

/// The body of a page of vital product data; `None` if the unit does not give it.
fn vital_page(
    port: &mut dyn ScsiPort,
    at: ScsiAddress,
    page: u8,
) -> Result<Option<Vec<u8>>, ControllerError> {
    let mut data = [0; PAGE_BYTES];
    let cdb = Cdb::inquiry_page(page, PAGE_BYTES as u16);
    let status = command(port, at, &cdb, &mut data)?;
    let body = identity::page_body(&data, page).filter(|_| has_data(status));
    Ok(body.map(<[u8]>::to_vec))
}
