//! Bus numbers behind bridges.

use super::tree::{BUSES, functions_on, is_bridge};
use pci_types::{BusNumber, ConfigRegionAccess, PciAddress, PciHeader, PciPciBridgeHeader};

/// Bus numbers as a bridge has them.
pub fn bus_numbers(config: &impl ConfigRegionAccess, bridge: PciAddress) -> Option<BusNumber> {
    let header = PciPciBridgeHeader::from_header(PciHeader::new(bridge), config)?;
    Some(BusNumber {
        primary: header.primary_bus_number(config),
        secondary: header.secondary_bus_number(config),
        subordinate: header.subordinate_bus_number(config),
    })
}

/// Leaves bus numbers alone if every bridge has sound ones, else numbers all
/// buses anew. Returns whether it did.
pub fn number_buses(config: &impl ConfigRegionAccess) -> bool {
    let sound = is_sound(config, 0, BUSES - 1);
    if !sound {
        number(config, 0, 1);
    }
    !sound
}

/// Whether the bridges on `bus` share out the numbers above it, up to `last`,
/// without overlap, and all those behind them do too.
fn is_sound(config: &impl ConfigRegionAccess, bus: u8, last: u8) -> bool {
    let mut taken: alloc::vec::Vec<BusNumber> = alloc::vec::Vec::new();
    for address in functions_on(config, bus).filter(|&at| is_bridge(config, at)) {
        let Some(numbers) = bus_numbers(config, address) else {
            return false;
        };
        let inside = numbers.primary == bus
            && bus < numbers.secondary
            && numbers.secondary <= numbers.subordinate
            && numbers.subordinate <= last;
        let apart = taken.iter().all(|other| {
            numbers.subordinate < other.secondary || other.subordinate < numbers.secondary
        });
        if !inside || !apart || !is_sound(config, numbers.secondary, numbers.subordinate) {
            return false;
        }
        taken.push(numbers);
    }
    true
}

/// Numbers the buses behind the bridges on `bus`, depth first, from `next` on;
/// returns the next free number. A bridge for which none is left forwards nothing.
fn number(config: &impl ConfigRegionAccess, bus: u8, mut next: u8) -> u8 {
    let bridges: alloc::vec::Vec<_> = functions_on(config, bus)
        .filter(|&address| is_bridge(config, address))
        .collect();
    for &bridge in &bridges {
        set(config, bridge, bus, 0, 0);
    }
    for &bridge in &bridges {
        if next == BUSES - 1 {
            break;
        }
        let secondary = next;
        set(config, bridge, bus, secondary, BUSES - 1);
        next = number(config, secondary, next + 1);
        set(config, bridge, bus, secondary, next - 1);
    }
    next
}

fn set(
    config: &impl ConfigRegionAccess,
    bridge: PciAddress,
    primary: u8,
    secondary: u8,
    subordinate: u8,
) {
    if let Some(header) = PciPciBridgeHeader::from_header(PciHeader::new(bridge), config) {
        header.update_bus_number(config, |_| BusNumber {
            primary,
            secondary,
            subordinate,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Device, Machine};
    use super::*;

    fn numbers(config: &Machine, bus: u8, device: u8) -> [u8; 3] {
        let found = bus_numbers(config, PciAddress::new(0, bus, device, 0)).unwrap();
        [found.primary, found.secondary, found.subordinate]
    }

    #[test]
    fn buses_without_numbers_get_them_depth_first() {
        let inner = Device::bridge([(1, Device::endpoint(1, 1))]);
        let machine =
            Machine::new()
                .at(0, 2, Device::bridge([(0, inner)]))
                .at(0, 5, Device::bridge([]));
        assert!(number_buses(&machine));
        assert_eq!(numbers(&machine, 0, 2), [0, 1, 2]);
        assert_eq!(numbers(&machine, 1, 0), [1, 2, 2]);
        assert_eq!(numbers(&machine, 0, 5), [0, 3, 3]);
        assert!(!number_buses(&machine), "sound now");
    }

    #[test]
    fn sound_numbers_stay_and_overlapping_ones_do_not() {
        let bridge = |numbers| Device::bridge([]).with(0x18, numbers);
        let sound = Machine::new()
            .at(0, 1, bridge(0x0009_0700))
            .at(0, 2, bridge(0x0003_0300));
        assert!(!number_buses(&sound));
        assert_eq!(numbers(&sound, 0, 1), [0, 7, 9]);
        let overlapping =
            Machine::new()
                .at(0, 1, bridge(0x0009_0700))
                .at(0, 2, bridge(0x0008_0800));
        assert!(number_buses(&overlapping));
        assert_eq!(numbers(&overlapping, 0, 1), [0, 1, 1]);
        assert_eq!(numbers(&overlapping, 0, 2), [0, 2, 2]);
    }
}
