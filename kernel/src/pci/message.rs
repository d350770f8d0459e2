//! Interrupts as messages: MSI and MSI-X (PCI 3.0, 6.8).

use super::config::{read, write};
use super::function::Function;
use drivers::hal::Mmio;
use pci_types::{CommandRegister, ConfigRegionAccess, PciHeader};

/// Control of both capabilities is the upper half of their first word.
const MSI_ENABLE: u32 = 1 << 16;
const MSI_MANY: u32 = 0b111 << 20;
const MSI_64_BIT: u32 = 1 << 23;
const MSI_MASKS: u32 = 1 << 24;
const MSIX_ENABLE: u32 = 1 << 31;
const MSIX_MASK_ALL: u32 = 1 << 30;
/// The word with place and size of the MSI-X table.
const MSIX_TABLE: u16 = 4;
const ENTRY_MASKED: u32 = 1;

/// What a device writes, and where, to interrupt (Intel SDM volume 3, 11.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    address: u32,
    data: u32,
}

impl Message {
    /// An edge-triggered interrupt of the processor with that local APIC id.
    #[must_use]
    pub const fn to(processor: u8, vector: u8) -> Self {
        Self {
            address: 0xfee0_0000 | (processor as u32) << 12,
            data: vector as u32,
        }
    }
}

impl Function {
    /// Switches the one message of MSI on. `None` without MSI.
    pub fn open_msi(&self, config: &impl ConfigRegionAccess, message: Message) -> Option<()> {
        let at = u16::from(self.interrupts.msi_offset);
        if at == 0 {
            return None;
        }
        let control = read(config, self.address, at) & !(MSI_ENABLE | MSI_MANY);
        let wide = control & MSI_64_BIT != 0;
        write(config, self.address, at + 4, message.address);
        if wide {
            write(config, self.address, at + 8, 0);
        }
        let data = at + if wide { 12 } else { 8 };
        write(config, self.address, data, message.data);
        if control & MSI_MASKS != 0 {
            write(config, self.address, data + 4, 0);
        }
        write(config, self.address, at, control | MSI_ENABLE);
        Some(())
    }

    /// Switches message 0 of MSI-X on, and masks the others. `None` without MSI-X,
    /// or where its table cannot be mapped.
    pub fn open_msix(&mut self, config: &impl ConfigRegionAccess, message: Message) -> Option<()> {
        let at = u16::from(self.interrupts.msix_offset);
        if at == 0 {
            return None;
        }
        let table = read(config, self.address, at + MSIX_TABLE);
        let (bar, offset) = ((table & 0b111) as u8, (table & !0b111) as usize);
        if self.table.is_none() {
            self.table = self.map_bar(bar).map(alloc::rc::Rc::new);
        }
        let registers = self.table.as_ref()?;
        let control = read(config, self.address, at);
        // All are masked while the table is written (6.8.2).
        let masked = control | MSIX_ENABLE | MSIX_MASK_ALL;
        write(config, self.address, at, masked);
        registers.write32(offset, message.address);
        registers.write32(offset + 4, 0);
        registers.write32(offset + 8, message.data);
        registers.write32(offset + 12, 0);
        for entry in 1..usize::from(self.interrupts.msix_vectors) {
            registers.write32(offset + entry * 16 + 12, ENTRY_MASKED);
        }
        write(config, self.address, at, masked & !MSIX_MASK_ALL);
        Some(())
    }

    /// Switches both off.
    pub fn close_messages(&self, config: &impl ConfigRegionAccess) {
        for (at, enable) in [
            (self.interrupts.msi_offset, MSI_ENABLE),
            (self.interrupts.msix_offset, MSIX_ENABLE),
        ] {
            let at = u16::from(at);
            if at != 0 {
                let control = read(config, self.address, at);
                write(config, self.address, at, control & !enable);
            }
        }
    }

    /// Lets it use its INTx line, or not.
    pub fn set_intx(&self, config: &impl ConfigRegionAccess, on: bool) {
        let off = CommandRegister::INTERRUPT_DISABLE;
        PciHeader::new(self.address).update_command(config, |command| {
            if on { command - off } else { command | off }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::capabilities::Interrupts;
    use super::super::testing::{Device, Machine};
    use super::*;
    use pci_types::PciAddress;

    const AT: u16 = 0x60;

    /// A function with MSI whose control word is `control`, and what its capability
    /// holds once message 0x45 to processor 2 was opened.
    fn opened(control: u32) -> (Machine, Function, [u32; 5]) {
        let mut device = Device::endpoint(0x15ad, 0x07c0).with(AT, control << 16 | 0x05);
        for offset in (AT..AT + 20).step_by(4) {
            device = device.writable(offset, u32::MAX);
        }
        let machine = Machine::new().at(0, 3, device.with(AT + 16, 0xffff_ffff));
        let interrupts = Interrupts {
            msi_offset: AT as u8,
            ..Interrupts::default()
        };
        let mut function = Function::without_bars("00:03.0", 0x15ad, 0x07c0, [1, 0, 0], interrupts);
        function.address = PciAddress::new(0, 0, 3, 0);
        function.open_msi(&machine, Message::to(2, 0x45)).unwrap();
        let words =
            core::array::from_fn(|word| read(&machine, function.address, AT + 4 * word as u16));
        (machine, function, words)
    }

    #[test]
    fn msi_is_written_where_its_width_has_it_and_asks_for_one_message() {
        // 64 bits, as QEMU's devices have it; four messages were on.
        let (_, _, words) = opened(0x00a0);
        assert_eq!(words[0] >> 16, 0x0081);
        assert_eq!(words[1..4], [0xfee0_2000, 0, 0x45]);
        // 32 bits.
        let (_, _, words) = opened(0x0000);
        assert_eq!(words[0] >> 16, 0x0001);
        assert_eq!(words[1..3], [0xfee0_2000, 0x45]);
        // With masks, which open.
        let (_, _, words) = opened(0x0180);
        assert_eq!(words[0] >> 16, 0x0181);
        assert_eq!(words[3..], [0x45, 0]);
    }

    #[test]
    fn closed_it_is_off_and_keeps_the_rest() {
        let (machine, function, before) = opened(0x0080);
        function.close_messages(&machine);
        let control = read(&machine, function.address, AT);
        assert_eq!(control, before[0] & !MSI_ENABLE);
    }

    #[test]
    fn intx_is_a_bit_of_the_command() {
        let (machine, function, _) = opened(0x0080);
        for on in [false, true] {
            function.set_intx(&machine, on);
            let command = read(&machine, function.address, 4);
            assert_eq!(command & 1 << 10 == 0, on);
        }
    }

    #[test]
    fn a_message_names_processor_and_vector() {
        let message = Message::to(3, 0x41);
        assert_eq!((message.address, message.data), (0xfee0_3000, 0x41));
    }
}
