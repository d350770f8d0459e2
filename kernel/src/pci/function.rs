//! One function, ready to be given to a driver.
#![expect(
    unsafe_code,
    reason = "a BAR's address becomes a pointer to registers here"
)]

use super::bar::Bar;
use super::capabilities::Interrupts;
use crate::hal::MmioRegion;
use crate::memory::mmio;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use pci_types::{CommandRegister, ConfigRegionAccess, PciAddress, PciHeader};

/// Base class and subclass of VGA-compatible display adapters (PCI Code and ID
/// Assignment Specification, 1.4).
pub const VGA_CLASS: [u8; 2] = [0x03, 0x00];

/// A function that is no bridge.
#[derive(Clone, Debug)]
pub struct Function {
    /// `00:03.0`; behind bridges `00:1c.0/00.0`: slots from the root on, so that
    /// it does not depend on bus numbers.
    pub path: String,
    /// Where configuration space has it.
    pub address: PciAddress,
    /// Vendor id.
    pub vendor: u16,
    /// Device id.
    pub device: u16,
    /// Base class, subclass, programming interface.
    pub class: [u8; 3],
    /// Revision.
    pub revision: u8,
    /// BARs as they are now.
    pub bars: Vec<Bar>,
    /// Interrupt modes.
    pub interrupts: Interrupts,
    /// Bytes of its vendor-specific capabilities, in order.
    pub vendor_capabilities: Vec<Vec<u8>>,
    /// The BAR with the MSI-X table, once it was mapped.
    pub(super) table: Option<Rc<MmioRegion>>,
    /// Bridges on the way, from the root on.
    pub(super) bridges: Vec<PciAddress>,
}

impl Function {
    /// `vendor:device` in hex.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{:04x}:{:04x}", self.vendor, self.device)
    }

    /// A function without BARs, for tests of what is decided by ids.
    #[must_use]
    pub fn without_bars(
        path: &str,
        vendor: u16,
        device: u16,
        class: [u8; 3],
        interrupts: Interrupts,
    ) -> Self {
        Self {
            path: path.into(),
            address: PciAddress::default(),
            vendor,
            device,
            class,
            revision: 0,
            bars: Vec::new(),
            interrupts,
            vendor_capabilities: Vec::new(),
            table: None,
            bridges: Vec::new(),
        }
    }

    /// Lets it decode memory and reach memory itself, with its INTx off, and its
    /// bridges forward both.
    pub fn enable(&self, config: &impl ConfigRegionAccess) {
        let on = CommandRegister::MEMORY_ENABLE | CommandRegister::BUS_MASTER_ENABLE;
        for &bridge in &self.bridges {
            PciHeader::new(bridge).update_command(config, |command| command | on);
        }
        PciHeader::new(self.address).update_command(config, |command| {
            command | on | CommandRegister::INTERRUPT_DISABLE
        });
    }

    /// Takes its access to memory away again: nothing that it was told to do
    /// before can write there any more.
    pub fn stop_bus_mastering(&self, config: &impl ConfigRegionAccess) {
        PciHeader::new(self.address).update_command(config, |command| {
            command - CommandRegister::BUS_MASTER_ENABLE
        });
    }

    /// The first memory BAR of at least `bytes`, mapped; `None` where there is
    /// none, or it has no address. Which BAR holds the registers differs between
    /// implementations of one device, their size does not.
    #[must_use]
    pub fn map_first_bar(&self, bytes: u64) -> Option<MmioRegion> {
        let large = |bar: &&Bar| bar.is_memory() && bar.size_bytes >= bytes;
        self.map(self.bars.iter().find(large)?)
    }

    /// The memory BAR whose first register is `index`, mapped.
    #[must_use]
    pub fn map_bar(&self, index: u8) -> Option<MmioRegion> {
        self.map(self.bars.iter().find(|bar| bar.index == index)?)
    }

    fn map(&self, bar: &Bar) -> Option<MmioRegion> {
        let range = bar.range()?;
        let len = usize::try_from(bar.size_bytes).ok()?;
        let base = mmio::map(range.start, len)?;
        // SAFETY: just mapped for good, uncached. `scan` left an address only where
        // it overlaps no RAM; a BAR is aligned to its size, which is at least 16.
        Some(unsafe { MmioRegion::new(base, len) })
    }
}
