//! Switching the machine off and starting it anew.

use super::{Fadt, Register, SleepType};
use crate::hal::cpu;
use crate::hal::firmware::store8;
use crate::hal::port::{KEYBOARD_COMMAND, power_management};

/// PM1_CNT: sleep type in bits 10..13, and the bit that starts (ACPI 6.5, 4.8.3.2.1).
const SLP_TYP_SHIFT: u16 = 10;
const SLP_TYP_MASK: u16 = 7 << SLP_TYP_SHIFT;
const SLP_EN: u16 = 1 << 13;
/// PM1_CNT: the registers belong to the operating system.
const SCI_EN: u16 = 1;
/// Sleep control register: the same in 8 bits (4.8.3.7).
const REDUCED_SLP_TYP_SHIFT: u8 = 2;
const REDUCED_SLP_EN: u8 = 1 << 5;
/// Keyboard controller: pulse the processor's reset line.
const PULSE_RESET: u8 = 0xfe;
/// How long the machine may take to obey: about a second.
const PATIENCE_TICKS: u64 = 3_000_000_000;

/// What firmware says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Power {
    sleep_type: Option<SleepType>,
    pm1_control: [Option<u16>; 2],
    acpi_enable: Option<(u16, u8)>,
    sleep_control: Option<Register>,
    reset: Option<(Register, u8)>,
}

impl Power {
    /// From the FADT, and `\_S5` of the DSDT.
    #[must_use]
    pub const fn new(fadt: &Fadt, sleep_type: Option<SleepType>) -> Self {
        Self {
            sleep_type,
            pm1_control: fadt.pm1_control,
            acpi_enable: fadt.acpi_enable,
            sleep_control: fadt.sleep_control,
            reset: fadt.reset,
        }
    }

    /// Switches the machine off; returns why it is still on.
    #[must_use]
    pub fn off(&self) -> &'static str {
        let Some(sleep_type) = self.sleep_type else {
            return "its firmware does not say how (no \\_S5 in the DSDT)";
        };
        if let Some(register) = &self.sleep_control {
            let value = sleep_type.a << REDUCED_SLP_TYP_SHIFT | REDUCED_SLP_EN;
            store8(register, value);
        } else {
            let [Some(a), b] = self.pm1_control else {
                return "its firmware names no register for it";
            };
            self.take_over(a);
            start_sleep(a, sleep_type.a);
            if let Some(b) = b {
                start_sleep(b, sleep_type.b);
            }
        }
        wait();
        "it did not obey"
    }

    /// Starts the machine anew; returns why it did not.
    #[must_use]
    pub fn reset(&self) -> &'static str {
        if let Some((register, value)) = &self.reset {
            store8(register, *value);
            wait();
        }
        KEYBOARD_COMMAND.write(PULSE_RESET);
        wait();
        "it did not obey"
    }

    /// Makes firmware leave the PM1 registers to us, if it holds them.
    fn take_over(&self, control: u16) {
        let control = power_management::<u16>(control);
        let Some((port, value)) = self.acpi_enable else {
            return;
        };
        if control.read() & SCI_EN != 0 {
            return;
        }
        power_management::<u8>(port).write(value);
        let start = cpu::tsc_after_loads();
        while control.read() & SCI_EN == 0 && since(start) < PATIENCE_TICKS {
            core::hint::spin_loop();
        }
    }
}

fn start_sleep(control: u16, sleep_type: u8) {
    let control = power_management::<u16>(control);
    let kept = control.read() & !(SLP_TYP_MASK | SLP_EN);
    let value = kept | u16::from(sleep_type) << SLP_TYP_SHIFT;
    // The type first, then the bit that starts (4.8.3.2.1).
    control.write(value);
    control.write(value | SLP_EN);
}

fn wait() {
    let start = cpu::tsc_after_loads();
    while since(start) < PATIENCE_TICKS {
        core::hint::spin_loop();
    }
}

fn since(start: u64) -> u64 {
    cpu::tsc_after_loads().wrapping_sub(start)
}
