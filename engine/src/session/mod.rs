//! A whole run: inventory, plan, guard, rows, records.

mod adapter;
mod inject;
mod link;
mod run;

pub use adapter::{Adapter, Target};
pub use inject::Inject;
pub use link::{Link, MachineCounters, MachineCounts};
pub use run::{Setup, run};
