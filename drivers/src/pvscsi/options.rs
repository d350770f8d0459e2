//! Options, checked before the device sees anything of them.

use super::spec::MAX_RING_PAGES;
use crate::block::{ControllerError, Options};

/// Request ring pages where none are asked for: all, which Linux takes too for
/// an adapter with more than 16 targets.
const DEFAULT_PAGES: u16 = MAX_RING_PAGES as u16;

/// The choices in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choices {
    pub(super) ring_pages: u16,
    pub(super) kick_suppression: bool,
}

impl Choices {
    pub(super) fn from_options(options: &Options) -> Result<Self, ControllerError> {
        let ring_pages = options.ring_pages.unwrap_or(DEFAULT_PAGES);
        if !ring_pages.is_power_of_two() || usize::from(ring_pages) > MAX_RING_PAGES {
            return Err(ControllerError::BadOption {
                what: "ring_pages",
                value: u64::from(ring_pages),
            });
        }
        Ok(Self {
            ring_pages,
            kick_suppression: options.kick_suppression.unwrap_or(true),
        })
    }
}

/// When the rings are set up anew, in requests since the last time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ages {
    /// Index that rings start at: 0, but for tests of the wrap.
    pub(super) first_index: u32,
    /// From here on at the next quiet moment.
    pub(super) ripe: u32,
    /// From here on no more is submitted until that is done.
    pub(super) overdue: u32,
}

impl Ages {
    /// QEMU compares a 64-bit count of its own with the 32-bit index, and stops
    /// for good at 2^32 requests (Q `pvscsi_ring_pop_req_descr`).
    pub(super) const DEFAULT: Self = Self {
        first_index: 0,
        ripe: 1 << 31,
        overdue: u32::MAX - (1 << 20),
    };
}

// A batch may still be submitted when the rings are found to be overdue.
const _: () = assert!(Ages::DEFAULT.overdue as u64 + 1024 < 1 << 32);
const _: () = assert!(Ages::DEFAULT.ripe < Ages::DEFAULT.overdue && Ages::DEFAULT.first_index == 0);
