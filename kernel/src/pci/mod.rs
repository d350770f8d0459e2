//! PCI: configuration space, buses behind bridges, base addresses.
//!
//! What firmware assigned is left alone. Where none has run, or it left
//! something out, bus numbers, bridge windows and BARs are assigned here.
//!
//! The ladder: `config` reaches registers, `bar` and `bridge` decode them,
//! `numbering` and `tree` find functions, `aperture`, `layout` and `plan` decide
//! addresses without touching anything, `scan` puts all of it together.

mod aperture;
mod bar;
mod bridge;
mod capabilities;
mod config;
mod function;
mod layout;
mod message;
mod numbering;
mod plan;
mod scan;
#[cfg(test)]
mod testing;
mod tree;

pub use aperture::MemoryMap;
pub use bar::{Bar, BarKind};
pub use capabilities::Interrupts;
pub use config::Config;
pub use function::{Function, VGA_CLASS};
pub use message::Message;
pub use scan::{Inventory, scan};
