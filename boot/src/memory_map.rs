//! The machine's memory as disjoint, sorted regions.

use bootloader_api::info::{MemoryRegion, MemoryRegionKind};

/// Regions a map can hold. UEFI maps have the most, about 150.
const CAPACITY: usize = 256;

/// The map holds no further region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryMapFull;

/// Disjoint regions in rising order.
///
/// Firmware maps may overlap and come in any order; [`MemoryMap::paint`] settles
/// that: the stronger claim wins, `Usable` being the weakest, `Bootloader` next,
/// the firmware's own kinds the strongest, and among equals the first.
pub struct MemoryMap {
    regions: [MemoryRegion; CAPACITY],
    len: usize,
}

fn strength(kind: MemoryRegionKind) -> u8 {
    match kind {
        MemoryRegionKind::Usable => 0,
        MemoryRegionKind::Bootloader => 1,
        _ => 2,
    }
}

impl MemoryMap {
    /// A map without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            regions: [MemoryRegion::empty(); CAPACITY],
            len: 0,
        }
    }

    /// The regions.
    #[must_use]
    pub fn regions(&self) -> &[MemoryRegion] {
        &self.regions[..self.len]
    }

    /// The usable regions.
    pub fn usable(&self) -> impl Iterator<Item = &MemoryRegion> {
        self.regions()
            .iter()
            .filter(|region| region.kind == MemoryRegionKind::Usable)
    }

    /// Claims `start..end` (bytes) as `kind`, save where a claim as strong stands.
    ///
    /// # Errors
    /// [`MemoryMapFull`]; the map is then incomplete and of no use.
    pub fn paint(
        &mut self,
        start: u64,
        end: u64,
        kind: MemoryRegionKind,
    ) -> Result<(), MemoryMapFull> {
        self.cut_weaker(start, end, strength(kind))?;
        let mut from = start;
        while from < end {
            // What stands now is at least as strong, so only gaps are filled.
            let next = self.regions().iter().position(|r| r.end > from);
            let (at, gap_end, resume) = match next {
                Some(i) => {
                    let region = self.regions[i];
                    (i, region.start.min(end), region.end)
                }
                None => (self.len, end, end),
            };
            if gap_end > from {
                self.insert(at, from, gap_end, kind)?;
            }
            from = resume.max(gap_end);
        }
        self.merge();
        Ok(())
    }

    /// Claims as `kind` what is usable inside `start..end`; holes stay holes.
    ///
    /// # Errors
    /// [`MemoryMapFull`]; the map is then incomplete and of no use.
    pub fn paint_usable(
        &mut self,
        start: u64,
        end: u64,
        kind: MemoryRegionKind,
    ) -> Result<(), MemoryMapFull> {
        let mut from = start;
        while from < end {
            let next = self.usable().find(|region| region.end > from).copied();
            let Some(region) = next.filter(|region| region.start < end) else {
                break;
            };
            self.paint(region.start.max(from), region.end.min(end), kind)?;
            from = region.end;
        }
        Ok(())
    }

    /// Makes `Usable` of every region of this kind.
    pub(crate) fn release(&mut self, kind: MemoryRegionKind) {
        for region in &mut self.regions[..self.len] {
            if region.kind == kind {
                region.kind = MemoryRegionKind::Usable;
            }
        }
        self.merge();
    }

    /// Removes `start..end` from every region weaker than `than`.
    fn cut_weaker(&mut self, start: u64, end: u64, than: u8) -> Result<(), MemoryMapFull> {
        let mut i = 0;
        while i < self.len {
            let region = self.regions[i];
            if region.end <= start || region.start >= end || strength(region.kind) >= than {
                i += 1;
                continue;
            }
            self.remove(i);
            if region.start < start {
                self.insert(i, region.start, start, region.kind)?;
                i += 1;
            }
            if region.end > end {
                self.insert(i, end, region.end, region.kind)?;
                i += 1;
            }
        }
        Ok(())
    }

    fn insert(
        &mut self,
        at: usize,
        start: u64,
        end: u64,
        kind: MemoryRegionKind,
    ) -> Result<(), MemoryMapFull> {
        if self.len == CAPACITY {
            return Err(MemoryMapFull);
        }
        self.regions.copy_within(at..self.len, at + 1);
        self.regions[at] = MemoryRegion { start, end, kind };
        self.len += 1;
        Ok(())
    }

    fn remove(&mut self, at: usize) {
        self.regions.copy_within(at + 1..self.len, at);
        self.len -= 1;
    }

    fn merge(&mut self) {
        let mut i = 1;
        while i < self.len {
            let (left, right) = (self.regions[i - 1], self.regions[i]);
            if left.end == right.start && left.kind == right.kind {
                self.regions[i - 1].end = right.end;
                self.remove(i);
            } else {
                i += 1;
            }
        }
    }
}

impl Default for MemoryMap {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MemoryRegionKind::{Bootloader, UnknownBios, Usable};
    use std::vec::Vec;

    fn shape(map: &MemoryMap) -> Vec<(u64, u64, MemoryRegionKind)> {
        map.regions()
            .iter()
            .map(|r| (r.start, r.end, r.kind))
            .collect()
    }

    fn painted(claims: &[(u64, u64, MemoryRegionKind)]) -> MemoryMap {
        let mut map = MemoryMap::new();
        for &(start, end, kind) in claims {
            map.paint(start, end, kind).unwrap();
        }
        map
    }

    #[test]
    fn order_of_claims_does_not_matter() {
        let a = painted(&[(0, 100, Usable), (40, 60, UnknownBios(2))]);
        let b = painted(&[(40, 60, UnknownBios(2)), (0, 100, Usable)]);
        let expected = [(0, 40, Usable), (40, 60, UnknownBios(2)), (60, 100, Usable)];
        assert_eq!(shape(&a), expected);
        assert_eq!(shape(&b), expected);
    }

    #[test]
    fn neighbours_and_overlaps_of_one_kind_become_one() {
        let map = painted(&[(50, 80, Usable), (0, 50, Usable), (70, 90, Usable)]);
        assert_eq!(shape(&map), [(0, 90, Usable)]);
    }

    #[test]
    fn the_loader_never_paints_over_firmware() {
        let map = painted(&[
            (0, 100, Usable),
            (10, 20, UnknownBios(3)),
            (30, 40, UnknownBios(4)),
            (5, 50, Bootloader),
        ]);
        assert_eq!(
            shape(&map),
            [
                (0, 5, Usable),
                (5, 10, Bootloader),
                (10, 20, UnknownBios(3)),
                (20, 30, Bootloader),
                (30, 40, UnknownBios(4)),
                (40, 50, Bootloader),
                (50, 100, Usable),
            ]
        );
    }

    #[test]
    fn what_is_released_joins_its_neighbours() {
        let mut map = painted(&[
            (0, 100, Usable),
            (20, 30, UnknownBios(3)),
            (40, 50, UnknownBios(4)),
        ]);
        map.release(UnknownBios(3));
        let expected = [(0, 40, Usable), (40, 50, UnknownBios(4)), (50, 100, Usable)];
        assert_eq!(shape(&map), expected);
    }

    #[test]
    fn a_claim_in_a_hole_stands_alone_and_an_empty_one_is_none() {
        let map = painted(&[(0, 10, Usable), (20, 30, Bootloader), (15, 15, Usable)]);
        assert_eq!(shape(&map), [(0, 10, Usable), (20, 30, Bootloader)]);
    }

    #[test]
    fn too_many_regions_are_an_error() {
        let mut map = MemoryMap::new();
        for i in 0..CAPACITY as u64 {
            map.paint(i * 10, i * 10 + 5, Usable).unwrap();
        }
        assert_eq!(map.paint(5, 7, Bootloader), Err(MemoryMapFull));
    }

    #[test]
    fn regions_stay_sorted_and_disjoint_under_any_claims() {
        let mut state = 1_u64;
        let mut map = MemoryMap::new();
        for _ in 0..300 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            let start = (state >> 33) % 1000;
            let len = (state >> 20) % 60;
            let kind = [Usable, Bootloader, UnknownBios(2)][(state >> 60) as usize % 3];
            map.paint(start, start + len, kind).unwrap();
            for pair in map.regions().windows(2) {
                assert!(pair[0].start < pair[0].end);
                assert!(pair[0].end <= pair[1].start);
            }
        }
    }
}
