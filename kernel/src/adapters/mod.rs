//! From PCI functions to running controllers.
//!
//! What is the same for all kinds. A program brings a [`Driver`] for each kind that
//! it drives, because the loops that measure are compiled where those are.

mod start;

pub use start::{Driver, Failure, Registers, Running, StartError, Started, start_all};
