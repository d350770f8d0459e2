//! The processor: start, segments, interrupts and faults, ports of the kernel's own.
#![expect(
    unsafe_code,
    reason = "descriptor tables, interrupt entries and ports have no safe form"
)]

pub mod debug_exit;
mod fault;
mod frame;
pub mod interrupts;
#[cfg(any(test, feature = "inject"))]
pub mod provoke;
mod segments;
mod stacks;
pub mod start;
pub mod uart;
mod vectors;

pub use frame::Frame;
pub use stacks::interrupt_stack_guards;

/// Loads the kernel's own segments and interrupt table: from here on a fault is
/// reported. To be called once, first of all.
pub fn init() {
    segments::load();
    vectors::load();
}

/// Stops this processor for ever. With interrupts off only a reset ends it.
pub fn halt() -> ! {
    loop {
        x86_64::instructions::interrupts::disable();
        x86_64::instructions::hlt();
    }
}
