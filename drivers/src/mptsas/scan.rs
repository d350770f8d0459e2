//! Disks: one SCSI command at a time to every target.

use super::Mptsas;
use super::queue::{Frame, UnitWords, Way};
use crate::block::{Completion, Controller, ControllerError, QueueId, Status};
use crate::hal::{Clock, Deadline, DmaRegion, Hal};
use crate::scsi::{self, Cdb, ScsiAddress, ScsiPort, Wire};

/// How long a command of the scan may take, in milliseconds.
const COMMAND_MS: u64 = 5_000;
/// How long to wait before sending a command again, in milliseconds.
const PAUSE_MS: u64 = 10;
/// Highest unit number: a request has it in one byte.
const MAX_LUN: u16 = 255;
/// No disk: the shadow of a command of the scan.
const NO_DISK: u16 = u16::MAX;

impl<H: Hal> Mptsas<H> {
    /// Looks at all targets but the adapter's own id on a parallel bus.
    pub(super) fn find_disks(&mut self) -> Result<(), ControllerError> {
        let own = self.facts.parallel.then_some(self.facts.own_target);
        let targets = (0..self.limits.max_targets as u16).filter(|target| Some(*target) != own);
        let found = scsi::scan(self, targets, MAX_LUN)?;
        self.units
            .set_disks(found.disks, self.limits.max_transfer_bytes);
        self.ignored = found.ignored;
        Ok(())
    }

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

impl<H: Hal> ScsiPort for Mptsas<H> {
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
        let way = if data_in.is_empty() {
            Way::NONE
        } else {
            Way::IN
        };
        let frame = Frame::new(&unit, cdb.len_bytes, way, data_in.len() as u32, NO_DISK);
        let data = self.scratch.bus_addr();
        let written = self.queue.write(&frame, cdb.words, data, 0);
        written.ok_or(ControllerError::InFlight(busy))?;
        self.ring_doorbell(QueueId(0));
        let Some(status) = self.wait_for_one() else {
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
