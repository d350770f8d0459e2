//! The interrupt controllers of the machine, in a known state.
//!
//! Firmware may have left timers running and lines open. Before the first interrupt
//! is taken, all of them are masked: the PICs, every pin of every I/O APIC, and the
//! pins of the local APIC.

use super::timer::Timer;
use crate::acpi::Madt;
use crate::arch::interrupts::{self, SPURIOUS_VECTOR};
use crate::hal::io_apic::IoApic;
use crate::hal::local_apic::{self, LocalApic, register};
use crate::hal::{TscClock, port};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{RefCell, RefMut};

const APIC_ON: u32 = 1 << 8;
const MASKED: u32 = 1 << 16;
const PIC_ALL: u8 = 0xff;
/// Vectors of a local APIC.
const VECTORS: u32 = 256;

/// What all lines share.
#[derive(Debug)]
pub struct Platform {
    madt: Madt,
    clock: TscClock,
    parts: RefCell<Option<Parts>>,
}

/// The controllers, once they are started.
#[derive(Debug)]
pub struct Parts {
    /// Id of this processor.
    pub processor: u8,
    /// Longest time of a wait.
    pub timer: Timer,
    /// Where lines come in.
    pub io_apics: Vec<IoApic>,
}

impl Platform {
    /// Nothing is touched yet. The clock need not be exact.
    #[must_use]
    pub const fn new(madt: Madt, clock: TscClock) -> Self {
        Self {
            madt,
            clock,
            parts: RefCell::new(None),
        }
    }

    /// What firmware says of interrupts.
    #[must_use]
    pub const fn madt(&self) -> &Madt {
        &self.madt
    }

    /// The clock that waits are bounded by.
    #[must_use]
    pub const fn clock(&self) -> &TscClock {
        &self.clock
    }

    /// The controllers; the first call starts them.
    ///
    /// # Errors
    /// What is missing.
    pub fn parts(&self) -> Result<RefMut<'_, Parts>, String> {
        if self.parts.borrow().is_none() {
            let parts = self.start()?;
            *self.parts.borrow_mut() = Some(parts);
        }
        RefMut::filter_map(self.parts.borrow_mut(), Option::as_mut)
            .map_err(|_| String::from("the interrupt controllers were not started"))
    }

    fn start(&self) -> Result<Parts, String> {
        port::PIC_1_DATA.write(PIC_ALL);
        port::PIC_2_DATA.write(PIC_ALL);
        let apic = local_apic::start().ok_or("the processor has no local APIC")?;
        let processor = apic
            .id()
            .ok_or("the processor's id is too large for a message")?;
        quiet(apic);
        let timer = Timer::start(apic, &self.clock).ok_or("the local APIC's timer stands still")?;
        let listed = &self.madt.io_apics;
        let io_apics = listed
            .iter()
            .filter_map(|listed| IoApic::start(listed.address, listed.first_gsi))
            .collect();
        // What was on its way before all was masked.
        for _ in 0..VECTORS {
            if interrupts::take_pending().is_none() {
                break;
            }
        }
        Ok(Parts {
            processor,
            timer,
            io_apics,
        })
    }
}

/// Ends what firmware left in service, and masks all sources but messages.
fn quiet(apic: &LocalApic) {
    apic.write(register::TIMER, MASKED | u32::from(SPURIOUS_VECTOR));
    apic.write(register::LINT0, MASKED | u32::from(SPURIOUS_VECTOR));
    apic.write(register::TASK_PRIORITY, 0);
    apic.write(register::SPURIOUS, APIC_ON | u32::from(SPURIOUS_VECTOR));
    for _ in 0..VECTORS {
        let busy = (0..8).any(|word| apic.read(register::IN_SERVICE + word * 16) != 0);
        if !busy {
            break;
        }
        interrupts::end();
    }
}
