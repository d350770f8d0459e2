//! Room for everything behind one bridge.

use super::bar::Bar;
use super::bridge::GRANULE_BYTES;
use super::tree::Node;
use alloc::vec::Vec;
use pci_types::PciAddress;

/// Larger BARs are not placed behind a bridge: its window below 4 GiB would not
/// hold them.
const LARGEST_BAR_BYTES: u64 = 256 << 20;

/// One address to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A BAR starts there.
    Bar {
        /// Its function.
        function: PciAddress,
        /// The BAR, with its old address.
        bar: Bar,
    },
    /// A bridge's memory window starts there; size 0 closes it.
    Window {
        /// The bridge.
        bridge: PciAddress,
        /// Its length.
        size_bytes: u64,
    },
}

/// Items and their places from the start of one block of addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Length of the block; 0 for nothing.
    pub size_bytes: u64,
    /// Its alignment, a power of two.
    pub align_bytes: u64,
    /// Items by offset.
    pub items: Vec<(u64, Item)>,
}

/// The window of a bridge with those nodes behind it, and everything inside.
pub fn behind_bridge(bridge: PciAddress, behind: &[Node]) -> Layout {
    let mut blocks: Vec<Layout> = Vec::new();
    for node in behind {
        let bars = node.bars.iter().filter(|bar| bar.is_memory());
        blocks.extend(
            bars.filter(|bar| bar.size_bytes <= LARGEST_BAR_BYTES)
                .map(|bar| single(node.address, bar)),
        );
        if let Some(inner) = &node.bridge {
            blocks.push(behind_bridge(node.address, &inner.behind));
        }
    }
    let mut layout = Layout {
        size_bytes: 0,
        align_bytes: GRANULE_BYTES,
        items: Vec::new(),
    };
    // Falling alignment leaves no holes between powers of two.
    while let Some(block) = take_most_aligned(&mut blocks) {
        let start = layout.size_bytes.next_multiple_of(block.align_bytes);
        layout.align_bytes = layout.align_bytes.max(block.align_bytes);
        layout.size_bytes = start + block.size_bytes;
        let moved = block.items.into_iter().map(|(at, item)| (start + at, item));
        layout.items.extend(moved);
    }
    layout.size_bytes = layout.size_bytes.next_multiple_of(GRANULE_BYTES);
    let window = Item::Window {
        bridge,
        size_bytes: layout.size_bytes,
    };
    layout.items.push((0, window));
    layout
}

fn single(function: PciAddress, bar: &Bar) -> Layout {
    Layout {
        size_bytes: bar.size_bytes,
        align_bytes: bar.size_bytes,
        items: alloc::vec![(
            0,
            Item::Bar {
                function,
                bar: *bar
            }
        )],
    }
}

/// Takes the first block of those with the greatest alignment. There are few, and a
/// stable sort takes much code.
fn take_most_aligned(blocks: &mut Vec<Layout>) -> Option<Layout> {
    let falling = |(_, block): &(usize, &Layout)| core::cmp::Reverse(block.align_bytes);
    let (at, _) = blocks.iter().enumerate().min_by_key(falling)?;
    Some(blocks.remove(at))
}
