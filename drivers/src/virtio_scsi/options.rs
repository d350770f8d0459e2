//! Options, checked before the device sees anything of them.

use super::quirks::Quirks;
use crate::block::{ControllerError, Options};

/// The choices in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choices {
    /// Entries per request queue; `None` for as many as the device has.
    pub(super) entries: Option<u32>,
    pub(super) queues: u16,
    pub(super) kick_suppression: bool,
}

impl Choices {
    /// # Errors
    /// [`ControllerError::BadOption`] for what no device can take.
    pub(super) fn from_options(options: &Options, quirks: Quirks) -> Result<Self, ControllerError> {
        let bad = |what, value| Err(ControllerError::BadOption { what, value });
        if let Some(entries) = options.queue_entries
            && (!entries.is_power_of_two() || entries > 1 << 15)
        {
            return bad("queue_entries", u64::from(entries));
        }
        let queues = options.queues.unwrap_or(1);
        if queues == 0 {
            return bad("queues", 0);
        }
        Ok(Self {
            entries: options.queue_entries,
            queues,
            kick_suppression: options
                .kick_suppression
                .unwrap_or(!quirks.fences_do_not_hold),
        })
    }
}
