//! Data buffers: what a row needs, what is in them before, and a look after.

use super::data::Data;
use super::spec::{Kind, Spec};
use super::state::{Row, depth_limit};
use drivers::block::{BufferId, Controller, Limits, Op};
use proto::pattern::UNIT_BYTES;

/// What the start of a read buffer holds until data arrives.
pub const UNREAD_MARK: [u8; 16] = *b"ioprobe: unread\n";

/// Read buffers that are looked at after a row.
const LOOKED_AT: usize = 64;

/// Buffers that [`super::run`] wants in the controller's pool.
#[must_use]
pub fn buffers_needed(spec: &Spec, limits: &Limits) -> u32 {
    let depth = depth_limit(spec, limits) as u32;
    if spec.kind == Kind::Mix {
        2 * depth
    } else {
        depth
    }
}

/// Length of each of them in bytes.
#[must_use]
pub fn buffer_bytes(spec: &Spec) -> u64 {
    if spec.trims() {
        return u64::from(spec.block_size_bytes);
    }
    match spec.kind {
        Kind::Read => spec.read.bs_bytes,
        Kind::Write => spec.write.bs_bytes,
        Kind::Mix => spec.read.bs_bytes.max(spec.write.bs_bytes),
    }
}

/// Fills write buffers with the pattern, and marks read buffers as unread.
pub(super) fn prepare(ctl: &mut dyn Controller, spec: &Spec, depth: usize) {
    if spec.kind != Kind::Write {
        for buffer in 0..depth.min(LOOKED_AT) {
            ctl.fill_buffer(BufferId(buffer as u32), 0, &UNREAD_MARK);
        }
    }
    if spec.kind != Kind::Read && !spec.trims() {
        let base = if spec.kind == Kind::Mix { depth } else { 0 };
        let mut data = spec.extras.data.clone();
        fill(ctl, &mut data, base, depth, spec.write.bs_bytes);
    }
}

/// Fills write buffers again, after others used the pool.
pub(super) fn prepare_writes(row: &mut Row<'_>, ctl: &mut dyn Controller) {
    if row.kind == Kind::Read || row.tracks[1].op == Op::Trim {
        return;
    }
    let track = &row.tracks[1];
    fill(
        ctl,
        &mut row.data,
        track.buffer_base as usize,
        row.depth,
        track.bs_bytes,
    );
    // What waits to be sent again needs its keys.
    if !row.data.is_keyed() {
        return;
    }
    for (slot, io) in row.table.open().filter(|(_, io)| io.lane() == 1) {
        let buffer = BufferId(track.buffer_base + slot as u32);
        super::issue::stamp_keys(ctl, buffer, io.lba() << row.block_shift, track.bs_bytes);
    }
}

fn fill(ctl: &mut dyn Controller, data: &mut Data, base: usize, count: usize, bytes: u64) {
    for buffer in base..base + count {
        data.fill(ctl, BufferId(buffer as u32), bytes);
    }
}

impl Row<'_> {
    /// Whether the data that the last reads left behind is all zero; `None` if
    /// there were none. Nothing may be in flight.
    pub fn looks_all_zero(&self, ctl: &dyn Controller) -> Option<bool> {
        if self.kind == Kind::Write {
            return None;
        }
        let mut seen = false;
        let mut unit = [0; UNIT_BYTES];
        for buffer in 0..self.depth.min(LOOKED_AT) {
            let buffer = BufferId(buffer as u32);
            ctl.read_buffer(buffer, 0, &mut unit);
            if unit.starts_with(&UNREAD_MARK) {
                continue;
            }
            seen = true;
            for at in (0..self.tracks[0].bs_bytes as usize).step_by(UNIT_BYTES) {
                ctl.read_buffer(buffer, at, &mut unit);
                if unit != [0; UNIT_BYTES] {
                    return Some(false);
                }
            }
        }
        seen.then_some(true)
    }
}
