//! LSI Logic SAS (Fusion-MPT), bare: prebuilt frames, one post per request.
//!
//! The adapter may read a frame until its command is complete, so a frame is
//! used again only when its context, which is its number, came back. Each frame
//! has a data buffer of its own.
//!
//! A post is a register write and a look for a reply a register read, so `kick`
//! has nothing to do, and a drain does not look once more when nothing is in
//! flight that could be found.

mod handshake;

use crate::bare::Bare;
use crate::positions::Positions;
use crate::scsi::{self, Answer, CAPACITY_BYTES, READ_CAPACITY};
use crate::start::{READ_BYTES, StartError};
use core::sync::atomic::{Ordering, compiler_fence};
use drivers::hal::{BusAddr, Deadline, DmaLayout, DmaRegion, Hal, Mmio};
use handshake::{Handshake, TARGETS};

/// Registers as offsets in bytes, and what is read from them: the names of Linux
/// 6.1, drivers/message/fusion/lsi/mpi.h and mpi_init.h.
mod spec {
    pub const REQUEST_FIFO: usize = 0x40;
    pub const REPLY_FIFO: usize = 0x44;

    /// Nothing is there.
    pub const NO_REPLY: u32 = u32::MAX;
    /// The rest is half the address of a reply frame; else the request's context.
    pub const ADDRESS_REPLY: u32 = 1 << 31;

    pub const CONTROL_READ: u32 = 2 << 24;
    /// The last and only element: simple, 64-bit, end of buffer and of list.
    pub const ONLY_ELEMENT: u32 = 0xd300_0000;

    pub const STATUS_INVALID_TARGET: u16 = 0x42;
    pub const STATUS_NOT_THERE: u16 = 0x43;
}

/// Identity of the adapter in PCI.
pub const VENDOR_ID: u16 = 0x1000;
/// The SAS1068.
pub const DEVICE_ID: u16 = 0x0054;
/// Size of its registers; the first BAR has them too, as I/O ports.
pub const BAR_BYTES: u64 = 0x4000;

/// Bytes of a request frame and of a reply frame.
const FRAME_BYTES: usize = 128;
/// Frames of each kind. Request frame 0 is not used: no context is 0.
const FRAMES: usize = 128;
const MAX_IN_FLIGHT: u32 = FRAMES as u32 - 1;

/// Word of a request that holds the first half of the CDB, in bytes.
const CDB_AT: usize = 0x18;
/// Word of a reply that holds context, SCSI status and IOCStatus, in bytes.
const STATUS_AT: usize = 8;

const COMMAND_MS: u64 = 5000;

/// An adapter with its first disk.
pub struct Lsisas<H: Hal> {
    registers: H::Mmio,
    requests: H::Region,
    replies: H::Region,
    data: H::Region,
    /// Low half of the address of request frame 0.
    requests_low: u32,
    target: u8,
    blocks_per_read: u8,
    positions: Positions,
    max_depth: u32,
    depth: u32,
    /// Numbers of the frames that are not in flight, the first `free_count`.
    free: [u8; FRAMES],
    free_count: u32,
    /// IOCStatus and SCSI status of all replies, and what no context has, ORed:
    /// anything but 0 is an error.
    status: u32,
}

impl<H: Hal> Lsisas<H> {
    /// Makes the adapter operational and takes the first disk that answers.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(hal: &H, registers: H::Mmio) -> Result<Self, StartError> {
        let frames = DmaLayout::pages(FRAMES * FRAME_BYTES);
        let (requests, replies) = (hal.allocate(frames)?, hal.allocate(frames)?);
        // One upper half serves both.
        let high = requests.bus_addr().0 >> 32;
        if replies.bus_addr().0 >> 32 != high {
            return Err(StartError::Refused(high as u32));
        }
        let clock = hal.clock();
        let handshake = Handshake {
            registers: &registers,
            clock,
        };
        handshake.make_ready()?;
        let facts = handshake.facts()?;
        handshake.initialise(high as u32)?;
        let reply_frames = facts.reply_frames.min(FRAMES as u32);
        // As the probe does, which keeps one for management.
        let max_depth = facts.credits.min(reply_frames).saturating_sub(1);
        let mut this = Self {
            requests_low: requests.bus_addr().0 as u32,
            data: hal.allocate(DmaLayout::pages(FRAMES * READ_BYTES as usize))?,
            registers,
            requests,
            replies,
            target: 0,
            blocks_per_read: 1,
            positions: Positions::new(1, 0),
            max_depth: max_depth.min(MAX_IN_FLIGHT),
            depth: 1,
            free: [1; FRAMES],
            free_count: 1,
            status: 0,
        };
        for index in 0..reply_frames as usize {
            this.give_reply_frame(index);
        }
        this.find_disk(clock)?;
        Ok(this)
    }

    fn find_disk(&mut self, clock: &H::Clock) -> Result<(), StartError> {
        let execute = |target, cdb: &[u8]| {
            self.target = target;
            self.execute(clock, cdb, 0)
        };
        scsi::first_ready(TARGETS, execute)?;
        if self.execute(clock, &READ_CAPACITY, CAPACITY_BYTES as u32)? != Answer::Good {
            return Err(StartError::BadDisk);
        }
        let mut answer = [0; CAPACITY_BYTES];
        self.data.read_bytes(READ_BYTES as usize, &mut answer);
        let shape = scsi::shape(answer)?;
        self.blocks_per_read = shape.blocks_per_read();
        self.positions = shape.positions();
        Ok(())
    }

    /// Runs one command to its end, in frame 1.
    fn execute(
        &mut self,
        clock: &H::Clock,
        cdb: &[u8],
        data_bytes: u32,
    ) -> Result<Answer, StartError> {
        self.write_frame(1, cdb, data_bytes);
        self.free_count = 0;
        self.post(1);
        let drained = Deadline::after_ms(clock, COMMAND_MS)
            .poll(clock, || (self.drain() == 1).then_some(self.status));
        self.status = 0;
        // SCSI status below IOCStatus, as in the reply.
        let status = drained.ok_or(StartError::TimedOut)?;
        Ok(match (status >> 16) as u16 {
            _ if status == 0 => Answer::Good,
            spec::STATUS_INVALID_TARGET | spec::STATUS_NOT_THERE => Answer::Absent,
            _ => Answer::Bad,
        })
    }

    fn write_frame(&self, index: usize, cdb: &[u8], data_bytes: u32) {
        let data = self.buffer(index).0;
        let control = if data_bytes == 0 {
            0
        } else {
            spec::CONTROL_READ
        };
        let mut frame = [0; FRAME_BYTES];
        frame[0] = self.target;
        frame[4] = cdb.len() as u8;
        let mut put = |at: usize, value: u32| {
            frame[at..at + 4].copy_from_slice(&value.to_le_bytes());
        };
        put(0x08, index as u32);
        put(0x14, control);
        put(0x28, data_bytes);
        put(0x30, spec::ONLY_ELEMENT | data_bytes);
        put(0x34, data as u32);
        put(0x38, (data >> 32) as u32);
        frame[CDB_AT..CDB_AT + cdb.len()].copy_from_slice(cdb);
        self.requests.write_bytes(index * FRAME_BYTES, &frame);
    }

    fn buffer(&self, index: usize) -> BusAddr {
        self.data.bus_addr().add(index as u64 * READ_BYTES)
    }

    #[inline(always)]
    fn post(&self, index: usize) {
        let low = self.requests_low + (index * FRAME_BYTES) as u32;
        // The frame must not sink below the register write.
        compiler_fence(Ordering::SeqCst);
        self.registers.write32(spec::REQUEST_FIFO, low);
    }

    fn give_reply_frame(&self, index: usize) {
        let low = self.replies.bus_addr().0 as u32 + (index * FRAME_BYTES) as u32;
        self.registers.write32(spec::REPLY_FIFO, low);
    }

    /// Takes a reply that is not plain success, gives its frame back and returns
    /// the context in it.
    #[cold]
    #[inline(never)]
    fn take_reply_frame(&mut self, value: u32) -> u32 {
        let offset = (value << 1).wrapping_sub(self.replies.bus_addr().0 as u32);
        let index = offset as usize / FRAME_BYTES % FRAMES;
        let at = index * FRAME_BYTES + STATUS_AT;
        let (context, status) = (self.replies.load32(at), self.replies.load32(at + 4));
        // SCSIState, in the second byte, is no error by itself, nor is bit 15 of
        // IOCStatus; but no read that succeeds comes this way.
        self.status |= status & 0x7fff_00ff | 0x100;
        self.give_reply_frame(index);
        context
    }
}

impl<H: Hal> Bare for Lsisas<H> {
    const KIND: &'static str = "lsisas";

    const POLLS_BY_REGISTER: bool = true;

    fn max_depth(&self) -> u32 {
        self.max_depth
    }

    fn prepare(&mut self, depth: u32) {
        let cdb = scsi::read_10(self.blocks_per_read);
        for index in 1..=depth as usize {
            self.write_frame(index, &cdb, READ_BYTES as u32);
            self.free[index - 1] = index as u8;
        }
        (self.depth, self.free_count) = (depth, depth);
    }

    #[inline(always)]
    fn fill(&mut self, count: u32) {
        for _ in 0..count {
            self.free_count -= 1;
            let index = usize::from(self.free[self.free_count as usize % FRAMES]) % FRAMES;
            let cdb = scsi::read_10_word(self.positions.next_lba());
            let at = index * FRAME_BYTES + CDB_AT;
            self.requests.write_words(at, &[cdb]);
            self.post(index);
        }
    }

    #[inline(always)]
    fn kick(&mut self) {}

    #[inline(always)]
    fn drain(&mut self) -> u32 {
        let before = self.free_count;
        while self.free_count != self.depth {
            let value = self.registers.read32(spec::REPLY_FIFO);
            let context = if value & spec::ADDRESS_REPLY == 0 {
                value
            } else if value == spec::NO_REPLY {
                break;
            } else {
                self.take_reply_frame(value)
            };
            self.status |= context & !MAX_IN_FLIGHT;
            self.free[self.free_count as usize % FRAMES] = context as u8;
            self.free_count += 1;
        }
        self.free_count - before
    }

    fn doorbells(_: u64, requests: u64) -> u64 {
        requests
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
    use drivers::fake::scsi::{Fault, FaultKind, FaultWhen, ScsiBus, ScsiUnit};
    use drivers::mptsas::fake::{Completing, MptModel, Seen};
    use std::rc::Rc;

    type Machine = FakeHal<MptModel>;

    fn machine_with(bus: ScsiBus) -> Machine {
        FakeHal::new(|memory| MptModel::new(memory, bus))
    }

    /// QEMU's adapter with a disk at target 0 that has `blocks` blocks of 512 bytes.
    fn machine(blocks: u64) -> Machine {
        machine_with(ScsiBus::with_disk(blocks, 512))
    }

    fn start(machine: &Machine) -> Lsisas<Machine> {
        let bare = Lsisas::start(machine, machine.mmio()).unwrap();
        machine.device().seen = Seen::default();
        machine.clock().set_step_ticks(100_000);
        bare
    }

    fn run_on(machine: &Machine, depth: u32) -> Result<Ran, RunError> {
        run(&mut start(machine), machine.clock(), depth, 1)
    }

    /// What a run of so many flawless reads looks like, of which so many were
    /// outstanding at a time.
    fn flawless(requests: u64, most_outstanding: usize) -> Seen {
        Seen {
            posts: requests,
            requests,
            context_replies: requests,
            most_outstanding,
            most_elements: 1,
            longest_bytes: READ_BYTES,
            ..Seen::default()
        }
    }

    #[test]
    fn every_request_is_one_that_the_device_takes() {
        for depth in [1, 32, 127] {
            let machine = machine(1 << 21);
            let ran = run_on(&machine, depth).unwrap();
            // All complete at each post, so that no read finds nothing either.
            assert_eq!(machine.device().seen, flawless(ran.ios, 1));
            assert_eq!(ran.doorbells, ran.ios);
            assert_eq!(machine.memory().violations(), []);
            assert_eq!(machine.device().interrupt_mask(), 9);
        }
    }

    /// The newest first, one at each look at the clock.
    #[test]
    fn a_frame_is_used_again_only_when_its_context_came_back() {
        let machine = machine(1 << 21);
        let mut bare = start(&machine);
        machine.device().completing = Completing::ByHand;
        let inner = machine.clone();
        machine.clock().watch(Rc::new(move |_| {
            let newest = inner.device().open().wrapping_sub(1);
            inner.device().complete(newest);
        }));
        machine.clock().set_step_ticks(1_000);
        machine.clock().step_on_now(true);
        let ran = run(&mut bare, machine.clock(), 100, 1).unwrap();
        let mut seen = machine.device().seen;
        assert!(core::mem::take(&mut seen.empty_reads) > 0);
        assert_eq!(ran.doorbells, seen.posts);
        assert_eq!(seen, flawless(seen.requests, 100));
    }

    #[test]
    fn more_in_flight_than_the_adapter_takes_is_refused() {
        let machine = machine(1 << 21);
        assert_eq!(start(&machine).max_depth(), 127);
        assert_eq!(run_on(&machine, 128), Err(RunError::BadDepth(128)));
        machine.device().quirks.credits = 40;
        assert_eq!(start(&machine).max_depth(), 39);
    }

    #[test]
    fn reads_are_aligned_and_all_over_the_disk() {
        let mut bus = ScsiBus::new();
        bus.insert(8, 0, ScsiUnit::disk(800, 512));
        let machine = machine_with(bus);
        run_on(&machine, 32).unwrap();
        let mut device = machine.device();
        let mut seen = [false; 100];
        for done in &device.bus.unit(8, 0).log {
            if done.opcode == READ_10 {
                assert_eq!((done.lba % 8, done.blocks), (0, 8));
                seen[done.lba as usize / 8] = true;
            }
        }
        assert_eq!(seen, [true; 100]);
    }

    #[test]
    fn one_failed_read_spoils_the_figure_and_its_frame_goes_back() {
        let machine = machine(1 << 21);
        let mut bare = start(&machine);
        let fault = Fault {
            when: FaultWhen::Opcode(READ_10),
            kind: FaultKind::Check(3, 0x11, 0),
            times: 1,
        };
        machine.device().bus.unit(0, 0).plant(fault);
        let outcome = run(&mut bare, machine.clock(), 32, 1);
        assert_eq!(outcome, Err(RunError::Failed));
        assert_eq!(machine.device().free_frames(), 128);
        assert_eq!(machine.device().seen.doubled_frames, 0);
    }

    #[test]
    fn an_adapter_that_runs_or_gave_up_is_started_anew() {
        let machine = machine(1 << 21);
        run_on(&machine, 4).unwrap();
        run_on(&machine, 4).unwrap();
        machine.device().give_up(5);
        run_on(&machine, 4).unwrap();
        assert_eq!(machine.device().ioc_state(), 2);
    }

    #[test]
    fn what_is_missing_is_told() {
        let error_of = |machine: Machine| Lsisas::start(&machine, machine.mmio()).err();
        let empty = machine_with(ScsiBus::new());
        assert_eq!(error_of(empty), Some(StartError::NoDisk));
        let large_blocks = machine_with(ScsiBus::with_disk(1000, 8192));
        assert_eq!(error_of(large_blocks), Some(StartError::BadDisk));
        let mute = machine(1 << 21);
        mute.device().mute = true;
        assert_eq!(error_of(mute), Some(StartError::TimedOut));
    }

    #[test]
    fn blocks_of_4_kib_are_read_one_by_one() {
        let machine = machine_with(ScsiBus::with_disk(1000, 4096));
        let ran = run_on(&machine, 4).unwrap();
        assert_eq!(machine.device().seen, flawless(ran.ios, 1));
    }
}
