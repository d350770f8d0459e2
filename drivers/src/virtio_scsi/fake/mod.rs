//! A virtio-scsi device in memory, as QEMU 7.2 has it behind PCI.
//!
//! It shares no constant with the driver: offsets, bits and sizes are written out
//! again, so that a slip in one shows against the other. [`Quirks`] says what it
//! offers; the rest makes it slow, silent or lying.

mod management;
mod quirks;
mod registers;
mod requests;
mod rings;
mod trouble;

use crate::fake::FakeMemory;
use crate::fake::scsi::ScsiBus;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

pub use crate::fake::scsi::{Completing, Fetching};
pub use quirks::{Quirks, regions};
use requests::Pending;
use rings::ModelRing;

/// What the device saw the driver do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Doorbells of request queues.
    pub kicks: u64,
    /// Doorbells of the control queue.
    pub control_kicks: u64,
    /// Doorbells of the event queue.
    pub event_kicks: u64,
    /// Requests fetched.
    pub requests: u64,
    /// Reads and writes among them.
    pub transfers: u64,
    /// Requests completed.
    pub completions: u64,
    /// Resets by the status register.
    pub resets: u64,
    /// Register accesses of another width than the register has.
    pub wrong_widths: u64,
    /// Steps of the bring-up in the wrong order.
    pub wrong_order: u64,
    /// Chains that break the rules, or are too short for a request.
    pub bad_chains: u64,
    /// Requests whose id a request in flight has too, or zero.
    pub shared_ids: u64,
    /// Requests with data beyond the limits that the device states.
    pub beyond_limits: u64,
    /// Most requests of one unit in flight.
    pub most_per_unit: u64,
    /// Requests whose data length differs from blocks times block size.
    pub wrong_lengths: u64,
    /// Requests whose direction contradicts the CDB.
    pub wrong_directions: u64,
    /// Longest data of one request in bytes.
    pub longest_bytes: u64,
    /// Chains that were tables of their own.
    pub indirect: u64,
    /// Interrupts raised.
    pub interrupts: u64,
    /// Events that found no buffer.
    pub dropped_events: u64,
}

/// The device.
pub struct VirtioModel {
    memory: FakeMemory,
    /// What is behind it.
    pub bus: ScsiBus,
    /// What it offers.
    pub quirks: Quirks,
    /// When it fetches requests.
    pub fetching: Fetching,
    /// When it completes them.
    pub completing: Completing,
    /// Bytes that it states as left over though all moved.
    pub false_residual_bytes: u32,
    /// Does not answer task management.
    pub deaf: bool,
    /// A reset leaves what was written to sense_size and cdb_size.
    pub keeps_sizes: bool,
    /// Writes no further into a response than its sense data reach.
    pub leaves_sense: bool,
    /// Distance of two doorbells in bytes.
    pub doorbell_bytes: usize,
    /// Takes register writes but does nothing about queues.
    pub mute: bool,
    /// Looks at its rings by itself, and says that it need not be told.
    polls: bool,
    /// What it saw.
    pub seen: Seen,
    status: u8,
    select: [u32; 2],
    accepted: u64,
    queue_select: u16,
    config_vector: u16,
    sense_size: u32,
    cdb_size: u32,
    rings: Vec<ModelRing>,
    raised: u8,
    in_flight: VecDeque<Pending>,
    /// Queue and head of the last completion.
    last_used: (usize, u32),
    events_missed: bool,
}

impl VirtioModel {
    /// QEMU's device with `bus` behind it, which works at each doorbell.
    #[must_use]
    pub fn new(memory: &FakeMemory, bus: ScsiBus) -> Self {
        Self::with(memory, bus, Quirks::default())
    }

    /// One that offers something else.
    #[must_use]
    pub fn with(memory: &FakeMemory, bus: ScsiBus, quirks: Quirks) -> Self {
        let mut model = Self {
            memory: memory.clone(),
            bus,
            quirks,
            fetching: Fetching::AtKick,
            completing: Completing::AtOnce,
            false_residual_bytes: 0,
            deaf: false,
            doorbell_bytes: 4,
            leaves_sense: false,
            keeps_sizes: false,
            mute: false,
            polls: false,
            seen: Seen::default(),
            status: 0,
            select: [0; 2],
            accepted: 0,
            queue_select: 0,
            config_vector: 0,
            sense_size: 0,
            cdb_size: 0,
            rings: Vec::new(),
            raised: 0,
            in_flight: VecDeque::new(),
            last_used: (0, 0),
            events_missed: false,
        };
        model.clear();
        model
    }

    fn clear(&mut self) {
        self.status = 0;
        self.accepted = 0;
        self.config_vector = 0xffff;
        if !self.keeps_sizes {
            self.sense_size = 96;
            self.cdb_size = 32;
        }
        let count = 2 + self.quirks.request_queues as usize;
        let entries = self.quirks.entries;
        self.rings = (0..count).map(|_| ModelRing::new(entries)).collect();
        self.raised = 0;
        self.in_flight.clear();
        self.events_missed = false;
    }

    /// Whether it was told to run and needs no reset.
    fn runs(&self) -> bool {
        self.status & 0x44 == 4 && !self.mute
    }

    fn agreed(&self, bit: u32) -> bool {
        self.accepted >> bit & 1 == 1
    }

    /// Whether its interrupt line is up.
    #[must_use]
    pub fn line_is_up(&self) -> bool {
        self.raised != 0
    }

    /// Features in force.
    #[must_use]
    pub fn features(&self) -> u64 {
        self.accepted
    }

    /// The device status.
    #[must_use]
    pub fn device_status(&self) -> u8 {
        self.status
    }

    /// Entries of a queue, 0 if it is not enabled.
    #[must_use]
    pub fn queue_entries(&self, number: usize) -> u16 {
        let ring = &self.rings[number];
        if ring.enabled { ring.entries } else { 0 }
    }

    /// MSI-X vectors of the configuration and of each queue.
    #[must_use]
    pub fn vectors(&self) -> Vec<u16> {
        let queues = self.rings.iter().map(|ring| ring.vector);
        core::iter::once(self.config_vector).chain(queues).collect()
    }

    /// Commands fetched and not completed.
    #[must_use]
    pub fn open(&self) -> usize {
        self.in_flight.len()
    }

    fn reset(&mut self) {
        self.seen.resets += 1;
        self.clear();
        self.bus.reset(0);
    }

    fn breaks(&mut self) {
        self.status |= 0x40;
    }

    fn notified(&mut self, queue: u16) {
        match queue {
            0 => self.seen.control_kicks += 1,
            1 => self.seen.event_kicks += 1,
            _ => self.seen.kicks += 1,
        }
        if !self.runs() {
            return;
        }
        match queue {
            0 => self.manage(),
            1 => self.send_missed(),
            _ => {
                if let Some(ring) = self.rings.get_mut(usize::from(queue)) {
                    ring.kicked = true;
                }
                if self.fetching == Fetching::AtKick {
                    self.work(usize::MAX);
                }
            }
        }
    }

    /// Fetches at most `count` requests and completes what is due.
    fn work(&mut self, count: usize) {
        self.fetch(count);
        if self.completing == Completing::AtOnce {
            while self.complete(0) {}
        }
    }

    fn pass_time(&mut self) {
        if !self.runs() {
            return;
        }
        match self.fetching {
            Fetching::OnStep(count) if self.polls || self.rings.iter().any(|it| it.kicked) => {
                self.work(count);
            }
            Fetching::AtKick if self.polls => self.work(usize::MAX),
            _ => {}
        }
        self.complete_ripe();
    }
}
