//! Switching the controller on and off, and its I/O queues (7.6.1, 7.6.2).

use super::admin::AdminQueue;
use super::controller::Nvme;
use super::io::IoQueue;
use super::queue::QueuePair;
use super::quirks::Quirks;
use super::shadow::ShadowDoorbells;
use super::spec::{CDW10, PRP1, PRP2, admin, cc, cq_doorbell, feature, nvm, word0};
use crate::block::{ControllerError, InterruptMode, Limits, Options};
use crate::hal::{Deadline, Hal};

/// Slots per queue where the job does not choose. With one slot less in flight,
/// a command identifier keeps 6 bits of generation.
const DEFAULT_ENTRIES: u32 = 1024;
/// Most slots per queue: more would leave too little of an identifier for a
/// generation (4 bits here).
const MAX_ENTRIES: u32 = 4096;

/// What the job wants, before the device has its say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    entries: u32,
    queues: u16,
    shadow: bool,
}

impl Wanted {
    /// # Errors
    /// [`ControllerError::BadOption`] for what no device can take.
    pub(super) fn from_options(options: &Options, quirks: Quirks) -> Result<Self, ControllerError> {
        let bad = |what, value| Err(ControllerError::BadOption { what, value });
        let entries = options.queue_entries.unwrap_or(DEFAULT_ENTRIES);
        if !(2..=1 << 16).contains(&entries) {
            return bad("queue_entries", u64::from(entries));
        }
        let queues = options.queues.unwrap_or(1);
        if queues == 0 {
            return bad("queues", 0);
        }
        Ok(Self {
            entries,
            queues,
            shadow: options
                .shadow_doorbells
                .unwrap_or(!quirks.fences_do_not_hold),
        })
    }
}

impl<H: Hal> Nvme<H> {
    pub(super) fn admin(&mut self) -> Result<&mut AdminQueue<H::Region>, ControllerError> {
        self.admin.as_mut().ok_or(ControllerError::Gone)
    }

    /// Runs one admin command.
    pub(super) fn execute(
        &mut self,
        what: &'static str,
        command: [u64; 8],
    ) -> Result<u32, ControllerError> {
        let admin = self.admin.as_mut().ok_or(ControllerError::Gone)?;
        admin.execute(&self.registers, self.hal.clock(), what, command)
    }

    /// Switches the controller off, however it was found.
    pub(super) fn switch_off(&mut self) -> Result<(), ControllerError> {
        let status = self.registers.status()?;
        let config = self.registers.config();
        if config & cc::ENABLE != 0 {
            // Clearing EN before RDY has followed it is undefined (3.1.5). One that
            // firmware left so and that never gets ready is switched off all the
            // same; for one that we enabled ourselves the wait is already over.
            if self.off && !status.is_ready() && !status.is_fatal() {
                let _ = self.registers.wait_ready(self.hal.clock(), true);
            }
            self.registers
                .set_config(config & !(cc::ENABLE | cc::SHUTDOWN_MASK));
        }
        self.registers.wait_ready(self.hal.clock(), false)?;
        // From here on the device touches no memory, and its shadow pages are forgotten.
        self.off = true;
        self.registers.shadow = None;
        Ok(())
    }

    /// Switches it on with an empty admin queue.
    pub(super) fn switch_on(&mut self) -> Result<(), ControllerError> {
        let admin = self.admin.as_mut().ok_or(ControllerError::Gone)?;
        admin.rewind();
        admin.install(&self.registers);
        self.off = false;
        self.registers.set_config(cc::RUN);
        self.registers.wait_ready(self.hal.clock(), true)
    }

    /// Makes the I/O queues, as many as wanted and granted.
    pub(super) fn create_queues(&mut self) -> Result<(), ControllerError> {
        let cap = self.registers.cap();
        let entries = self
            .wanted
            .entries
            .min(cap.max_queue_entries())
            .min(MAX_ENTRIES);
        if entries < 2 {
            return Err(ControllerError::Refused {
                what: "queues of two entries (CAP.MQES)",
                answer: cap.0,
            });
        }
        let wanted = self.wanted.queues.min(self.registers.max_queue_pairs());
        let granted = self.negotiate_queues(wanted)?;
        let reusable = self
            .queues
            .first()
            .is_some_and(|queue| queue.pair.entries() == entries);
        self.queues
            .truncate(if reusable { granted.into() } else { 0 });
        for index in 0..granted {
            match self.queues.get_mut(usize::from(index)) {
                Some(queue) => queue.pair.rewind(),
                None => {
                    let stride_bytes = cap.doorbell_stride_bytes();
                    let pair = QueuePair::new(&self.hal, index + 1, entries, stride_bytes)
                        .map_err(ControllerError::Dma)?;
                    let queue = IoQueue::new(&self.hal, pair, self.info.trim)
                        .map_err(ControllerError::Dma)?;
                    self.queues.push(queue);
                }
            }
            self.create_queue(usize::from(index))?;
        }
        if self.wanted.shadow && self.info.shadow_doorbells {
            self.use_shadow_doorbells()?;
        }
        self.limits = Limits {
            queues: granted,
            queue_entries: entries,
            max_in_flight: entries - 1,
            max_batch: entries - 1,
            // Without a limit of the controller's, 16 bits of 512-byte blocks.
            max_transfer_bytes: self
                .info
                .max_transfer_bytes
                .unwrap_or(nvm::MAX_BLOCKS * 512)
                .min(self.quirks.max_transfer_bytes()),
            max_targets: self.info.max_nsid,
            ring_pages: 0,
            doorbell_per_request: false,
            polls_by_register: false,
        };
        Ok(())
    }

    /// Number of queue pairs granted, at most `wanted`. Some devices ignore what
    /// is asked and return their maximum.
    fn negotiate_queues(&mut self, wanted: u16) -> Result<u16, ControllerError> {
        if wanted == 0 {
            return Err(ControllerError::Refused {
                what: "doorbells inside the BAR",
                answer: self.registers.cap().0,
            });
        }
        let last = u64::from(wanted - 1);
        let mut command = [0; 8];
        command[0] = word0(admin::SET_FEATURES, 0);
        command[CDW10] = u64::from(feature::NUMBER_OF_QUEUES) | (last << 16 | last) << 32;
        let granted = self.execute("set features (number of queues)", command)?;
        let (submission, completion) = (granted & 0xffff, granted >> 16);
        // Counted from 0, so one more each; the minimum is at most `wanted`.
        Ok((submission.min(completion).min(u32::from(wanted - 1)) + 1) as u16)
    }

    fn create_queue(&mut self, index: usize) -> Result<(), ControllerError> {
        let pair = &self.queues[index].pair;
        let [submission, completion] = pair.bus_addrs();
        let id = u64::from(pair.id());
        let size_and_id = u64::from(pair.entries() - 1) << 16 | id;
        // Physically contiguous, PC; interrupts enabled, IEN; vector 0.
        let interrupts = u64::from(self.interrupts != InterruptMode::Off);
        let mut command = [0; 8];
        command[0] = word0(admin::CREATE_CQ, 0);
        command[PRP1] = completion.0;
        command[CDW10] = size_and_id | (1 | interrupts << 1) << 32;
        self.execute("create completion queue", command)?;
        command[0] = word0(admin::CREATE_SQ, 0);
        command[PRP1] = submission.0;
        command[CDW10] = size_and_id | (1 | id << 16) << 32;
        self.execute("create submission queue", command)?;
        Ok(())
    }

    /// Moves doorbells into memory. The pages hold the present values before the
    /// device hears of them, because it believes them from then on.
    fn use_shadow_doorbells(&mut self) -> Result<(), ControllerError> {
        let stride_bytes = self.registers.cap().doorbell_stride_bytes();
        let last = cq_doorbell(self.queues.len() as u16, stride_bytes);
        if !ShadowDoorbells::<H::Region>::has_room_for(last) {
            return Ok(());
        }
        let shadow = ShadowDoorbells::new(&self.hal).map_err(ControllerError::Dma)?;
        for (at, value) in self.admin()?.pair().doorbells() {
            shadow.preset(at, value);
        }
        let [shadow_page, event_page] = shadow.bus_addrs();
        let mut command = [0; 8];
        command[0] = word0(admin::DOORBELL_BUFFER, 0);
        command[PRP1] = shadow_page.0;
        command[PRP2] = event_page.0;
        self.registers.shadow = Some(shadow);
        match self.execute("doorbell buffer config", command) {
            Ok(_) => Ok(()),
            // Offered and refused: the registers still work.
            Err(ControllerError::Refused { .. }) => {
                self.registers.shadow = None;
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// Tells the device that it will be switched off, and waits a bounded time.
    pub(super) fn announce_shutdown(&mut self) {
        let usable = self
            .registers
            .status()
            .is_ok_and(|status| status.is_ready() && !status.is_fatal());
        if !usable {
            return;
        }
        let config = self.registers.config();
        self.registers
            .set_config(config & !cc::SHUTDOWN_MASK | cc::SHUTDOWN_NORMAL);
        let wait_ms = self.quirks.shutdown_wait_ms(self.info.shutdown_ms);
        let clock = self.hal.clock();
        Deadline::after_ms(clock, wait_ms).poll(clock, || match self.registers.status() {
            Ok(status) if !status.is_shut_down() => None,
            _ => Some(()),
        });
    }
}
