//! What kind of controller the model is.

/// State that the driver finds the controller in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Disabled, as after a reset.
    Off,
    /// Enabled and ready, as some firmware leaves it.
    On,
    /// Enabled, ready only after the given number of steps.
    Starting(u32),
}

/// Fixed properties of a model. The default is QEMU 7.2's controller.
#[derive(Clone, Debug)]
pub struct NvmeConfig {
    /// CAP.MQES, counts from 0.
    pub max_queue_entries_0: u16,
    /// CAP.TO, in 500 ms.
    pub timeout_units: u8,
    /// CAP.DSTRD.
    pub doorbell_stride: u8,
    /// CAP.MPSMIN.
    pub min_page: u8,
    /// CAP.CSS bit 0: the NVM command set.
    pub nvm_commands: bool,
    /// VS.
    pub version: u32,
    /// Size of BAR0 in bytes.
    pub bar_len_bytes: usize,
    /// Identify byte 77.
    pub mdts: u8,
    /// Pages that one command may touch; QEMU takes 1,024.
    pub max_pages: usize,
    /// Optional admin commands.
    pub oacs: u16,
    /// Optional NVM commands.
    pub oncs: u16,
    /// Optional asynchronous events.
    pub oaes: u32,
    /// Namespace write protection capabilities.
    pub nwpc: u8,
    /// Highest namespace identifier that is claimed.
    pub claimed_namespaces: u32,
    /// The active namespace list (CNS 2) exists.
    pub lists_namespaces: bool,
    /// I/O queue pairs granted, whatever is asked.
    pub granted_queues: u16,
    /// Steps from enable to ready.
    pub steps_to_ready: u32,
    /// State at the start.
    pub found: Found,
    /// Works inside the doorbell write, instead of at the next step.
    pub immediate: bool,
    /// Interrupts are messages (MSI-X is on in the configuration space).
    pub messages: bool,
    /// An Abort command really aborts a held command.
    pub aborts: bool,
    /// Status field for a namespace that is not there.
    pub absent_namespace: u16,
    /// The driver is told through the event page of every completion head it
    /// moves while the device is posting.
    pub wants_heads: bool,
}

impl Default for NvmeConfig {
    fn default() -> Self {
        Self {
            max_queue_entries_0: 2047,
            timeout_units: 15,
            doorbell_stride: 0,
            min_page: 0,
            nvm_commands: true,
            version: 0x0001_0400,
            bar_len_bytes: 0x4000,
            mdts: 7,
            max_pages: 1024,
            oacs: 0x010a,
            oncs: 0x015d,
            oaes: 1 << 8,
            nwpc: 0,
            claimed_namespaces: 256,
            lists_namespaces: true,
            granted_queues: 64,
            steps_to_ready: 0,
            found: Found::Off,
            immediate: false,
            messages: false,
            aborts: false,
            absent_namespace: 0x4002,
            wants_heads: true,
        }
    }
}

impl NvmeConfig {
    /// CAP.
    pub(super) fn cap(&self) -> u64 {
        u64::from(self.max_queue_entries_0)
            | 1 << 16
            | u64::from(self.timeout_units) << 24
            | u64::from(self.doorbell_stride) << 32
            | u64::from(self.nvm_commands) << 37
            | u64::from(self.min_page) << 48
            | 4 << 52
    }

    /// Distance of doorbells in bytes.
    pub(super) fn stride_bytes(&self) -> usize {
        4 << self.doorbell_stride
    }
}
