//! Rings, tags and the memory of each slot: what one command in flight needs.

use super::ring::Rings;
use super::spec::{flag, lun_word, target_word};
use crate::block::{Op, Tag, TagTable};
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};
use crate::scsi::sense::SENSE_BYTES;
use crate::scsi::{ScsiAddress, UNMAP_LIST_BYTES, Wire};

/// Shared memory of a slot: sense data, then the parameter list of an UNMAP.
const SLOT_BYTES: usize = 128;
const LIST_OFFSET: usize = SENSE_BYTES;
const _: () = assert!(LIST_OFFSET + UNMAP_LIST_BYTES <= SLOT_BYTES);

/// A context is a tag of 32 bits: ESXi keeps no more of it (L `PVSCSIRingReqDesc`).
const CONTEXT_BITS: u32 = 32;

/// The two words of a descriptor that name the unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitWords {
    pub(super) lun: u64,
    pub(super) target: u64,
}

/// The words of a descriptor that do not depend on where a command reads or
/// writes, each in its place.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    data_bytes: u64,
    /// Word 4: length of the sense data, direction.
    flags: u64,
    /// Words 7 and 8: length of the CDB, unit.
    unit: [u64; 2],
    /// Data length and disk.
    shadow: Shadow,
}

impl Frame {
    pub(super) const NONE: Self = Self {
        data_bytes: 0,
        flags: 0,
        unit: [0; 2],
        shadow: Shadow(0),
    };

    /// `direction` is one of [`flag`](super::spec::flag).
    pub(super) const fn new(
        unit: &UnitWords,
        cdb_bytes: u8,
        direction: u64,
        data_bytes: u32,
        disk: u16,
    ) -> Self {
        Self {
            data_bytes: data_bytes as u64,
            flags: direction | SENSE_BYTES as u64,
            unit: [unit.lun | cdb_bytes as u64, unit.target],
            shadow: Shadow::new(data_bytes, disk),
        }
    }
}

impl Wire for UnitWords {
    type Frame = Frame;
    const NONE: Frame = Frame::NONE;

    fn of(at: ScsiAddress) -> Option<Self> {
        Some(Self {
            lun: lun_word(u8::try_from(at.lun).ok()?),
            target: target_word(u8::try_from(at.target).ok()?),
        })
    }

    fn frame(&self, op: Op, cdb_bytes: u8, data_bytes: u32, disk: u16) -> Frame {
        let direction = match op {
            Op::Read => flag::TO_HOST,
            Op::Flush => flag::NONE,
            Op::Write | Op::WriteDurable | Op::Trim => flag::TO_DEVICE,
        };
        Frame::new(self, cdb_bytes, direction, data_bytes, disk)
    }
}

/// What the driver remembers of a command in flight, as the note of its tag:
/// data length 31:0, disk 47:32, low half of the ring index 63:48.
#[derive(Clone, Copy)]
pub(super) struct Shadow(u64);

impl Shadow {
    const fn new(data_bytes: u32, disk: u16) -> Self {
        Self(data_bytes as u64 | (disk as u64) << 32)
    }

    #[inline]
    const fn at(self, index: u32) -> Self {
        Self(self.0 | (index as u64) << 48)
    }

    pub(super) const fn data_bytes(self) -> u64 {
        self.0 as u32 as u64
    }

    pub(super) const fn disk(self) -> u16 {
        (self.0 >> 32) as u16
    }

    pub(super) const fn low_index(self) -> u16 {
        (self.0 >> 48) as u16
    }
}

/// The one queue of an adapter.
pub(super) struct Queue<R> {
    pub(super) rings: Rings<R>,
    pub(super) tags: TagTable,
    slots: R,
    slots_address: BusAddr,
}

impl<R: DmaRegion> Queue<R> {
    pub(super) fn allocate<H: Hal<Region = R>>(hal: &H, pages: u16) -> Result<Self, DmaError> {
        let rings = Rings::allocate(hal, pages)?;
        let entries = rings.entries();
        let slots = hal.allocate(DmaLayout::pages(entries as usize * SLOT_BYTES))?;
        Ok(Self {
            rings,
            tags: TagTable::new(entries as u16, CONTEXT_BITS),
            slots_address: slots.bus_addr(),
            slots,
        })
    }

    /// Writes a command into the ring; `None` if all slots are in flight.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        frame: &Frame,
        cdb: [u64; 2],
        data: BusAddr,
        cookie: u32,
    ) -> Option<Tag> {
        let tag = self.take(frame, cookie)?;
        self.write(tag, frame, cdb, data);
        Some(tag)
    }

    /// The same for a command whose data is the parameter list of an UNMAP, which
    /// lies beside the slot's sense data.
    pub(super) fn push_list(
        &mut self,
        frame: &Frame,
        cdb: [u64; 2],
        list: &[u64; 3],
        cookie: u32,
    ) -> Option<Tag> {
        let tag = self.take(frame, cookie)?;
        let offset = tag.slot() * SLOT_BYTES + LIST_OFFSET;
        self.slots.write_words(offset, list);
        let data = self.slots_address.add(offset as u64);
        self.write(tag, frame, cdb, data);
        Some(tag)
    }

    #[inline(always)]
    fn take(&mut self, frame: &Frame, cookie: u32) -> Option<Tag> {
        let shadow = frame.shadow.at(self.rings.next_index());
        self.tags.take_noting(cookie, shadow.0)
    }

    #[inline(always)]
    fn write(&mut self, tag: Tag, frame: &Frame, cdb: [u64; 2], data: BusAddr) {
        self.rings.push(&[
            u64::from(tag.bits()),
            data.0,
            frame.data_bytes,
            self.slots_address.0 + (tag.slot() * SLOT_BYTES) as u64,
            frame.flags,
            cdb[0],
            cdb[1],
            frame.unit[0],
            frame.unit[1],
        ]);
    }

    /// What is remembered of the command that took a slot last.
    pub(super) fn shadow(&self, slot: usize) -> Shadow {
        Shadow(self.tags.note(slot))
    }

    /// Whether a context names a command that the device has not been shown yet.
    #[cold]
    pub(super) fn is_unpublished(&self, context: u64) -> bool {
        let slot = self.tags.slot_of(context as u32);
        !self.rings.is_published(self.shadow(slot).low_index())
    }

    /// Takes the sense data of a slot, and clears it so that it is not taken for
    /// that of a later command. `stated_bytes` is what the device says it wrote;
    /// where it says nothing, all are looked at.
    pub(super) fn take_sense(&mut self, slot: usize, stated_bytes: u32) -> [u8; SENSE_BYTES] {
        let mut sense = [0; SENSE_BYTES];
        self.slots.read_bytes(slot * SLOT_BYTES, &mut sense);
        self.slots.write_bytes(slot * SLOT_BYTES, &[0; SENSE_BYTES]);
        if stated_bytes != 0 {
            sense[SENSE_BYTES.min(stated_bytes as usize)..].fill(0);
        }
        sense
    }
}
