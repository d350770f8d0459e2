//! The admin queue: one command at a time, and the standing request for events.

use super::queue::QueuePair;
use super::regs::Registers;
use super::spec::{CDW10, CID_SHIFT, IDENTIFY_BYTES, PRP1, Sqe, admin, event, feature, word0};
use crate::block::ControllerError;
use crate::hal::{BusAddr, Clock, Deadline, DmaError, DmaLayout, DmaRegion, Hal, Mmio};
use alloc::boxed::Box;

/// Slots of the admin queue; few are ever used.
const ENTRIES: u32 = 16;
/// Longest wait for an admin command, in milliseconds.
pub(super) const TIMEOUT_MS: u64 = 5000;
/// Identifier of the Asynchronous Event Request; other commands stay below it.
const EVENT_COMMAND: u16 = 0x8000;

/// Queue 0 and a page for what commands return.
pub(super) struct AdminQueue<R> {
    pair: QueuePair<R>,
    page: R,
    next_command: u16,
    /// A request for events waits in the device.
    event_armed: bool,
    /// Result of an event request that came back and was not looked at.
    event: Option<u32>,
    /// Completions that matched nothing.
    strays: u64,
}

impl<R: DmaRegion> AdminQueue<R> {
    /// # Errors
    /// [`DmaError`] when no memory is left.
    pub(super) fn new<H: Hal<Region = R>>(hal: &H, stride_bytes: usize) -> Result<Self, DmaError> {
        Ok(Self {
            pair: QueuePair::new(hal, 0, ENTRIES, stride_bytes)?,
            page: hal.allocate(DmaLayout::pages(IDENTIFY_BYTES))?,
            next_command: 0,
            event_armed: false,
            event: None,
            strays: 0,
        })
    }

    pub(super) fn pair(&self) -> &QueuePair<R> {
        &self.pair
    }

    /// For use anew, while the device is off.
    pub(super) fn rewind(&mut self) {
        self.pair.rewind();
        self.event_armed = false;
        self.event = None;
    }

    /// Tells the device where the queue is, while it is off.
    pub(super) fn install<M: Mmio>(&self, registers: &Registers<M, R>) {
        let [submission, completion] = self.pair.bus_addrs();
        registers.set_admin_queues(ENTRIES, submission, completion);
    }

    /// Address of the page that commands return data in.
    pub(super) fn page_addr(&self) -> BusAddr {
        self.page.bus_addr()
    }

    /// A copy of that page.
    pub(super) fn page(&self) -> Box<[u8; IDENTIFY_BYTES]> {
        let mut copy = Box::new([0; IDENTIFY_BYTES]);
        self.page.read_bytes(0, &mut copy[..]);
        copy
    }

    /// Completions so far that matched no command.
    pub(super) fn strays(&self) -> u64 {
        self.strays
    }

    /// Runs one command and returns its Dword 0; `what` names it in errors.
    ///
    /// # Errors
    /// [`ControllerError::Refused`] with the status field; `Gone`; `TimedOut`.
    pub(super) fn execute<M: Mmio>(
        &mut self,
        registers: &Registers<M, R>,
        clock: &impl Clock,
        what: &'static str,
        command: Sqe,
    ) -> Result<u32, ControllerError> {
        let id = self.next_command;
        self.next_command = (id + 1) % EVENT_COMMAND;
        self.send(registers, id, command);
        let answer = Deadline::after_ms(clock, TIMEOUT_MS).poll(clock, || {
            let answer = self.collect(Some(id));
            self.pair.ring_admin(registers);
            answer
        });
        let Some((status, result)) = answer else {
            // Looking tells a device that is gone or dead from a slow one.
            let csts = registers.status()?;
            if csts.is_fatal() {
                let answer = u64::from(csts.0);
                return Err(ControllerError::Refused { what, answer });
            }
            let after_ms = TIMEOUT_MS;
            return Err(ControllerError::TimedOut { what, after_ms });
        };
        match status {
            0 => Ok(result),
            _ => Err(ControllerError::Refused {
                what,
                answer: u64::from(status),
            }),
        }
    }

    fn send<M: Mmio>(&mut self, registers: &Registers<M, R>, id: u16, mut command: Sqe) {
        command[0] |= u64::from(id) << CID_SHIFT;
        self.pair.push(&command);
        self.pair.ring_admin(registers);
    }

    /// Consumes completions up to that of `wanted`; its status and result.
    fn collect(&mut self, wanted: Option<u16>) -> Option<(u16, u32)> {
        // One turn of the ring at most: a device that never stops must not hold us.
        for _ in 0..ENTRIES {
            let completion = self.pair.next_completion()?;
            let result = self.pair.result(&completion);
            if completion.queue == 0 && wanted == Some(completion.command) {
                return Some((completion.status.0, result));
            }
            if completion.queue == 0 && completion.command == EVENT_COMMAND && self.event_armed {
                self.event_armed = false;
                // A refused request never comes back as an event.
                self.event = (completion.status.0 == 0).then_some(result);
            } else {
                self.strays += 1;
            }
        }
        None
    }

    /// Asks for notices of changed namespaces and leaves a request for them with
    /// the device. A device that refuses simply sends none.
    ///
    /// # Errors
    /// [`ControllerError`] other than a refusal.
    pub(super) fn arm_events<M: Mmio>(
        &mut self,
        registers: &Registers<M, R>,
        clock: &impl Clock,
    ) -> Result<(), ControllerError> {
        let mut command = [0; 8];
        command[0] = word0(admin::SET_FEATURES, 0);
        let value = u64::from(event::NAMESPACE_CHANGED);
        command[CDW10] = u64::from(feature::ASYNC_EVENTS) | value << 32;
        match self.execute(registers, clock, "set features (events)", command) {
            Ok(_) => self.send_event_request(registers),
            Err(ControllerError::Refused { .. }) => {}
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn send_event_request<M: Mmio>(&mut self, registers: &Registers<M, R>) {
        self.event_armed = true;
        self.send(
            registers,
            EVENT_COMMAND,
            [word0(admin::ASYNC_EVENT, 0), 0, 0, 0, 0, 0, 0, 0],
        );
    }

    /// Whether the device has sent a notice of changed namespaces since the last
    /// call. Looks into memory only, unless there is an event.
    ///
    /// # Errors
    /// [`ControllerError`] when the event's log cannot be read.
    pub(super) fn take_namespace_change<M: Mmio>(
        &mut self,
        registers: &Registers<M, R>,
        clock: &impl Clock,
    ) -> Result<bool, ControllerError> {
        if self.pair.has_completion() {
            self.collect(None);
            self.pair.ring_admin(registers);
        }
        let Some(result) = self.event.take() else {
            return Ok(false);
        };
        // Reading its log page is what lets the device send the next one (5.2).
        let mut command = [0; 8];
        command[0] = word0(admin::GET_LOG_PAGE, u32::MAX);
        command[PRP1] = self.page_addr().0;
        let dwords = (IDENTIFY_BYTES / 4 - 1) as u64;
        command[CDW10] = u64::from(result >> 16 & 0xff) | dwords << 16;
        match self.execute(registers, clock, "get log page", command) {
            Ok(_) | Err(ControllerError::Refused { .. }) => {}
            Err(other) => return Err(other),
        }
        self.send_event_request(registers);
        Ok(result & event::KIND_MASK == event::NOTICE_NAMESPACE_CHANGED)
    }
}
