//! The registers: common configuration, interrupt status, device configuration,
//! doorbells.

use super::VirtioModel;
use crate::fake::FakeDevice;

impl VirtioModel {
    fn wrong_width(&mut self) {
        self.seen.wrong_widths += 1;
    }

    fn set_status(&mut self, value: u8) {
        if value == 0 {
            self.reset();
            self.quirks.reset_reads = self.quirks.reset_reads.saturating_sub(1);
            return;
        }
        // Bits are added one after another and never taken away.
        let added = value & !self.status;
        let ordered = match added {
            1 => self.status == 0,
            2 => self.status == 1,
            8 => self.status == 3,
            4 => self.status == 0xb,
            _ => false,
        };
        if !ordered || value & self.status != self.status {
            self.seen.wrong_order += 1;
        }
        self.status = value;
        let refused = self.accepted & !self.quirks.features != 0
            || self.quirks.insists_on & !self.accepted != 0;
        if added == 8 && refused {
            self.status &= !8;
        }
    }

    fn config(&self, offset: usize) -> u32 {
        let quirks = &self.quirks;
        match offset {
            0x00 => quirks.request_queues,
            0x04 => quirks.max_segments,
            0x08 => quirks.max_sectors,
            0x0c => quirks.commands_per_unit,
            0x10 => 16,
            0x14 => self.sense_size,
            0x18 => self.cdb_size,
            0x1c => 0,
            0x1e => u32::from(quirks.max_target),
            0x20 => quirks.max_lun,
            _ => 0,
        }
    }

    fn queue_field(&self, offset: usize) -> u16 {
        let Some(ring) = self.rings.get(usize::from(self.queue_select)) else {
            return 0;
        };
        match offset {
            0x18 => ring.entries,
            0x1a => ring.vector,
            0x1c => u16::from(ring.enabled),
            _ => self.queue_select,
        }
    }

    fn set_queue_field(&mut self, offset: usize, value: u16) {
        let agreed = self.status & 0xf == 0xb;
        let (vectors, entries) = (self.quirks.vectors, self.quirks.entries);
        let from_memory = self.quirks.indices_from_memory && self.queue_select >= 2;
        let Some(ring) = self.rings.get_mut(usize::from(self.queue_select)) else {
            self.seen.wrong_order += 1;
            return;
        };
        // Queues are set up between FEATURES_OK and DRIVER_OK, and not twice.
        if !agreed || ring.enabled {
            self.seen.wrong_order += 1;
        }
        match offset {
            0x18 if value.is_power_of_two() && value <= entries => ring.entries = value,
            0x1a => ring.vector = if value < vectors { value } else { 0xffff },
            0x1c if value == 1 => ring.enable(&self.memory, from_memory),
            _ => self.seen.wrong_order += 1,
        }
    }
}

impl FakeDevice for VirtioModel {
    fn bar_len_bytes(&self) -> usize {
        0x4000
    }

    fn read8(&mut self, offset: usize) -> u8 {
        match offset {
            0x14 if self.status == 0 && self.quirks.reset_reads > 0 => {
                self.quirks.reset_reads -= 1;
                0x80
            }
            0x14 => self.status,
            0x15 => 0,
            0x1000 => core::mem::take(&mut self.raised),
            _ => {
                self.wrong_width();
                u8::MAX
            }
        }
    }

    fn read16(&mut self, offset: usize) -> u16 {
        match offset {
            0x10 => self.config_vector,
            0x16 => self.queue_select,
            0x18 | 0x1a | 0x1c | 0x1e => self.queue_field(offset),
            0x201c | 0x201e => self.config(offset - 0x2000) as u16,
            _ => {
                self.wrong_width();
                u16::MAX
            }
        }
    }

    fn read32(&mut self, offset: usize) -> u32 {
        match offset {
            0x04 => (self.quirks.features >> (32 * self.select[0])) as u32,
            0x2000..0x201c | 0x2020 => self.config(offset - 0x2000),
            _ => {
                self.wrong_width();
                u32::MAX
            }
        }
    }

    fn read64(&mut self, _offset: usize) -> u64 {
        self.wrong_width();
        u64::MAX
    }

    fn write8(&mut self, offset: usize, value: u8) {
        match offset {
            0x14 => self.set_status(value),
            _ => self.wrong_width(),
        }
    }

    fn write16(&mut self, offset: usize, value: u16) {
        match offset {
            0x10 => {
                let known = value < self.quirks.vectors;
                self.config_vector = if known { value } else { 0xffff };
            }
            0x16 => self.queue_select = value,
            0x18 | 0x1a | 0x1c => self.set_queue_field(offset, value),
            0x3000.. if offset - 0x3000 == usize::from(value) * self.doorbell_bytes => {
                self.notified(value)
            }
            _ => self.wrong_width(),
        }
    }

    fn write32(&mut self, offset: usize, value: u32) {
        match offset {
            0x00 => self.select[0] = value & 1,
            0x08 => self.select[1] = value & 1,
            0x0c => {
                let shift = 32 * self.select[1];
                let kept = self.accepted & !(0xffff_ffff << shift);
                self.accepted = kept | u64::from(value) << shift;
            }
            0x20..0x38 => {
                let selected = usize::from(self.queue_select);
                if let Some(ring) = self.rings.get_mut(selected) {
                    ring.set_address((offset - 0x20) / 8, offset % 8 / 4, value);
                }
            }
            0x2014 => self.sense_size = value,
            0x2018 => self.cdb_size = value,
            _ => self.wrong_width(),
        }
    }

    fn write64(&mut self, _offset: usize, _value: u64) {
        self.wrong_width();
    }

    fn step(&mut self, _now_ticks: u64) {
        self.pass_time();
    }
}
