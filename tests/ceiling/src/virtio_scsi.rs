//! virtio-scsi, bare: one request queue with indirect descriptors, prebuilt
//! chains, one doorbell per refill.
//!
//! A command's slot is the head of its chain. The slots are used in the order in
//! which they come back, so that no two commands in flight share one, and each has
//! a buffer of its own.
//!
//! There are no event indices: every refill rings the doorbell. No interrupts
//! either, and no event queue, which the device does not need.

use crate::bare::Bare;
use crate::positions::Positions;
use crate::scsi::{self, Answer, CAPACITY_BYTES, READ_CAPACITY};
use crate::start::{READ_BYTES, StartError};
use core::sync::atomic::{Ordering, compiler_fence};
use drivers::hal::{BusAddr, Deadline, DmaLayout, DmaRegion, Hal, Mmio};

/// Registers as offsets in bytes, and bits: VIRTIO 1.2, sections 2.1, 2.7, 4.1.4,
/// 5.6.6 and 6.
mod spec {
    pub const FEATURE_SELECT: usize = 0x08;
    pub const FEATURE: usize = 0x0c;
    pub const STATUS: usize = 0x14;
    pub const QUEUE_SELECT: usize = 0x16;
    pub const QUEUE_SIZE: usize = 0x18;
    pub const QUEUE_ENABLE: usize = 0x1c;
    pub const QUEUE_NOTIFY_OFF: usize = 0x1e;
    pub const QUEUE_PARTS: usize = 0x20;

    /// INDIRECT_DESC in the first half, VERSION_1 in the second.
    pub const FEATURES: [u32; 2] = [1 << 28, 1];
    /// ACKNOWLEDGE, DRIVER, FEATURES_OK, DRIVER_OK, one after another.
    pub const STATUSES: [u8; 4] = [1, 3, 0xb, 0xf];
    pub const FEATURES_OK: u8 = 8;

    pub const NEXT: u64 = 1 << 32;
    pub const WRITE: u64 = 2 << 32;
    pub const INDIRECT: u64 = 4 << 32;
    pub const NO_INTERRUPT: u16 = 1;
}

/// Vendor by which a device is known.
pub const VENDOR_ID: u16 = 0x1af4;
/// Devices, transitional and modern.
pub const DEVICE_IDS: [u16; 2] = [0x1004, 0x1048];
/// Number of QEMU's BAR with the modern interface.
pub const BAR: u8 = 4;

/// Offsets in that BAR: the common configuration is at 0.
const DEVICE: usize = 0x2000;
const NOTIFY: usize = 0x3000;
/// Distance of two doorbells.
const NOTIFY_STRIDE: usize = 4;

/// The first request queue; control and event queue come before it.
const QUEUE: u16 = 2;
const MAX_ENTRIES: u16 = 1024;
const COMMAND_MS: u64 = 5000;

/// Memory of a slot: request, response, table of three descriptors.
const SLOT_BYTES: usize = 256;
const REQUEST_BYTES: u64 = 51;
/// Word of a request with the last byte before the CDB and its first ones.
const CDB_AT: usize = 16;
const RESPONSE_AT: usize = 64;
const RESPONSE_BYTES: u64 = 108;
/// Word of a response with status and response code.
const CODES_AT: usize = 72;
const TABLE_AT: usize = 192;
const TABLE_BYTES: u64 = 48;

/// A device with its first disk.
pub struct VirtioScsi<H: Hal> {
    registers: H::Mmio,
    descriptors: H::Region,
    available: H::Region,
    /// The used ring starts 4 bytes into it, so that its elements lie on words.
    used: H::Region,
    slots: H::Region,
    data: H::Region,
    entries: u16,
    doorbell: usize,
    target: u8,
    blocks_per_read: u8,
    positions: Positions,
    produced: u16,
    consumed: u16,
    /// Slots that came back, to be filled next.
    free: [u16; MAX_ENTRIES as usize],
    /// The next of them, and how many there are up to the end.
    next_free: u16,
    freed: u16,
    /// Status and response codes of all commands, ORed: anything but 0 is an error.
    status: u64,
}

impl<H: Hal> VirtioScsi<H> {
    /// Resets the device, sets up its first request queue and takes the first disk
    /// that answers. `registers` is the BAR with the modern interface.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(hal: &H, registers: H::Mmio) -> Result<Self, StartError> {
        let region = |bytes: usize| hal.allocate(DmaLayout::pages(bytes));
        let entries = usize::from(MAX_ENTRIES);
        let mut this = Self {
            registers,
            descriptors: region(16 * entries)?,
            available: region(6 + 2 * entries)?,
            used: region(10 + 8 * entries)?,
            slots: region(SLOT_BYTES * entries)?,
            data: region(READ_BYTES as usize * entries)?,
            entries: 0,
            doorbell: 0,
            target: 0,
            blocks_per_read: 1,
            positions: Positions::new(1, 0),
            produced: 0,
            consumed: 0,
            free: [0; MAX_ENTRIES as usize],
            next_free: 0,
            freed: 0,
            status: 0,
        };
        this.set_up(hal.clock())?;
        this.find_disk(hal.clock())?;
        Ok(this)
    }

    fn set_up(&mut self, clock: &H::Clock) -> Result<(), StartError> {
        let registers = &self.registers;
        registers.write8(spec::STATUS, 0);
        Deadline::after_ms(clock, COMMAND_MS)
            .poll(clock, || (registers.read8(spec::STATUS) == 0).then_some(()))
            .ok_or(StartError::TimedOut)?;
        let [acknowledge, driver, features_ok, driver_ok] = spec::STATUSES;
        registers.write8(spec::STATUS, acknowledge);
        registers.write8(spec::STATUS, driver);
        for (select, bits) in (0..).zip(spec::FEATURES) {
            registers.write32(spec::FEATURE_SELECT, select);
            registers.write32(spec::FEATURE, bits);
        }
        registers.write8(spec::STATUS, features_ok);
        let status = registers.read8(spec::STATUS);
        if status & spec::FEATURES_OK == 0 {
            return Err(StartError::Refused(status.into()));
        }
        registers.write16(spec::QUEUE_SELECT, QUEUE);
        let offered = registers.read16(spec::QUEUE_SIZE);
        if !offered.is_power_of_two() {
            return Err(StartError::Refused(offered.into()));
        }
        self.entries = offered.min(MAX_ENTRIES);
        registers.write16(spec::QUEUE_SIZE, self.entries);
        let used = self.used.bus_addr().add(4);
        let parts = [self.descriptors.bus_addr(), self.available.bus_addr(), used];
        for (at, part) in (spec::QUEUE_PARTS..).step_by(8).zip(parts) {
            registers.write32(at, part.0 as u32);
            registers.write32(at + 4, (part.0 >> 32) as u32);
        }
        let off = registers.read16(spec::QUEUE_NOTIFY_OFF);
        self.doorbell = NOTIFY + usize::from(off) * NOTIFY_STRIDE;
        self.available.store16(0, spec::NO_INTERRUPT);
        registers.write16(spec::QUEUE_ENABLE, 1);
        registers.write8(spec::STATUS, driver_ok);
        Ok(())
    }

    fn find_disk(&mut self, clock: &H::Clock) -> Result<(), StartError> {
        // max_target, which may be 255.
        let targets = self.registers.read16(DEVICE + 0x1e).min(254) as u8 + 1;
        let execute = |target, cdb: &[u8]| {
            self.target = target;
            self.execute(clock, cdb, 0)
        };
        scsi::first_ready(targets, execute)?;
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

    /// Builds all of one slot.
    fn build(&self, slot: u16, cdb: &[u8], data: BusAddr, data_bytes: u64) {
        let at = usize::from(slot) * SLOT_BYTES;
        let base = self.slots.bus_addr().add(at as u64);
        let mut request = [0; REQUEST_BYTES as usize];
        request[..3].copy_from_slice(&[1, self.target, 0x40]);
        request[8..10].copy_from_slice(&(slot + 1).to_le_bytes());
        request[19..19 + cdb.len()].copy_from_slice(cdb);
        self.slots.write_bytes(at, &request);
        // Request, response, data; numbers of the next are in the uppermost bits.
        let last = if data_bytes == 0 {
            spec::WRITE
        } else {
            spec::WRITE | spec::NEXT | 2 << 48
        };
        let table = [
            base.0,
            REQUEST_BYTES | spec::NEXT | 1 << 48,
            base.0 + RESPONSE_AT as u64,
            RESPONSE_BYTES | last,
            data.0,
            data_bytes | spec::WRITE,
        ];
        self.slots.write_words(at + TABLE_AT, &table);
        let head = [base.0 + TABLE_AT as u64, TABLE_BYTES | spec::INDIRECT];
        self.descriptors.write_words(usize::from(slot) * 16, &head);
    }

    #[inline(always)]
    fn push(&mut self, slot: u16) {
        let at = usize::from(self.produced & (self.entries - 1));
        self.available.store16(4 + 2 * at, slot);
        self.produced = self.produced.wrapping_add(1);
    }

    /// Runs one command to its end.
    fn execute(
        &mut self,
        clock: &H::Clock,
        cdb: &[u8],
        data_bytes: u64,
    ) -> Result<Answer, StartError> {
        self.build(0, cdb, self.data.bus_addr(), data_bytes);
        self.push(0);
        self.kick();
        let drained = Deadline::after_ms(clock, COMMAND_MS)
            .poll(clock, || (self.drain() == 1).then_some(self.status));
        self.status = 0;
        let status = drained.ok_or(StartError::TimedOut)?;
        // SCSI status, then response.
        Ok(match (status as u8, (status >> 8) as u8) {
            (0, 0) => Answer::Good,
            (_, 0) => Answer::Bad,
            _ => Answer::Absent,
        })
    }
}

impl<H: Hal> Bare for VirtioScsi<H> {
    const KIND: &'static str = "virtio-scsi";

    fn max_depth(&self) -> u32 {
        self.entries.into()
    }

    fn prepare(&mut self, depth: u32) {
        for slot in 0..depth as u16 {
            let data = self.data.bus_addr().add(u64::from(slot) * READ_BYTES);
            let cdb = scsi::read_10(self.blocks_per_read);
            self.build(slot, &cdb, data, READ_BYTES);
            self.free[usize::from(slot)] = slot;
        }
        (self.next_free, self.freed) = (0, depth as u16);
    }

    #[inline(always)]
    fn fill(&mut self, count: u32) {
        for _ in 0..count {
            let slot = self.free[usize::from(self.next_free % MAX_ENTRIES)];
            self.next_free = self.next_free.wrapping_add(1);
            // The opcode is the fourth byte of its word, the address follows it.
            let cdb = scsi::read_10_word(self.positions.next_lba());
            let at = usize::from(slot) * SLOT_BYTES + CDB_AT;
            let count = u64::from(self.blocks_per_read) << 24;
            self.slots.write_words(at, &[cdb << 24, cdb >> 40 | count]);
            self.push(slot);
        }
    }

    #[inline(always)]
    fn kick(&mut self) {
        self.available.store16(2, self.produced);
        // The index must not sink below the register write.
        compiler_fence(Ordering::SeqCst);
        self.registers.write16(self.doorbell, QUEUE);
    }

    #[inline(always)]
    fn drain(&mut self) -> u32 {
        let used = self.used.load16(6);
        let found = used.wrapping_sub(self.consumed);
        while self.consumed != used {
            let at = usize::from(self.consumed & (self.entries - 1));
            let [entry] = self.used.read_words(8 + 8 * at);
            let slot = entry as u16 & (MAX_ENTRIES - 1);
            let [codes] = self
                .slots
                .read_words(usize::from(slot) * SLOT_BYTES + CODES_AT);
            self.status |= u64::from((codes as u32) >> 16);
            self.free[usize::from(self.freed % MAX_ENTRIES)] = slot;
            self.freed = self.freed.wrapping_add(1);
            self.consumed = self.consumed.wrapping_add(1);
        }
        found.into()
    }

    fn failed(&self) -> bool {
        self.status != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bare::{Ran, RunError, run};
    use crate::scsi::READ_10;
    use drivers::fake::FakeHal;
    use drivers::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiBus};
    use drivers::virtio_scsi::fake::{Quirks, Seen, VirtioModel};

    type Machine = FakeHal<VirtioModel>;

    /// QEMU's device with a ring of 1,024 entries and a disk at target 0.
    fn machine_of(blocks: u64, block_bytes: u32) -> Machine {
        let bus = ScsiBus::with_disk(blocks, block_bytes);
        let quirks = Quirks {
            entries: 1024,
            ..Quirks::default()
        };
        FakeHal::new(|memory| VirtioModel::with(memory, bus, quirks))
    }

    fn machine(blocks: u64) -> Machine {
        machine_of(blocks, 512)
    }

    fn run_on(machine: &Machine, depth: u32) -> Result<Ran, RunError> {
        let mut bare = VirtioScsi::start(machine, machine.mmio()).unwrap();
        machine.device().seen = Seen::default();
        machine.clock().set_step_ticks(100_000);
        run(&mut bare, machine.clock(), depth, 1)
    }

    #[test]
    fn every_request_is_one_that_the_device_takes() {
        for depth in [1, 32, 100, 1024] {
            let machine = machine(1 << 21);
            let ran = run_on(&machine, depth).unwrap();
            let seen = machine.device().seen;
            assert_eq!(ran.ios, seen.completions, "all complete at each doorbell");
            assert_eq!(seen.kicks, ran.ios / u64::from(depth));
            let only_these = Seen {
                kicks: seen.kicks,
                requests: seen.completions,
                completions: seen.completions,
                indirect: seen.completions,
                most_per_unit: u64::from(depth),
                longest_bytes: READ_BYTES,
                ..Seen::default()
            };
            assert_eq!(seen, only_these);
            assert_eq!(machine.memory().violations(), []);
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
        let machine = FakeHal::new(|memory| VirtioModel::new(memory, ScsiBus::new()));
        let error = VirtioScsi::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::NoDisk));
    }

    #[test]
    fn a_device_without_indirect_descriptors_is_refused() {
        let machine = machine(1 << 21);
        machine.device().quirks.features &= !(1 << 28);
        let error = VirtioScsi::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::Refused(3)));
    }

    #[test]
    fn blocks_of_4_kib_are_read_one_by_one_and_larger_ones_not_at_all() {
        let machine = machine_of(1000, 4096);
        run_on(&machine, 4).unwrap();
        assert_eq!(machine.device().seen.longest_bytes, 4096);
        let machine = machine_of(1000, 8192);
        let error = VirtioScsi::start(&machine, machine.mmio()).err();
        assert_eq!(error, Some(StartError::BadDisk));
    }
}
