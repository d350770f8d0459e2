//! Port I/O with an exact count.
//!
//! A port is a value that safe code may read and write once somebody vouched for
//! it; the harmless ports that the kernel uses are listed at the end.
#![expect(
    unsafe_code,
    reason = "IN and OUT; whoever makes a port vouches that its device cannot harm memory"
)]

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering};
use x86_64::instructions::port::{Port, PortRead, PortWrite};

static ACCESSES: AtomicU64 = AtomicU64::new(0);

/// Port accesses since the kernel's start, of any width and direction.
#[must_use]
pub fn accesses() -> u64 {
    ACCESSES.load(Ordering::Relaxed)
}

/// Counts an access that is made elsewhere, because it needs more registers.
pub(super) fn count_one() {
    ACCESSES.fetch_add(1, Ordering::Relaxed);
}

/// One I/O port of width `T`.
#[derive(Debug)]
pub struct IoPort<T> {
    number: u16,
    width: PhantomData<T>,
}

impl<T> Clone for IoPort<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for IoPort<T> {}

impl<T> IoPort<T> {
    /// The port `number`.
    ///
    /// # Safety
    /// No access of this width to it can make a device write to the program's
    /// memory, move its mappings, or stop the processor.
    #[must_use]
    pub const unsafe fn new(number: u16) -> Self {
        Self {
            number,
            width: PhantomData,
        }
    }
}

impl<T: PortRead> IoPort<T> {
    /// One IN.
    #[inline]
    #[must_use]
    pub fn read(self) -> T {
        ACCESSES.fetch_add(1, Ordering::Relaxed);
        let mut port = Port::new(self.number);
        // SAFETY: whoever made the value vouched that reading does no harm.
        unsafe { port.read() }
    }
}

impl<T: PortWrite> IoPort<T> {
    /// One OUT.
    #[inline]
    pub fn write(self, value: T) {
        ACCESSES.fetch_add(1, Ordering::Relaxed);
        let mut port = Port::new(self.number);
        // SAFETY: whoever made the value vouched that writing does no harm.
        unsafe { port.write(value) };
    }
}

/// The port on which the ACPI PM timer is read; reading it has no effect.
#[must_use]
pub fn pm_timer(number: u16) -> IoPort<u32> {
    // SAFETY: the FADT names it as a read-only counter (ACPI 6.5, 4.8.3.3).
    unsafe { IoPort::new(number) }
}

/// PIT channel 2, which raises no interrupt (Intel 8254).
pub const PIT_CHANNEL_2: IoPort<u8> = harmless(0x42);
/// PIT mode and command.
pub const PIT_COMMAND: IoPort<u8> = harmless(0x43);
/// NMI status and control: bit 0 gates PIT channel 2, bit 1 is the speaker.
pub const SYSTEM_CONTROL_B: IoPort<u8> = harmless(0x61);
/// First PIC: its mask (Intel 8259A).
pub const PIC_1_DATA: IoPort<u8> = harmless(0x21);
/// Second PIC: its mask.
pub const PIC_2_DATA: IoPort<u8> = harmless(0xa1);
/// CMOS memory: which byte; bit 7 holds back NMIs (IBM PC AT).
pub const CMOS_INDEX: IoPort<u8> = harmless(0x70);
/// CMOS memory: the byte.
pub const CMOS_DATA: IoPort<u8> = harmless(0x71);
/// QEMU fw_cfg: selector (docs/specs/fw_cfg.rst).
pub const FW_CFG_SELECTOR: IoPort<u16> = harmless(0x510);
/// QEMU fw_cfg: data, byte by byte.
pub const FW_CFG_DATA: IoPort<u8> = harmless(0x511);
/// VGA CRT controller: which register (IBM VGA).
pub const VGA_CRTC_INDEX: IoPort<u8> = harmless(0x3d4);
/// VGA CRT controller: the register.
pub const VGA_CRTC_DATA: IoPort<u8> = harmless(0x3d5);
/// Keyboard controller: command (IBM PC AT). One of them resets the processor.
pub const KEYBOARD_COMMAND: IoPort<u8> = ending(0x64);

const fn harmless<T>(number: u16) -> IoPort<T> {
    // SAFETY: the constants above are timers and a mailbox without DMA.
    unsafe { IoPort::new(number) }
}

/// A PM1 control register, or the SMI command port.
#[must_use]
pub const fn power_management<T>(number: u16) -> IoPort<T> {
    ending(number)
}

const fn ending<T>(number: u16) -> IoPort<T> {
    // SAFETY: the firmware tables, or the PC's design, name these ports as those
    // that end the machine or prepare it for that: memory is lost with the
    // program that owns it.
    unsafe { IoPort::new(number) }
}
