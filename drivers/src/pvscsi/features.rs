//! What the adapter offers. Each command is tried, as its number alone tells
//! whether it is known: the status is all ones if not.

use super::regs::Regs;
use super::spec::{FALLBACK_TARGETS, MAX_TARGETS, PAGE_BYTES, STATUS_FAILED, cmd, config};
use crate::hal::{DmaError, DmaLayout, DmaRegion, Hal};

/// Features found at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Number of targets, if the adapter told it.
    pub told_targets: Option<u32>,
    /// Hot-plug messages are delivered.
    pub messages: bool,
    /// Doorbells may be left out while the device polls its ring.
    pub call_threshold: bool,
}

impl Features {
    /// Targets to look at.
    pub(super) fn targets(&self) -> u32 {
        self.told_targets.unwrap_or(FALLBACK_TARGETS)
    }

    /// Whether this is VMware's own adapter, which keeps target 7 for itself:
    /// QEMU's knows none of these commands.
    pub(super) fn is_vmware(&self) -> bool {
        self.told_targets.is_some() || self.call_threshold
    }
}

/// Number of targets as the adapter tells it, by the short way or the long one.
pub(super) fn told_targets<H: Hal>(hal: &H, regs: &Regs<H::Mmio>) -> Result<Option<u32>, DmaError> {
    let plausible = |count: u32| (1..=MAX_TARGETS).contains(&count).then_some(count);
    if let Some(count) = plausible(regs.command(cmd::GET_MAX_TARGETS, &[])) {
        return Ok(Some(count));
    }
    let page = hal.allocate(DmaLayout::pages(PAGE_BYTES))?;
    page.write_bytes(config::HEADER_STATUS, &config::UNTOUCHED);
    let at = page.bus_addr().0;
    let descriptor = [
        at as u32,
        (at >> 32) as u32,
        config::ADDRESS_CONTROLLER as u32,
        (config::ADDRESS_CONTROLLER >> 32) as u32,
        config::PAGE_CONTROLLER,
        0,
    ];
    if regs.command(cmd::CONFIG, &descriptor) == STATUS_FAILED {
        return Ok(None);
    }
    let mut header = [0; 6];
    page.read_bytes(config::HEADER_STATUS, &mut header);
    let succeeded = header[2..] == [0; 4];
    Ok(plausible(page.load32(config::TARGETS)).filter(|_| succeeded))
}

/// Whether a command is known; nothing of it is executed.
pub(super) fn knows<M: crate::hal::Mmio>(regs: &Regs<M>, command: u32) -> bool {
    regs.command(command, &[]) != STATUS_FAILED
}
