//! PRP lists, stretch by stretch, against a walk of the rules.

use super::super::fake::walk_prps;
use super::super::prp::PrpLists;
use super::rig::{Hal, machine, one_disk};
use crate::block::{BufferId, BufferPool};
use proptest::prelude::*;

const PAGE: u64 = 4096;

struct Lists {
    hal: Hal,
    pool: BufferPool<Hal>,
    lists: PrpLists<crate::fake::FakeRegion>,
}

fn lists(count: u32, pages: u64) -> Lists {
    let hal = machine(super::super::fake::NvmeConfig::default(), one_disk());
    let mut pool = BufferPool::default();
    let size_bytes = (pages * PAGE) as usize;
    pool.replace(&hal, count, size_bytes).unwrap();
    let lists = PrpLists::build(&hal, &pool, count, size_bytes).unwrap();
    Lists { hal, pool, lists }
}

impl Lists {
    /// The device, following the rules, must arrive at one stretch of memory.
    fn check(&self, buffer: u32, offset: u32, bytes: u32) {
        let buffer = BufferId(buffer);
        let address = self.pool.data_address(buffer, offset, bytes).unwrap().0;
        let second = self.lists.second(buffer, offset, address, bytes);
        let pieces = walk_prps(self.hal.memory(), address, second, u64::from(bytes));
        let pieces = pieces.unwrap_or_else(|what| panic!("{what} for {bytes} at {offset}"));
        let mut at = address;
        for (piece, len) in pieces {
            assert_eq!(piece.0, at, "{bytes} bytes at {offset}");
            at += len as u64;
        }
        assert_eq!(at, address + u64::from(bytes));
        assert_eq!(self.hal.memory().violations(), []);
    }
}

#[test]
fn stretches_around_every_list_boundary() {
    let lists = lists(2, 1540);
    let edges = [
        0, 1, 2, 255, 509, 510, 511, 512, 513, 1020, 1021, 1022, 1023, 1024, 1530, 1533,
    ];
    for first in edges {
        for last in edges
            .into_iter()
            .chain([1534, 1535, 1539])
            .filter(|&last| last >= first)
        {
            let pages = last - first + 1;
            for (skip, cut) in [(0, 0), (512, 0), (0, 512), (3584, 3584)] {
                let bytes = pages * 4096 - skip - cut;
                if bytes > 0 {
                    lists.check(1, (first * 4096 + skip) as u32, bytes as u32);
                }
            }
        }
    }
}

#[test]
fn short_lists_share_pages_without_crossing_them() {
    for pages in [1, 2, 3, 4, 5, 16, 33, 512, 513] {
        let lists = lists(70, pages);
        for buffer in [0, 1, 31, 32, 63, 69] {
            lists.check(buffer, 0, (pages * PAGE) as u32);
            lists.check(buffer, 0, 512);
            if pages > 3 {
                lists.check(buffer, 2 * 4096 + 512, ((pages - 3) * PAGE) as u32);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_stretch_of_any_buffer(pages in 1u64..1400, cuts in prop::collection::vec((any::<u32>(), any::<u32>()), 16)) {
        let lists = lists(2, pages);
        let units = (pages * PAGE / 512) as u32;
        for (a, b) in cuts {
            let first = a % units;
            let count = b % (units - first) + 1;
            lists.check(a % 2, first * 512, count * 512);
        }
    }
}
