//! Which adapter the model is, whose, and how fast.

/// Identity of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// SAS1068, 1000:0054.
    Sas1068,
    /// 53c1030, 1000:0030, its own id 7. Not run on any device.
    Parallel53c1030,
}

/// What differs between QEMU 7.2's model and the firmware that Linux' driver
/// was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// Version of the message interface.
    pub message_version: u16,
    /// Targets that IOC_FACTS tells of; 256 is told as 0.
    pub told_targets: u16,
    /// IOC_INIT with more targets than told is refused.
    pub strict_targets: bool,
    /// GlobalCredits.
    pub credits: u16,
    /// ReplyQueueDepth: free reply frames, and replies not taken.
    pub reply_depth: u16,
    /// RequestFrameSize in bytes.
    pub request_frame_bytes: u16,
    /// Task management has a FIFO of its own; else writes there vanish.
    pub hi_pri: bool,
    /// A function that is not known, EVENT_ACK among them, is a fault; else it
    /// is refused, and EVENT_ACK known.
    pub faults_on_unknown: bool,
    /// A reply without a free frame is a fault; else it waits for one.
    pub faults_without_frame: bool,
    /// Every status but GOOD is reported as underrun with sense and no data.
    pub status_as_underrun: bool,
    /// Success is told by context; else by a frame, too.
    pub context_replies: bool,
    /// Takes EVENT_NOTIFICATION during a handshake.
    pub events: bool,
    /// A message unit reset ends a fault.
    pub gentle_reset_ends_fault: bool,
    /// The diagnostic register wants its keys.
    pub diagnostic_locked: bool,
    /// Steps from a diagnostic reset until it is ready.
    pub boot_steps: u32,
    /// Looks at the interrupt status until a doorbell write is taken.
    pub busy_looks: u32,
}

impl Quirks {
    /// QEMU 7.2.
    #[must_use]
    pub const fn qemu() -> Self {
        Self {
            message_version: 0x0105,
            told_targets: 8,
            strict_targets: false,
            credits: 128,
            reply_depth: 128,
            request_frame_bytes: 512,
            hi_pri: false,
            faults_on_unknown: true,
            faults_without_frame: true,
            status_as_underrun: true,
            context_replies: true,
            events: true,
            gentle_reset_ends_fault: true,
            diagnostic_locked: false,
            boot_steps: 0,
            busy_looks: 0,
        }
    }

    /// Firmware, as Linux' driver expects it. Not run on any device.
    #[must_use]
    pub const fn firmware() -> Self {
        Self {
            message_version: 0x0105,
            told_targets: 112,
            strict_targets: true,
            credits: 266,
            reply_depth: 128,
            request_frame_bytes: 128,
            hi_pri: true,
            faults_on_unknown: false,
            faults_without_frame: false,
            status_as_underrun: false,
            context_replies: true,
            events: true,
            gentle_reset_ends_fault: false,
            diagnostic_locked: true,
            boot_steps: 20,
            busy_looks: 2,
        }
    }
}

/// When posted requests are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetching {
    /// In the write that posts them.
    AtPost,
    /// At most so many per step.
    OnStep(usize),
}
