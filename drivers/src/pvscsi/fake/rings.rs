//! The adapter's side of the rings.

use super::PvscsiModel;
use crate::fake::{FakeMemory, View};
use crate::hal::BusAddr;
use alloc::vec::Vec;

const PAGE: usize = 4096;

/// Rings as SETUP_RINGS gave them.
pub(super) struct ModelRings {
    state: View,
    pages: Vec<BusAddr>,
    requests: Vec<View>,
    completions: Vec<View>,
    /// Requests consumed; with 64 bits, as in QEMU.
    consumed: u64,
    produced: u32,
}

/// The message ring as SETUP_MSG_RING gave it.
pub(super) struct MessageRing {
    pages: Vec<View>,
    produced: u32,
}

fn page_number(words: &[u32], at: usize) -> BusAddr {
    BusAddr((u64::from(words[at]) | u64::from(words[at + 1]) << 32) << 12)
}

fn views(memory: &FakeMemory, words: &[u32], start: usize, count: u32) -> Option<Vec<View>> {
    (0..count as usize)
        .map(|page| memory.view(page_number(words, start + 2 * page), PAGE))
        .collect()
}

impl ModelRings {
    /// Takes the descriptor of SETUP_RINGS; `None` if it is no good.
    pub(super) fn set_up(memory: &FakeMemory, words: &[u32], from_memory: bool) -> Option<Self> {
        let (request_pages, completion_pages) = (words[0], words[1]);
        if !(1..=32).contains(&request_pages) || !(1..=32).contains(&completion_pages) {
            return None;
        }
        let state = memory.view(page_number(words, 2), PAGE)?;
        let requests = views(memory, words, 4, request_pages)?;
        let completions = views(memory, words, 68, completion_pages)?;
        if !from_memory {
            for offset in [0x00, 0x04, 0x0c, 0x10] {
                state.store32(offset, 0);
            }
        }
        state.store32(0x08, (request_pages * 32).ilog2());
        state.store32(0x14, (completion_pages * 128).ilog2());
        let mut pages = alloc::vec![page_number(words, 2)];
        pages.extend((0..request_pages as usize).map(|page| page_number(words, 4 + 2 * page)));
        pages.extend((0..completion_pages as usize).map(|page| page_number(words, 68 + 2 * page)));
        Some(Self {
            consumed: u64::from(state.load32(0x04)),
            produced: state.load32(0x0c),
            state,
            pages,
            requests,
            completions,
        })
    }

    pub(super) fn entries(&self) -> (u32, u32) {
        (
            self.requests.len() as u32 * 32,
            self.completions.len() as u32 * 128,
        )
    }

    pub(super) fn request(&self, index: u32) -> (&View, usize) {
        let slot = index % (self.requests.len() as u32 * 32);
        (&self.requests[slot as usize / 32], slot as usize % 32 * 128)
    }

    fn completion(&self, index: u32) -> (&View, usize) {
        let slot = index % (self.completions.len() as u32 * 128);
        let page = &self.completions[slot as usize / 128];
        (page, slot as usize % 128 * 32)
    }
}

impl PvscsiModel {
    /// Touches all ring pages, so that memory freed under the device shows.
    pub(super) fn check_memory(&self) {
        for page in self.rings.iter().flat_map(|rings| &rings.pages) {
            let _ = self.memory.view(*page, PAGE);
        }
    }

    /// The next request that the index offers, as 16 words.
    pub(super) fn next_request(&mut self) -> Option<[u64; 16]> {
        let rings = self.rings.as_mut()?;
        let ready = rings.state.load32(0);
        let distance = if self.quirks.wide_consumer {
            u64::from(ready).wrapping_sub(rings.consumed)
        } else {
            u64::from(ready.wrapping_sub(rings.consumed as u32))
        };
        if distance == 0 {
            self.kicked = false;
            return None;
        }
        if self.quirks.ignores_far_jumps && distance >= 1024 {
            self.seen.far_jumps += 1;
            self.kicked = false;
            return None;
        }
        if distance > u64::from(rings.entries().0) {
            self.seen.request_overflows += 1;
        }
        let (page, offset) = rings.request(rings.consumed as u32);
        let words = page.read_words::<16>(offset);
        rings.consumed += 1;
        rings.state.store32(0x04, rings.consumed as u32);
        self.seen.requests += 1;
        Some(words)
    }

    /// Writes a completion and moves the index on.
    pub(super) fn post(&mut self, words: [u64; 4]) {
        let Some(rings) = self.rings.as_mut() else {
            return;
        };
        let untaken = rings.produced.wrapping_sub(rings.state.load32(0x10));
        if untaken >= rings.entries().1 {
            self.seen.completion_overflows += 1;
        }
        let (page, offset) = rings.completion(rings.produced);
        page.write_words(offset, &words);
        rings.produced = rings.produced.wrapping_add(1);
        rings.state.store32(0x0c, rings.produced);
        self.seen.completions += 1;
        self.last_context = words[0];
        self.raised |= 1;
    }

    /// Completes everything the index offers, successfully and without data.
    pub(super) fn complete_fast(&mut self) {
        let Some(rings) = self.rings.as_mut() else {
            return;
        };
        let ready = rings.state.load32(0);
        while rings.consumed as u32 != ready {
            let (page, offset) = rings.request(rings.consumed as u32);
            let [context] = page.read_words::<1>(offset);
            let (page, offset) = rings.completion(rings.produced);
            page.write_words(offset, &[context, 0, 0, 0]);
            rings.consumed += 1;
            rings.produced = rings.produced.wrapping_add(1);
        }
        rings.state.store32(0x04, ready);
        rings.state.store32(0x0c, rings.produced);
        self.raised |= 1;
    }

    /// Writes the request call threshold, where it is enabled.
    pub(super) fn publish_threshold(&self) {
        if let Some(rings) = self.rings.as_ref().filter(|_| self.threshold_enabled) {
            rings.state.store32(0x18, self.call_threshold);
        }
    }

    /// Moves the completion index on over nothing.
    pub(super) fn skip_completions(&mut self, count: u32) {
        if let Some(rings) = self.rings.as_mut() {
            rings.produced = rings.produced.wrapping_add(count);
            rings.state.store32(0x0c, rings.produced);
        }
    }

    /// Context of the request at the index, published or not.
    pub(super) fn context_behind_index(&self) -> Option<u64> {
        let rings = self.rings.as_ref()?;
        let (page, offset) = rings.request(rings.state.load32(0));
        let [context] = page.read_words::<1>(offset);
        Some(context)
    }

    /// Takes the descriptor of SETUP_MSG_RING; whether it is good.
    pub(super) fn set_up_messages(&mut self, words: &[u32]) -> bool {
        let pages = match (&self.rings, words[0]) {
            (Some(_), 1..=16) => views(&self.memory, words, 2, words[0]),
            _ => None,
        };
        self.messages = pages.map(|pages| MessageRing { pages, produced: 0 });
        self.messages.is_some()
    }

    /// Posts a message, or drops it where there is no room.
    pub(super) fn post_message(&mut self, kind: u32, target: u16, lun: u8) {
        let (Some(rings), Some(messages)) = (&self.rings, self.messages.as_mut()) else {
            self.seen.dropped_messages += 1;
            return;
        };
        let entries = messages.pages.len() as u32 * 32;
        let untaken = messages.produced.wrapping_sub(rings.state.load32(0x84));
        if untaken >= entries {
            self.seen.dropped_messages += 1;
            return;
        }
        let slot = (messages.produced % entries) as usize;
        let unit = u64::from(target) | u64::from(lun) << 40;
        messages.pages[slot / 32].write_words(slot % 32 * 128, &[u64::from(kind), unit]);
        messages.produced = messages.produced.wrapping_add(1);
        rings.state.store32(0x80, messages.produced);
        self.raised |= 4;
    }

    /// Moves the message index on over nothing.
    pub(super) fn skip_messages(&mut self, count: u32) {
        if let (Some(rings), Some(messages)) = (&self.rings, self.messages.as_mut()) {
            messages.produced = messages.produced.wrapping_add(count);
            rings.state.store32(0x80, messages.produced);
        }
    }
}
