//! An interrupt line that a test can watch and break.

use super::HandClock;
use crate::session::{Halt, InterruptLine, Woken};
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;
use drivers::block::{Controller, InterruptMode};
use proto::job::Irq;

/// What device and line have in common.
#[derive(Debug, Default)]
pub struct WireState {
    /// When devices interrupt, in no order, and by which source.
    due: Vec<(u64, u8)>,
    /// A level-triggered line is up until it is acknowledged.
    up: bool,
    level: bool,
    /// Interrupts raised so far.
    raised: u64,
    /// Every so many interrupts one is lost; 0 for none.
    pub lose_every: u64,
    /// How much later than its completion an interrupt comes.
    pub late_ticks: u64,
    /// It interrupts all the time.
    pub storm: bool,
    /// The line was masked.
    pub masked: bool,
    /// Modes it was opened by, in order.
    pub opened: Vec<Irq>,
    /// Times it was closed.
    pub closed: u32,
    /// Acknowledgements.
    pub acknowledged: u64,
}

/// The wire from a device to its line, and the source that it is of those that
/// share the processor; clones are the same wire.
#[derive(Clone, Debug, Default)]
pub struct Wire(pub Rc<RefCell<WireState>>, pub u8);

impl Wire {
    /// The device will interrupt at `ticks`.
    pub fn raise_at(&self, ticks: u64) {
        let mut wire = self.0.borrow_mut();
        wire.raised += 1;
        if wire.lose_every == 0 || !wire.raised.is_multiple_of(wire.lose_every) {
            let due = ticks.saturating_add(wire.late_ticks);
            wire.due.push((due, self.1));
        }
    }

    /// The device was told that its line was noticed; whether it was up.
    pub fn acknowledge(&self) -> bool {
        let mut wire = self.0.borrow_mut();
        wire.acknowledged += 1;
        core::mem::take(&mut wire.up)
    }
}

/// The line at the other end.
#[derive(Debug)]
pub struct FakeLine {
    /// The wire.
    pub wire: Wire,
    clock: HandClock,
    offers: Vec<Irq>,
}

impl FakeLine {
    /// A line of these modes.
    #[must_use]
    pub fn new(wire: &Wire, clock: &HandClock, offers: &[Irq]) -> Self {
        Self {
            wire: wire.clone(),
            clock: clock.clone(),
            offers: offers.to_vec(),
        }
    }

    /// Takes what is due at `now`, all at once.
    fn take(&self, now: u64) -> Option<Woken> {
        let mut wire = self.wire.0.borrow_mut();
        if wire.masked {
            return None;
        }
        let first = wire.due.iter().find(|(due, _)| *due <= now).copied();
        if let Some((_, source)) = first {
            wire.due.retain(|(due, of)| *due > now || *of != source);
            wire.up = wire.level;
            return Some(self.judge(source));
        }
        (wire.up || wire.storm).then_some(Woken::Device)
    }

    fn judge(&self, source: u8) -> Woken {
        match source == self.wire.1 {
            true => Woken::Device,
            false => Woken::Other(source),
        }
    }
}

impl InterruptLine for FakeLine {
    fn offers(&self) -> &[Irq] {
        &self.offers
    }

    fn open(&mut self, irq: Irq, controller: &mut dyn Controller) -> Result<(), String> {
        let (level, mode) = match irq {
            Irq::Intx => (true, InterruptMode::Level),
            Irq::Msix | Irq::Msi => (false, InterruptMode::Message),
        };
        let mut wire = self.wire.0.borrow_mut();
        wire.level = level;
        wire.opened.push(irq);
        drop(wire);
        let set = controller.set_interrupts(mode);
        set.map_err(|error| error.to_string())
    }

    fn close(&mut self, controller: &mut dyn Controller) -> Result<(), String> {
        let set = controller.set_interrupts(InterruptMode::Off);
        self.wire.0.borrow_mut().closed += 1;
        set.map_err(|error| error.to_string())
    }

    fn is_source(&self, source: u8) -> bool {
        source == self.wire.1
    }
}

impl Halt for FakeLine {
    fn wait(&mut self, until_ticks: u64) -> Woken {
        let now = self.clock.peek();
        if let Some(woken) = self.take(now) {
            return woken;
        }
        let next = self.wire.0.borrow().due.iter().min().copied();
        match next.filter(|(due, _)| *due <= until_ticks) {
            Some((due, _)) => {
                self.clock.set(due);
                if let Some(woken) = self.take(due) {
                    return woken;
                }
            }
            None => self.clock.set(until_ticks.max(now)),
        }
        self.clock.set(until_ticks.max(self.clock.peek()));
        Woken::Timer
    }

    fn take_pending(&mut self) -> Option<Woken> {
        self.take(self.clock.peek())
    }

    fn mask(&mut self) {
        self.wire.0.borrow_mut().masked = true;
    }
}
