//! Reads and writes: what stays the same from one to the next.

use super::{TransferCdb, TransferCode};
use crate::block::{DiskId, Geometry, Lba, Op, Request};

/// Codes of the operations that move data, in the order of [`Op`]; the others
/// come behind them.
const CODES: [TransferCode; KINDS] = [
    TransferCode::READ,
    TransferCode::WRITE,
    TransferCode::WRITE_DURABLE,
];
/// Operations that move data, numbered from 0 as in [`Op`].
pub const KINDS: usize = 3;
const _: () = assert!(Op::Read as u8 == 0 && Op::Write as u8 == 1 && Op::WriteDurable as u8 == 2);
const _: () = assert!(Op::Flush as usize >= KINDS && Op::Trim as usize >= KINDS);

/// All that a workload's transfers of one kind share: they go to one disk and
/// have one length. It is worked out at the first, and a comparison tells
/// whether the next is of the same. `F` is what a driver has worked out besides.
#[derive(Clone, Copy)]
pub struct Transfer<F> {
    disk: u16,
    blocks: u32,
    /// The disk has all blocks of a transfer that starts before this one.
    end: u64,
    /// Its data fit into a buffer from this offset on at most.
    last_offset_bytes: u32,
    /// All of the command but the address.
    pub cdb: TransferCdb,
    /// Of the driver.
    pub frame: F,
}

impl<F> Transfer<F> {
    /// Is for no request.
    pub const fn none(frame: F) -> Self {
        Self {
            disk: 0,
            blocks: 0,
            end: 0,
            last_offset_bytes: 0,
            cdb: TransferCdb::NONE,
            frame,
        }
    }

    /// Of one kind, to one disk, of one length, in buffers of `buffer_bytes`;
    /// `None` if disk or buffers take none such. `frame` is given the lengths
    /// of CDB and data in bytes.
    pub fn new(
        request: &Request,
        geometry: &Geometry,
        buffer_bytes: usize,
        frame: impl FnOnce(u8, u32) -> F,
    ) -> Option<Self> {
        let blocks = request.blocks;
        let code = *CODES.get(request.op as usize)?;
        let data_bytes = geometry.transfer_bytes(Lba(0), blocks)?;
        let last_offset_bytes = buffer_bytes.checked_sub(data_bytes as usize)?;
        let end = geometry.blocks() - u64::from(blocks) + 1;
        let cdb = TransferCdb::new(code, Lba(end - 1), blocks);
        Some(Self {
            disk: request.disk.0,
            blocks,
            end,
            last_offset_bytes: u32::try_from(last_offset_bytes).unwrap_or(u32::MAX),
            cdb,
            frame: frame(cdb.len_bytes(), data_bytes),
        })
    }

    /// Whether it goes to this disk and has this length.
    #[inline]
    #[must_use]
    pub const fn is_for(&self, disk: DiskId, blocks: u32) -> bool {
        self.blocks == blocks && self.disk == disk.0
    }

    /// Whether all its blocks from `lba` on are on the disk, and all its data in
    /// a buffer from `offset_bytes` on.
    #[inline]
    #[must_use]
    pub const fn fits(&self, lba: Lba, offset_bytes: u32) -> bool {
        lba.0 < self.end && offset_bytes <= self.last_offset_bytes
    }
}
