//! All units behind one controller.

use super::pages;
use super::reply::ScsiReply;
use super::unit::ScsiUnit;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Units by target and logical unit number.
#[derive(Default)]
pub struct ScsiBus {
    units: BTreeMap<(u16, u16), ScsiUnit>,
}

impl ScsiBus {
    /// An empty bus.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A bus with one disk at target 0.
    #[must_use]
    pub fn with_disk(blocks: u64, block_bytes: u32) -> Self {
        let mut bus = Self::new();
        bus.insert(0, 0, ScsiUnit::disk(blocks, block_bytes));
        bus
    }

    /// Puts a unit at an address.
    pub fn insert(&mut self, target: u16, lun: u16, unit: ScsiUnit) {
        self.units.insert((target, lun), unit);
    }

    /// Takes a whole target away.
    pub fn remove_target(&mut self, target: u16) {
        self.units.retain(|(at, _), _| *at != target);
    }

    /// The unit at an address, to look at or to change.
    ///
    /// # Panics
    /// If there is none: a slip of the test.
    pub fn unit(&mut self, target: u16, lun: u16) -> &mut ScsiUnit {
        self.units
            .get_mut(&(target, lun))
            .expect("no unit at that address")
    }

    /// All units, by address.
    pub fn units_mut(&mut self) -> impl Iterator<Item = &mut ScsiUnit> {
        self.units.values_mut()
    }

    /// All units of a target.
    pub fn units_of(&mut self, target: u16) -> impl Iterator<Item = &mut ScsiUnit> {
        self.units
            .range_mut((target, 0)..=(target, u16::MAX))
            .map(|(_, unit)| unit)
    }

    /// Block size in bytes of the unit at an address (target, unit), if there is one.
    #[must_use]
    pub fn block_bytes(&self, at: (u16, u16)) -> Option<u32> {
        self.units.get(&at).map(|unit| unit.block_bytes)
    }

    /// Whether anything answers at the target.
    #[must_use]
    pub fn has_target(&self, target: u16) -> bool {
        self.units.range((target, 0)..=(target, u16::MAX)).count() > 0
    }

    /// Bus reset or power on: UNIT ATTENTION 29/`qualifier` everywhere.
    pub fn reset(&mut self, qualifier: u8) {
        self.units_mut().for_each(|unit| unit.reset(qualifier));
    }

    /// Executes a command; `None` if the target does not exist. `data_out` is
    /// what the initiator sends, `room_bytes` what it can take.
    pub fn execute(
        &mut self,
        target: u16,
        lun: u16,
        cdb: &[u8],
        data_out: &[u8],
        room_bytes: usize,
    ) -> Option<ScsiReply> {
        if !self.has_target(target) {
            return None;
        }
        if cdb[0] == 0xa0 {
            let luns: Vec<u16> = self
                .units
                .range((target, 0)..=(target, u16::MAX))
                .map(|(address, _)| address.1)
                .collect();
            return Some(ScsiReply::data(pages::report_luns(&luns), room_bytes));
        }
        Some(match self.units.get_mut(&(target, lun)) {
            Some(unit) => unit.execute(cdb, data_out, room_bytes),
            None if cdb[0] == 0x12 => ScsiReply::data(pages::absent_inquiry(), room_bytes),
            None => ScsiReply::check(5, 0x25, 0),
        })
    }
}
