//! Reading a disk one command at a time, outside of any row, and writing back what
//! was read.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use core::fmt;
use drivers::block::{
    BufferId, Completion, Controller, DiskId, Lba, Op, QueueId, Request, Status, SubmitError,
};
use drivers::hal::{Clock, Deadline};

/// Most bytes of one command.
pub const CHUNK_BYTES: usize = 64 << 10;

const TIMEOUT_MS: u64 = 60_000;
const RETRIES: u32 = 16;

/// Why a disk could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The command failed.
    Failed {
        /// First block of the command.
        lba: u64,
        /// How it ended.
        status: Status,
    },
    /// It did not complete in time; the controller was reset.
    TimedOut {
        /// First block of the command.
        lba: u64,
    },
    /// The controller took no command.
    Refused(SubmitError),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { lba, status } => write!(f, "reading block {lba} failed: {status}"),
            Self::TimedOut { lba } => write!(
                f,
                "a command for block {lba} took longer than {} s",
                TIMEOUT_MS / 1000
            ),
            Self::Refused(error) => write!(f, "the controller took no command: {error:?}"),
        }
    }
}

/// Reads through one buffer of the controller's pool, buffer 0 unless it is told of
/// another; nothing else is in flight.
pub struct Reader<'a, K> {
    /// The controller.
    pub controller: &'a mut dyn Controller,
    /// Time.
    pub clock: &'a K,
    /// Which disk.
    pub disk: DiskId,
    /// The buffer that is read through.
    pub buffer: BufferId,
    /// Its length in bytes.
    pub buffer_bytes: usize,
    /// Commands given to the device so far.
    pub commands: u64,
    /// Bytes that moved.
    pub moved_bytes: u64,
}

impl<'a, K: Clock> Reader<'a, K> {
    /// For one disk of a controller whose pool has a buffer of `buffer_bytes`.
    pub fn new(
        controller: &'a mut dyn Controller,
        clock: &'a K,
        disk: DiskId,
        buffer_bytes: usize,
    ) -> Self {
        Self {
            controller,
            clock,
            disk,
            buffer: BufferId(0),
            buffer_bytes,
            commands: 0,
            moved_bytes: 0,
        }
    }

    /// Logical block size in bytes.
    #[must_use]
    pub fn block_bytes(&self) -> u64 {
        u64::from(self.controller.disks()[usize::from(self.disk.0)].block_size_bytes)
    }

    /// Capacity in bytes.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        let disk = &self.controller.disks()[usize::from(self.disk.0)];
        disk.blocks.saturating_mul(u64::from(disk.block_size_bytes))
    }

    /// Longest read of one command, whole blocks.
    #[must_use]
    pub fn chunk_bytes(&self) -> u64 {
        let disk = &self.controller.disks()[usize::from(self.disk.0)];
        let limit = self
            .controller
            .limits()
            .max_transfer_bytes
            .min(disk.max_transfer_bytes);
        let block = u64::from(disk.block_size_bytes);
        let chunk = limit.min(self.buffer_bytes.min(CHUNK_BYTES) as u64);
        (chunk / block * block).max(block)
    }

    /// Reads from a byte offset on; both offset and length are whole blocks, and
    /// the length is at most [`Self::chunk_bytes`].
    ///
    /// # Errors
    /// [`ReadError`]; UNIT ATTENTION and BUSY are sent again before that.
    pub fn read(&mut self, offset_bytes: u64, out: &mut [u8]) -> Result<(), ReadError> {
        let request = self.request(Op::Read, offset_bytes, out.len());
        match self.settle(&request, true)? {
            Status::Ok => {
                self.moved_bytes += out.len() as u64;
                self.controller.read_buffer(self.buffer, 0, out);
                Ok(())
            }
            status => Err(ReadError::Failed {
                lba: request.lba.0,
                status,
            }),
        }
    }

    /// Reads one block and writes it back as it is; returns how the write ended.
    ///
    /// A UNIT ATTENTION ends it: what is behind the address may be another disk,
    /// which is not written on the strength of a look at this one.
    ///
    /// # Errors
    /// [`ReadError`] of the read, or of a command that did not come back.
    pub fn write_back(&mut self, offset_bytes: u64) -> Result<Status, ReadError> {
        let mut data = vec![0; self.block_bytes() as usize];
        self.read(offset_bytes, &mut data)?;
        self.controller.fill_buffer(self.buffer, 0, &data);
        let request = self.request(Op::Write, offset_bytes, data.len());
        self.settle(&request, false)
    }

    fn request(&self, op: Op, offset_bytes: u64, bytes: usize) -> Request {
        let block = self.block_bytes();
        Request {
            disk: self.disk,
            op,
            lba: Lba(offset_bytes / block),
            blocks: (bytes as u64 / block) as u32,
            buffer: self.buffer,
            buffer_offset_bytes: 0,
            cookie: 0,
        }
    }

    /// Sends a command until it is neither BUSY nor, with `over_attention`, UNIT
    /// ATTENTION that ends it, a bounded number of times.
    fn settle(&mut self, request: &Request, over_attention: bool) -> Result<Status, ReadError> {
        let mut status = Status::Ok;
        for _ in 0..RETRIES {
            status = self.command(request)?;
            match status {
                Status::UnitAttention(_) if over_attention => {}
                Status::Busy => self.pause(),
                _ => break,
            }
        }
        Ok(status)
    }

    fn command(&mut self, request: &Request) -> Result<Status, ReadError> {
        let queue = QueueId(0);
        self.controller
            .submit(queue, request)
            .map_err(ReadError::Refused)?;
        self.commands += 1;
        self.controller.ring_doorbell(queue);
        let mut out = [Completion::EMPTY];
        let controller = &mut *self.controller;
        let done = Deadline::after_ms(self.clock, TIMEOUT_MS).poll(self.clock, || {
            (controller.reap(queue, &mut out) > 0).then_some(())
        });
        match done {
            Some(()) => Ok(out[0].status),
            None => {
                // Whether it works or not shows with the next command.
                let _ = self.controller.reset();
                Err(ReadError::TimedOut { lba: request.lba.0 })
            }
        }
    }

    fn pause(&self) {
        let deadline = Deadline::after_ms(self.clock, 10);
        let _: Option<()> = deadline.poll(self.clock, || None);
    }
}

impl From<ReadError> for String {
    fn from(error: ReadError) -> Self {
        format!("{error}")
    }
}
