//! The model's registers.

use super::FakeNvme;
use super::queues::{CompletionQueue, SubmissionQueue};
use crate::fake::FakeDevice;
use crate::hal::BusAddr;
use alloc::format;
use alloc::string::String;

const DOORBELLS: usize = 0x1000;

impl FakeNvme {
    fn csts(&self) -> u32 {
        let shutdown_status = if self.shut_down { 2 } else { 0 };
        u32::from(self.ready) | u32::from(self.fatal) << 1 | shutdown_status << 2
    }

    fn write_cc(&mut self, value: u32) {
        let old = core::mem::replace(&mut self.cc, value);
        if old & 1 == 0 && value & 1 != 0 {
            self.enable();
        } else if old & 1 != 0 && value & 1 == 0 {
            self.disable();
        }
        if value >> 14 & 3 != 0 && value & 1 != 0 && old >> 14 & 3 == 0 {
            self.shutdowns += 1;
            self.shut_down = !self.faults.never_shut_down;
        }
    }

    fn enable(&mut self) {
        if self.ready {
            self.violation(String::from("CC.EN set while CSTS.RDY is 1"));
        }
        let [asqs, acqs] = [self.aqa & 0xfff, self.aqa >> 16 & 0xfff];
        let config_is_good = self.cc & 0x00ff_ffff == 0x0046_0001;
        if asqs == 0
            || acqs == 0
            || self.asq & 0xfff != 0
            || self.acq & 0xfff != 0
            || !config_is_good
        {
            self.violation(format!(
                "enabled with CC {:#x}, AQA {:#x}",
                self.cc, self.aqa
            ));
            self.fatal = true;
            return;
        }
        if self.faults.fatal_on_enable {
            self.fatal = true;
            return;
        }
        let submission = SubmissionQueue::new(BusAddr(self.asq), asqs + 1, 0);
        let completion = CompletionQueue::new(0, BusAddr(self.acq), acqs + 1, true);
        self.submission.insert(0, submission);
        self.completion.insert(0, completion);
        if !self.faults.never_ready {
            match self.config.steps_to_ready {
                0 => self.ready = true,
                steps => self.steps_to_ready = Some(steps),
            }
        }
    }

    fn disable(&mut self) {
        if !self.ready && !self.fatal && !self.faults.never_ready {
            self.violation(String::from("CC.EN cleared while CSTS.RDY is 0"));
        }
        self.resets += 1;
        self.ready = self.ready && self.faults.never_off;
        self.fatal = false;
        self.shut_down = false;
        self.steps_to_ready = None;
        self.interrupt_mask = 0;
        self.submission.clear();
        self.completion.clear();
        self.held.clear();
        self.pages = None;
        self.event_request = None;
        self.events_wanted = false;
        self.event_masked = false;
    }

    fn mask(&mut self, set: bool, value: u32) {
        if self.config.messages {
            self.violation(String::from("interrupt mask touched under MSI-X"));
        } else if set {
            self.interrupt_mask |= value;
        } else {
            self.interrupt_mask &= !value;
        }
    }

    fn write_admin_queue_register(&mut self, offset: usize, value: u32) {
        if self.cc & 1 != 0 {
            self.violation(format!("register {offset:#x} written while enabled"));
        }
        let half = |old: u64| {
            if offset.is_multiple_of(8) {
                old & !0xffff_ffff | u64::from(value)
            } else {
                old & 0xffff_ffff | u64::from(value) << 32
            }
        };
        match offset {
            0x24 => self.aqa = value,
            0x28 | 0x2c => self.asq = half(self.asq),
            _ => self.acq = half(self.acq),
        }
    }
}

impl FakeDevice for FakeNvme {
    fn bar_len_bytes(&self) -> usize {
        self.config.bar_len_bytes
    }

    fn read32(&mut self, offset: usize) -> u32 {
        self.gone |= self.faults.vanish_after == Some(0);
        if let Some(left) = &mut self.faults.vanish_after {
            *left = left.saturating_sub(1);
        }
        if self.gone {
            return u32::MAX;
        }
        match offset {
            0x00 => self.config.cap() as u32,
            0x04 => (self.config.cap() >> 32) as u32,
            0x08 => self.config.version,
            0x0c | 0x10 => self.interrupt_mask,
            0x14 => self.cc,
            0x1c => self.csts(),
            0x24 => self.aqa,
            0x28 => self.asq as u32,
            0x2c => (self.asq >> 32) as u32,
            0x30 => self.acq as u32,
            0x34 => (self.acq >> 32) as u32,
            _ => 0,
        }
    }

    fn write32(&mut self, offset: usize, value: u32) {
        if self.gone {
            return;
        }
        match offset {
            0x0c => self.mask(true, value),
            0x10 => self.mask(false, value),
            0x14 => self.write_cc(value),
            0x24 | 0x28 | 0x2c | 0x30 | 0x34 => self.write_admin_queue_register(offset, value),
            DOORBELLS.. => {
                let stride = self.config.stride_bytes();
                let index = (offset - DOORBELLS) / stride;
                if !offset.is_multiple_of(stride) {
                    self.violation(format!("store at {offset:#x}, between doorbells"));
                } else if index.is_multiple_of(2) {
                    self.ring_submission((index / 2) as u16, value);
                } else {
                    self.ring_completion((index / 2) as u16, value);
                }
                if self.config.immediate {
                    self.work();
                }
            }
            _ => self.violation(format!("store of {value:#x} at {offset:#x}")),
        }
    }

    fn step(&mut self, _now_ticks: u64) {
        if self.gone {
            return;
        }
        match self.steps_to_ready {
            Some(0) => {
                self.steps_to_ready = None;
                self.ready = true;
            }
            Some(steps) => self.steps_to_ready = Some(steps - 1),
            None => {}
        }
        self.work();
    }
}
