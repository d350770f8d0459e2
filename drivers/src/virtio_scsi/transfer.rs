//! Reads and writes: what stays the same from one to the next.

use super::controller::Unit;
use super::queue::{Direction, Frame};
use crate::block::{DiskId, Lba, Op};
use crate::scsi::{TransferCdb, TransferCode};

/// Code and direction of the operations that move data, in the order of [`Op`];
/// the others come behind them.
const KINDS: [(TransferCode, Direction); Transfer::KINDS] = [
    (TransferCode::READ, Direction::ToHost),
    (TransferCode::WRITE, Direction::ToDevice),
    (TransferCode::WRITE_DURABLE, Direction::ToDevice),
];
const _: () = assert!(Op::Read as u8 == 0 && Op::Write as u8 == 1 && Op::WriteDurable as u8 == 2);

/// All that a workload's transfers of one kind share: they go to one disk and
/// have one length. It is worked out at the first, and a comparison tells
/// whether the next is of the same.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    disk: u16,
    blocks: u32,
    /// The disk has all blocks of a transfer that starts before this one.
    end: u64,
    /// Its data fit into a buffer from this offset on at most.
    last_offset_bytes: u32,
    pub(super) cdb: TransferCdb,
    pub(super) frame: Frame,
}

impl Transfer {
    /// Kinds of transfers.
    pub(super) const KINDS: usize = 3;

    /// Holds no request.
    pub(super) const NONE: Self = Self {
        disk: 0,
        blocks: 0,
        end: 0,
        last_offset_bytes: 0,
        cdb: TransferCdb::NONE,
        frame: Frame::NONE,
    };

    /// Of one kind, to one disk, of one length, in buffers of `buffer_bytes`;
    /// `None` if disk or buffers take none such.
    pub(super) fn new(
        op: Op,
        disk: DiskId,
        blocks: u32,
        unit: &Unit,
        buffer_bytes: usize,
    ) -> Option<Self> {
        let (code, direction) = *KINDS.get(op as usize)?;
        let data_bytes = unit.geometry.transfer_bytes(Lba(0), blocks)?;
        let last_offset_bytes = buffer_bytes.checked_sub(data_bytes as usize)?;
        let end = unit.geometry.blocks() - u64::from(blocks) + 1;
        let cdb = TransferCdb::new(code, Lba(end - 1), blocks);
        Some(Self {
            disk: disk.0,
            blocks,
            end,
            last_offset_bytes: u32::try_from(last_offset_bytes).unwrap_or(u32::MAX),
            cdb,
            frame: Frame::new(unit.lun, direction, data_bytes, disk.0),
        })
    }

    /// Whether it goes to this disk and has this length.
    #[inline]
    pub(super) const fn is_for(&self, disk: DiskId, blocks: u32) -> bool {
        self.blocks == blocks && self.disk == disk.0
    }

    /// Whether all its blocks from `lba` on are on the disk, and all its data in
    /// a buffer from `offset_bytes` on.
    #[inline]
    pub(super) const fn fits(&self, lba: Lba, offset_bytes: u32) -> bool {
        lba.0 < self.end && offset_bytes <= self.last_offset_bytes
    }
}
