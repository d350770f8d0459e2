//! Rings, tags and the memory of each slot: what one command in flight needs.

use super::ring::Rings;
use crate::block::{Tag, TagTable};
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};
use crate::scsi::sense::SENSE_BYTES;
use crate::scsi::{Cdb, UNMAP_LIST_BYTES};

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

/// One command, ready to become a descriptor.
pub(super) struct Command<'a> {
    pub(super) unit: &'a UnitWords,
    pub(super) cdb: Cdb,
    /// Direction, in place in word 4.
    pub(super) flags: u64,
    pub(super) data: BusAddr,
    pub(super) data_bytes: u32,
    pub(super) disk: u16,
    pub(super) cookie: u32,
}

/// What the driver remembers of a command in flight, as the note of its tag:
/// data length 31:0, low half of the ring index 47:32, disk 63:48.
#[derive(Clone, Copy)]
pub(super) struct Shadow(u64);

impl Shadow {
    #[inline]
    const fn new(data_bytes: u32, index: u32, disk: u16) -> Self {
        Self(data_bytes as u64 | (index as u16 as u64) << 32 | (disk as u64) << 48)
    }

    pub(super) const fn data_bytes(self) -> u64 {
        self.0 as u32 as u64
    }

    pub(super) const fn low_index(self) -> u16 {
        (self.0 >> 32) as u16
    }

    pub(super) const fn disk(self) -> u16 {
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
    pub(super) fn push(&mut self, command: &Command<'_>) -> Option<Tag> {
        let tag = self.take(command)?;
        self.write(tag, command, command.data);
        Some(tag)
    }

    /// The same for a command whose data is the parameter list of an UNMAP, which
    /// lies beside the slot's sense data.
    pub(super) fn push_list(&mut self, command: &Command<'_>, list: &[u64; 3]) -> Option<Tag> {
        let tag = self.take(command)?;
        let offset = tag.slot() * SLOT_BYTES + LIST_OFFSET;
        self.slots.write_words(offset, list);
        let data = self.slots_address.add(offset as u64);
        self.write(tag, command, data);
        Some(tag)
    }

    #[inline]
    fn take(&mut self, command: &Command<'_>) -> Option<Tag> {
        let index = self.rings.next_index();
        let shadow = Shadow::new(command.data_bytes, index, command.disk);
        self.tags.take_noting(command.cookie, shadow.0)
    }

    #[inline]
    fn write(&mut self, tag: Tag, command: &Command<'_>, data: BusAddr) {
        self.rings.push(&[
            u64::from(tag.bits()),
            data.0,
            u64::from(command.data_bytes),
            self.slots_address.0 + (tag.slot() * SLOT_BYTES) as u64,
            command.flags | SENSE_BYTES as u64,
            command.cdb.words[0],
            command.cdb.words[1],
            command.unit.lun | u64::from(command.cdb.len_bytes),
            command.unit.target,
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
