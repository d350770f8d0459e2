//! PVSCSI, bare: 32 ring pages, prebuilt descriptors, one kick per refill.
//!
//! The slots of the request ring are used in order whatever completes, as the
//! device takes them, so nothing keeps track of which command is which. A slot's
//! buffer is `slot % depth`: with completions in order no two commands in flight
//! share one, and where they come out of order nobody looks at the data.

use crate::bare::Bare;
use crate::positions::Positions;
use crate::scsi::{self, Answer, CAPACITY_BYTES, READ_CAPACITY};
use crate::start::{READ_BYTES, StartError};
use core::sync::atomic::{Ordering, compiler_fence};
use drivers::hal::{BusAddr, Deadline, DmaLayout, DmaRegion, Hal, Mmio};

/// Registers and indices, as offsets in bytes, and commands: the names of Linux
/// 6.1, drivers/scsi/vmw_pvscsi.h.
mod spec {
    pub const COMMAND: usize = 0x0000;
    pub const COMMAND_DATA: usize = 0x0004;
    pub const COMMAND_STATUS: usize = 0x0008;
    pub const INTR_MASK: usize = 0x2010;
    pub const KICK_NON_RW_IO: usize = 0x3014;
    pub const KICK_RW_IO: usize = 0x4018;

    pub const ADAPTER_RESET: u32 = 1;
    pub const SETUP_RINGS: u32 = 3;

    pub const REQ_PROD_IDX: usize = 0x00;
    pub const CMP_PROD_IDX: usize = 0x0c;
    pub const CMP_CONS_IDX: usize = 0x10;
}

/// Identity of the adapter in PCI.
pub const VENDOR_ID: u16 = 0x15ad;
/// PVSCSI.
pub const DEVICE_ID: u16 = 0x07c0;
/// Size of its registers.
pub const BAR_BYTES: u64 = 0x8000;

const PAGE_BYTES: usize = 4096;
const RING_PAGES: usize = 32;
const REQUEST_BYTES: usize = 128;
const REQUEST_ENTRIES: u32 = (RING_PAGES * PAGE_BYTES / REQUEST_BYTES) as u32;
const COMPLETION_BYTES: usize = 32;
const COMPLETION_ENTRIES: u32 = (RING_PAGES * PAGE_BYTES / COMPLETION_BYTES) as u32;

/// QEMU ignores a producer that is 1,024 or more ahead of it.
const MAX_IN_FLIGHT: u32 = REQUEST_ENTRIES - 1;

/// Word of a request that holds the first half of the CDB, in bytes.
const CDB_AT: usize = 0x28;
/// Word of a completion that holds sense length, host status and SCSI status.
const STATUS_AT: usize = 0x10;

const TARGETS: u8 = 65;
const COMMAND_MS: u64 = 5000;

/// An adapter with its first disk.
pub struct Pvscsi<H: Hal> {
    registers: H::Mmio,
    state: H::Region,
    requests: H::Region,
    completions: H::Region,
    data: H::Region,
    target: u8,
    blocks_per_read: u8,
    positions: Positions,
    producer: u32,
    consumer: u32,
    /// Host and SCSI status of all completions, ORed: anything but 0 is an error.
    status: u64,
}

/// One command as the ring holds it.
struct Command<'a> {
    cdb: &'a [u8],
    target: u8,
    data: BusAddr,
    data_bytes: u64,
}

impl Command<'_> {
    fn descriptor(&self) -> [u8; REQUEST_BYTES] {
        let mut bytes = [0; REQUEST_BYTES];
        bytes[0] = 1; // a context that is not zero
        bytes[0x08..0x10].copy_from_slice(&self.data.0.to_le_bytes());
        bytes[0x10..0x18].copy_from_slice(&self.data_bytes.to_le_bytes());
        let flags: u32 = if self.data_bytes == 0 { 4 } else { 8 };
        bytes[0x24..0x28].copy_from_slice(&flags.to_le_bytes());
        bytes[CDB_AT..CDB_AT + self.cdb.len()].copy_from_slice(self.cdb);
        bytes[0x38] = self.cdb.len() as u8;
        bytes[0x41] = 0x20; // simple task attribute
        bytes[0x43] = self.target;
        bytes
    }
}

impl<H: Hal> Pvscsi<H> {
    /// Resets the adapter, sets up its rings and takes the first disk that answers.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(hal: &H, registers: H::Mmio) -> Result<Self, StartError> {
        let region = |pages: usize| hal.allocate(DmaLayout::pages(pages * PAGE_BYTES));
        let mut this = Self {
            registers,
            state: region(1)?,
            requests: region(RING_PAGES)?,
            completions: region(RING_PAGES)?,
            data: region(MAX_IN_FLIGHT as usize)?,
            target: 0,
            blocks_per_read: 1,
            positions: Positions::new(1, 0),
            producer: 0,
            consumer: 0,
            status: 0,
        };
        this.set_up_rings()?;
        this.find_disk(hal.clock())?;
        Ok(this)
    }

    fn set_up_rings(&mut self) -> Result<(), StartError> {
        self.adapter_command(spec::ADAPTER_RESET, &[])?;
        self.registers.write32(spec::INTR_MASK, 0);
        let mut descriptor = [0; 132];
        (descriptor[0], descriptor[1]) = (RING_PAGES as u32, RING_PAGES as u32);
        put_page_numbers(&mut descriptor[2..4], self.state.bus_addr());
        put_page_numbers(&mut descriptor[4..68], self.requests.bus_addr());
        put_page_numbers(&mut descriptor[68..132], self.completions.bus_addr());
        self.adapter_command(spec::SETUP_RINGS, &descriptor)
    }

    fn adapter_command(&self, number: u32, words: &[u32]) -> Result<(), StartError> {
        self.registers.write32(spec::COMMAND, number);
        for &word in words {
            self.registers.write32(spec::COMMAND_DATA, word);
        }
        match self.registers.read32(spec::COMMAND_STATUS) {
            0 => Ok(()),
            status => Err(StartError::Refused(status)),
        }
    }

    fn find_disk(&mut self, clock: &H::Clock) -> Result<(), StartError> {
        let execute = |target, cdb: &[u8]| {
            self.target = target;
            self.execute(clock, cdb, 0)
        };
        scsi::first_ready(TARGETS, execute)?;
        if self.execute(clock, &READ_CAPACITY, CAPACITY_BYTES as u64)? != Answer::Good {
            return Err(StartError::BadDisk);
        }
        let mut answer = [0; CAPACITY_BYTES];
        self.data.read_bytes(0, &mut answer);
        let shape = scsi::shape(answer)?;
        self.blocks_per_read = shape.blocks_per_read();
        self.positions = shape.positions();
        Ok(())
    }

    /// Runs one command to its end.
    fn execute(
        &mut self,
        clock: &H::Clock,
        cdb: &[u8],
        data_bytes: u64,
    ) -> Result<Answer, StartError> {
        let command = Command {
            cdb,
            target: self.target,
            data: self.data.bus_addr(),
            data_bytes,
        };
        let slot = slot_of(self.producer, REQUEST_ENTRIES);
        self.requests
            .write_bytes(slot * REQUEST_BYTES, &command.descriptor());
        self.producer = self.producer.wrapping_add(1);
        self.state.store32(spec::REQ_PROD_IDX, self.producer);
        compiler_fence(Ordering::SeqCst);
        self.registers.write32(spec::KICK_NON_RW_IO, 0);
        let drained = Deadline::after_ms(clock, COMMAND_MS)
            .poll(clock, || (self.drain() == 1).then_some(self.status));
        self.status = 0;
        let status = drained.ok_or(StartError::TimedOut)?;
        // Host status, then SCSI status.
        Ok(match (status as u16, (status >> 16) as u16) {
            (0, 0) => Answer::Good,
            (_, 0) => Answer::Absent,
            _ => Answer::Bad,
        })
    }
}

impl<H: Hal> Bare for Pvscsi<H> {
    const KIND: &'static str = "pvscsi";

    fn max_depth(&self) -> u32 {
        MAX_IN_FLIGHT
    }

    fn prepare(&mut self, depth: u32) {
        for slot in 0..REQUEST_ENTRIES {
            let command = Command {
                cdb: &scsi::read_10(self.blocks_per_read),
                target: self.target,
                data: self
                    .data
                    .bus_addr()
                    .add(u64::from(slot % depth) * READ_BYTES),
                data_bytes: READ_BYTES,
            };
            self.requests
                .write_bytes(slot as usize * REQUEST_BYTES, &command.descriptor());
        }
    }

    #[inline(always)]
    fn fill(&mut self, count: u32) {
        for _ in 0..count {
            let slot = slot_of(self.producer, REQUEST_ENTRIES);
            let cdb = scsi::read_10_word(self.positions.next_lba());
            self.requests
                .write_words(slot * REQUEST_BYTES + CDB_AT, &[cdb]);
            self.producer = self.producer.wrapping_add(1);
        }
    }

    #[inline(always)]
    fn kick(&mut self) {
        self.state.store32(spec::REQ_PROD_IDX, self.producer);
        // The index must not sink below the register write.
        compiler_fence(Ordering::SeqCst);
        self.registers.write32(spec::KICK_RW_IO, 0);
    }

    #[inline(always)]
    fn drain(&mut self) -> u32 {
        let produced = self.state.load32(spec::CMP_PROD_IDX);
        let found = produced.wrapping_sub(self.consumer);
        if found == 0 {
            return 0;
        }
        while self.consumer != produced {
            let slot = slot_of(self.consumer, COMPLETION_ENTRIES);
            let [word] = self
                .completions
                .read_words(slot * COMPLETION_BYTES + STATUS_AT);
            self.status |= word >> 32;
            self.consumer = self.consumer.wrapping_add(1);
        }
        self.state.store32(spec::CMP_CONS_IDX, self.consumer);
        found
    }

    fn failed(&self) -> bool {
        self.status != 0
    }
}

#[inline(always)]
const fn slot_of(index: u32, entries: u32) -> usize {
    (index & (entries - 1)) as usize
}

/// Numbers of consecutive pages from `first` on, as pairs of 32-bit words.
fn put_page_numbers(words: &mut [u32], first: BusAddr) {
    for (pair, page) in words.chunks_exact_mut(2).zip(first.page_number()..) {
        pair[0] = page as u32;
        pair[1] = (page >> 32) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bare::{Ran, RunError, run};
    use crate::scsi::READ_10;
    use drivers::fake::FakeHal;
    use drivers::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiBus};
    use drivers::pvscsi::fake::{PvscsiModel, Seen};

    type Machine = FakeHal<PvscsiModel>;

    /// QEMU's adapter with a disk at target 0 that has `blocks` blocks of 512 bytes.
    fn machine(blocks: u64) -> Machine {
        FakeHal::new(|memory| PvscsiModel::new(memory, ScsiBus::with_disk(blocks, 512)))
    }

    fn run_on(machine: &Machine, depth: u32) -> Result<Ran, RunError> {
        let mut bare = Pvscsi::start(machine, machine.mmio()).unwrap();
        machine.device().seen = Seen::default();
        machine.clock().set_step_ticks(100_000);
        run(&mut bare, machine.clock(), depth, 1)
    }

    #[test]
    fn every_request_is_one_that_the_device_takes() {
        for depth in [1, 32, 100, 1023] {
            let machine = machine(1 << 21);
            let ran = run_on(&machine, depth).unwrap();
            let seen = machine.device().seen;
            assert_eq!(seen.completions, seen.requests);
            assert_eq!(ran.ios, seen.completions, "all complete at each kick");
            assert_eq!(seen.rw_kicks, ran.ios / u64::from(depth));
            let only_these = Seen {
                rw_kicks: seen.rw_kicks,
                requests: seen.requests,
                completions: seen.completions,
                longest_bytes: READ_BYTES,
                ..Seen::default()
            };
            assert_eq!(seen, only_these);
            // Sense data of no length go to address 0: that touches nothing.
            let violations = machine.memory().violations();
            assert_eq!(violations.iter().find(|one| one.len_bytes > 0), None);
        }
    }

    #[test]
    fn reads_are_aligned_and_all_over_the_disk() {
        let machine = machine(800);
        run_on(&machine, 32).unwrap();
        let mut device = machine.device();
        let mut seen = [false; 100];
        for done in &device.bus.unit(0, 0).log {
            if done.opcode == READ_10 {
                assert_eq!((done.lba % 8, done.blocks), (0, 8));
                seen[done.lba as usize / 8] = true;
            }
        }
        assert_eq!(seen, [true; 100]);
    }

    #[test]
    fn one_failed_read_spoils_the_figure() {
        let machine = machine(1 << 21);
        let fault = Fault {
            when: FaultWhen::Opcode(READ_10),
            kind: FaultKind::Check(3, 0x11, 0),
            times: 1,
        };
        machine.device().bus.unit(0, 0).plant(fault);
        assert_eq!(run_on(&machine, 32), Err(RunError::Failed));
    }

    #[test]
    fn without_a_disk_there_is_no_loop() {
        let machine = FakeHal::new(|memory| PvscsiModel::new(memory, ScsiBus::new()));
        let error = Pvscsi::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::NoDisk));
    }

    #[test]
    fn blocks_of_4_kib_are_read_one_by_one_and_larger_ones_not_at_all() {
        let with_blocks = |block_bytes| {
            FakeHal::new(|memory| PvscsiModel::new(memory, ScsiBus::with_disk(1000, block_bytes)))
        };
        let machine = with_blocks(4096);
        run_on(&machine, 4).unwrap();
        assert_eq!(machine.device().seen.longest_bytes, 4096);
        let machine = with_blocks(8192);
        let error = Pvscsi::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::BadDisk));
    }
}
