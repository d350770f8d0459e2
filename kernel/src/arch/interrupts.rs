//! Taking interrupts: only where the program waits for one, and one at a time.
//!
//! Interrupts are off everywhere else. An interrupt that comes meanwhile is kept by
//! the local APIC and taken at the next wait, so that none is missed between a look
//! at a device and the halt after it. The handler switches them off again in the
//! flags that it returns to, so that a source which never stops cannot keep the
//! program from going on.

use super::frame::Frame;
use crate::hal::counters::{EOIS, HALTED_TICKS, HALTS, HANDLER_TICKS, INTERRUPTS};
use crate::hal::{cpu, local_apic};
use core::arch::asm;
use core::ops::Range;
use core::sync::atomic::{AtomicU8, Ordering};

/// Vectors of the processor's own; all above are interrupts.
pub(super) const FIRST_INTERRUPT: u64 = 32;
/// Vectors of level-triggered lines: their end is left to the program, because the
/// line is up until the device is told.
pub const LEVEL_VECTORS: Range<u8> = 0x80..0xc0;
/// The vector of an interrupt that was gone when it was to be delivered. It has no
/// end (Intel SDM volume 3, 11.9).
pub const SPURIOUS_VECTOR: u8 = 0xff;

/// Interrupt flag (Intel SDM volume 1, 3.4.3).
const INTERRUPT_FLAG: u64 = 1 << 9;

/// The vector that was taken last; 0 for none.
static TAKEN: AtomicU8 = AtomicU8::new(0);

/// Halts until an interrupt was taken, and returns its vector. `None` if the halt
/// ended otherwise (by an NMI).
#[must_use]
pub fn halt() -> Option<u8> {
    let handled = HANDLER_TICKS.get();
    let start = cpu::tsc_after_loads();
    // SAFETY: STI holds interrupts back for one more instruction, so HLT is reached
    // before one can be taken, and none is missed. The handler runs on a stack of its
    // own; what it may change beside memory and general registers is clobbered here.
    unsafe { asm!("sti", "hlt", "cli", clobber_abi("sysv64"), options(nostack)) };
    let all = cpu::tsc_after_loads().wrapping_sub(start);
    HALTS.add(1);
    HALTED_TICKS.add(all.saturating_sub(HANDLER_TICKS.get().wrapping_sub(handled)));
    taken()
}

/// Takes an interrupt that is there already, and returns its vector.
#[must_use]
pub fn take_pending() -> Option<u8> {
    // SAFETY: as above; it may be taken after the NOP.
    unsafe { asm!("sti", "nop", "cli", clobber_abi("sysv64"), options(nostack)) };
    taken()
}

fn taken() -> Option<u8> {
    match TAKEN.load(Ordering::Relaxed) {
        0 => None,
        vector => {
            TAKEN.store(0, Ordering::Relaxed);
            Some(vector)
        }
    }
}

/// The handler of all interrupts: notes which it was, and ends it unless that is left
/// to the program.
pub(super) fn handle(frame: &mut Frame) {
    let start = cpu::tsc_after_loads();
    let vector = frame.vector as u8;
    TAKEN.store(vector, Ordering::Relaxed);
    INTERRUPTS.add(1);
    if vector != SPURIOUS_VECTOR && !LEVEL_VECTORS.contains(&vector) {
        end();
    }
    frame.rflags &= !INTERRUPT_FLAG;
    HANDLER_TICKS.add(cpu::tsc_after_loads().wrapping_sub(start));
}

/// Ends the interrupt in service.
pub fn end() {
    if let Some(apic) = local_apic::get() {
        apic.write(local_apic::register::EOI, 0);
        EOIS.add(1);
    }
}
