//! One command at a time, for the scan, and task management.

use super::VirtioScsi;
use super::queue::{Direction, Frame, UnitWord};
use super::spec::{answer, management, queue};
use crate::block::{Completion, Controller, ControllerError, QueueId, Status};
use crate::hal::{Clock, Deadline, DmaRegion, Hal};
use crate::scsi::{Cdb, ScsiAddress, ScsiPort, Wire};

/// How long a command of the scan may take, in milliseconds.
const COMMAND_MS: u64 = 5_000;
/// How long task management may take, in milliseconds.
const MANAGEMENT_MS: u64 = 1_000;
/// How long to wait before sending a command again, in milliseconds.
const PAUSE_MS: u64 = 10;

impl<H: Hal> ScsiPort for VirtioScsi<H> {
    fn execute(
        &mut self,
        address: ScsiAddress,
        cdb: &Cdb,
        data_in: &mut [u8],
    ) -> Result<Status, ControllerError> {
        match self.in_flight() {
            0 => {}
            count => return Err(ControllerError::InFlight(count)),
        }
        let (Some(UnitWord(lun)), Some(first)) = (UnitWord::of(address), self.queues.first_mut())
        else {
            return Ok(Status::NoDevice);
        };
        // What the unit does not return must read as zero.
        data_in.fill(0);
        self.scratch.write_bytes(0, data_in);
        let direction = if data_in.is_empty() {
            Direction::None
        } else {
            Direction::ToHost
        };
        let frame = Frame::new(lun, direction, data_in.len() as u32, u16::MAX);
        first
            .push(&frame, cdb.words, self.scratch.bus_addr(), 0)
            .ok_or(ControllerError::InFlight(1))?;
        self.ring_doorbell(QueueId(0));
        let Some(status) = self.wait_for_one(COMMAND_MS) else {
            self.take_back(address)?;
            return Err(ControllerError::TimedOut {
                what: cdb.name(),
                after_ms: COMMAND_MS,
            });
        };
        self.scratch.read_bytes(0, data_in);
        Ok(status)
    }

    fn pause(&mut self) {
        let deadline = Deadline::after_ms(self.hal.clock(), PAUSE_MS);
        while !deadline.passed(self.hal.clock()) {
            self.hal.clock().relax();
        }
    }
}

impl<H: Hal> VirtioScsi<H> {
    fn wait_for_one(&mut self, ms: u64) -> Option<Status> {
        let deadline = Deadline::after_ms(self.hal.clock(), ms);
        // Room for one more than there is, so that `reap` sees the end of the ring
        // and asks for the next interrupt, where those are on.
        let mut finished = [Completion::EMPTY; 2];
        loop {
            let late = deadline.passed(self.hal.clock());
            if self.reap(QueueId(0), &mut finished) == 1 {
                return Some(finished[0].status);
            }
            if late {
                return None;
            }
            self.hal.clock().relax();
        }
    }

    /// Ends the one command that a unit does not answer: by a reset of the unit,
    /// else of the device.
    fn take_back(&mut self, address: ScsiAddress) -> Result<(), ControllerError> {
        let status = self.regs.status();
        self.noted(status)?;
        let ended = matches!(self.reset_unit(address), Ok(true))
            && self.wait_for_one(MANAGEMENT_MS).is_some();
        if ended { Ok(()) } else { self.restart() }
    }

    /// Resets one unit, which ends its commands with [`Status::Aborted`] and leaves
    /// a UNIT ATTENTION behind; whether the device says that it did.
    ///
    /// # Errors
    /// [`ControllerError`] when the device cannot be asked or does not answer.
    pub fn reset_unit(&mut self, address: ScsiAddress) -> Result<bool, ControllerError> {
        let UnitWord(lun) = UnitWord::of(address).ok_or(ControllerError::Unsupported)?;
        self.look()?;
        let slot = self.manage(management::UNIT_RESET, lun, 0)?;
        let deadline = Deadline::after_ms(self.hal.clock(), MANAGEMENT_MS);
        loop {
            let late = deadline.passed(self.hal.clock());
            while let Some((answered, code)) = self.next_answer() {
                if answered == slot {
                    return Ok(matches!(code, answer::OK | answer::FUNCTION_SUCCEEDED));
                }
            }
            if late {
                return Err(ControllerError::TimedOut {
                    what: "logical unit reset",
                    after_ms: MANAGEMENT_MS,
                });
            }
            self.hal.clock().relax();
        }
    }

    /// Sends a request of task management; the slot that its answer will name.
    pub(super) fn manage(
        &mut self,
        function: u64,
        lun: u64,
        id: u64,
    ) -> Result<u16, ControllerError> {
        // Answers that nobody waits for make room.
        while self.next_answer().is_some() {}
        let others = self.others.as_mut().ok_or(ControllerError::Unsupported)?;
        let control = &mut others.control;
        let Some(slot) = control.push(function, lun, id) else {
            return Err(ControllerError::Refused {
                what: "to answer task management",
                answer: u64::from(control.ring.entries()),
            });
        };
        if control.ring.publish() {
            self.regs.notify(control.doorbell, queue::CONTROL);
        }
        Ok(slot)
    }

    fn next_answer(&mut self) -> Option<(u16, u8)> {
        match self.others.as_mut()?.control.take() {
            Ok(answer) => answer,
            Err(_) => {
                self.distrust("answer to no task management");
                None
            }
        }
    }
}
