//! NVMe, bare: one queue pair, prebuilt entries, both doorbells once per refill.
//!
//! The slots of the submission queue are used in order whatever completes, and a
//! slot's number is its command's identifier, at which nobody looks. A slot's
//! buffer is `slot % depth`: with completions in order no two commands in flight
//! share one, and where they come out of order nobody looks at the data.
//!
//! There are no shadow doorbells and no interrupts.

use crate::bare::Bare;
use crate::positions::Positions;
use crate::start::{READ_BYTES, Shape, StartError};
use core::sync::atomic::{Ordering, compiler_fence};
use drivers::hal::{BusAddr, Deadline, DmaLayout, DmaRegion, Hal, Mmio};

/// Registers as offsets in bytes, and opcodes: NVM Express 1.4, sections 3.1, 5
/// and 6.
mod spec {
    pub const CAP: usize = 0x00;
    pub const CC: usize = 0x14;
    pub const CSTS: usize = 0x1c;
    pub const AQA: usize = 0x24;
    pub const ASQ: usize = 0x28;
    pub const ACQ: usize = 0x30;
    pub const DOORBELLS: usize = 0x1000;

    /// EN, pages of 4 KiB, entries of 64 and 16 bytes.
    pub const CC_ON: u32 = 0x0046_0001;
    pub const CSTS_RDY: u32 = 1;

    pub const CREATE_SQ: u8 = 0x01;
    pub const CREATE_CQ: u8 = 0x05;
    pub const IDENTIFY: u8 = 0x06;
    pub const SET_FEATURES: u8 = 0x09;
    pub const READ: u8 = 0x02;

    pub const NAMESPACE: u32 = 0;
    pub const ACTIVE_LIST: u32 = 2;
    pub const NUMBER_OF_QUEUES: u32 = 7;
}

/// Class, subclass and programming interface by which a controller is known.
pub const CLASS: [u8; 3] = [0x01, 0x08, 0x02];
/// Least size of BAR 0: registers, and doorbells in the second page.
pub const BAR_BYTES: u64 = 0x2000;

const SQE_BYTES: usize = 64;
const CQE_BYTES: usize = 16;
/// Word of a submission entry that holds CDW10 and CDW11, in bytes.
const LBA_AT: usize = 40;
/// Dword of a completion entry that holds identifier, phase and status, in bytes.
const STATUS_AT: usize = 12;

const ADMIN_ENTRIES: u32 = 16;
const IO_ENTRIES: u32 = 1024;
const COMMAND_MS: u64 = 5000;

/// A controller with its first namespace.
pub struct Nvme<H: Hal> {
    registers: H::Mmio,
    admin: Queues<H::Region>,
    io: Queues<H::Region>,
    data: H::Region,
    nsid: u32,
    blocks_per_read: u8,
    positions: Positions,
}

/// A submission and a completion queue. The indices count on beyond the queue.
struct Queues<R> {
    submission: R,
    completion: R,
    entries: u32,
    tail_doorbell: usize,
    head_doorbell: usize,
    produced: u32,
    consumed: u32,
    /// Status fields of all completions, ORed: anything but 0 is an error.
    status: u32,
}

impl<R: DmaRegion> Queues<R> {
    fn new<H: Hal<Region = R>>(
        hal: &H,
        id: usize,
        entries: u32,
        stride_bytes: usize,
    ) -> Result<Self, StartError> {
        let region = |entry_bytes| hal.allocate(DmaLayout::pages(entries as usize * entry_bytes));
        Ok(Self {
            submission: region(SQE_BYTES)?,
            completion: region(CQE_BYTES)?,
            entries,
            tail_doorbell: spec::DOORBELLS + 2 * id * stride_bytes,
            head_doorbell: spec::DOORBELLS + (2 * id + 1) * stride_bytes,
            produced: 0,
            consumed: 0,
            status: 0,
        })
    }

    #[inline(always)]
    const fn slot(&self, index: u32) -> usize {
        (index & (self.entries - 1)) as usize
    }

    #[inline(always)]
    fn ring_tail(&self, registers: &impl Mmio) {
        // The entries must not sink below the register write.
        compiler_fence(Ordering::SeqCst);
        registers.write32(self.tail_doorbell, self.slot(self.produced) as u32);
    }

    /// Consumes all completions; how many.
    #[inline(always)]
    fn drain(&mut self, registers: &impl Mmio) -> u32 {
        let before = self.consumed;
        loop {
            let at = self.slot(self.consumed) * CQE_BYTES + STATUS_AT;
            let word = self.completion.load32(at) >> 16;
            // New entries have phase 1 in the first round, 0 in the second, ..
            if word & 1 == u32::from(self.consumed & self.entries != 0) {
                break;
            }
            self.status |= word >> 1;
            self.consumed = self.consumed.wrapping_add(1);
        }
        let found = self.consumed.wrapping_sub(before);
        if found > 0 {
            registers.write32(self.head_doorbell, self.slot(self.consumed) as u32);
        }
        found
    }
}

/// What an entry says, apart from what is 0 in all of them.
#[derive(Default)]
struct Command {
    opcode: u8,
    id: u16,
    nsid: u32,
    prp1: u64,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
}

impl Command {
    fn entry(&self) -> [u64; 8] {
        let word0 = u64::from(self.opcode) | u64::from(self.id) << 16 | u64::from(self.nsid) << 32;
        let cdw10_11 = u64::from(self.cdw10) | u64::from(self.cdw11) << 32;
        let cdw12_13 = u64::from(self.cdw12);
        [word0, 0, 0, self.prp1, 0, cdw10_11, cdw12_13, 0]
    }
}

impl<H: Hal> Nvme<H> {
    /// Restarts the controller, creates its queues and takes the first namespace.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(hal: &H, registers: H::Mmio) -> Result<Self, StartError> {
        let cap = registers.read64(spec::CAP);
        let max_entries = (cap & 0xffff) as u32 + 1;
        if max_entries < IO_ENTRIES {
            return Err(StartError::Refused(max_entries));
        }
        let stride_bytes = 4 << (cap >> 32 & 0xf);
        let mut this = Self {
            admin: Queues::new(hal, 0, ADMIN_ENTRIES, stride_bytes)?,
            io: Queues::new(hal, 1, IO_ENTRIES, stride_bytes)?,
            data: hal.allocate(DmaLayout::pages(IO_ENTRIES as usize * READ_BYTES as usize))?,
            registers,
            nsid: 0,
            blocks_per_read: 1,
            positions: Positions::new(1, 0),
        };
        // CAP.TO, in units of 500 ms.
        let ready_ms = (cap >> 24 & 0xff).max(1) * 500;
        this.restart(hal.clock(), ready_ms)?;
        this.create_queues(hal.clock())?;
        this.find_namespace(hal.clock())?;
        Ok(this)
    }

    fn restart(&self, clock: &H::Clock, ready_ms: u64) -> Result<(), StartError> {
        let registers = &self.registers;
        let wait = |wanted| {
            Deadline::after_ms(clock, ready_ms)
                .poll(clock, || {
                    (registers.read32(spec::CSTS) & spec::CSTS_RDY == wanted).then_some(())
                })
                .ok_or(StartError::TimedOut)
        };
        registers.write32(spec::CC, 0);
        wait(0)?;
        let last = ADMIN_ENTRIES - 1;
        registers.write32(spec::AQA, last << 16 | last);
        registers.write64(spec::ASQ, self.admin.submission.bus_addr().0);
        registers.write64(spec::ACQ, self.admin.completion.bus_addr().0);
        registers.write32(spec::CC, spec::CC_ON);
        wait(spec::CSTS_RDY)
    }

    fn create_queues(&mut self, clock: &H::Clock) -> Result<(), StartError> {
        let one_pair = Command {
            opcode: spec::SET_FEATURES,
            cdw10: spec::NUMBER_OF_QUEUES,
            ..Command::default()
        };
        self.execute(clock, &one_pair)?;
        // Queue 1, physically contiguous (PC); of the completion queue no
        // interrupts (IEN), of the submission queue completion queue 1.
        let size_and_id = (IO_ENTRIES - 1) << 16 | 1;
        let completion = Command {
            opcode: spec::CREATE_CQ,
            prp1: self.io.completion.bus_addr().0,
            cdw10: size_and_id,
            cdw11: 1,
            ..Command::default()
        };
        self.execute(clock, &completion)?;
        let submission = Command {
            opcode: spec::CREATE_SQ,
            prp1: self.io.submission.bus_addr().0,
            cdw10: size_and_id,
            cdw11: 1 << 16 | 1,
            ..Command::default()
        };
        self.execute(clock, &submission)
    }

    fn find_namespace(&mut self, clock: &H::Clock) -> Result<(), StartError> {
        self.identify(clock, spec::ACTIVE_LIST)?;
        self.nsid = self.data.load32(0);
        if self.nsid == 0 {
            return Err(StartError::NoDisk);
        }
        self.identify(clock, spec::NAMESPACE)?;
        let [blocks] = self.data.read_words(0);
        let mut format = [0];
        self.data.read_bytes(26, &mut format);
        // LBADS is the third byte of the format in use.
        let mut shift = [0];
        let at = 128 + 4 * usize::from(format[0] & 0xf) + 2;
        self.data.read_bytes(at, &mut shift);
        let block_bytes = 1_u64.checked_shl(shift[0].into()).unwrap_or(0);
        let shape = Shape::new(blocks, block_bytes)?;
        self.blocks_per_read = shape.blocks_per_read();
        self.positions = shape.positions();
        Ok(())
    }

    /// Has a structure about the namespace written to the start of the data.
    fn identify(&mut self, clock: &H::Clock, what: u32) -> Result<(), StartError> {
        let command = Command {
            opcode: spec::IDENTIFY,
            nsid: self.nsid,
            prp1: self.data.bus_addr().0,
            cdw10: what,
            ..Command::default()
        };
        self.execute(clock, &command)
    }

    /// Runs one admin command to its end.
    fn execute(&mut self, clock: &H::Clock, command: &Command) -> Result<(), StartError> {
        let (registers, admin) = (&self.registers, &mut self.admin);
        let at = admin.slot(admin.produced) * SQE_BYTES;
        admin.submission.write_words(at, &command.entry());
        admin.produced = admin.produced.wrapping_add(1);
        admin.ring_tail(registers);
        Deadline::after_ms(clock, COMMAND_MS)
            .poll(clock, || (admin.drain(registers) == 1).then_some(()))
            .ok_or(StartError::TimedOut)?;
        match admin.status {
            0 => Ok(()),
            status => Err(StartError::Refused(status)),
        }
    }

    fn buffer(&self, index: u32) -> BusAddr {
        self.data.bus_addr().add(u64::from(index) * READ_BYTES)
    }
}

impl<H: Hal> Bare for Nvme<H> {
    const KIND: &'static str = "nvme";

    /// A full queue has one slot free (4.1.2).
    fn max_depth(&self) -> u32 {
        IO_ENTRIES - 1
    }

    fn prepare(&mut self, depth: u32) {
        for slot in 0..IO_ENTRIES {
            let command = Command {
                opcode: spec::READ,
                id: slot as u16,
                nsid: self.nsid,
                prp1: self.buffer(slot % depth).0,
                // The number of blocks counts from 0.
                cdw12: u32::from(self.blocks_per_read) - 1,
                ..Command::default()
            };
            let at = slot as usize * SQE_BYTES;
            self.io.submission.write_words(at, &command.entry());
        }
    }

    #[inline(always)]
    fn fill(&mut self, count: u32) {
        for _ in 0..count {
            let at = (self.io.produced & (IO_ENTRIES - 1)) as usize * SQE_BYTES + LBA_AT;
            let lba = u64::from(self.positions.next_lba());
            self.io.submission.write_words(at, &[lba]);
            self.io.produced = self.io.produced.wrapping_add(1);
        }
    }

    #[inline(always)]
    fn kick(&mut self) {
        self.io.ring_tail(&self.registers);
    }

    #[inline(always)]
    fn drain(&mut self) -> u32 {
        self.io.drain(&self.registers)
    }

    /// A tail for each refill and a head for each drain.
    fn doorbells(passes: u64, _: u64) -> u64 {
        2 * passes
    }

    fn failed(&self) -> bool {
        self.io.status != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bare::{Ran, RunError, run};
    use drivers::fake::{FakeHal, RegisterWrite};
    use drivers::nvme::fake::{FakeNamespace, FakeNvme, Found, NvmeConfig};
    use std::vec;

    type Machine = FakeHal<FakeNvme>;

    fn machine_of(config: NvmeConfig, blocks: u64, block_shift: u8) -> Machine {
        let disks = vec![FakeNamespace::new(3, blocks, block_shift)];
        let config = NvmeConfig {
            immediate: true,
            ..config
        };
        FakeHal::new(|memory| FakeNvme::new(memory, config, disks))
    }

    /// QEMU's controller with a namespace of `blocks` blocks of 512 bytes, which
    /// works inside the doorbell write.
    fn machine(blocks: u64) -> Machine {
        machine_of(NvmeConfig::default(), blocks, 9)
    }

    fn run_on(machine: &Machine, depth: u32) -> Result<Ran, RunError> {
        let mut bare = Nvme::start(machine, machine.mmio()).unwrap();
        machine.clock().set_step_ticks(100_000);
        run(&mut bare, machine.clock(), depth, 2)
    }

    #[test]
    fn every_command_is_one_that_the_device_takes() {
        for depth in [1, 32, 100, 1023] {
            let machine = machine(1 << 21);
            machine.record_writes(true);
            let ran = run_on(&machine, depth).unwrap();
            let device = machine.device();
            assert_eq!(device.violations(), [] as [&str; 0]);
            assert_eq!(machine.memory().violations(), []);
            assert_eq!(device.io_queues(), (1, 1024));
            assert!(!device.uses_shadow_doorbells() && !device.line_is_up());
            assert!(ran.ios > 4 * 1024, "the queues go round");
            assert_eq!(device.log().len() as u64, ran.ios);
            for read in device.log() {
                assert_eq!((read.opcode, read.nsid, read.blocks), (2, 3, 8));
            }
            let of_io = |write: &&RegisterWrite| matches!(write.offset, 0x1008 | 0x100c);
            let written = machine.recorded_writes();
            let written = written.iter().filter(of_io).count() as u64;
            assert_eq!(ran.doorbells, 2 * (ran.ios / u64::from(depth)));
            assert_eq!(written, ran.doorbells, "all complete at each doorbell");
        }
    }

    #[test]
    fn reads_are_aligned_and_all_over_the_disk() {
        let machine = machine(800);
        run_on(&machine, 32).unwrap();
        let mut seen = [false; 100];
        for read in machine.device().log() {
            assert_eq!(read.lba % 8, 0);
            seen[read.lba as usize / 8] = true;
        }
        assert_eq!(seen, [true; 100]);
    }

    #[test]
    fn one_failed_read_spoils_the_figure() {
        let machine = machine(1 << 21);
        machine.device().faults.fail.push((2, 0x0281, 1));
        assert_eq!(run_on(&machine, 32), Err(RunError::Failed));
    }

    #[test]
    fn a_controller_that_runs_and_one_with_doorbells_far_apart_are_no_different() {
        let config = NvmeConfig {
            found: Found::On,
            steps_to_ready: 3,
            doorbell_stride: 2,
            ..NvmeConfig::default()
        };
        let machine = machine_of(config, 1 << 21, 9);
        run_on(&machine, 32).unwrap();
        assert_eq!(machine.device().resets(), 1);
        assert_eq!(machine.device().violations(), [] as [&str; 0]);
    }

    #[test]
    fn blocks_of_4_kib_are_read_one_by_one_and_larger_ones_not_at_all() {
        let machine = machine_of(NvmeConfig::default(), 1000, 12);
        run_on(&machine, 4).unwrap();
        assert!(machine.device().log().iter().all(|read| read.blocks == 1));
        let machine = machine_of(NvmeConfig::default(), 1000, 13);
        let error = Nvme::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::BadDisk));
    }

    #[test]
    fn what_is_refused_or_missing_is_told() {
        let machine = machine(1 << 21);
        machine.device().namespaces.clear();
        let error = Nvme::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::NoDisk));
        machine.device().faults.refuse.push((1, 0x0102));
        let error = Nvme::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::Refused(0x0102)));
        machine.device().faults.never_ready = true;
        let error = Nvme::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::TimedOut));
    }
}
