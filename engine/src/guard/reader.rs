//! Reading a disk one command at a time, outside of any row.

use alloc::format;
use alloc::string::String;
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
            Self::TimedOut { lba } => {
                write!(
                    f,
                    "reading block {lba} took longer than {} s",
                    TIMEOUT_MS / 1000
                )
            }
            Self::Refused(error) => write!(f, "the controller took no read: {error:?}"),
        }
    }
}

/// Reads through buffer 0 of the controller's pool; nothing else is in flight.
pub struct Reader<'a, K> {
    /// The controller.
    pub controller: &'a mut dyn Controller,
    /// Time.
    pub clock: &'a K,
    /// Which disk.
    pub disk: DiskId,
    /// Length of buffer 0 in bytes.
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
        let block = self.block_bytes();
        let lba = offset_bytes / block;
        let request = Request {
            disk: self.disk,
            op: Op::Read,
            lba: Lba(lba),
            blocks: (out.len() as u64 / block) as u32,
            buffer: BufferId(0),
            buffer_offset_bytes: 0,
            cookie: 0,
        };
        let mut status = Status::Ok;
        for _ in 0..RETRIES {
            status = self.command(&request)?;
            match status {
                Status::Ok => {
                    self.moved_bytes += out.len() as u64;
                    self.controller.read_buffer(BufferId(0), 0, out);
                    return Ok(());
                }
                Status::UnitAttention(_) => {}
                Status::Busy => self.pause(),
                _ => break,
            }
        }
        Err(ReadError::Failed { lba, status })
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
