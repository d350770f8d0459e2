//! The ring of hot-plug messages.

use super::spec::{
    MESSAGE_BYTES, MESSAGES_PER_PAGE, PAGE_BYTES, SETUP_MSG_RING_WORDS, message, state,
};
use crate::hal::{DmaError, DmaLayout, DmaRegion, Hal};
use crate::scsi::ScsiAddress;

/// What the adapter says happened on its bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HotPlug {
    /// A unit was added.
    Added(ScsiAddress),
    /// A unit was removed; commands to it end with an error.
    Removed(ScsiAddress),
    /// A message of a type that is not known.
    Unknown(u32),
}

/// One page of messages.
pub(super) struct Messages<R> {
    ring: R,
    consumed: u32,
}

/// The device's message index is further on than the ring is long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Runaway;

impl<R: DmaRegion> Messages<R> {
    pub(super) fn allocate<H: Hal<Region = R>>(hal: &H) -> Result<Self, DmaError> {
        Ok(Self {
            ring: hal.allocate(DmaLayout::pages(PAGE_BYTES))?,
            consumed: 0,
        })
    }

    /// Starts anew, as the page of indices has been cleared.
    pub(super) fn clear(&mut self) {
        self.consumed = 0;
    }

    /// The descriptor of SETUP_MSG_RING: number of pages, padding, page numbers.
    pub(super) fn setup_words(&self) -> [u32; SETUP_MSG_RING_WORDS] {
        let mut words = [0; SETUP_MSG_RING_WORDS];
        let page = self.ring.bus_addr().page_number();
        words[0] = 1;
        words[2] = page as u32;
        words[3] = (page >> 32) as u32;
        words
    }

    /// Takes the next message, if there is one. `indices` is the page of indices.
    pub(super) fn next(&mut self, indices: &R) -> Result<Option<HotPlug>, Runaway> {
        let produced = indices.load32(state::MESSAGE_PRODUCER);
        let ready = produced.wrapping_sub(self.consumed);
        if ready > MESSAGES_PER_PAGE {
            return Err(Runaway);
        }
        if ready == 0 {
            return Ok(None);
        }
        let at = (self.consumed % MESSAGES_PER_PAGE) as usize * MESSAGE_BYTES;
        // type 31:0, bus 63:32; target 31:0, lun from byte 0xc on, its number in byte 1.
        let [head, unit] = self.ring.read_words::<2>(at);
        self.consumed = self.consumed.wrapping_add(1);
        indices.store32(state::MESSAGE_CONSUMER, self.consumed);
        let address = ScsiAddress {
            target: unit as u16,
            lun: u16::from((unit >> 40) as u8),
        };
        Ok(Some(match head as u32 {
            message::ADDED => HotPlug::Added(address),
            message::REMOVED => HotPlug::Removed(address),
            other => HotPlug::Unknown(other),
        }))
    }
}
