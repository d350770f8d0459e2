//! The seam between a controller and everything above it.

use super::{BufferId, Completion, Disk, DiskId, Ignored, Limits, QueueId, Request, Tag};
use crate::hal::{DmaError, MmioCounts};
use core::fmt;

/// Why `submit` took nothing. The rings are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitError {
    /// Every slot is in flight: reap first.
    Full,
    /// `Limits::max_batch` requests wait for the doorbell: ring it first.
    DoorbellDue,
    /// The request names no disk, buffer or range that exists.
    Invalid,
    /// The controller no longer works; see [`Controller::health`].
    Dead,
}

/// Why an operation on the whole controller failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerError {
    /// No memory.
    Dma(DmaError),
    /// The device did not answer in time: what was awaited, and for how long.
    TimedOut {
        /// What was awaited.
        what: &'static str,
        /// How long, in milliseconds.
        after_ms: u64,
    },
    /// The device refused a command: which one, and its answer.
    Refused {
        /// The command.
        what: &'static str,
        /// What the device answered.
        answer: u64,
    },
    /// Registers read all ones: the device is gone.
    Gone,
    /// An option is outside what the device can take.
    BadOption {
        /// The option's name.
        what: &'static str,
        /// The value that was refused.
        value: u64,
    },
    /// The device does not offer this.
    Unsupported,
    /// Commands are still in flight.
    InFlight(u32),
}

impl fmt::Display for ControllerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dma(error) => write!(
                f,
                "no {} contiguous bytes of memory are left for the device",
                error.layout.size_bytes
            ),
            Self::TimedOut { what, after_ms } => {
                write!(f, "no answer within {after_ms} ms: {what}")
            }
            Self::Refused { what, answer } => {
                write!(f, "the device refused: {what} (it answered {answer:#x})")
            }
            Self::Gone => f.write_str("the device is gone: its registers read all ones"),
            Self::BadOption { what, value } => {
                write!(f, "the device cannot take {what}={value}")
            }
            Self::Unsupported => f.write_str("the device does not offer this"),
            Self::InFlight(commands) => write!(f, "{commands} commands are still in flight"),
        }
    }
}

/// What a job can choose when a controller is brought up; `None` leaves the
/// choice to the driver. A driver ignores what its device has no notion of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Request ring pages (PVSCSI), a power of two, 1..=32.
    pub ring_pages: Option<u16>,
    /// Slots per queue (NVMe, virtio-scsi).
    pub queue_entries: Option<u32>,
    /// Request queues (NVMe I/O queue pairs, virtio-scsi request queues); the default
    /// is 1. A device that has fewer gives what it has, see [`Limits::queues`].
    pub queues: Option<u16>,
    /// Whether doorbells are left out while the device says that it looks at the
    /// ring by itself (PVSCSI's request call threshold), where it can say so.
    pub kick_suppression: Option<bool>,
    /// Whether doorbells are kept in memory (NVMe), where the device offers it.
    pub shadow_doorbells: Option<bool>,
}

/// Whether a controller can still be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// All is well.
    Ok,
    /// It breaks its own protocol (runaway index, unknown or stale tag ..): the reason.
    Lying(&'static str),
    /// It reports a fault; its code.
    Fault(u32),
    /// Registers read all ones.
    Gone,
}

/// How completions are announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptMode {
    /// Not at all: the caller polls.
    Off,
    /// By an interrupt whose handler must call `acknowledge_interrupt` (level-triggered INTx).
    Level,
    /// By a message (MSI, MSI-X).
    Message,
}

/// Exact counts of what a driver did to its device since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Doorbells or posts that publish requests.
    pub submit_doorbells: u64,
    /// Doorbells that give completion slots back (NVMe CQ head, MPT frame recycling).
    pub completion_doorbells: u64,
    /// All register accesses, doorbells included.
    pub mmio: MmioCounts,
    /// Commands handed to the device by `submit`.
    pub commands: u64,
    /// Completions that matched no command in flight.
    pub bad_completions: u64,
}

/// Of the doorbells in [`Accesses`], those of one queue since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDoorbells {
    /// That publish requests.
    pub submit: u64,
    /// That give completion slots back.
    pub completion: u64,
}

/// A storage controller that is ready for I/O.
///
/// With several queues each has its own ring, doorbells and completions; one
/// interrupt announces those of all. A pass reaps every queue.
///
/// Object-safe. The measuring loop is instantiated per concrete type; trait
/// objects serve everything else.
///
/// Order of use: any number of `submit`, one `ring_doorbell`, then `reap` until
/// it returns less than it was given room for. Never `submit` inside a reap pass.
pub trait Controller {
    /// Short kind as users name it: `pvscsi`, `lsisas`, `nvme`, `virtio-scsi`.
    fn kind(&self) -> &'static str;

    /// Limits and features.
    fn limits(&self) -> &Limits;

    /// Disks found, in a stable order by address. [`DiskId`] indexes this.
    fn disks(&self) -> &[Disk];

    /// What answered but is no disk to measure.
    fn ignored(&self) -> &[Ignored];

    /// Writes the request into the ring; the device need not see it before
    /// `ring_doorbell`. Tags of commands in flight on one queue are all different.
    ///
    /// # Errors
    /// [`SubmitError`]; nothing was submitted.
    fn submit(&mut self, queue: QueueId, request: &Request) -> Result<Tag, SubmitError>;

    /// Publishes everything submitted to the queue since the last call, by one register
    /// write, or one per request where [`Limits::doorbell_per_request`] says so;
    /// none if nothing was submitted.
    fn ring_doorbell(&mut self, queue: QueueId);

    /// Collects finished commands into `out`, and returns how many. Fewer than
    /// `out.len()` means that no more was found.
    fn reap(&mut self, queue: QueueId, out: &mut [Completion]) -> usize;

    /// Commands submitted and not yet reaped, over all queues.
    fn in_flight(&self) -> u32;

    /// Whether the controller can still be used.
    fn health(&self) -> Health;

    /// Chooses how completions are announced.
    ///
    /// # Errors
    /// [`ControllerError::Unsupported`] for a mode the device lacks.
    fn set_interrupts(&mut self, mode: InterruptMode) -> Result<(), ControllerError>;

    /// To be called by the handler of a level-triggered interrupt; whether the
    /// device had raised it.
    fn acknowledge_interrupt(&mut self) -> bool;

    /// Resets the controller and brings it up again. Commands in flight are
    /// gone: their tags never complete. Buffers keep their contents.
    ///
    /// # Errors
    /// [`ControllerError`]; the controller must not be used afterwards.
    fn reset(&mut self) -> Result<(), ControllerError>;

    /// Brings the controller up again with other options, if they differ from
    /// those in force; nothing may be in flight. Disks stay as they were found.
    ///
    /// # Errors
    /// [`ControllerError::BadOption`] before the device sees anything of it;
    /// others as `reset`.
    fn reconfigure(&mut self, options: &Options) -> Result<(), ControllerError>;

    /// Asks the device to give one command up. It still completes through
    /// `reap`, aborted or not.
    ///
    /// # Errors
    /// [`ControllerError`] when the device cannot be asked.
    fn abort(&mut self, queue: QueueId, tag: Tag) -> Result<(), ControllerError>;

    /// Asks the device again about one disk (size, protection, identity) after it
    /// reported a change; nothing may be in flight.
    ///
    /// # Errors
    /// [`ControllerError`] when the disk no longer answers.
    fn refresh_disk(&mut self, disk: DiskId) -> Result<(), ControllerError>;

    /// Whether the device has sent a notice, since the last call, that disks
    /// changed (NVMe; SCSI disks say it by [`Status::UnitAttention`]). Costs no
    /// register access while there is none.
    ///
    /// # Errors
    /// [`ControllerError`] when the device does not answer for its notice.
    ///
    /// [`Status::UnitAttention`]: super::Status::UnitAttention
    fn take_disk_change(&mut self) -> Result<bool, ControllerError> {
        Ok(false)
    }

    /// Stops the device so that it touches no memory any more. Idempotent.
    fn shutdown(&mut self);

    /// Replaces the buffer pool by `count` zeroed buffers of `size_bytes` each,
    /// every one contiguous and on a 4 KiB page.
    ///
    /// # Errors
    /// [`ControllerError::Dma`], or [`ControllerError::InFlight`] while commands run;
    /// the old pool stays in the latter case, an empty one in the former.
    fn set_buffers(&mut self, count: u32, size_bytes: usize) -> Result<(), ControllerError>;

    /// Copies `data` into a buffer. Panics if it does not fit: a bug of the caller.
    fn fill_buffer(&mut self, buffer: BufferId, offset_bytes: usize, data: &[u8]);

    /// Copies out of a buffer. Panics if it does not fit: a bug of the caller.
    fn read_buffer(&self, buffer: BufferId, offset_bytes: usize, out: &mut [u8]);

    /// What was done to the device so far.
    fn accesses(&self) -> Accesses;

    /// Doorbells of one queue. They restart at 0 when [`reconfigure`](Self::reconfigure)
    /// makes the queues anew.
    fn queue_doorbells(&self, queue: QueueId) -> QueueDoorbells {
        let all = self.accesses();
        match queue {
            QueueId(0) => QueueDoorbells {
                submit: all.submit_doorbells,
                completion: all.completion_doorbells,
            },
            _ => QueueDoorbells::default(),
        }
    }
}
