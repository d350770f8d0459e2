//! Interrupts of controllers: how they reach this processor, and how it waits.
//!
//! `platform` brings the local and the I/O APICs into a known state when the first
//! row asks for it, `timer` bounds a wait, `line` is one controller's way here, and
//! `provoke` finds which pin of an I/O APIC a controller's INTx is wired to.

mod line;
mod platform;
mod provoke;
mod timer;

pub use line::Line;
pub use platform::Platform;
