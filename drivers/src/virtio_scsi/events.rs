//! The event queue: what happens to the units beside our commands (5.6.6.3).

use super::regs::Parts;
use super::ring::Ring;
use super::spec::{descriptor, event};
use crate::hal::{BusAddr, DmaError, DmaLayout, DmaRegion, Hal};
use crate::scsi::ScsiAddress;

/// Buffers for events that were not taken yet.
const BUFFERS: u16 = 16;
const BUFFER_BYTES: usize = 64;
/// Longest event that is taken.
pub(super) const MAX_EVENT_BYTES: u32 = BUFFER_BYTES as u32;
const _: () = assert!(BUFFER_BYTES >= event::BYTES as usize);

/// What the device says happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A unit was added.
    Added(ScsiAddress),
    /// A unit was removed.
    Removed(ScsiAddress),
    /// A unit was reset by something else than us.
    Reset(ScsiAddress),
    /// Parameters of a unit changed, such as its capacity.
    Changed {
        /// Which.
        at: ScsiAddress,
        /// Additional sense code that a UNIT ATTENTION would have.
        asc: u8,
        /// Its qualifier.
        ascq: u8,
    },
    /// Events were lost for want of a buffer.
    Missed,
    /// One of a type that is not known.
    Unknown(u32),
}

/// The event queue with its buffers.
pub(super) struct Events<R> {
    pub(super) ring: Ring<R>,
    descriptors: R,
    buffers: R,
    count: u16,
    /// An event to tell after `Missed`.
    behind: Option<Event>,
    /// Offset of the doorbell.
    pub(super) doorbell: usize,
}

/// The device used something that it was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lie;

impl<R: DmaRegion> Events<R> {
    /// For a queue of at most `max_entries`, a power of two.
    pub(super) fn allocate<H: Hal<Region = R>>(
        hal: &H,
        max_entries: u16,
    ) -> Result<Self, DmaError> {
        let count = max_entries.min(BUFFERS);
        let region = |bytes: usize| hal.allocate(DmaLayout::pages(usize::from(count) * bytes));
        Ok(Self {
            ring: Ring::allocate(hal, count)?,
            descriptors: region(descriptor::BYTES)?,
            buffers: region(BUFFER_BYTES)?,
            count,
            behind: None,
            doorbell: 0,
        })
    }

    /// Writes the descriptors, which never change, and makes all buffers
    /// available, at the next `publish`. The ring has been cleared.
    pub(super) fn lay_out(&mut self) {
        self.behind = None;
        for index in 0..self.count {
            let offset = usize::from(index) * BUFFER_BYTES;
            let address = self.buffers.bus_addr().add(offset as u64);
            let words = [address.0, BUFFER_BYTES as u64 | descriptor::WRITE];
            self.descriptors
                .write_words(usize::from(index) * descriptor::BYTES, &words);
            self.ring.push(index);
        }
    }

    pub(super) fn parts(&self) -> Parts {
        self.ring.parts(BusAddr(self.descriptors.bus_addr().0))
    }

    /// Takes the next event, and makes its buffer available again, at the next
    /// `publish`. Events that say nothing are passed over.
    ///
    /// # Errors
    /// [`Lie`].
    pub(super) fn next(&mut self) -> Result<Option<Event>, Lie> {
        if let Some(event) = self.behind.take() {
            return Ok(Some(event));
        }
        while self.ring.ready().map_err(|_| Lie)? != 0 {
            let head = self.ring.take().head;
            let buffer = u16::try_from(head).ok().filter(|head| *head < self.count);
            let buffer = buffer.ok_or(Lie)?;
            let [first, second] = self.buffers.read_words(usize::from(buffer) * BUFFER_BYTES);
            self.ring.push(buffer);
            let told = decode(first, second);
            if first as u32 & event::MISSED != 0 {
                self.behind = told;
                return Ok(Some(Event::Missed));
            }
            if told.is_some() {
                return Ok(told);
            }
        }
        Ok(None)
    }
}

/// Two words of a buffer: event 31:0, lun from bit 32 on; its tail, reason 63:32.
fn decode(first: u64, second: u64) -> Option<Event> {
    let reason = (second >> 32) as u32;
    let [_, target, high, low] = ((first >> 32) as u32).to_le_bytes();
    // QEMU leaves the address method out for units below 256.
    let at = ScsiAddress {
        target: u16::from(target),
        lun: u16::from_be_bytes([high & 0x3f, low]),
    };
    match first as u32 & !event::MISSED {
        event::NONE => None,
        event::TRANSPORT_RESET => Some(match reason {
            event::RESCAN => Event::Added(at),
            event::REMOVED => Event::Removed(at),
            _ => Event::Reset(at),
        }),
        event::PARAM_CHANGE => Some(Event::Changed {
            at,
            asc: reason as u8,
            ascq: (reason >> 8) as u8,
        }),
        other => Some(Event::Unknown(other)),
    }
}
