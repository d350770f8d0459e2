//! One controller's way to this processor.

use super::platform::{Parts, Platform};
use super::provoke::{self, Pin};
use super::timer::TIMER_VECTOR;
use crate::arch::interrupts::{self, LEVEL_VECTORS};
use crate::hal::cpu::tsc_after_loads;
use crate::pci::{Config, Function, Message};
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use drivers::block::{Controller, InterruptMode};
use engine::session::{Halt, InterruptLine, Woken};
use proto::job::Irq;

/// First vector of messages; each adapter has one.
const FIRST_MESSAGE: u8 = 0x40;
/// Interrupts of an old row that may still be on their way.
const MOST_OLD: usize = 256;

/// The line of one adapter.
#[derive(Debug)]
pub struct Line {
    platform: Rc<Platform>,
    config: Rc<Config>,
    function: Function,
    offers: Vec<Irq>,
    message_vector: u8,
    /// Where INTx comes in, once it was found.
    pin: Option<Pin>,
    open: Option<Irq>,
    /// The vector that is the controller's while the line is open.
    vector: u8,
    /// A level-triggered interrupt was taken and not ended.
    in_service: bool,
}

impl Line {
    /// The line of a function, by the number of its adapter.
    #[must_use]
    pub fn new(
        platform: Rc<Platform>,
        config: Rc<Config>,
        function: Function,
        adapter: usize,
    ) -> Self {
        let room = usize::from(LEVEL_VECTORS.start - FIRST_MESSAGE);
        let modes = function.interrupts;
        let offers = [
            (modes.msix_vectors != 0 && adapter < room, Irq::Msix),
            (modes.msi_offset != 0 && adapter < room, Irq::Msi),
            (modes.pin != 0, Irq::Intx),
        ];
        let offers = offers.into_iter().filter(|(offered, _)| *offered);
        Self {
            offers: offers.map(|(_, irq)| irq).collect(),
            message_vector: FIRST_MESSAGE + (adapter % room) as u8,
            platform,
            config,
            function,
            pin: None,
            open: None,
            vector: 0,
            in_service: false,
        }
    }

    fn open_pin(&mut self, controller: &mut dyn Controller) -> Result<(), String> {
        self.function.set_intx(&*self.config, true);
        let platform = Rc::clone(&self.platform);
        let parts = &mut *platform.parts()?;
        let pin = match self.pin {
            Some(pin) => pin,
            None => provoke::find(parts, platform.madt(), controller, platform.clock())?,
        };
        self.pin = Some(pin);
        self.vector = LEVEL_VECTORS.start;
        pin.open(parts, self.vector);
        Ok(())
    }

    fn open_message(&mut self, irq: Irq) -> Result<(), String> {
        self.vector = self.message_vector;
        let processor = self.platform.parts()?.processor;
        let message = Message::to(processor, self.vector);
        let set = match irq {
            Irq::Msix => self.function.open_msix(&*self.config, message),
            Irq::Msi | Irq::Intx => self.function.open_msi(&*self.config, message),
        };
        set.ok_or_else(|| "its table of messages cannot be mapped".to_string())
    }

    /// Closes what leads here; the controller is silent already, or never will be.
    fn shut(&mut self) {
        self.function.close_messages(&*self.config);
        self.function.set_intx(&*self.config, false);
        self.mask();
        self.end_service();
        if let Ok(mut parts) = self.platform.parts() {
            parts.timer.stop();
        }
        for _ in 0..MOST_OLD {
            if self.take_pending().is_none() {
                break;
            }
            self.end_service();
        }
        self.open = None;
    }

    fn end_service(&mut self) {
        if core::mem::take(&mut self.in_service) {
            interrupts::end();
        }
    }

    /// What a vector means.
    fn judge(&mut self, vector: u8, parts: &mut Parts) -> Woken {
        if vector == TIMER_VECTOR {
            parts.timer.went_off();
            return Woken::Timer;
        }
        let level = LEVEL_VECTORS.contains(&vector);
        if vector == self.vector {
            self.in_service = level;
            return Woken::Device;
        }
        if level {
            interrupts::end();
        }
        Woken::Other(vector)
    }
}

impl InterruptLine for Line {
    fn offers(&self) -> &[Irq] {
        &self.offers
    }

    fn open(&mut self, irq: Irq, controller: &mut dyn Controller) -> Result<(), String> {
        let (opened, mode) = match irq {
            Irq::Intx => (self.open_pin(controller), InterruptMode::Level),
            Irq::Msix | Irq::Msi => (self.open_message(irq), InterruptMode::Message),
        };
        self.open = Some(irq);
        let set = opened.and_then(|()| {
            let set = controller.set_interrupts(mode);
            set.map_err(|error| error.to_string())
        });
        if set.is_err() {
            self.shut();
        }
        set
    }

    fn close(&mut self, controller: &mut dyn Controller) -> Result<(), String> {
        let silenced = controller.set_interrupts(InterruptMode::Off);
        self.shut();
        silenced.map_err(|error| error.to_string())
    }

    fn is_source(&self, source: u8) -> bool {
        self.open.is_some() && source == self.vector
    }
}

impl Halt for Line {
    fn wait(&mut self, until_ticks: u64) -> Woken {
        self.end_service();
        let platform = Rc::clone(&self.platform);
        let Ok(mut parts) = platform.parts() else {
            return Woken::Timer;
        };
        loop {
            parts.timer.bound(until_ticks);
            if let Some(vector) = interrupts::halt() {
                return self.judge(vector, &mut parts);
            }
            if tsc_after_loads() >= until_ticks {
                return Woken::Timer;
            }
        }
    }

    fn take_pending(&mut self) -> Option<Woken> {
        let vector = interrupts::take_pending()?;
        let platform = Rc::clone(&self.platform);
        let mut parts = platform.parts().ok()?;
        Some(self.judge(vector, &mut parts))
    }

    fn mask(&mut self) {
        match self.open {
            Some(Irq::Intx) => {
                if let (Some(pin), Ok(parts)) = (&self.pin, self.platform.parts()) {
                    pin.mask(&parts);
                }
            }
            Some(Irq::Msix | Irq::Msi) => self.function.close_messages(&*self.config),
            None => {}
        }
    }
}
