//! What Identify returns, as values (5.15).

use super::spec::{CQE_SHIFT, IDENTIFY_BYTES, SQE_SHIFT, cns, controller, namespace};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// One data structure as the device wrote it.
pub(super) type Page = [u8; IDENTIFY_BYTES];

fn u16_at(page: &Page, at: usize) -> u16 {
    u16::from_le_bytes([page[at], page[at + 1]])
}

fn u32_at(page: &Page, at: usize) -> u32 {
    u32::from(u16_at(page, at)) | u32::from(u16_at(page, at + 2)) << 16
}

fn u64_at(page: &Page, at: usize) -> u64 {
    u64::from(u32_at(page, at)) | u64::from(u32_at(page, at + 4)) << 32
}

/// Printable ASCII with the padding gone.
fn text(page: &Page, range: Range<usize>) -> String {
    let text: String = page[range]
        .iter()
        .map(|&byte| match byte {
            b' '..=b'~' => char::from(byte),
            0 => ' ',
            _ => '?',
        })
        .collect();
    String::from(text.trim())
}

/// Identify Controller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControllerInfo {
    /// Serial number, trimmed.
    pub serial: String,
    /// Model, trimmed.
    pub model: String,
    /// Longest transfer in bytes; `None` where the device sets no limit.
    pub max_transfer_bytes: Option<u64>,
    /// How long an orderly shutdown may take in milliseconds; 0 where not reported.
    pub shutdown_ms: u64,
    /// Highest namespace identifier.
    pub max_nsid: u32,
    /// Shadow doorbells are offered.
    pub shadow_doorbells: bool,
    /// Deallocation of blocks is offered.
    pub trim: bool,
    /// The state of write protection can be asked for.
    pub write_protection: bool,
    /// Notices of changed namespaces are offered.
    pub namespace_notices: bool,
    /// Queue entries have the sizes this driver writes.
    pub entry_sizes_fit: bool,
}

impl ControllerInfo {
    /// From the data structure; `min_page_bytes` is the unit of MDTS.
    #[must_use]
    pub fn parse(page: &Page, min_page_bytes: u64) -> Self {
        let max_transfer_bytes = match page[controller::MDTS] {
            0 => None,
            power => min_page_bytes
                .checked_shl(power.into())
                .filter(|&bytes| bytes != 0),
        };
        let has = |at, bit: u16| u16_at(page, at) & bit != 0;
        let notices = super::spec::event::NAMESPACE_CHANGED;
        Self {
            serial: text(page, controller::SERIAL),
            model: text(page, controller::MODEL),
            max_transfer_bytes,
            shutdown_ms: u64::from(u32_at(page, controller::RTD3E).div_ceil(1000)),
            max_nsid: u32_at(page, controller::NN),
            shadow_doorbells: has(controller::OACS, controller::OACS_DOORBELL_BUFFER),
            trim: has(controller::ONCS, controller::ONCS_DATASET_MANAGEMENT),
            write_protection: page[controller::NWPC] & 1 != 0,
            namespace_notices: u32_at(page, controller::OAES) & notices != 0,
            entry_sizes_fit: u32::from(page[controller::SQES] & 0xf) <= SQE_SHIFT
                && u32::from(page[controller::CQES] & 0xf) <= CQE_SHIFT,
        }
    }
}

/// Why a namespace is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It has no blocks, as those have that are not active.
    Empty,
    /// Its format keeps this many bytes of metadata with each block.
    Metadata(u16),
    /// Its block size, as log2 of bytes, is none that disks have.
    BlockShift(u8),
    /// Its size in blocks does not fit 64 bits in bytes.
    Blocks(u64),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "empty, 0 blocks"),
            Self::Metadata(bytes) => {
                write!(f, "formatted with {bytes} bytes of metadata per block")
            }
            Self::BlockShift(shift) => write!(f, "block size of 2^{shift} bytes"),
            Self::Blocks(blocks) => write!(f, "impossible size of {blocks} blocks"),
        }
    }
}

/// A namespace that I/O can be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceInfo {
    /// Size in blocks, at least 1.
    pub blocks: u64,
    /// log2 of the block's bytes, 9..=16.
    pub block_shift: u8,
    /// Preferred write granularity in bytes, at least a block.
    pub preferred_write_bytes: u32,
    /// Write-protected now.
    pub read_only: bool,
    /// `eui.` and the globally unique identifier, or the EUI-64; else empty.
    pub wwid: String,
}

impl NamespaceInfo {
    /// From the data structure.
    ///
    /// # Errors
    /// [`Unusable`] where there is no disk to send I/O to.
    pub fn parse(page: &Page) -> Result<Self, Unusable> {
        let blocks = u64_at(page, namespace::NSZE);
        if blocks == 0 {
            return Err(Unusable::Empty);
        }
        let format = usize::from(page[namespace::FLBAS] & 0xf);
        let at = namespace::LBAF + 4 * format;
        let metadata_bytes = u16_at(page, at);
        if metadata_bytes != 0 {
            return Err(Unusable::Metadata(metadata_bytes));
        }
        let block_shift = page[at + 2];
        if !(9..=16).contains(&block_shift) {
            return Err(Unusable::BlockShift(block_shift));
        }
        if blocks > u64::MAX >> block_shift {
            return Err(Unusable::Blocks(blocks));
        }
        let preferred_blocks = if page[namespace::NSFEAT] & namespace::NSFEAT_PREFERRED != 0 {
            u32::from(u16_at(page, namespace::NPWG)) + 1
        } else {
            1
        };
        // A physical block is a power of two; any other granularity is advice.
        let preferred_blocks = if preferred_blocks.is_power_of_two() {
            preferred_blocks.min(u32::MAX >> block_shift)
        } else {
            1
        };
        Ok(Self {
            blocks,
            block_shift,
            preferred_write_bytes: preferred_blocks << block_shift,
            read_only: page[namespace::NSATTR] & 1 != 0,
            wwid: wwid(page),
        })
    }
}

fn wwid(page: &Page) -> String {
    let hex = |range: Range<usize>| {
        let bytes = &page[range];
        bytes.iter().any(|&byte| byte != 0).then(|| {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("eui.{digits}")
        })
    };
    hex(namespace::NGUID)
        .or_else(|| hex(namespace::EUI64))
        .unwrap_or_default()
}

/// The identifiers of one page of the active namespace list, up to its first zero.
#[must_use]
pub fn active_namespaces(page: &Page) -> Vec<u32> {
    (0..cns::LIST_ENTRIES)
        .map(|index| u32_at(page, 4 * index))
        .take_while(|&nsid| nsid != 0)
        .collect()
}
