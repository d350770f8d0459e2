//! Base address registers (PCI 3.0, 6.2.5.1).

use super::config::{read, write};
use core::ops::Range;
use pci_types::{CommandRegister, ConfigRegionAccess, PciAddress, PciHeader};
use proto::result::BarInfo;

const FIRST_BAR: u16 = 0x10;
const IO: u32 = 1 << 0;
const TYPE: u32 = 0b11 << 1;
const TYPE_64_BIT: u32 = 0b10 << 1;
const PREFETCHABLE: u32 = 1 << 3;

/// Space and width of a BAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarKind {
    /// I/O ports.
    Io,
    /// Memory below 4 GiB.
    Memory32,
    /// Memory anywhere; takes two registers.
    Memory64,
}

/// One implemented BAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Number of its (first) register, 0..=5.
    pub index: u8,
    /// Space and width.
    pub kind: BarKind,
    /// Reads have no side effects.
    pub prefetchable: bool,
    /// Address, or first port; 0 is unassigned.
    pub address: u64,
    /// Size in bytes, or ports; a power of two.
    pub size_bytes: u64,
}

impl Bar {
    /// Whether it is a memory BAR.
    #[must_use]
    pub const fn is_memory(&self) -> bool {
        !matches!(self.kind, BarKind::Io)
    }

    /// Memory it takes; `None` if it is unassigned, or no memory BAR.
    #[must_use]
    pub fn range(&self) -> Option<Range<u64>> {
        let end = self.address.checked_add(self.size_bytes)?;
        (self.is_memory() && self.address != 0).then_some(self.address..end)
    }

    /// As a record tells it.
    #[must_use]
    pub fn info(&self) -> BarInfo {
        let space = match self.kind {
            BarKind::Io => "io",
            BarKind::Memory32 => "memory32",
            BarKind::Memory64 => "memory64",
        };
        BarInfo {
            index: self.index,
            space: space.into(),
            prefetchable: self.prefetchable,
            address: self.address,
            size_bytes: self.size_bytes,
        }
    }

    /// From a register pair's contents, and what reads back after all ones were
    /// written. `None` for a register that is not implemented, or of a type that
    /// is reserved.
    fn decode(index: u8, contents: [u32; 2], sizing: [u32; 2]) -> Option<Self> {
        let [low, high] = contents;
        if low & IO != 0 {
            let mask = sizing[0] & !0b11;
            // A device may leave the upper 16 bits at zero.
            let mask = if mask >> 16 == 0 {
                mask | 0xffff_0000
            } else {
                mask
            };
            let size_bytes = u64::from(mask.wrapping_neg());
            return (sizing[0] & !0b11 != 0).then_some(Self {
                index,
                kind: BarKind::Io,
                prefetchable: false,
                address: u64::from(low & !0b11),
                size_bytes,
            });
        }
        let low_address = low & !0xf;
        let low_mask = sizing[0] & !0xf;
        let (kind, address, size_bytes) = match sizing[0] & TYPE {
            TYPE_64_BIT => {
                let mask = u64::from(sizing[1]) << 32 | u64::from(low_mask);
                let address = u64::from(high) << 32 | u64::from(low_address);
                (BarKind::Memory64, address, mask.wrapping_neg())
            }
            0 => {
                let size = u64::from(low_mask.wrapping_neg());
                (BarKind::Memory32, u64::from(low_address), size)
            }
            _ => return None,
        };
        size_bytes.is_power_of_two().then_some(Self {
            index,
            kind,
            prefetchable: sizing[0] & PREFETCHABLE != 0,
            address,
            size_bytes,
        })
    }
}

/// Reads and sizes the first `registers` BARs of a function. Its decoders are off
/// meanwhile, so that a half-written address claims nothing.
pub(super) fn read_bars(
    config: &impl ConfigRegionAccess,
    address: PciAddress,
    registers: u8,
) -> alloc::vec::Vec<Bar> {
    let mut header = PciHeader::new(address);
    let command = header.command(config);
    let decoders = CommandRegister::IO_ENABLE | CommandRegister::MEMORY_ENABLE;
    if command.intersects(decoders) {
        header.update_command(config, |command| command - decoders);
    }
    let mut bars = alloc::vec::Vec::new();
    let mut index = 0;
    while index < registers {
        let bar = size_bar(config, address, index, registers);
        index += match bar {
            Some(Bar {
                kind: BarKind::Memory64,
                ..
            }) => 2,
            _ => 1,
        };
        bars.extend(bar);
    }
    if command.intersects(decoders) {
        header.update_command(config, |_| command);
    }
    bars
}

/// Gives a memory BAR its address. Its function's memory decoder must be off.
pub(super) fn write_bar(
    config: &impl ConfigRegionAccess,
    function: PciAddress,
    bar: &Bar,
    address: u64,
) {
    let offset = FIRST_BAR + 4 * u16::from(bar.index);
    write(config, function, offset, address as u32);
    if bar.kind == BarKind::Memory64 {
        write(config, function, offset + 4, (address >> 32) as u32);
    }
}

fn size_bar(
    config: &impl ConfigRegionAccess,
    address: PciAddress,
    index: u8,
    registers: u8,
) -> Option<Bar> {
    let offset = FIRST_BAR + 4 * u16::from(index);
    let low = read(config, address, offset);
    let low_sizing = probe(config, address, offset, low);
    if low_sizing == 0 {
        return None;
    }
    let wide = low_sizing & (IO | TYPE) == TYPE_64_BIT;
    if !wide {
        return Bar::decode(index, [low, 0], [low_sizing, 0]);
    }
    if index + 1 >= registers {
        return None;
    }
    let high = read(config, address, offset + 4);
    let high_sizing = probe(config, address, offset + 4, high);
    Bar::decode(index, [low, high], [low_sizing, high_sizing])
}

/// What a register reads as after all ones; its contents are put back.
fn probe(config: &impl ConfigRegionAccess, address: PciAddress, offset: u16, contents: u32) -> u32 {
    write(config, address, offset, u32::MAX);
    let sizing = read(config, address, offset);
    write(config, address, offset, contents);
    sizing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_32_bit_bar() {
        let bar = Bar::decode(0, [0xfebf_0000, 0], [0xffff_8000, 0]).unwrap();
        assert_eq!(bar.kind, BarKind::Memory32);
        assert_eq!((bar.address, bar.size_bytes), (0xfebf_0000, 0x8000));
        assert_eq!(bar.range(), Some(0xfebf_0000..0xfebf_8000));
        let largest = Bar::decode(0, [0x8000_0000, 0], [0x8000_0000, 0]).unwrap();
        assert_eq!(largest.size_bytes, 1 << 31);
    }

    #[test]
    fn a_64_bit_bar_keeps_all_of_its_address_and_size() {
        let bar = Bar::decode(4, [0x0000_000c, 0x80], [0xffff_c00c, u32::MAX]).unwrap();
        assert_eq!(bar.kind, BarKind::Memory64);
        assert!(bar.prefetchable);
        assert_eq!((bar.address, bar.size_bytes), (0x80_0000_0000, 0x4000));
        let huge = Bar::decode(0, [0xc, 0x40], [0xc, 0xffff_fffc]).unwrap();
        assert_eq!((huge.address, huge.size_bytes), (0x40_0000_0000, 16 << 30));
    }

    #[test]
    fn an_io_bar_with_and_without_upper_bits() {
        let bar = Bar::decode(1, [0xc041, 0], [0xffff_ffe1, 0]).unwrap();
        assert_eq!(
            (bar.kind, bar.address, bar.size_bytes),
            (BarKind::Io, 0xc040, 32)
        );
        assert_eq!(bar.range(), None);
        let short = Bar::decode(1, [0xc041, 0], [0x0000_ffe1, 0]).unwrap();
        assert_eq!(short.size_bytes, 32);
    }

    #[test]
    fn nonsense_is_no_bar() {
        assert_eq!(
            Bar::decode(0, [0, 0], [0xffff_f002, 0]),
            None,
            "reserved type"
        );
        assert_eq!(
            Bar::decode(0, [0, 0], [0x0000_0008, 0]),
            None,
            "no address bits"
        );
        assert_eq!(
            Bar::decode(0, [0, 0], [0xfff0_f000, 0]),
            None,
            "holes in the mask"
        );
        assert_eq!(Bar::decode(0, [1, 0], [1, 0]), None);
    }
}
