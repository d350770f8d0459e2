//! `cargo xtask bench`: the figures that the project set itself.
//!
//! A benchmark never fails for being slow; it fails when a run breaks.

mod figure;
mod guest;
mod instructions;
mod lines;
mod machine;
mod memory;
mod native;
mod peer;
mod probe;
mod report;
mod run;
mod sizes;
mod spread;
mod start;
mod throughput;

pub use figure::{Better, Figure, Target};
pub use report::{Report, SCHEMA};
pub use run::{BenchArgs, BenchFormat, run};
pub use spread::Spread;
