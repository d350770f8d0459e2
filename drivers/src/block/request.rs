//! What a workload asks of a controller.

/// Address of a logical block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lba(pub u64);

/// Index of a disk in [`Controller::disks`](super::Controller::disks).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiskId(pub u16);

/// Index of a submission queue of a controller, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueId(pub u16);

/// Index of a buffer in the pool that the controller owns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// Kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// Device to memory.
    Read,
    /// Memory to device.
    Write,
    /// Memory to device, durable when it completes (FUA).
    WriteDurable,
    /// All earlier writes durable.
    Flush,
    /// The blocks are no longer needed (unmap, deallocate).
    Trim,
}

/// One command. It moves exactly `blocks` blocks; the data length a device is
/// told is always `blocks` times the block size, never anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which disk.
    pub disk: DiskId,
    /// What to do.
    pub op: Op,
    /// First block.
    pub lba: Lba,
    /// Number of blocks; 0 for [`Op::Flush`].
    pub blocks: u32,
    /// Buffer that holds the data.
    pub buffer: BufferId,
    /// Where in the buffer the data starts, in bytes, a multiple of the block size.
    pub buffer_offset_bytes: u32,
    /// Returned unchanged in the completion.
    pub cookie: u32,
}
