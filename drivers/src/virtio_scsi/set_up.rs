//! From a device that was just reset to one that works.

use super::VirtioScsi;
use super::control::Control;
use super::events::Events;
use super::features::Features;
use super::queue::{CHAIN_ENTRIES, Queue};
use super::ring::Suppression;
use super::spec::{NO_VECTOR, device_status, queue};
use crate::block::{ControllerError, Health, InterruptMode, Limits};
use crate::hal::{DmaError, Hal};
use alloc::vec::Vec;

/// Most entries of a request queue: as many as QEMU ever has.
const MAX_ENTRIES: u16 = 1024;
/// MSI-X vector of every request queue.
const VECTOR: u16 = 0;

/// Numbers and sizes of queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Request queues.
    queues: u16,
    /// Entries of each.
    entries: u16,
    /// Commands in flight on each.
    slots: u16,
    indirect: bool,
    control_entries: u16,
    event_entries: u16,
}

/// All queues of one shape.
pub(super) struct Queues<R> {
    pub(super) shape: Shape,
    pub(super) control: Control<R>,
    pub(super) events: Events<R>,
}

/// The largest power of two that is not above `count`.
const fn power_below(count: u16) -> u16 {
    match count {
        0 => 0,
        count => 1 << count.ilog2(),
    }
}

impl<H: Hal> VirtioScsi<H> {
    /// Agrees on features, gives the device its queues and lets it run. It was
    /// just reset.
    pub(super) fn set_up(&mut self) -> Result<(), ControllerError> {
        self.features = Features::negotiate(&self.regs, &self.choices)?;
        let shape = self.shape()?;
        if self.others.as_ref().map(|others| others.shape) != Some(shape) {
            self.allocate(shape).map_err(ControllerError::Dma)?;
        }
        self.limits = limits(&shape, &self.features);
        self.install()?;
        self.regs.set_status(
            device_status::ACKNOWLEDGE
                | device_status::DRIVER
                | device_status::FEATURES_OK
                | device_status::DRIVER_OK,
        );
        self.post_events();
        self.units.forget_transfers();
        self.health = Health::Ok;
        self.running = true;
        Ok(())
    }

    /// What the device has of what is wanted.
    fn shape(&self) -> Result<Shape, ControllerError> {
        let most = self.features.request_queues.min(u32::from(u16::MAX)) as u16;
        // Each has room for one of the commands that a unit takes at once.
        let busy = self
            .features
            .commands_per_unit
            .clamp(1, u32::from(most).max(1)) as u16;
        let queues = self.choices.queues.min(most).min(busy);
        let sizes = (0..queues).map(|at| self.regs.max_entries(queue::REQUEST + at));
        let entries = sizes.min().unwrap_or(0).min(MAX_ENTRIES);
        let wanted = self.choices.entries.unwrap_or(u32::MAX);
        let entries = power_below(u32::from(entries).min(wanted) as u16);
        let indirect = self.features.indirect_descriptors;
        let room = if indirect {
            entries
        } else {
            entries / CHAIN_ENTRIES
        };
        // The device's limit is one of a unit; all queues together keep it.
        let share = (self.features.commands_per_unit / u32::from(queues.max(1))).max(1);
        let shape = Shape {
            queues,
            entries,
            slots: u32::from(room).min(share) as u16,
            indirect,
            control_entries: power_below(self.regs.max_entries(queue::CONTROL)),
            event_entries: power_below(self.regs.max_entries(queue::EVENT)),
        };
        if shape.slots == 0 || shape.control_entries < 2 || shape.event_entries == 0 {
            return Err(ControllerError::Refused {
                what: "queues with room for a command",
                answer: u64::from(entries),
            });
        }
        Ok(shape)
    }

    /// Memory for queues of another shape; the old ones are freed, which the
    /// device does not use now.
    fn allocate(&mut self, shape: Shape) -> Result<(), DmaError> {
        let hal = &self.hal;
        let make = |at| {
            let number = queue::REQUEST + at;
            Queue::allocate(hal, number, shape.entries, shape.slots, shape.indirect)
        };
        let queues = (0..shape.queues)
            .map(make)
            .collect::<Result<Vec<_>, DmaError>>()?;
        let others = Queues {
            shape,
            control: Control::allocate(hal, shape.control_entries)?,
            events: Events::allocate(hal, shape.event_entries)?,
        };
        self.queues = queues;
        self.others = Some(others);
        Ok(())
    }

    fn install(&mut self) -> Result<(), ControllerError> {
        let event_index = self.features.event_index;
        let kicks = self.features.kicks(&self.choices);
        let Some(others) = &mut self.others else {
            return Err(ControllerError::Unsupported);
        };
        self.regs.set_config_vector(NO_VECTOR);
        let control = &mut others.control;
        control.ring.clear(0, event_index, Suppression::None);
        control.lay_out();
        control.doorbell = self.regs.enable(queue::CONTROL, &control.parts())?;
        let events = &mut others.events;
        events.ring.clear(0, event_index, Suppression::None);
        events.lay_out();
        events.doorbell = self.regs.enable(queue::EVENT, &events.parts())?;
        let vector = match self.interrupts {
            InterruptMode::Message => VECTOR,
            InterruptMode::Off | InterruptMode::Level => NO_VECTOR,
        };
        for queue in &mut self.queues {
            queue.ring.clear(self.first_index, event_index, kicks);
            queue
                .ring
                .want_interrupts(self.interrupts != InterruptMode::Off);
            queue.lay_out();
            let mut parts = queue.parts();
            parts.vector = vector;
            queue.doorbell = self.regs.enable(queue.number, &parts)?;
        }
        Ok(())
    }

    /// Shows the device the event buffers that wait, if any do.
    pub(super) fn post_events(&mut self) {
        let Some(others) = &mut self.others else {
            return;
        };
        let ring = &mut others.events.ring;
        if ring.unpublished() != 0 && ring.publish() {
            self.regs.notify(others.events.doorbell, queue::EVENT);
        }
    }
}

fn limits(shape: &Shape, features: &Features) -> Limits {
    Limits {
        queues: shape.queues,
        queue_entries: u32::from(shape.entries),
        max_in_flight: u32::from(shape.slots),
        max_batch: u32::from(shape.slots),
        max_transfer_bytes: features.max_transfer_bytes,
        max_targets: u32::from(features.max_target) + 1,
        ring_pages: 0,
        doorbell_per_request: false,
        polls_by_register: false,
    }
}
