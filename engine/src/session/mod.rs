//! A whole run: inventory, plan, guard, rows, records.

mod adapter;
mod blank;
mod crew;
mod figures;
mod inject;
mod inventory;
mod line;
mod link;
mod names;
mod outcome;
mod plan;
mod prefill;
mod rehearsal;
mod resolve;
mod rows;
mod run;
mod second_look;
mod start;
mod together;
mod trace;
mod waiting;
mod wall;

pub use adapter::{Adapter, Target};
pub use inject::Inject;
pub use line::{Halt, InterruptLine, NoLine, Woken};
pub use link::{Link, MachineCounters, MachineCounts};
pub use run::{Setup, run};
pub use wall::{NoWallClock, WallClock, WallTie};
