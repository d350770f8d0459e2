//! The model's state and what a test can ask of it.

use super::io::Fetched;
use super::queues::{CompletionQueue, SubmissionQueue};
use super::{FakeNamespace, Faults, Found, IoRecord, NvmeConfig};
use crate::fake::FakeMemory;
use crate::hal::BusAddr;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// Shadow doorbells in force.
#[derive(Clone, Copy)]
pub(super) struct ShadowPages {
    pub(super) shadow: BusAddr,
    pub(super) events: BusAddr,
}

/// The controller.
pub struct FakeNvme {
    /// What it is.
    pub config: NvmeConfig,
    /// What it does wrong.
    pub faults: Faults,
    /// Its namespaces.
    pub namespaces: Vec<FakeNamespace>,
    /// I/O commands are fetched and then wait for [`complete_held`](Self::complete_held).
    pub hold: bool,
    pub(super) memory: FakeMemory,
    pub(super) cc: u32,
    pub(super) ready: bool,
    pub(super) fatal: bool,
    pub(super) gone: bool,
    pub(super) shut_down: bool,
    pub(super) steps_to_ready: Option<u32>,
    pub(super) aqa: u32,
    pub(super) asq: u64,
    pub(super) acq: u64,
    pub(super) interrupt_mask: u32,
    pub(super) submission: BTreeMap<u16, SubmissionQueue>,
    pub(super) completion: BTreeMap<u16, CompletionQueue>,
    pub(super) pages: Option<ShadowPages>,
    pub(super) event_request: Option<u16>,
    pub(super) events_wanted: bool,
    pub(super) event_masked: bool,
    pub(super) held: Vec<Fetched>,
    pub(super) log: Vec<IoRecord>,
    pub(super) violations: Vec<String>,
    pub(super) resets: u32,
    pub(super) shutdowns: u32,
    pub(super) messages_sent: u64,
    pub(super) transfers: u64,
}

impl FakeNvme {
    /// A controller in `memory`.
    #[must_use]
    pub fn new(memory: &FakeMemory, config: NvmeConfig, namespaces: Vec<FakeNamespace>) -> Self {
        let (cc, ready, steps_to_ready) = match config.found {
            Found::Off => (0, false, None),
            Found::On => (0x0046_0001, true, None),
            Found::Starting(steps) => (0x0046_0001, false, Some(steps)),
        };
        Self {
            config,
            faults: Faults::default(),
            namespaces,
            hold: false,
            memory: memory.clone(),
            cc,
            ready,
            fatal: false,
            gone: false,
            shut_down: false,
            steps_to_ready,
            aqa: 0,
            asq: 0,
            acq: 0,
            interrupt_mask: 0,
            submission: BTreeMap::new(),
            completion: BTreeMap::new(),
            pages: None,
            event_request: None,
            events_wanted: false,
            event_masked: false,
            held: Vec::new(),
            log: Vec::new(),
            violations: Vec::new(),
            resets: 0,
            shutdowns: 0,
            messages_sent: 0,
            transfers: 0,
        }
    }

    /// Rules that the driver broke, in words.
    #[must_use]
    pub fn violations(&self) -> &[String] {
        &self.violations
    }

    /// I/O commands as they were fetched.
    #[must_use]
    pub fn log(&self) -> &[IoRecord] {
        &self.log
    }

    /// Reads and writes fetched so far.
    #[must_use]
    pub fn transfers(&self) -> u64 {
        self.transfers
    }

    /// Forgets the log.
    pub fn clear_log(&mut self) {
        self.log.clear();
    }

    /// Times that CC.EN went from 1 to 0.
    #[must_use]
    pub fn resets(&self) -> u32 {
        self.resets
    }

    /// Times that a shutdown was announced.
    #[must_use]
    pub fn shutdowns(&self) -> u32 {
        self.shutdowns
    }

    /// Whether it is enabled.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.cc & 1 != 0
    }

    /// I/O queue pairs that exist, and the entries of the first one.
    #[must_use]
    pub fn io_queues(&self) -> (usize, u32) {
        let entries = self.submission.get(&1).map_or(0, |queue| queue.entries);
        (
            self.submission.keys().filter(|&&id| id != 0).count(),
            entries,
        )
    }

    /// Whether shadow doorbells are in force.
    #[must_use]
    pub fn uses_shadow_doorbells(&self) -> bool {
        self.pages.is_some()
    }

    /// Whether the interrupt line is up (INTx).
    #[must_use]
    pub fn line_is_up(&self) -> bool {
        let waiting = |queue: &CompletionQueue| queue.interrupts && queue.head != queue.tail;
        !self.config.messages
            && self.interrupt_mask & 1 == 0
            && self.completion.values().any(waiting)
    }

    /// Messages sent so far (MSI-X).
    #[must_use]
    pub fn messages_sent(&self) -> u64 {
        self.messages_sent
    }

    /// Makes the controller report a fatal state.
    pub fn fail_fatally(&mut self) {
        self.fatal = true;
    }

    /// Commands that wait for [`complete_held`](Self::complete_held).
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Executes and completes the held command with this index.
    pub fn complete_held(&mut self, index: usize) {
        let fetched = self.held.remove(index);
        self.run(fetched);
        self.post();
    }

    /// Reports a changed namespace, if the driver wants to know and none is
    /// already reported and not yet read.
    pub fn announce_namespace_change(&mut self) {
        if !self.events_wanted || self.event_masked {
            return;
        }
        if let Some(id) = self.event_request.take() {
            self.event_masked = true;
            self.complete_admin(id, 0, 0x0004_0002);
            self.post();
        }
    }

    pub(super) fn violation(&mut self, what: String) {
        self.violations.push(what);
    }
}
