//! The whole of PCI: numbers, addresses, functions.

use super::aperture::{Apertures, MemoryMap};
use super::bar::write_bar;
use super::bridge::write_window;
use super::capabilities::{Interrupts, vendor_capabilities};
use super::function::Function;
use super::layout::Item;
use super::numbering::number_buses;
use super::plan::{Move, plan};
use super::tree::{Node, read_tree};
use crate::acpi::EcamRange;
use alloc::vec::Vec;
use pci_types::{CommandRegister, ConfigRegionAccess, PciAddress, PciHeader};

/// All functions, and what had to be assigned for them.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Functions that are no bridges, in the order of their paths.
    pub functions: Vec<Function>,
    /// Buses were numbered here: no firmware had done it.
    pub numbered: bool,
    /// BARs and windows that were given an address here.
    pub assigned: usize,
}

/// Finds all functions, and gives addresses to what firmware left without.
/// `address_bits` is the width of a physical address of this processor.
pub fn scan(
    config: &impl ConfigRegionAccess,
    map: &MemoryMap,
    ecam: &[EcamRange],
    address_bits: u32,
) -> Inventory {
    let numbered = number_buses(config);
    let mut tree = read_tree(config);
    let moves = plan(&tree, map, Apertures::new(map, ecam, address_bits));
    for planned in &moves {
        apply(config, planned);
    }
    if !moves.is_empty() {
        tree = read_tree(config);
    }
    let mut inventory = Inventory {
        functions: Vec::new(),
        numbered,
        assigned: moves.len(),
    };
    for node in &tree {
        collect(config, map, node, &mut Vec::new(), &mut inventory.functions);
    }
    inventory
}

/// Writes one address, with the function's memory decoder off. It stays off until
/// a driver asks for the function.
fn apply(config: &impl ConfigRegionAccess, (address, item): &Move) {
    let stop = |function| {
        PciHeader::new(function)
            .update_command(config, |command| command - CommandRegister::MEMORY_ENABLE);
    };
    match item {
        Item::Bar { function, bar } => {
            stop(*function);
            write_bar(config, *function, bar, *address);
        }
        Item::Window { bridge, size_bytes } => {
            stop(*bridge);
            let range = *address..address + size_bytes;
            write_window(config, *bridge, (*size_bytes != 0).then_some(&range));
        }
    }
}

fn collect(
    config: &impl ConfigRegionAccess,
    map: &MemoryMap,
    node: &Node,
    bridges: &mut Vec<PciAddress>,
    functions: &mut Vec<Function>,
) {
    if let Some(bridge) = &node.bridge {
        bridges.push(node.address);
        for inner in &bridge.behind {
            collect(config, map, inner, bridges, functions);
        }
        bridges.pop();
        return;
    }
    let header = PciHeader::new(node.address);
    let (vendor, device) = header.id(config);
    let (revision, base, subclass, interface) = header.revision_and_class(config);
    let mut bars = node.bars.clone();
    for bar in &mut bars {
        if bar.range().is_some_and(|range| map.overlaps_ram(&range)) {
            bar.address = 0;
        }
    }
    functions.push(Function {
        path: node.path.clone(),
        address: node.address,
        vendor,
        device,
        class: [base, subclass, interface],
        revision,
        bars,
        interrupts: Interrupts::read(config, node.address),
        vendor_capabilities: vendor_capabilities(config, node.address),
        table: None,
        bridges: bridges.clone(),
    });
}
