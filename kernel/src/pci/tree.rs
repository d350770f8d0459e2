//! Functions as they hang behind bridges.

use super::bar::{Bar, read_bars};
use super::bridge::Windows;
use super::numbering::bus_numbers;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use pci_types::{ConfigRegionAccess, HeaderType, PciAddress, PciHeader};

/// Number that no bus has here: the last one stands for "any" while numbering.
pub const BUSES: u8 = u8::MAX;
const DEVICES: u8 = 32;
const FUNCTIONS: u8 = 8;
/// Class of a host bridge, whose BARs are not sized: it decodes main memory.
const HOST_BRIDGE: (u8, u8) = (0x06, 0x00);

/// One function and what is behind it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it is on its bus now.
    pub address: PciAddress,
    /// `00:1c.0`, behind a bridge `00:1c.0/00.0`.
    pub path: String,
    /// Its BARs.
    pub bars: Vec<Bar>,
    /// What it forwards, if it is a bridge.
    pub bridge: Option<Bridge>,
}

/// The bridge part of a function.
#[derive(Clone, Debug)]
pub struct Bridge {
    /// What it forwards.
    pub windows: Windows,
    /// Functions behind it.
    pub behind: Vec<Node>,
}

/// All functions from bus 0 on, in the order of their addresses. Buses must have
/// their numbers.
pub fn read_tree(config: &impl ConfigRegionAccess) -> Vec<Node> {
    read_bus(config, 0, None)
}

fn read_bus(config: &impl ConfigRegionAccess, bus: u8, parent: Option<&str>) -> Vec<Node> {
    functions_on(config, bus)
        .map(|address| {
            let slot = format!("{:02x}.{}", address.device(), address.function());
            let path = match parent {
                Some(parent) => format!("{parent}/{slot}"),
                None => format!("{bus:02x}:{slot}"),
            };
            read_node(config, address, path)
        })
        .collect()
}

fn read_node(config: &impl ConfigRegionAccess, address: PciAddress, path: String) -> Node {
    let header = PciHeader::new(address);
    let (_, class, subclass, _) = header.revision_and_class(config);
    let registers = match header.header_type(config) {
        HeaderType::Endpoint if (class, subclass) != HOST_BRIDGE => 6,
        HeaderType::PciPciBridge => 2,
        _ => 0,
    };
    let bridge = is_bridge(config, address).then(|| {
        let secondary = bus_numbers(config, address).map_or(0, |numbers| numbers.secondary);
        Bridge {
            windows: Windows::read(config, address),
            behind: match secondary {
                0 => Vec::new(),
                bus => read_bus(config, bus, Some(&path)),
            },
        }
    });
    Node {
        address,
        bars: read_bars(config, address, registers),
        bridge,
        path,
    }
}

/// The functions that answer on a bus.
pub fn functions_on(config: &impl ConfigRegionAccess, bus: u8) -> impl Iterator<Item = PciAddress> {
    (0..DEVICES).flat_map(move |device| {
        let first = PciAddress::new(0, bus, device, 0);
        let functions = match answers(config, first) {
            false => 0,
            true if PciHeader::new(first).has_multiple_functions(config) => FUNCTIONS,
            true => 1,
        };
        (0..functions)
            .map(move |function| PciAddress::new(0, bus, device, function))
            .filter(move |&address| address == first || answers(config, address))
    })
}

/// Whether a function is a PCI-to-PCI bridge.
pub fn is_bridge(config: &impl ConfigRegionAccess, address: PciAddress) -> bool {
    PciHeader::new(address).header_type(config) == HeaderType::PciPciBridge
}

fn answers(config: &impl ConfigRegionAccess, address: PciAddress) -> bool {
    let (vendor, _) = PciHeader::new(address).id(config);
    vendor != u16::MAX && vendor != 0
}

#[cfg(test)]
mod tests {
    use super::super::numbering::number_buses;
    use super::super::testing::{Device, Machine};
    use super::*;

    #[test]
    fn paths_name_slots_and_not_bus_numbers() {
        let disk = || Device::endpoint(0x15ad, 0x07c0).bar32(0, 0x8000, 0);
        let inner = Device::bridge([(3, disk())]);
        let machine =
            Machine::new()
                .at(0, 3, disk())
                .at(0, 0x1c, Device::bridge([(0, inner), (1, disk())]));
        number_buses(&machine);
        let tree = read_tree(&machine);
        let outer = tree[1].bridge.as_ref().unwrap();
        let inner = outer.behind[0].bridge.as_ref().unwrap();
        assert_eq!(tree[0].path, "00:03.0");
        assert_eq!(tree[1].path, "00:1c.0");
        assert_eq!(outer.behind[0].path, "00:1c.0/00.0");
        assert_eq!(outer.behind[1].path, "00:1c.0/01.0");
        assert_eq!(inner.behind[0].path, "00:1c.0/00.0/03.0");
        assert_eq!(inner.behind[0].bars[0].size_bytes, 0x8000);
    }
}
