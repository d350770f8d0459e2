//! A request queue: ring, tags, and the memory of each slot.
//!
//! A slot has a request, a response and a chain of three descriptors for good.
//! With indirect descriptors the chains are tables of their own, to which the
//! ring's descriptors point; else they are the ring's descriptors themselves.

use super::regs::Parts;
use super::ring::{Ring, Used};
use super::spec::{
    CDB_SHIFT, MAX_LUN, REQUEST_BYTES, REQUEST_WORDS, SENSE_BYTES, descriptor, lun_word, response,
};
use crate::block::{Op, Tag, TagTable};
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};
use crate::scsi::{ScsiAddress, UNMAP_LIST_BYTES, Wire};

/// Shared memory of a slot: request, response, parameter list of an UNMAP.
const SLOT_BYTES: usize = 256;
const RESPONSE_AT: usize = 64;
const LIST_AT: usize = 192;
const _: () = assert!(REQUEST_BYTES as usize <= RESPONSE_AT);
const _: () = assert!(RESPONSE_AT + response::BYTES as usize <= LIST_AT);
const _: () = assert!(LIST_AT + UNMAP_LIST_BYTES <= SLOT_BYTES);

/// Descriptors of a chain: request, data, response, in this order in memory.
pub(super) const CHAIN_ENTRIES: u16 = 3;
const CHAIN_BYTES: usize = CHAIN_ENTRIES as usize * descriptor::BYTES;
/// Descriptors of a chain, by number.
const DATA: u64 = 1 << descriptor::NEXT_SHIFT;
const RESPONSE: u64 = 2 << descriptor::NEXT_SHIFT;

/// Bits of a tag. An id has room for 64; above the tag it names the queue.
const ID_BITS: u32 = 32;

/// Which way the data of a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    None,
    ToHost,
    ToDevice,
}

/// What does not depend on where a command reads or writes, each word in its
/// place.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    lun: u64,
    /// Second words of the three descriptors, for a chain that starts at 0. What
    /// the device reads comes before what it writes.
    chain: [u64; CHAIN_ENTRIES as usize],
    /// Disk, as the note of its tag.
    disk: u16,
}

impl Frame {
    pub(super) const NONE: Self = Self {
        lun: 0,
        chain: [0; CHAIN_ENTRIES as usize],
        disk: 0,
    };

    pub(super) const fn new(lun: u64, direction: Direction, data_bytes: u32, disk: u16) -> Self {
        let request = REQUEST_BYTES as u64 | descriptor::NEXT;
        let answer = response::BYTES as u64 | descriptor::WRITE;
        let data = data_bytes as u64;
        let chain = match direction {
            Direction::None => [request | RESPONSE, 0, answer],
            Direction::ToHost => [
                request | RESPONSE,
                data | descriptor::WRITE,
                answer | descriptor::NEXT | DATA,
            ],
            Direction::ToDevice => [request | DATA, data | descriptor::NEXT | RESPONSE, answer],
        };
        Self { lun, chain, disk }
    }
}

/// The LUN field of a unit, as requests to it carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitWord(pub(super) u64);

impl Wire for UnitWord {
    type Frame = Frame;
    const NONE: Frame = Frame::NONE;

    fn of(at: ScsiAddress) -> Option<Self> {
        let target = u8::try_from(at.target).ok()?;
        (at.lun <= MAX_LUN).then(|| Self(lun_word(target, at.lun)))
    }

    /// The field of the CDB has one length for all.
    fn frame(&self, op: Op, _cdb_bytes: u8, data_bytes: u32, disk: u16) -> Frame {
        let direction = match op {
            Op::Read => Direction::ToHost,
            Op::Flush => Direction::None,
            Op::Write | Op::WriteDurable | Op::Trim => Direction::ToDevice,
        };
        Frame::new(self.0, direction, data_bytes, disk)
    }
}

/// What a response says beside good or bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) sense_bytes: u32,
    pub(super) residual_bytes: u32,
    pub(super) status: u8,
    pub(super) response: u8,
}

/// One request queue.
pub(super) struct Queue<R> {
    pub(super) ring: Ring<R>,
    pub(super) tags: TagTable,
    /// Requests and responses.
    slots: R,
    slots_address: BusAddr,
    /// All chains, one after another.
    chains: R,
    /// The ring's descriptors, where they are not the chains.
    heads: Option<R>,
    slot_count: u32,
    /// What the ids of its commands have above their tags, so that no two commands of
    /// a unit share one, whatever queues they are on (virtio 5.6.6.1): aborts name it.
    id_base: u64,
    /// Doorbells since it was made.
    pub(super) kicks: u64,
    /// Offset of the doorbell.
    pub(super) doorbell: usize,
    /// Number as the device has it.
    pub(super) number: u16,
}

/// Why a used entry is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lie(pub(super) &'static str);

impl<R: DmaRegion> Queue<R> {
    /// Queue `number` with a ring of `entries` that have room for `slot_count`
    /// commands: one each, or [`CHAIN_ENTRIES`] without indirect descriptors.
    pub(super) fn allocate<H: Hal<Region = R>>(
        hal: &H,
        number: u16,
        entries: u16,
        slot_count: u16,
        indirect: bool,
    ) -> Result<Self, DmaError> {
        let region =
            |count: u16, bytes: usize| hal.allocate(DmaLayout::pages(usize::from(count) * bytes));
        let queue = Self {
            ring: Ring::allocate(hal, entries)?,
            tags: TagTable::new(slot_count, ID_BITS),
            slots: region(slot_count, SLOT_BYTES)?,
            slots_address: BusAddr(0),
            chains: if indirect {
                region(slot_count, CHAIN_BYTES)?
            } else {
                region(entries, descriptor::BYTES)?
            },
            heads: match indirect {
                true => Some(region(entries, descriptor::BYTES)?),
                false => None,
            },
            slot_count: u32::from(slot_count),
            id_base: u64::from(number) << ID_BITS,
            kicks: 0,
            doorbell: 0,
            number,
        };
        let slots_address = queue.slots.bus_addr();
        Ok(Self {
            slots_address,
            ..queue
        })
    }

    /// Writes the addresses that never change.
    pub(super) fn lay_out(&self) {
        for slot in 0..self.slot_count as usize {
            let chain = slot * CHAIN_BYTES;
            let request = self.slots_address.add((slot * SLOT_BYTES) as u64);
            self.chains.write_words(chain, &[request.0]);
            if let Some(heads) = &self.heads {
                let table = self.chains.bus_addr().add(chain as u64);
                let head = CHAIN_BYTES as u64 | descriptor::INDIRECT;
                heads.write_words(slot * descriptor::BYTES, &[table.0, head]);
            }
        }
    }

    /// What a device is told of it.
    pub(super) fn parts(&self) -> Parts {
        let table = self.heads.as_ref().unwrap_or(&self.chains);
        self.ring.parts(table.bus_addr())
    }

    /// Writes a command into its slot and the ring; `None` if all slots are in
    /// flight.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        frame: &Frame,
        cdb: [u64; 2],
        data: BusAddr,
        cookie: u32,
    ) -> Option<Tag> {
        let tag = self.tags.take_noting(cookie, u64::from(frame.disk))?;
        self.write(tag, frame, cdb, data);
        Some(tag)
    }

    /// The same for a command whose data is the parameter list of an UNMAP, which
    /// lies in the slot.
    pub(super) fn push_list(
        &mut self,
        frame: &Frame,
        cdb: [u64; 2],
        list: &[u64; 3],
        cookie: u32,
    ) -> Option<Tag> {
        let tag = self.tags.take_noting(cookie, u64::from(frame.disk))?;
        let offset = tag.slot() * SLOT_BYTES + LIST_AT;
        self.slots.write_words(offset, list);
        let data = self.slots_address.add(offset as u64);
        self.write(tag, frame, cdb, data);
        Some(tag)
    }

    #[inline(always)]
    fn write(&mut self, tag: Tag, frame: &Frame, cdb: [u64; 2], data: BusAddr) {
        let slot = tag.slot();
        let at = slot * SLOT_BYTES;
        let request: [u64; REQUEST_WORDS] = [
            frame.lun,
            self.id_of(tag),
            cdb[0] << CDB_SHIFT,
            cdb[0] >> (64 - CDB_SHIFT) | cdb[1] << CDB_SHIFT,
            cdb[1] >> (64 - CDB_SHIFT),
        ];
        self.slots.write_words(at, &request);
        let codes = at + RESPONSE_AT + response::CODES;
        self.slots.write_words(codes, &[response::UNWRITTEN]);
        let head = if self.heads.is_some() {
            slot as u16
        } else {
            slot as u16 * CHAIN_ENTRIES
        };
        // Numbers of descriptors count from the start of their table.
        let base = match self.heads {
            Some(_) => 0,
            None => u64::from(head) << descriptor::NEXT_SHIFT,
        };
        let [first, second, third] = frame.chain;
        let answer = self.slots_address.0 + (at + RESPONSE_AT) as u64;
        let words = [
            first.wrapping_add(base),
            data.0,
            second.wrapping_add(base),
            answer,
            third.wrapping_add(base),
        ];
        self.chains.write_words(slot * CHAIN_BYTES + 8, &words);
        self.ring.push(head);
    }

    /// The slot of a used entry, if there can be such.
    #[inline]
    fn slot_of(&self, used: Used) -> Option<usize> {
        let slot = if self.heads.is_some() {
            used.head
        } else if used.head.is_multiple_of(u32::from(CHAIN_ENTRIES)) {
            used.head / u32::from(CHAIN_ENTRIES)
        } else {
            return None;
        };
        (slot < self.slot_count).then_some(slot as usize)
    }

    /// Ends the command of a used entry: its tag and cookie, and what its response
    /// says unless that is plainly good.
    ///
    /// # Errors
    /// [`Lie`]; no command has ended.
    #[inline(always)]
    pub(super) fn finish(&mut self, used: Used) -> Result<(Tag, u32, Option<Response>), Lie> {
        let Some(slot) = self.slot_of(used) else {
            return Err(Lie("used entry of no slot"));
        };
        let at = slot * SLOT_BYTES + RESPONSE_AT;
        let [lengths, codes] = self.slots.read_words(at);
        // The qualifier only adds to a status.
        let codes = (codes as u32) >> 16;
        if codes >> 8 == (response::UNWRITTEN >> 24) as u32 {
            return Err(Lie("completion without a response"));
        }
        let Ok((tag, cookie)) = self.tags.finish_slot(slot) else {
            return Err(Lie("completion of no command in flight"));
        };
        let residual_bytes = (lengths >> 32) as u32;
        let remarkable = codes | residual_bytes != 0;
        let response = remarkable.then_some(Response {
            sense_bytes: lengths as u32,
            residual_bytes,
            status: codes as u8,
            response: (codes >> 8) as u8,
        });
        Ok((tag, cookie, response))
    }

    /// The sense data of a slot, of which the device wrote `stated_bytes`; zero
    /// behind them.
    pub(super) fn sense(&self, slot: usize, stated_bytes: u32) -> [u8; SENSE_BYTES as usize] {
        let mut sense = [0; SENSE_BYTES as usize];
        let len = SENSE_BYTES.min(stated_bytes) as usize;
        let at = slot * SLOT_BYTES + RESPONSE_AT + response::SENSE;
        self.slots.read_bytes(at, &mut sense[..len]);
        sense
    }

    /// What the device knows a command by.
    #[inline]
    pub(super) fn id_of(&self, tag: Tag) -> u64 {
        self.id_base | u64::from(tag.bits())
    }

    /// The disk of the command that took a slot last.
    pub(super) fn disk(&self, slot: usize) -> u16 {
        self.tags.note(slot) as u16
    }
}
