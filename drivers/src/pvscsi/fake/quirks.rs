//! Whose adapter the model is, and how fast.

/// What differs between QEMU 7.2's model and the adapter of ESXi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// The count of consumed requests has 64 bits and is compared with the 32
    /// bits of the index.
    pub wide_consumer: bool,
    /// A distance of 1,024 requests or more is taken for none.
    pub ignores_far_jumps: bool,
    /// Indices start at what the page of indices holds, not at 0.
    pub indices_from_memory: bool,
    /// Completions state how much data moved.
    pub states_lengths: bool,
    /// Host status of a short transfer.
    pub short_status: u16,
    /// A refused command with data is reported as short, too.
    pub short_beside_check: bool,
    /// Answer to GET_MAX_TARGETS.
    pub max_targets: Option<u32>,
    /// Number of targets in the configuration page.
    pub config_targets: Option<u32>,
    /// SETUP_REQCALLTHRESHOLD is known.
    pub call_threshold: bool,
    /// SETUP_MSG_RING is known.
    pub messages: bool,
    /// Rings are only taken after a reset.
    pub rings_need_reset: bool,
}

impl Quirks {
    /// QEMU 7.2.
    #[must_use]
    pub const fn qemu() -> Self {
        Self {
            wide_consumer: true,
            ignores_far_jumps: true,
            indices_from_memory: false,
            states_lengths: false,
            short_status: 0x12,
            short_beside_check: true,
            max_targets: None,
            config_targets: None,
            call_threshold: false,
            messages: true,
            rings_need_reset: false,
        }
    }

    /// ESXi, as VMware's own drivers expect it.
    #[must_use]
    pub const fn esxi() -> Self {
        Self {
            wide_consumer: false,
            ignores_far_jumps: false,
            indices_from_memory: true,
            states_lengths: true,
            short_status: 0x0c,
            short_beside_check: false,
            max_targets: Some(65),
            config_targets: Some(65),
            call_threshold: true,
            messages: true,
            rings_need_reset: false,
        }
    }
}
