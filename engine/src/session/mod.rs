//! A whole run: inventory, plan, guard, rows, records.

mod link;

pub use link::{Link, MachineCounters, MachineCounts};
