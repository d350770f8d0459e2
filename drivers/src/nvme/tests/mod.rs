//! The driver against the model in memory.

mod bring_up;
mod counts;
mod data;
mod interrupts;
mod lifecycle;
mod lying;
mod namespaces;
mod properties;
mod prp;
mod rig;
mod shadow;
