//! One SCSI command at a time, for the scan.

use super::Pvscsi;
use super::queue::{Frame, UnitWords};
use super::spec::flag;
use crate::block::{Completion, Controller, ControllerError, QueueId, Status};
use crate::hal::{Clock, Deadline, DmaRegion, Hal};
use crate::scsi::{Cdb, ScsiAddress, ScsiPort, Wire};

/// How long a command of the scan may take, in milliseconds.
const COMMAND_MS: u64 = 5_000;
/// How long to wait before sending a command again, in milliseconds.
const PAUSE_MS: u64 = 10;

impl<H: Hal> ScsiPort for Pvscsi<H> {
    fn execute(
        &mut self,
        address: ScsiAddress,
        cdb: &Cdb,
        data_in: &mut [u8],
    ) -> Result<Status, ControllerError> {
        let busy = self.queue.tags.in_flight();
        if busy != 0 {
            return Err(ControllerError::InFlight(busy));
        }
        let Some(unit) = UnitWords::of(address) else {
            return Ok(Status::NoDevice);
        };
        // What the unit does not return must read as zero.
        data_in.fill(0);
        self.scratch.write_bytes(0, data_in);
        let direction = if data_in.is_empty() {
            flag::NONE
        } else {
            flag::TO_HOST
        };
        let data_bytes = data_in.len() as u32;
        let frame = Frame::new(&unit, cdb.len_bytes, direction, data_bytes, u16::MAX);
        self.queue
            .push(&frame, cdb.words, self.scratch.bus_addr(), 0)
            .ok_or(ControllerError::InFlight(busy))?;
        self.other_pending = true;
        self.ring_doorbell(QueueId(0));
        let Some(status) = self.wait_for_one() else {
            if self.regs.is_gone() {
                return Err(self.note_gone());
            }
            self.restart()?;
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

impl<H: Hal> Pvscsi<H> {
    fn wait_for_one(&mut self) -> Option<Status> {
        let deadline = Deadline::after_ms(self.hal.clock(), COMMAND_MS);
        let mut finished = [Completion::EMPTY];
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
}
