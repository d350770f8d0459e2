//! `run` and `identify`: from flags to a result.

mod args;
mod boot;
mod check;
mod disks;
mod execute;
mod finish;
mod identify;
mod machine;
mod preview;
mod progress;
mod rows;
mod start;

pub use args::{MachineArgs, RunArgs};
pub use execute::{Executed, execute};
pub use identify::identify;
pub use machine::{Plan, plan};
pub use start::run;
