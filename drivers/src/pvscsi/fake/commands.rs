//! Commands of the command register.

use super::PvscsiModel;
use super::rings::ModelRings;
use crate::hal::BusAddr;

const OK: u32 = 0;
const FAILED: u32 = u32::MAX;
const MORE: u32 = u32::MAX - 1;

impl PvscsiModel {
    /// Words that a command's descriptor has; `None` for one not known.
    fn descriptor_words(&self) -> Option<usize> {
        match self.command {
            1 | 4 => Some(0),
            3 => Some(132),
            5 => Some(3),
            6 => Some(4),
            7 => Some(6),
            8 if self.quirks.messages => Some(34),
            10 if self.quirks.call_threshold => Some(1),
            11 if self.quirks.max_targets.is_some() => Some(0),
            _ => None,
        }
    }

    pub(super) fn select_command(&mut self, command: u32) {
        self.command = command;
        self.descriptor.clear();
        self.status = match self.descriptor_words() {
            None => FAILED,
            Some(0) => self.run(),
            Some(_) => MORE,
        };
    }

    pub(super) fn take_descriptor_word(&mut self, word: u32) {
        self.descriptor.push(word);
        let count = self.descriptor.len();
        self.status = match self.descriptor_words() {
            Some(words) if count == words => self.run(),
            Some(words) if count < words => MORE,
            _ => FAILED,
        };
    }

    fn run(&mut self) -> u32 {
        match self.command {
            1 => self.reset_adapter(),
            3 => return self.set_up_rings(),
            4 => self.reset_bus(),
            5 => {
                let target = self.descriptor[0] as u16;
                self.abort_where(|_, at| at == target, 0x25);
                let units = self.bus.units_of(target);
                units.for_each(|unit| unit.reset(3));
            }
            6 => {
                let context = u64::from(self.descriptor[0]) | u64::from(self.descriptor[1]) << 32;
                let target = self.descriptor[2] as u16;
                self.abort_where(|its, at| its == context && at == target, 0x26);
            }
            7 => return self.write_config_page(),
            8 => {
                let words = self.descriptor.clone();
                return if self.set_up_messages(&words) {
                    OK
                } else {
                    FAILED
                };
            }
            10 => {
                self.threshold_enabled = self.descriptor[0] != 0;
                self.publish_threshold();
                return u32::from(self.threshold_enabled);
            }
            11 => return self.quirks.max_targets.unwrap_or(FAILED),
            _ => return FAILED,
        }
        OK
    }

    fn reset_bus(&mut self) {
        self.abort_where(|_, _| true, 0x25);
        self.bus.reset(0);
    }

    /// As in QEMU: what is open completes first, and nothing is written after.
    /// The interrupt mask stays.
    fn reset_adapter(&mut self) {
        self.seen.resets += 1;
        self.reset_bus();
        self.rings = None;
        self.messages = None;
        self.threshold_enabled = false;
        self.kicked = false;
        self.raised = 0;
    }

    fn set_up_rings(&mut self) -> u32 {
        if self.refuses_rings || self.quirks.rings_need_reset && self.rings.is_some() {
            return FAILED;
        }
        let from_memory = self.quirks.indices_from_memory;
        self.rings = ModelRings::set_up(&self.memory, &self.descriptor, from_memory);
        if self.rings.is_none() {
            return FAILED;
        }
        self.seen.setups += 1;
        OK
    }

    fn write_config_page(&mut self) -> u32 {
        let words = &self.descriptor;
        let address = u64::from(words[2]) | u64::from(words[3]) << 32;
        let (Some(targets), 0x1958, 0x2120_0000_0000) =
            (self.quirks.config_targets, words[4], address)
        else {
            return FAILED;
        };
        let page = BusAddr(u64::from(words[0]) | u64::from(words[1]) << 32);
        // numDwords, then hostStatus and scsiStatus.
        self.memory
            .device_write(page.add(4), &[0x78, 0, 0, 0, 0, 0]);
        let count = targets.to_le_bytes();
        self.memory.device_write(page.add(0x1d8), &count);
        OK
    }
}
