//! What the kernel needs of ACPI: processors, the PM timer, PCI configuration space.
//!
//! The `acpi` crate finds and checks the tables; their contents are read from the
//! bytes, because an old table may be shorter than the structure of today.

mod bytes;
mod fadt;
mod madt;
mod mcfg;
mod tables;

pub use fadt::{Fadt, PmTimer, Register, Space};
pub use madt::Madt;
pub use mcfg::EcamRange;
pub use tables::{Tables, discover};
