//! The memory that driver and adapter share: request frames, reply frames and
//! sense data. This is MPT's ring, but for the FIFOs, which are registers.
//!
//! Request and reply frames lie in one region, and sense data in another; each
//! is inside one window of 4 GiB, because the adapter is told its upper half once.

use super::facts::Windows;
use super::spec::{
    ELEMENT_BYTES, LIST_OFFSET, REPLY_FRAME_BYTES, REQUEST_FRAME_BYTES, REQUEST_WORDS,
};
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};
use crate::scsi::UNMAP_LIST_BYTES;
use crate::scsi::sense::SENSE_BYTES;

/// Sense memory of a slot: sense data, then the parameter list of an UNMAP.
const SENSE_SLOT_BYTES: usize = 128;
const UNMAP_OFFSET: usize = SENSE_BYTES;
const _: () = assert!(UNMAP_OFFSET + UNMAP_LIST_BYTES <= SENSE_SLOT_BYTES);

/// First word of a frame that the adapter owns and has not written: the function
/// in its upper byte does not exist.
const UNWRITTEN: u32 = u32::MAX;

/// Why a reply frame was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadReply {
    /// The address is none of our frames.
    Foreign,
    /// The frame is ours, but nothing was written since it was given away.
    Unwritten,
}

/// A copy of a reply frame, out of the adapter's reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply([u8; REPLY_FRAME_BYTES]);

impl Reply {
    pub(super) const fn byte(&self, at: usize) -> u8 {
        self.0[at]
    }

    pub(super) const fn half(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    pub(super) const fn word(&self, at: usize) -> u32 {
        self.half(at) as u32 | (self.half(at + 2) as u32) << 16
    }
}

/// One scatter element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// Flags and length.
    pub(super) head: u32,
    /// Where the data lies.
    pub(super) address: u64,
}

/// All frames of an adapter.
pub(super) struct Frames<R> {
    region: R,
    sense: R,
    /// Low half of the address of the first request frame.
    requests_low: u32,
    /// Low half of the address of the first sense slot.
    sense_low: u32,
    replies_offset: usize,
    replies: usize,
}

impl<R: DmaRegion> Frames<R> {
    /// `requests` request frames with their sense memory, and `replies` reply frames.
    pub(super) fn allocate<H: Hal<Region = R>>(
        hal: &H,
        requests: usize,
        replies: usize,
    ) -> Result<Self, DmaError> {
        let replies_offset = requests * REQUEST_FRAME_BYTES;
        let size_bytes = replies_offset + replies * REPLY_FRAME_BYTES;
        let region = hal.allocate(DmaLayout::pages(size_bytes))?;
        let sense = hal.allocate(DmaLayout::pages(requests * SENSE_SLOT_BYTES))?;
        Ok(Self {
            requests_low: region.bus_addr().0 as u32,
            sense_low: sense.bus_addr().0 as u32,
            region,
            sense,
            replies_offset,
            replies,
        })
    }

    /// Where the pools lie.
    pub(super) fn windows(&self) -> Windows {
        Windows {
            frames: self.region.bus_addr(),
            sense: self.sense.bus_addr(),
        }
    }

    /// Low half of the address of a request frame: what is posted.
    #[inline]
    pub(super) const fn request_low(&self, slot: usize) -> u32 {
        self.requests_low + (slot * REQUEST_FRAME_BYTES) as u32
    }

    /// Low half of the address of a slot's sense data.
    #[inline]
    pub(super) const fn sense_low(&self, slot: usize) -> u32 {
        self.sense_low + (slot * SENSE_SLOT_BYTES) as u32
    }

    /// Writes the head of a request frame with its first element.
    #[inline]
    pub(super) fn write_request(&self, slot: usize, words: &[u64; REQUEST_WORDS]) {
        self.region.write_words(slot * REQUEST_FRAME_BYTES, words);
    }

    /// Writes the `index`th element of a request frame.
    pub(super) fn write_element(&self, slot: usize, index: usize, element: Element) {
        let at = slot * REQUEST_FRAME_BYTES + LIST_OFFSET + index * ELEMENT_BYTES;
        self.region.store32(at, element.head);
        self.region.store32(at + 4, element.address as u32);
        self.region.store32(at + 8, (element.address >> 32) as u32);
    }

    /// Writes the parameter list of an UNMAP, and returns where it lies.
    pub(super) fn write_unmap_list(&self, slot: usize, list: &[u64; 3]) -> BusAddr {
        let offset = slot * SENSE_SLOT_BYTES + UNMAP_OFFSET;
        self.sense.write_words(offset, list);
        self.sense.bus_addr().add(offset as u64)
    }

    /// Takes the sense data of a slot, and clears it so that it is not taken for
    /// that of a later command. `stated_bytes` is how much the adapter says there
    /// is, which may exceed the room; where it says nothing, all is looked at.
    pub(super) fn take_sense(&self, slot: usize, stated_bytes: u32) -> [u8; SENSE_BYTES] {
        let at = slot * SENSE_SLOT_BYTES;
        let mut sense = [0; SENSE_BYTES];
        self.sense.read_bytes(at, &mut sense);
        self.sense.write_bytes(at, &[0; SENSE_BYTES]);
        if stated_bytes != 0 {
            sense[SENSE_BYTES.min(stated_bytes as usize)..].fill(0);
        }
        sense
    }

    /// Low halves of the addresses of all reply frames, marked as not written,
    /// to be given to the adapter.
    pub(super) fn free_replies(&self) -> impl Iterator<Item = u32> {
        (0..self.replies).map(|index| {
            let offset = self.replies_offset + index * REPLY_FRAME_BYTES;
            self.region.store32(offset, UNWRITTEN);
            self.requests_low + offset as u32
        })
    }

    /// Copies the reply whose low address half the adapter named, and marks the
    /// frame as not written; it is then to be given back.
    pub(super) fn take_reply(&self, low_address: u32) -> Result<Reply, BadReply> {
        let first = self.requests_low + self.replies_offset as u32;
        let distance = low_address.wrapping_sub(first) as usize;
        if distance >= self.replies * REPLY_FRAME_BYTES
            || !distance.is_multiple_of(REPLY_FRAME_BYTES)
        {
            return Err(BadReply::Foreign);
        }
        let offset = self.replies_offset + distance;
        if self.region.load32(offset) == UNWRITTEN {
            return Err(BadReply::Unwritten);
        }
        let mut bytes = [0; REPLY_FRAME_BYTES];
        self.region.read_bytes(offset, &mut bytes);
        self.region.store32(offset, UNWRITTEN);
        Ok(Reply(bytes))
    }
}
