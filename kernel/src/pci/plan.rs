//! Which addresses change. Nothing is touched here.
//!
//! The unit is a function on bus 0 with everything behind it: where all of it has
//! addresses that reach it, it stays as it is; else the missing BARs of the
//! function itself are placed, and a bridge's window and all behind it anew.

use super::aperture::{Apertures, MemoryMap};
use super::bar::{Bar, BarKind};
use super::bridge::Windows;
use super::layout::{Item, behind_bridge};
use super::tree::{Bridge, Node};
use alloc::vec::Vec;
use core::ops::Range;

/// 64-bit BARs up to this size go below 4 GiB, where every bridge and every
/// hypervisor has addresses.
const LOW_BAR_BYTES: u64 = 64 << 20;

/// An item and its new address.
pub type Move = (u64, Item);

/// Decides all moves. A BAR for which there is no room is left out.
pub fn plan(tree: &[Node], map: &MemoryMap, mut apertures: Apertures) -> Vec<Move> {
    for node in tree {
        kept(node, map).for_each(|range| apertures.remove(&range));
    }
    let mut moves = Vec::new();
    for node in tree {
        for bar in node.bars.iter().filter(|bar| !is_assigned(bar, map)) {
            place_bar(node, bar, &mut apertures, &mut moves);
        }
        if let Some(bridge) = &node.bridge
            && !is_reached(&bridge.behind, &[&bridge.windows], map)
        {
            place_bridge(node, bridge, &mut apertures, &mut moves);
        }
    }
    moves
}

/// Whether a BAR needs nothing: it has an address that is not RAM's, or is none of
/// memory.
fn is_assigned(bar: &Bar, map: &MemoryMap) -> bool {
    !bar.is_memory() || bar.range().is_some_and(|range| !map.overlaps_ram(&range))
}

/// Whether all memory BARs of `nodes` and behind them are assigned, and forwarded
/// by every bridge before them.
fn is_reached(nodes: &[Node], before: &[&Windows], map: &MemoryMap) -> bool {
    nodes.iter().all(|node| {
        let bars = node.bars.iter().filter(|bar| bar.is_memory()).all(|bar| {
            let forwarded =
                |range: &Range<u64>| before.iter().all(|windows| windows.forward(range));
            is_assigned(bar, map) && bar.range().is_some_and(|range| forwarded(&range))
        });
        let inner = node.bridge.as_ref().is_none_or(|bridge| {
            let before: Vec<_> = before.iter().copied().chain([&bridge.windows]).collect();
            is_reached(&bridge.behind, &before, map)
        });
        bars && inner
    })
}

/// Addresses that a function on bus 0 keeps.
fn kept(node: &Node, map: &MemoryMap) -> impl Iterator<Item = Range<u64>> {
    let own = node
        .bars
        .iter()
        .filter(|bar| is_assigned(bar, map))
        .filter_map(Bar::range);
    let windows = node
        .bridge
        .iter()
        .filter(|bridge| is_reached(&bridge.behind, &[&bridge.windows], map))
        .flat_map(|bridge| [&bridge.windows.memory, &bridge.windows.prefetchable])
        .flatten()
        .cloned();
    own.chain(windows)
}

fn place_bar(node: &Node, bar: &Bar, apertures: &mut Apertures, moves: &mut Vec<Move>) {
    let size = bar.size_bytes;
    let high_first = bar.kind == BarKind::Memory64 && size > LOW_BAR_BYTES;
    let address = if high_first {
        let high = apertures.high.take(size, size);
        high.or_else(|| apertures.low.take(size, size))
    } else {
        apertures.low.take(size, size)
    };
    if let Some(address) = address {
        let function = node.address;
        moves.push((
            address,
            Item::Bar {
                function,
                bar: *bar,
            },
        ));
    }
}

fn place_bridge(node: &Node, bridge: &Bridge, apertures: &mut Apertures, moves: &mut Vec<Move>) {
    let layout = behind_bridge(node.address, &bridge.behind);
    let start = match layout.size_bytes {
        0 => Some(0),
        size => apertures.low.take(size, layout.align_bytes),
    };
    if let Some(start) = start {
        moves.extend(
            layout
                .items
                .into_iter()
                .map(|(at, item)| (start + at, item)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::scan;
    use super::super::testing::{Device, Machine};
    use super::super::{Function, Inventory};
    use super::*;

    const PVSCSI: (u16, u16) = (0x15ad, 0x07c0);

    fn disk(address: u32) -> Device {
        Device::endpoint(PVSCSI.0, PVSCSI.1).bar32(0, 0x8000, address)
    }

    fn map() -> MemoryMap {
        MemoryMap {
            ram: alloc::vec![0..0x2000_0000],
            reserved: alloc::vec![0xc000_0000..0xc010_0000],
        }
    }

    fn scanned(machine: &Machine) -> Inventory {
        scan(machine, &map(), &[], 40)
    }

    fn address(function: &Function, index: u8) -> u64 {
        let bar = function.bars.iter().find(|bar| bar.index == index);
        bar.unwrap().address
    }

    #[test]
    fn what_firmware_assigned_stays() {
        let bridge = Device::bridge([(0, disk(0xfe80_0000))])
            .with(0x18, 0x0001_0100)
            .with(0x20, 0xfe80_fe80);
        let machine = Machine::new()
            .at(
                0,
                2,
                Device::endpoint(1, 1).bar64(0, 1 << 20, 0x80_0000_0000),
            )
            .at(0, 3, disk(0xfebf_0000))
            .at(0, 4, bridge);
        let inventory = scanned(&machine);
        assert_eq!((inventory.assigned, inventory.numbered), (0, false));
        let found: Vec<_> = inventory
            .functions
            .iter()
            .map(|at| address(at, 0))
            .collect();
        assert_eq!(found, [0x80_0000_0000, 0xfebf_0000, 0xfe80_0000]);
    }

    #[test]
    fn without_firmware_every_bar_gets_a_place_of_its_own() {
        let machine = Machine::new()
            .at(
                0,
                2,
                Device::endpoint(1, 1)
                    .bar64(0, 1 << 30, 0)
                    .bar32(3, 0x1000, 0),
            )
            .at(0, 3, disk(0))
            .at(0, 4, Device::endpoint(1, 2).bar64(0, 0x4000, 0));
        let functions = scanned(&machine).functions;
        assert_eq!(
            address(&functions[0], 0),
            32 << 30,
            "too large for the low hole"
        );
        let low = [(0, 3), (1, 0), (2, 0)].map(|(at, index)| address(&functions[at], index));
        assert_eq!(low, [0xc010_0000, 0xc010_8000, 0xc010_4000]);
    }

    #[test]
    fn a_bar_that_collides_with_ram_or_is_unreachable_is_placed_anew() {
        let closed = Device::bridge([(0, disk(0xfe80_0000))])
            .with(0x18, 0x0001_0100)
            .with(0x20, 0xfe70_fe70);
        let machine = Machine::new().at(0, 3, disk(0x1000_0000)).at(0, 4, closed);
        let inventory = scanned(&machine);
        assert_eq!(inventory.assigned, 3);
        assert_eq!(address(&inventory.functions[0], 0), 0xc010_0000);
        assert_eq!(address(&inventory.functions[1], 0), 0xc020_0000);
    }

    #[test]
    fn windows_of_nested_bridges_hold_what_is_behind_them() {
        let inner = || Device::bridge([(1, disk(0)), (2, disk(0))]);
        let large = Device::endpoint(1, 1).bar64(0, 4 << 20, 0);
        let machine = Machine::new()
            .at(
                0,
                1,
                Device::bridge([(0, inner()), (1, large), (2, inner())]),
            )
            .at(0, 3, disk(0));
        let inventory = scanned(&machine);
        assert!(inventory.numbered);
        let tree = super::super::tree::read_tree(&machine);
        let outer = tree[0].bridge.as_ref().unwrap();
        assert_eq!(outer.windows.memory, Some(0xc040_0000..0xc0a0_0000));
        assert_eq!(outer.windows.prefetchable, None);
        assert!(is_reached(&outer.behind, &[&outer.windows], &map()));
        let mut ranges: Vec<_> = inventory
            .functions
            .iter()
            .flat_map(|function| &function.bars)
            .filter_map(Bar::range)
            .collect();
        ranges.sort_by_key(|range| range.start);
        assert_eq!(ranges.len(), 6);
        assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
        let again = scanned(&machine);
        assert_eq!((again.assigned, again.numbered), (0, false), "settled");
    }

    #[test]
    fn what_does_not_fit_keeps_no_address() {
        let machine = Machine::new().at(0, 1, Device::endpoint(1, 1).bar32(0, 1 << 31, 0));
        let inventory = scanned(&machine);
        assert_eq!(
            (inventory.assigned, address(&inventory.functions[0], 0)),
            (0, 0)
        );
    }
}
