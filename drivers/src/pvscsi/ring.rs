//! The request and completion rings and the page of their indices.
//!
//! Indices run freely over 32 bits; a slot is the index modulo the ring size.
//! The driver's own indices live here, and what lies in shared memory is only
//! ever a copy of them.

use super::spec::{
    COMPLETION_BYTES, COMPLETION_WORDS, COMPLETIONS_PER_PAGE, MAX_RING_PAGES, MAX_UNCONSUMED,
    PAGE_BYTES, REQUEST_BYTES, REQUEST_WORDS, REQUESTS_PER_PAGE, SETUP_RINGS_WORDS, state,
};
use crate::hal::{DmaError, DmaLayout, DmaRegion, Hal};
use core::sync::atomic::{Ordering, fence};

/// Both rings.
pub(super) struct Rings<R> {
    state: R,
    requests: R,
    completions: R,
    request_mask: u32,
    completion_mask: u32,
    /// Where both rings started at the last set-up.
    first: u32,
    /// Next request to fill.
    produced: u32,
    /// Requests before this index are the device's.
    published: u32,
    /// Next completion to take.
    consumed: u32,
}

/// The device's completion index is further on than the commands it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Runaway;

impl<R: DmaRegion> Rings<R> {
    /// Rings of `pages` request pages, a power of two of at most 32. The
    /// completion ring gets as many slots, or a page where that is more.
    pub(super) fn allocate<H: Hal<Region = R>>(hal: &H, pages: u16) -> Result<Self, DmaError> {
        let entries = u32::from(pages) * REQUESTS_PER_PAGE;
        let completion_pages = entries.div_ceil(COMPLETIONS_PER_PAGE);
        let region = |pages: u32| hal.allocate(DmaLayout::pages(pages as usize * PAGE_BYTES));
        Ok(Self {
            state: region(1)?,
            requests: region(u32::from(pages))?,
            completions: region(completion_pages)?,
            request_mask: entries - 1,
            completion_mask: completion_pages * COMPLETIONS_PER_PAGE - 1,
            first: 0,
            produced: 0,
            published: 0,
            consumed: 0,
        })
    }

    /// Slots of the request ring.
    pub(super) const fn entries(&self) -> u32 {
        self.request_mask + 1
    }

    /// Empties everything; both rings start at index `first`. The device must
    /// not use them now. Indices other than 0 serve tests of the wrap.
    pub(super) fn clear(&mut self, first: u32) {
        for region in [&self.state, &self.requests, &self.completions] {
            for offset in (0..region.len_bytes()).step_by(PAGE_BYTES) {
                region.write_bytes(offset, &[0; PAGE_BYTES]);
            }
        }
        for offset in [
            state::REQUEST_PRODUCER,
            state::REQUEST_CONSUMER,
            state::COMPLETION_PRODUCER,
            state::COMPLETION_CONSUMER,
        ] {
            self.state.store32(offset, first);
        }
        self.first = first;
        self.produced = first;
        self.published = first;
        self.consumed = first;
    }

    /// The descriptor of SETUP_RINGS.
    pub(super) fn setup_words(&self) -> [u32; SETUP_RINGS_WORDS] {
        let mut words = [0; SETUP_RINGS_WORDS];
        let pages = |region: &R| region.len_bytes() / PAGE_BYTES;
        words[0] = pages(&self.requests) as u32;
        words[1] = pages(&self.completions) as u32;
        let mut put = |at: usize, page: u64| {
            words[at] = page as u32;
            words[at + 1] = (page >> 32) as u32;
        };
        put(2, self.state.bus_addr().page_number());
        for (start, region) in [
            (4, &self.requests),
            (4 + 2 * MAX_RING_PAGES, &self.completions),
        ] {
            for page in 0..pages(region) {
                put(
                    start + 2 * page,
                    region.bus_addr().page_number() + page as u64,
                );
            }
        }
        words
    }

    /// Page of indices, which holds those of the message ring too.
    pub(super) const fn state(&self) -> &R {
        &self.state
    }

    /// Requests since the last set-up.
    #[inline]
    pub(super) const fn age(&self) -> u32 {
        self.produced.wrapping_sub(self.first)
    }

    /// Requests that wait for the doorbell.
    #[inline]
    pub(super) const fn unpublished(&self) -> u32 {
        self.produced.wrapping_sub(self.published)
    }

    /// Index that the next `push` takes.
    #[inline]
    pub(super) const fn next_index(&self) -> u32 {
        self.produced
    }

    /// Whether the device has been shown the request with this index, whose low
    /// 16 bits are given; it must be in flight.
    pub(super) const fn is_published(&self, low_index: u16) -> bool {
        // In flight are the indices from produced - 1024 on at most, so that the
        // distance from the end tells.
        let behind = (self.produced as u16).wrapping_sub(low_index);
        behind as u32 > self.unpublished()
    }

    /// Writes a request. The caller has made sure that a slot is free.
    #[inline]
    pub(super) fn push(&mut self, words: &[u64; REQUEST_WORDS]) {
        let slot = (self.produced & self.request_mask) as usize;
        self.requests.write_words(slot * REQUEST_BYTES, words);
        self.produced = self.produced.wrapping_add(1);
    }

    /// Shows the device what was pushed, at most as much as one kick may bring;
    /// false, and nothing done, if all has been shown.
    #[inline]
    pub(super) fn publish(&mut self) -> bool {
        let count = self.unpublished().min(MAX_UNCONSUMED);
        if count == 0 {
            return false;
        }
        self.published = self.published.wrapping_add(count);
        self.state.store32(state::REQUEST_PRODUCER, self.published);
        true
    }

    /// Whether the device looks at the ring by itself, so that no kick is needed
    /// for the reads and writes just published (L `pvscsi_kick_io`).
    pub(super) fn device_is_polling(&self) -> bool {
        // The loads must not pass the store to reqProdIdx, or both sides can
        // wait for each other. x86 allows just that without a full fence.
        fence(Ordering::SeqCst);
        let consumed = self.state.load32(state::REQUEST_CONSUMER);
        let threshold = self.state.load32(state::CALL_THRESHOLD);
        self.published.wrapping_sub(consumed) < threshold
    }

    /// Completions that can be taken.
    ///
    /// # Errors
    /// [`Runaway`] if there are more than commands given to the device.
    #[inline]
    pub(super) fn ready(&self) -> Result<u32, Runaway> {
        let produced = self.state.load32(state::COMPLETION_PRODUCER);
        let ready = produced.wrapping_sub(self.consumed);
        if ready > self.published.wrapping_sub(self.consumed) {
            return Err(Runaway);
        }
        Ok(ready)
    }

    /// Index of the next completion to take.
    #[inline]
    pub(super) const fn next_completion(&self) -> u32 {
        self.consumed
    }

    /// The completion with this index; `ready` has counted it.
    #[inline]
    pub(super) fn completion(&self, index: u32) -> [u64; COMPLETION_WORDS] {
        let slot = (index & self.completion_mask) as usize;
        self.completions.read_words(slot * COMPLETION_BYTES)
    }

    /// Gives the slots of all completions before this index back to the device.
    #[inline]
    pub(super) fn release(&mut self, index: u32) {
        self.consumed = index;
        self.state.store32(state::COMPLETION_CONSUMER, index);
    }
}
