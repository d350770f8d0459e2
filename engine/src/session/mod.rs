//! A whole run: inventory, plan, guard, rows, records.

mod adapter;
mod blank;
mod figures;
mod inject;
mod inventory;
mod link;
mod names;
mod outcome;
mod plan;
mod rehearsal;
mod resolve;
mod rows;
mod run;
mod second_look;

pub use adapter::{Adapter, Target};
pub use inject::Inject;
pub use link::{Link, MachineCounters, MachineCounts};
pub use run::{Setup, run};
