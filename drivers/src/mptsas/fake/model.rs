//! The adapter's registers and what is behind them.

use super::commands::Pending;
use super::doorbell::Exchange;
use super::{Chip, Completing, Fetching, Quirks};
use crate::fake::scsi::ScsiBus;
use crate::fake::{FakeDevice, FakeMemory};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// What the adapter saw the driver do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Writes to the request FIFO.
    pub posts: u64,
    /// Writes to the FIFO for task management.
    pub first_posts: u64,
    /// Requests fetched.
    pub requests: u64,
    /// Reads and writes among them.
    pub transfers: u64,
    /// Replies by context.
    pub context_replies: u64,
    /// Replies by frame.
    pub frame_replies: u64,
    /// Reply frames given, those at the start included.
    pub given_frames: u64,
    /// Reads of the reply FIFO that found nothing.
    pub empty_reads: u64,
    /// Message unit resets.
    pub gentle_resets: u64,
    /// Diagnostic resets.
    pub hard_resets: u64,
    /// Words of the last IOC_INIT.
    pub init_words: usize,
    /// Most requests outstanding at a time.
    pub most_outstanding: usize,
    /// Requests outstanding beyond the credits.
    pub credit_overruns: u64,
    /// Contexts that are zero, too wide, or in use.
    pub bad_contexts: u64,
    /// Frames that are not aligned to 64 bytes.
    pub misaligned_frames: u64,
    /// Frames posted while the adapter still had them.
    pub reused_frames: u64,
    /// Frames changed while the adapter had them.
    pub changed_frames: u64,
    /// Reply frames given twice.
    pub doubled_frames: u64,
    /// Scatter lists that end behind their frame, or not at all.
    pub bad_lists: u64,
    /// Scatter elements of no length in a list that has data.
    pub empty_elements: u64,
    /// Lists whose length or direction differs from the request's.
    pub list_mismatches: u64,
    /// Requests whose data length differs from blocks times block size.
    pub wrong_lengths: u64,
    /// Requests whose direction contradicts the CDB, or with too little room.
    pub overruns: u64,
    /// Functions that are not known.
    pub unknown_functions: u64,
    /// Events acknowledged.
    pub event_acks: u64,
    /// Most elements of one list.
    pub most_elements: usize,
    /// Longest data of one request in bytes.
    pub longest_bytes: u64,
}

/// The adapter.
pub struct MptModel {
    pub(super) memory: FakeMemory,
    /// What is behind it.
    pub bus: ScsiBus,
    /// Which adapter it is.
    pub chip: Chip,
    /// Whose adapter it is.
    pub quirks: Quirks,
    /// When it fetches requests.
    pub fetching: Fetching,
    /// When it completes commands.
    pub completing: Completing,
    /// Completes requests by context without looking at them further, as fast as
    /// it can, to measure what is above it.
    pub fast: bool,
    /// Takes register writes but does nothing about messages or requests.
    pub mute: bool,
    /// Does nothing about a message unit reset.
    pub ignores_gentle_reset: bool,
    /// States fewer bytes than it was asked for, as if that were well.
    pub loses_bytes_silently: bool,
    /// What it saw.
    pub seen: Seen,
    /// State in place: bits 31:28, and a fault code.
    pub(super) state: u32,
    pub(super) who_init: u8,
    pub(super) boot_left: u32,
    pub(super) doorbell_raised: bool,
    pub(super) busy_left: u32,
    pub(super) replies_raised: bool,
    pub(super) mask: u32,
    pub(super) keys: usize,
    pub(super) unlocked: bool,
    pub(super) exchange: Exchange,
    pub(super) targets: u16,
    pub(super) frames_high: u32,
    pub(super) sense_high: u32,
    pub(super) reply_frame_bytes: usize,
    pub(super) posted: VecDeque<u32>,
    pub(super) in_flight: VecDeque<Pending>,
    pub(super) free: VecDeque<u32>,
    pub(super) replies: VecDeque<u32>,
    /// Replies that wait for a free frame.
    pub(super) held: VecDeque<Vec<u8>>,
    pub(super) last_reply: u32,
}

pub(super) const READY: u32 = 1 << 28;
pub(super) const OPERATIONAL: u32 = 2 << 28;
pub(super) const FAULT: u32 = 4 << 28;

impl MptModel {
    /// QEMU's SAS1068 with `bus` behind it, which works at each post.
    #[must_use]
    pub fn new(memory: &FakeMemory, bus: ScsiBus) -> Self {
        Self {
            memory: memory.clone(),
            bus,
            chip: Chip::Sas1068,
            quirks: Quirks::qemu(),
            fetching: Fetching::AtPost,
            completing: Completing::AtOnce,
            fast: false,
            mute: false,
            ignores_gentle_reset: false,
            loses_bytes_silently: false,
            seen: Seen::default(),
            state: READY,
            who_init: 0,
            boot_left: 0,
            doorbell_raised: false,
            busy_left: 0,
            replies_raised: false,
            mask: 0,
            keys: 0,
            unlocked: false,
            exchange: Exchange::Idle,
            targets: 0,
            frames_high: 0,
            sense_high: 0,
            reply_frame_bytes: 0,
            posted: VecDeque::new(),
            in_flight: VecDeque::new(),
            free: VecDeque::new(),
            replies: VecDeque::new(),
            held: VecDeque::new(),
            last_reply: u32::MAX,
        }
    }

    /// A SAS1068 with firmware of its own. Not run on any device.
    #[must_use]
    pub fn firmware(memory: &FakeMemory, bus: ScsiBus) -> Self {
        Self {
            quirks: Quirks::firmware(),
            ..Self::new(memory, bus)
        }
    }

    /// A 53c1030, which is known from drivers and logs alone. Not run on any device.
    #[must_use]
    pub fn parallel(memory: &FakeMemory, bus: ScsiBus) -> Self {
        let quirks = Quirks {
            told_targets: 16,
            credits: 128,
            message_version: 0x0102,
            ..Quirks::firmware()
        };
        Self {
            chip: Chip::Parallel53c1030,
            quirks,
            ..Self::new(memory, bus)
        }
    }

    /// Whether its interrupt is raised and enabled.
    #[must_use]
    pub fn interrupts(&self) -> bool {
        self.interrupt_status() & !self.mask & 9 != 0
    }

    /// The interrupt mask register.
    #[must_use]
    pub fn interrupt_mask(&self) -> u32 {
        self.mask
    }

    /// State in bits 31:28 of the doorbell: 0 reset, 1 ready, 2 operational, 4 fault.
    #[must_use]
    pub fn ioc_state(&self) -> u32 {
        self.state >> 28
    }

    /// Commands fetched and not completed.
    #[must_use]
    pub fn open(&self) -> usize {
        self.in_flight.len()
    }

    /// Reply frames that it can use now.
    #[must_use]
    pub fn free_frames(&self) -> usize {
        self.free.len()
    }

    fn interrupt_status(&self) -> u32 {
        u32::from(self.busy_left > 0) << 31
            | u32::from(self.replies_raised) << 3
            | u32::from(self.doorbell_raised)
    }

    /// Gives up; a second fault does not change the code.
    pub(super) fn fault(&mut self, code: u16) {
        if self.state >> 28 != 4 {
            self.state = FAULT | u32::from(code);
        }
    }

    /// Empties everything, without a word to the driver.
    pub(super) fn flush(&mut self) {
        self.posted.clear();
        self.in_flight.clear();
        self.free.clear();
        self.replies.clear();
        self.held.clear();
        self.replies_raised = false;
        self.doorbell_raised = false;
        self.exchange = Exchange::Idle;
    }

    fn write_key(&mut self, key: u32) {
        const KEYS: [u32; 5] = [0x4, 0xb, 0x2, 0x7, 0xd];
        self.unlocked = false;
        self.keys = match KEYS.get(self.keys) {
            Some(wanted) if *wanted == key & 0xf => self.keys + 1,
            _ => 0,
        };
        if self.keys == KEYS.len() {
            self.keys = 0;
            self.unlocked = true;
        }
    }

    fn write_diagnostic(&mut self, value: u32) {
        let allowed = self.unlocked || !self.quirks.diagnostic_locked;
        if value & 4 == 0 || !allowed {
            return;
        }
        self.seen.hard_resets += 1;
        self.flush();
        self.bus.reset(0);
        self.unlocked = false;
        self.mask = 9;
        (self.frames_high, self.sense_high, self.who_init) = (0, 0, 0);
        self.boot_left = self.quirks.boot_steps;
        self.state = if self.boot_left == 0 { READY } else { 0 };
    }
}

impl FakeDevice for MptModel {
    fn bar_len_bytes(&self) -> usize {
        0x4000
    }

    fn read32(&mut self, offset: usize) -> u32 {
        match offset {
            0x00 => self.read_doorbell(),
            0x08 => u32::from(self.unlocked) << 7,
            0x30 => {
                let status = self.interrupt_status();
                self.busy_left = self.busy_left.saturating_sub(1);
                status
            }
            0x34 => self.mask,
            0x44 => self.take_reply(),
            _ => 0,
        }
    }

    fn write32(&mut self, offset: usize, value: u32) {
        match offset {
            0x00 => self.write_doorbell(value),
            0x04 => self.write_key(value),
            0x08 => self.write_diagnostic(value),
            0x30 => self.clear_doorbell(),
            0x34 => self.mask = value & 9,
            0x40 => {
                self.seen.posts += 1;
                self.post(value);
            }
            0x44 => self.take_frame(value),
            0x48 if self.quirks.hi_pri => {
                self.seen.first_posts += 1;
                self.post(value);
            }
            _ => {}
        }
    }

    fn step(&mut self, _now_ticks: u64) {
        if self.mute {
            return;
        }
        if self.boot_left > 0 {
            self.boot_left -= 1;
            if self.boot_left == 0 {
                self.state = READY;
            }
        }
        if let Fetching::OnStep(count) = self.fetching {
            self.fetch(count);
        }
        if let Completing::AfterSteps(_) = self.completing {
            self.complete_ripe();
        }
    }
}
