//! A PVSCSI adapter in memory.
//!
//! It shares no constant with the driver: offsets and sizes are written out
//! again, so that a slip in one shows against the other. [`Quirks`] makes it
//! QEMU's model or the adapter of ESXi; the rest makes it slow, silent or lying.

mod commands;
mod quirks;
mod requests;
mod rings;
mod trouble;

use crate::fake::scsi::ScsiBus;
use crate::fake::{FakeDevice, FakeMemory};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

pub use crate::fake::scsi::{Completing, Fetching};
pub use quirks::Quirks;
use requests::Pending;
use rings::{MessageRing, ModelRings};

/// What the adapter saw the driver do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Writes to the kick register for reads and writes.
    pub rw_kicks: u64,
    /// Writes to the kick register for everything else.
    pub other_kicks: u64,
    /// Requests fetched.
    pub requests: u64,
    /// Reads and writes among them.
    pub transfers: u64,
    /// Completions posted.
    pub completions: u64,
    /// Adapter resets.
    pub resets: u64,
    /// Ring set-ups that were accepted.
    pub setups: u64,
    /// Requests with a context that is zero or does not fit into 32 bits.
    pub bad_contexts: u64,
    /// Requests with a scatter list.
    pub lists: u64,
    /// List elements of length zero.
    pub empty_elements: u64,
    /// Requests whose data length differs from blocks times block size.
    pub wrong_lengths: u64,
    /// Requests lost because their direction contradicts the CDB.
    pub lost: u64,
    /// Kicks that brought 1,024 requests or more, and were ignored.
    pub far_jumps: u64,
    /// Times that more requests were unconsumed than the ring has slots.
    pub request_overflows: u64,
    /// Completions posted over one that had not been taken.
    pub completion_overflows: u64,
    /// Messages dropped for want of room.
    pub dropped_messages: u64,
    /// Longest data of one request in bytes.
    pub longest_bytes: u64,
}

/// The adapter.
pub struct PvscsiModel {
    memory: FakeMemory,
    /// What is behind it.
    pub bus: ScsiBus,
    /// Whose adapter it is.
    pub quirks: Quirks,
    /// When it fetches requests.
    pub fetching: Fetching,
    /// When it completes them.
    pub completing: Completing,
    /// Completes reads and writes without moving data, as fast as it can, to
    /// measure what is above it.
    pub fast: bool,
    /// Takes register writes but does nothing about requests.
    pub mute: bool,
    /// Refuses SETUP_RINGS.
    pub refuses_rings: bool,
    /// Bytes by which it states less than has moved, where it states a length.
    pub unstated_bytes: u64,
    /// What it writes as request call threshold, once enabled.
    pub call_threshold: u32,
    /// What it saw.
    pub seen: Seen,
    command: u32,
    descriptor: Vec<u32>,
    status: u32,
    raised: u32,
    mask: u32,
    threshold_enabled: bool,
    kicked: bool,
    rings: Option<ModelRings>,
    messages: Option<MessageRing>,
    in_flight: VecDeque<Pending>,
    last_context: u64,
}

impl PvscsiModel {
    /// QEMU's adapter with `bus` behind it, which works at each kick.
    #[must_use]
    pub fn new(memory: &FakeMemory, bus: ScsiBus) -> Self {
        Self {
            memory: memory.clone(),
            bus,
            quirks: Quirks::qemu(),
            fetching: Fetching::AtKick,
            completing: Completing::AtOnce,
            fast: false,
            mute: false,
            refuses_rings: false,
            unstated_bytes: 0,
            call_threshold: 0,
            seen: Seen::default(),
            command: 0,
            descriptor: Vec::new(),
            status: 0,
            raised: 0,
            mask: 0,
            threshold_enabled: false,
            kicked: false,
            rings: None,
            messages: None,
            in_flight: VecDeque::new(),
            last_context: 0,
        }
    }

    /// The adapter of ESXi with `bus` behind it.
    #[must_use]
    pub fn esxi(memory: &FakeMemory, bus: ScsiBus) -> Self {
        Self {
            quirks: Quirks::esxi(),
            ..Self::new(memory, bus)
        }
    }

    /// Whether its interrupt is raised and enabled.
    #[must_use]
    pub fn interrupts(&self) -> bool {
        self.raised & self.mask != 0
    }

    /// The interrupt mask register.
    #[must_use]
    pub fn interrupt_mask(&self) -> u32 {
        self.mask
    }

    /// Whether it has rings.
    #[must_use]
    pub fn has_rings(&self) -> bool {
        self.rings.is_some()
    }

    /// Slots of the request and completion rings; zeros without.
    #[must_use]
    pub fn ring_entries(&self) -> (u32, u32) {
        self.rings.as_ref().map_or((0, 0), ModelRings::entries)
    }

    /// Commands fetched and not completed.
    #[must_use]
    pub fn open(&self) -> usize {
        self.in_flight.len()
    }

    fn kick(&mut self) {
        if self.mute || self.rings.is_none() {
            return;
        }
        self.kicked = true;
        if self.fast {
            self.complete_fast();
        } else if self.fetching == Fetching::AtKick {
            self.work(usize::MAX);
        }
    }

    /// Fetches at most `count` requests and completes what is due.
    fn work(&mut self, count: usize) {
        self.check_memory();
        self.fetch(count);
        if self.completing == Completing::AtOnce {
            while self.complete(0) {}
        }
    }
}

impl FakeDevice for PvscsiModel {
    fn bar_len_bytes(&self) -> usize {
        0x8000
    }

    fn read32(&mut self, offset: usize) -> u32 {
        match offset {
            0x0008 => self.status,
            0x100c => self.raised,
            0x2010 => self.mask,
            _ => 0,
        }
    }

    fn write32(&mut self, offset: usize, value: u32) {
        match offset {
            0x0000 => self.select_command(value),
            0x0004 => self.take_descriptor_word(value),
            0x100c => self.raised &= !value,
            0x2010 => self.mask = value,
            0x3014 => {
                self.seen.other_kicks += 1;
                self.kick();
            }
            0x4018 => {
                self.seen.rw_kicks += 1;
                self.kick();
            }
            _ => {}
        }
    }

    fn step(&mut self, _now_ticks: u64) {
        if self.mute || self.rings.is_none() {
            return;
        }
        let polls = self.threshold_enabled && self.call_threshold > 0;
        if let Fetching::OnStep(count) = self.fetching {
            if self.kicked || polls {
                self.work(count);
            }
        } else if polls {
            self.work(usize::MAX);
        }
        if let Completing::AfterSteps(_) = self.completing {
            self.complete_ripe();
        }
    }
}
