//! Which pin of an I/O APIC a controller's INTx comes in at.
//!
//! The wiring stands in ACPI's program code, which is not run here, and the register
//! that firmware leaves in configuration space tells the PIC's number. So the
//! controller is made to interrupt, with every pin open that a line can come in at,
//! and the pin that answers is it. That holds whatever the chipset and whoever
//! configured it.

use super::platform::Parts;
use super::timer::TIMER_VECTOR;
use crate::acpi::Madt;
use crate::arch::interrupts::{self, LEVEL_VECTORS};
use crate::hal::TscClock;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use drivers::block::{
    BufferId, Completion, Controller, DiskId, InterruptMode, Lba, Op, QueueId, Request,
};
use drivers::hal::{Clock, Deadline};

/// How long the interrupt of a command may take.
const WAIT_MS: u64 = 500;
/// How long the command itself may take.
const COMMAND_MS: u64 = 5_000;
/// Interrupts that may come of lines that are up before the controller is asked.
const MOST_STRAYS: usize = 256;

/// Pins of the ISA bus, which are edge-triggered where firmware says nothing.
const ISA_PINS: u32 = 16;

/// A pin of an I/O APIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Which I/O APIC.
    pub apic: usize,
    /// Which of its pins.
    pub number: u32,
    /// The line is up when it is low.
    pub active_low: bool,
}

impl Pin {
    /// Opens it as `vector`.
    pub fn open(&self, parts: &Parts, vector: u8) {
        let apic = &parts.io_apics[self.apic];
        apic.route_level(self.number, self.active_low, vector, parts.processor);
    }

    /// Closes it.
    pub fn mask(&self, parts: &Parts) {
        parts.io_apics[self.apic].mask(self.number);
    }
}

/// Pins at which a line of PCI can come in: those beyond the 16 of the ISA bus, and of
/// these the ones that firmware lists as level-triggered. `chips` are the I/O APICs:
/// global number of the first pin, and pins.
fn candidates(chips: &[(u32, u32)], madt: &Madt) -> Vec<Pin> {
    let mut pins = Vec::new();
    for (apic, &(first_gsi, count)) in chips.iter().enumerate() {
        for number in 0..count {
            let gsi = first_gsi + number;
            let active_low = match madt.level_override(gsi) {
                Some(active_low) => active_low,
                None if gsi >= ISA_PINS => true,
                None => continue,
            };
            pins.push(Pin {
                apic,
                number,
                active_low,
            });
        }
    }
    pins.truncate(LEVEL_VECTORS.len());
    pins
}

/// Finds the pin of a controller whose INTx is on. It is polled afterwards.
pub fn find(
    parts: &mut Parts,
    madt: &Madt,
    controller: &mut dyn Controller,
    clock: &TscClock,
) -> Result<Pin, String> {
    let chips: Vec<_> = parts
        .io_apics
        .iter()
        .map(|chip| (chip.first_gsi, chip.pins))
        .collect();
    let pins = candidates(&chips, madt);
    if pins.is_empty() {
        return Err("firmware lists no I/O APIC".to_string());
    }
    for (pin, vector) in pins.iter().zip(LEVEL_VECTORS) {
        pin.open(parts, vector);
    }
    let found = provoke(parts, &pins, controller, clock);
    for pin in &pins {
        pin.mask(parts);
    }
    parts.timer.stop();
    let silenced = controller.set_interrupts(InterruptMode::Off);
    // A line may come in at two pins, as one of PCI and as one of the ISA bus.
    take_strays(parts, &pins);
    let found = found?;
    silenced.map_err(|error| error.to_string())?;
    Ok(found)
}

fn provoke(
    parts: &mut Parts,
    pins: &[Pin],
    controller: &mut dyn Controller,
    clock: &TscClock,
) -> Result<Pin, String> {
    // Lines that are up without our doing are out.
    take_strays(parts, pins);
    let text = |error: drivers::block::ControllerError| error.to_string();
    controller.set_buffers(1, 4096).map_err(text)?;
    controller
        .set_interrupts(InterruptMode::Level)
        .map_err(text)?;
    read_one(controller)?;
    let until = clock.now_ticks() + clock.ms_to_ticks(WAIT_MS);
    let mut answer = None;
    while answer.is_none() && clock.now_ticks() < until {
        parts.timer.bound(until);
        match interrupts::halt() {
            Some(TIMER_VECTOR) => parts.timer.went_off(),
            Some(vector) => answer = masked(parts, pins, vector),
            None => {}
        }
    }
    collect(controller, clock)?;
    answer.ok_or_else(|| {
        let tried = pins.len();
        alloc::format!("the controller's line reached none of {tried} pins of the I/O APICs")
    })
}

/// Takes what is pending, and masks the pins that it came in at.
fn take_strays(parts: &Parts, pins: &[Pin]) {
    for _ in 0..MOST_STRAYS {
        match interrupts::take_pending() {
            Some(vector) => drop(masked(parts, pins, vector)),
            None => break,
        }
    }
}

/// Masks the pin whose interrupt was taken, and ends it.
fn masked(parts: &Parts, pins: &[Pin], vector: u8) -> Option<Pin> {
    if !LEVEL_VECTORS.contains(&vector) {
        return None;
    }
    let pin = pins.get(usize::from(vector - LEVEL_VECTORS.start)).copied();
    if let Some(pin) = &pin {
        pin.mask(parts);
    }
    interrupts::end();
    pin
}

/// Sends the first disk a read of its first block.
fn read_one(controller: &mut dyn Controller) -> Result<(), String> {
    let disk = controller.disks().first();
    let block = disk.ok_or("the controller has no disk by which to try its line")?;
    if block.block_size_bytes > 4096 {
        return Err("the blocks of its disk are too large to try its line".to_string());
    }
    let request = Request {
        disk: DiskId(0),
        op: Op::Read,
        lba: Lba(0),
        blocks: 1,
        buffer: BufferId(0),
        buffer_offset_bytes: 0,
        cookie: 0,
    };
    let sent = controller.submit(QueueId(0), &request);
    sent.map_err(|error| alloc::format!("it took no command to try its line: {error:?}"))?;
    controller.ring_doorbell(QueueId(0));
    Ok(())
}

/// Takes its answer, which silences the line.
fn collect(controller: &mut dyn Controller, clock: &TscClock) -> Result<(), String> {
    controller.acknowledge_interrupt();
    let mut out = [Completion::EMPTY; 2];
    let deadline = Deadline::after_ms(clock, COMMAND_MS);
    let done = deadline.poll(clock, || {
        controller.reap(QueueId(0), &mut out);
        (controller.in_flight() == 0).then_some(())
    });
    done.ok_or_else(|| "the command that tried its line did not complete".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with these interrupt source overrides: source, flags.
    fn madt(overrides: &[(u8, u8)]) -> Madt {
        let mut table = alloc::vec![0; 44];
        for &(source, flags) in overrides {
            table.extend_from_slice(&[2, 10, 0, source, source, 0, 0, 0, flags, 0]);
        }
        Madt::parse(&table)
    }

    #[test]
    fn lines_of_pci_come_in_beyond_the_isa_bus_or_where_firmware_says_level() {
        // As QEMU's: the PIC's numbers of PCI are level-triggered and active high.
        let madt = madt(&[(5, 0x0d), (11, 0x0d), (2, 0)]);
        let pins = candidates(&[(0, 24)], &madt);
        let found: Vec<_> = pins
            .iter()
            .map(|pin| (pin.number, pin.active_low))
            .collect();
        let mut expected = alloc::vec![(5, false), (11, false)];
        expected.extend((16..24).map(|number| (number, true)));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_second_chip_has_pins_of_pci_alone_and_vectors_bound_them() {
        let pins = candidates(&[(0, 24), (24, 120)], &madt(&[]));
        assert_eq!((pins[0].apic, pins[0].number), (0, 16));
        assert_eq!((pins[8].apic, pins[8].number), (1, 0));
        assert_eq!(pins.len(), LEVEL_VECTORS.len());
    }
}
