//! What a controller can do, as the device reports it or the driver bounds it.

/// Limits and features of a started controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Submission queues that can be used.
    pub queues: u16,
    /// Slots of one submission queue.
    pub queue_entries: u32,
    /// Commands that one queue can have in flight.
    pub max_in_flight: u32,
    /// Commands that may be submitted before a doorbell must be rung.
    pub max_batch: u32,
    /// Longest single command in bytes; a longer I/O is split by the caller.
    pub max_transfer_bytes: u64,
    /// Targets that can be addressed.
    pub max_targets: u32,
    /// Ring pages in use, where the device has such a thing; else 0.
    pub ring_pages: u16,
    /// `ring_doorbell` takes a register write for each request, not one for all (MPT).
    pub doorbell_per_request: bool,
    /// Finding a completion costs a register read, so empty polls should back off.
    pub polls_by_register: bool,
}
