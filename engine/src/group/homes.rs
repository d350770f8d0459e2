//! Which adapter has which buffer.

use alloc::vec::Vec;
use drivers::block::BufferId;

/// Where one buffer of the group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// Index of the adapter.
    pub part: usize,
    /// The buffer's number there.
    pub buffer: BufferId,
}

/// Deals out `count` buffers to `parts` adapters, and says how many each has.
///
/// Buffers are dealt in turn and anew after each `depth` of them: the second buffer
/// of a slot, in a mix, is where the first is.
pub(super) fn deal(count: u32, depth: u32, parts: usize) -> (Vec<Home>, Vec<u32>) {
    let mut counts = alloc::vec![0; parts];
    let homes = (0..count).map(|buffer| {
        let part = (buffer % depth.max(1)) as usize % parts;
        let number = &mut counts[part];
        let home = Home {
            part,
            buffer: BufferId(*number),
        };
        *number += 1;
        home
    });
    let homes = homes.collect();
    (homes, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_buffers_of_a_slot_are_at_one_adapter() {
        let (homes, counts) = deal(10, 5, 2);
        let parts: Vec<usize> = homes.iter().map(|home| home.part).collect();
        assert_eq!(parts, [0, 1, 0, 1, 0, 0, 1, 0, 1, 0]);
        let numbers: Vec<u32> = homes.iter().map(|home| home.buffer.0).collect();
        assert_eq!(numbers, [0, 0, 1, 1, 2, 3, 2, 4, 3, 5]);
        assert_eq!(counts, [6, 4]);
        assert_eq!(deal(0, 0, 3).1, [0, 0, 0]);
    }
}
