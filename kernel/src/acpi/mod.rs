//! What the kernel needs of ACPI: processors, the PM timer, PCI configuration space,
//! the registers that switch the machine off.
//!
//! The `acpi` crate finds and checks the tables; their contents are read from the
//! bytes, because an old table may be shorter than the structure of today.

mod bytes;
mod fadt;
mod madt;
mod mcfg;
mod power;
mod s5;
mod tables;

pub use fadt::{Fadt, PmTimer, Register, Space};
pub use madt::{IoApicEntry, Madt};
pub use mcfg::EcamRange;
pub use power::Power;
pub use s5::{SleepType, soft_off};
pub use tables::{Tables, discover};
