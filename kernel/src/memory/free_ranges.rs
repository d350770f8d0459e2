//! Which physical memory is free: pure bookkeeping, touching none of it.

/// Bytes of a frame.
pub const FRAME_BYTES: u64 = 4096;

/// At which end of the free memory to look first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// The lowest address that fits.
    #[default]
    Lowest,
    /// The highest address that fits.
    Highest,
}

/// The shape of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Length in bytes, a multiple of the frame size and not 0.
    pub bytes: u64,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    /// A power of two, a multiple of which the range must not cross.
    pub boundary: u64,
}

/// A free range, first byte and first byte behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    start: u64,
    end: u64,
}

/// At most `N` free ranges, sorted, disjoint and never touching.
#[derive(Debug)]
pub struct FreeRanges<const N: usize> {
    ranges: [Range; N],
    len: usize,
}

impl<const N: usize> FreeRanges<N> {
    /// Nothing is free.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            ranges: [Range { start: 0, end: 0 }; N],
            len: 0,
        }
    }

    /// Bytes that are free.
    #[must_use]
    pub fn free_bytes(&self) -> u64 {
        self.ranges().iter().map(|r| r.end - r.start).sum()
    }

    /// Takes a range of that shape; gives its first byte.
    pub fn take(&mut self, shape: Shape, placement: Placement) -> Option<u64> {
        let fit = |range: &Range| match placement {
            Placement::Lowest => lowest_fit(*range, shape),
            Placement::Highest => highest_fit(*range, shape),
        };
        let mut candidates = self.ranges().iter().enumerate();
        let found = match placement {
            Placement::Lowest => candidates.find_map(|(i, r)| Some((i, fit(r)?))),
            Placement::Highest => candidates.rev().find_map(|(i, r)| Some((i, fit(r)?))),
        };
        let (at, start) = found?;
        let range = self.ranges[at];
        let end = start + shape.bytes;
        match (start > range.start, end < range.end) {
            (true, true) if self.len == N => return None,
            (true, true) => {
                self.ranges[at].end = start;
                self.insert(at + 1, end, range.end);
            }
            (true, false) => self.ranges[at].end = start,
            (false, true) => self.ranges[at].start = end,
            (false, false) => self.remove(at),
        }
        Some(start)
    }

    /// Gives back `start..end`. The range is lost, and `false` returned, where it
    /// overlaps free memory or the bookkeeping is full.
    pub fn give(&mut self, start: u64, end: u64) -> bool {
        let at = self.ranges().partition_point(|r| r.start < start);
        let before = at.checked_sub(1).map(|i| self.ranges[i]);
        let after = self.ranges().get(at).copied();
        let overlaps =
            before.is_some_and(|r| r.end > start) || after.is_some_and(|r| r.start < end);
        if overlaps || start >= end {
            return false;
        }
        let joins_before = before.is_some_and(|r| r.end == start);
        let joins_after = after.is_some_and(|r| r.start == end);
        match (joins_before, joins_after) {
            (true, true) => {
                self.ranges[at - 1].end = self.ranges[at].end;
                self.remove(at);
            }
            (true, false) => self.ranges[at - 1].end = end,
            (false, true) => self.ranges[at].start = start,
            (false, false) if self.len == N => return false,
            (false, false) => self.insert(at, start, end),
        }
        true
    }

    fn ranges(&self) -> &[Range] {
        &self.ranges[..self.len]
    }

    fn insert(&mut self, at: usize, start: u64, end: u64) {
        self.ranges.copy_within(at..self.len, at + 1);
        self.ranges[at] = Range { start, end };
        self.len += 1;
    }

    fn remove(&mut self, at: usize) {
        self.ranges.copy_within(at + 1..self.len, at);
        self.len -= 1;
    }
}

impl<const N: usize> Default for FreeRanges<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether `start..start + bytes` crosses a multiple of the boundary.
fn crosses(start: u64, shape: Shape) -> bool {
    start / shape.boundary != (start + shape.bytes - 1) / shape.boundary
}

fn lowest_fit(range: Range, shape: Shape) -> Option<u64> {
    let mut start = range.start.checked_next_multiple_of(shape.align)?;
    if crosses(start, shape) {
        start = start
            .checked_next_multiple_of(shape.boundary)?
            .checked_next_multiple_of(shape.align)?;
    }
    let end = start.checked_add(shape.bytes)?;
    (end <= range.end && !crosses(start, shape)).then_some(start)
}

fn highest_fit(range: Range, shape: Shape) -> Option<u64> {
    let down = |end: u64| {
        let start = end.checked_sub(shape.bytes)? & !(shape.align - 1);
        (start >= range.start).then_some(start)
    };
    let start = down(range.end)?;
    if !crosses(start, shape) {
        return Some(start);
    }
    let last = start + shape.bytes - 1;
    down(last & !(shape.boundary - 1)).filter(|&start| !crosses(start, shape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Placement::{Highest, Lowest};
    use std::vec::Vec;

    const GIB4: u64 = 1 << 32;

    fn shape(bytes: u64, align: u64, boundary: u64) -> Shape {
        Shape {
            bytes,
            align,
            boundary,
        }
    }

    fn with(ranges: &[(u64, u64)]) -> FreeRanges<8> {
        let mut free = FreeRanges::new();
        for &(start, end) in ranges {
            assert!(free.give(start, end));
        }
        free
    }

    fn list(free: &FreeRanges<8>) -> Vec<(u64, u64)> {
        free.ranges().iter().map(|r| (r.start, r.end)).collect()
    }

    #[test]
    fn takes_from_the_asked_end() {
        let mut free = with(&[(0x1000, 0x5000), (0x10000, 0x14000)]);
        assert_eq!(free.take(shape(0x1000, 0x1000, GIB4), Lowest), Some(0x1000));
        assert_eq!(
            free.take(shape(0x1000, 0x1000, GIB4), Highest),
            Some(0x13000)
        );
        assert_eq!(list(&free), [(0x2000, 0x5000), (0x10000, 0x13000)]);
    }

    #[test]
    fn alignment_leaves_both_remainders_free() {
        let mut free = with(&[(0x1000, 0x9000)]);
        assert_eq!(free.take(shape(0x1000, 0x4000, GIB4), Lowest), Some(0x4000));
        assert_eq!(list(&free), [(0x1000, 0x4000), (0x5000, 0x9000)]);
        assert_eq!(
            free.take(shape(0x3000, 0x1000, GIB4), Highest),
            Some(0x6000)
        );
        assert_eq!(list(&free), [(0x1000, 0x4000), (0x5000, 0x6000)]);
    }

    #[test]
    fn nothing_crosses_its_boundary_from_either_end() {
        for placement in [Lowest, Highest] {
            let mut free = with(&[(GIB4 - 0x2000, GIB4 + 0x2000)]);
            let first = free.take(shape(0x2000, 0x1000, GIB4), placement).unwrap();
            let second = free.take(shape(0x2000, 0x1000, GIB4), placement).unwrap();
            let mut both = [first, second];
            both.sort_unstable();
            assert_eq!(both, [GIB4 - 0x2000, GIB4]);
        }
        let mut free = with(&[(GIB4 - 0x1000, GIB4 + 0x1000)]);
        assert_eq!(free.take(shape(0x2000, 0x1000, GIB4), Lowest), None);
        assert_eq!(free.take(shape(0x2000, 0x1000, GIB4), Highest), None);
        assert_eq!(
            free.take(shape(0x2000, 0x1000, 1 << 40), Lowest),
            Some(GIB4 - 0x1000)
        );
    }

    #[test]
    fn more_than_the_boundary_never_fits() {
        let mut free = with(&[(0, 0x10000)]);
        assert_eq!(free.take(shape(0x2000, 0x1000, 0x1000), Lowest), None);
        assert_eq!(free.take(shape(0x2000, 0x1000, 0x1000), Highest), None);
    }

    #[test]
    fn given_back_ranges_join_their_neighbours() {
        let mut free = with(&[(0x1000, 0x2000), (0x3000, 0x4000), (0x8000, 0x9000)]);
        assert!(free.give(0x2000, 0x3000));
        assert_eq!(list(&free), [(0x1000, 0x4000), (0x8000, 0x9000)]);
        assert!(free.give(0x7000, 0x8000));
        assert!(free.give(0x9000, 0xa000));
        assert_eq!(list(&free), [(0x1000, 0x4000), (0x7000, 0xa000)]);
    }

    #[test]
    fn a_double_or_empty_give_is_refused() {
        let mut free = with(&[(0x1000, 0x3000)]);
        for (start, end) in [
            (0x1000, 0x2000),
            (0x2000, 0x3000),
            (0x0, 0x1001),
            (0x2fff, 0x4000),
            (0x0, 0x9000),
            (0x5000, 0x5000),
        ] {
            assert!(!free.give(start, end), "{start:#x}..{end:#x}");
        }
        assert_eq!(list(&free), [(0x1000, 0x3000)]);
    }

    #[test]
    fn full_bookkeeping_loses_memory_but_never_lies() {
        let mut free = FreeRanges::<2>::new();
        assert!(free.give(0x1000, 0x2000));
        assert!(free.give(0x4000, 0xa000));
        assert!(!free.give(0xc000, 0xd000));
        // A hole in the middle would need a third range.
        assert_eq!(free.take(shape(0x1000, 0x8000, GIB4), Lowest), None);
        assert_eq!(free.free_bytes(), 0x7000);
    }

    #[test]
    fn any_order_of_taking_and_giving_keeps_all_ranges_apart() {
        let mut state = 7_u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut free = FreeRanges::<256>::new();
        assert!(free.give(GIB4 - (64 << 12), GIB4 + (64 << 12)));
        let mut held: Vec<(u64, u64)> = Vec::new();
        for _ in 0..5000 {
            if random(2) == 0 || held.is_empty() {
                let bytes = (1 + random(8)) << 12;
                let align = 4096 << random(4);
                let boundary = (32 << 12) << random(3);
                let placement = [Lowest, Highest][random(2) as usize];
                let shape = shape(bytes, align, boundary);
                if let Some(start) = free.take(shape, placement) {
                    assert!(start.is_multiple_of(align));
                    assert!(!crosses(start, shape));
                    let apart = |&(s, e): &(u64, u64)| e <= start || start + bytes <= s;
                    assert!(held.iter().all(apart));
                    held.push((start, start + bytes));
                }
            } else {
                let i = random(held.len() as u64) as usize;
                let (start, end) = held.swap_remove(i);
                assert!(free.give(start, end));
            }
            let used: u64 = held.iter().map(|(s, e)| e - s).sum();
            assert_eq!(free.free_bytes() + used, 128 << 12);
        }
    }
}
